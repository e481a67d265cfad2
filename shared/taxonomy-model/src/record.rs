//! A category or a term by itself, as snapshots and facts hold it. These names are the storage format
//! (docs/decisions/0002-stored-bodies.md).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use taxonomy_keys::{CategoryId, Culture, TermId};

use crate::draft::{Draft, Unfinished};
use crate::settings::Settings;
use crate::taxonomy::{Category, Extra, NameData, Node, NodeData, Taxonomy, Term};
use crate::text::narrow;

/// A category (no `category`) or a term.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Record {
    /// Its id.
    pub id: u64,
    /// The category that a term belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<u64>,
    /// The term above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u64>,
    /// Names, ascending by culture.
    pub names: Vec<NameRecord>,
    /// The code in a classification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<String>,
    /// Alternative names: culture and name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alt_names: Vec<(String, String)>,
    /// What siblings are sorted by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort_key: Option<String>,
    /// A JSON object in canonical form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Box<RawValue>>,
    /// Not to be used for new things.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deprecated: bool,
    /// Ids of what replaces it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced_by: Vec<u64>,
}

/// A name: `["en-GB","Sector"]` or `["en-GB","Sector","sector"]` with its path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum NameRecord {
    /// Culture, name and path.
    WithPath(String, String, String),
    /// Culture and name.
    Plain(String, String),
}

impl NameRecord {
    pub(crate) fn culture(&self) -> &str {
        let (Self::WithPath(culture, ..) | Self::Plain(culture, _)) = self;
        culture
    }

    pub(crate) fn set_name(&mut self, new: String) {
        let (Self::WithPath(_, name, _) | Self::Plain(_, name)) = self;
        *name = new;
    }

    pub(crate) fn set_path(&mut self, new: Option<String>) {
        let (Self::WithPath(culture, name, _) | Self::Plain(culture, name)) = self.clone();
        *self = match new {
            Some(path) => Self::WithPath(culture, name, path),
            None => Self::Plain(culture, name),
        };
    }
}

/// Records that do not make a taxonomy: a stored body is damaged or was written by a faulty build.
#[derive(Debug, thiserror::Error)]
pub enum InvalidRecord {
    /// An id is out of range, or a reference leads nowhere.
    #[error("node {0}: an id is out of range or refers to nothing")]
    Reference(u64),
    /// A culture is no language tag.
    #[error("node {0}: not a culture")]
    Culture(u64),
    /// The records contradict what a taxonomy promises.
    #[error(transparent)]
    Unfinished(#[from] Unfinished),
}

impl Record {
    /// The record of a category.
    #[must_use]
    pub fn of_category(category: Category<'_>) -> Self {
        Self::of_node(category.id().get(), category.node)
    }

    /// The record of a term.
    #[must_use]
    pub fn of_term(term: Term<'_>) -> Self {
        let category = Some(term.category().id().get());
        let parent = term.parent().map(|parent| parent.id().get());
        Self {
            category,
            parent,
            ..Self::of_node(term.id().get(), term.node)
        }
    }

    fn of_node(id: u64, node: Node<'_>) -> Self {
        let names = node.names().map(|name| {
            let (culture, text) = (name.culture.to_string(), name.name.to_owned());
            match name.path {
                Some(path) => NameRecord::WithPath(culture, text, path.to_owned()),
                None => NameRecord::Plain(culture, text),
            }
        });
        Self {
            id,
            category: None,
            parent: None,
            names: names.collect(),
            notation: node.notation().map(str::to_owned),
            alt_names: node
                .alt_names()
                .iter()
                .map(|(culture, name)| (culture.to_string(), name.clone()))
                .collect(),
            sort_key: node.sort_key().map(str::to_owned),
            metadata: node.metadata().and_then(raw_json),
            deprecated: node.deprecated(),
            replaced_by: node.replaced_by().to_vec(),
        }
    }
}

/// The canonical text was built by this crate, so it always is JSON.
pub(crate) fn raw_json(text: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(text.to_owned()).ok()
}

/// Collects records, in any order, into a taxonomy.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    draft: Draft,
    /// For each term in the draft: the ids of its category and its parent.
    places: Vec<(u64, Option<u64>)>,
}

impl Assembly {
    pub(crate) fn push_category(&mut self, record: Record) -> Result<(), InvalidRecord> {
        CategoryId::new(record.id).ok_or(InvalidRecord::Reference(record.id))?;
        let node = self.node(record)?;
        self.draft.categories.push(node);
        Ok(())
    }

    pub(crate) fn push_term(&mut self, record: Record) -> Result<(), InvalidRecord> {
        TermId::new(record.id).ok_or(InvalidRecord::Reference(record.id))?;
        self.places.push((
            record.category.ok_or(InvalidRecord::Reference(record.id))?,
            record.parent,
        ));
        let node = self.node(record)?;
        self.draft.terms.push(node);
        Ok(())
    }

    fn node(&mut self, record: Record) -> Result<NodeData, InvalidRecord> {
        let id = record.id;
        let culture = |tag: &str| tag.parse::<Culture>().map_err(|_| InvalidRecord::Culture(id));
        let start = self.draft.names.begin(record.names.len());
        for name in &record.names {
            let (tag, name, path) = match name {
                NameRecord::WithPath(tag, name, path) => (tag, name, Some(path)),
                NameRecord::Plain(tag, name) => (tag, name, None),
            };
            let culture = self.draft.culture(&culture(tag)?);
            let name = self.draft.push_text(name);
            let path = path.map(|path| self.draft.push_text(path));
            self.draft.names.push(NameData { culture, name, path });
        }
        let alt_names = record
            .alt_names
            .into_iter()
            .map(|(tag, name)| Ok((culture(&tag)?, name)));
        let extra = Extra {
            notation: record.notation,
            alt_names: alt_names.collect::<Result<_, InvalidRecord>>()?,
            sort_key: record.sort_key,
            metadata: record.metadata.map(|json| json.get().to_owned()),
            deprecated: record.deprecated,
            replaced_by: record.replaced_by,
        };
        let names = start..self.draft.names.end();
        let extra = self.draft.push_extra(extra);
        Ok(NodeData {
            id,
            category: 0,
            parent: None,
            depth: 0,
            leaf: true,
            names,
            extra,
        })
    }

    pub(crate) fn finish(mut self, settings: Settings) -> Result<Taxonomy, InvalidRecord> {
        let positions = |nodes: &[NodeData]| -> HashMap<u64, u32> {
            nodes
                .iter()
                .enumerate()
                .map(|(position, node)| (node.id, narrow(position)))
                .collect()
        };
        let (categories, terms) = (positions(&self.draft.categories), positions(&self.draft.terms));
        for (term, (category, parent)) in self.draft.terms.iter_mut().zip(&self.places) {
            let lost = InvalidRecord::Reference(term.id);
            let Some(&category) = categories.get(category) else {
                return Err(lost);
            };
            term.category = category;
            term.parent = match parent {
                None => None,
                Some(parent) => Some(*terms.get(parent).ok_or(lost)?),
            };
        }
        Ok(self.draft.finish(settings)?)
    }
}
