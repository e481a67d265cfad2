//! A category or a term by itself, in the form of snapshots and facts. The names are the storage format
//! (docs/decisions/0002-stored-bodies.md).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, Culture, TermId};

use crate::taxonomy::details::Details;
use crate::taxonomy::draft::Unfinished;
use crate::taxonomy::names::{NameData, PathData};
use crate::taxonomy::settings::Settings;
use crate::taxonomy::tree::{Index, NodeData, NodeRef, Tree, push_node};
use crate::taxonomy::{Category, Node, Taxonomy, Term};
use crate::text::{TextBuffer, narrow};

/// A category (no `category`) or a term.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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
    /// The optional fields.
    #[serde(flatten)]
    pub details: Details,
}

/// Culture, name and, if there is one, path: `["en-GB","Sector"]` or `["en-GB","Sector","sector"]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameRecord(
    pub String,
    pub String,
    #[serde(default, skip_serializing_if = "Option::is_none")] pub Option<String>,
);

/// The records are not a taxonomy: a stored body is damaged or was written by a faulty build.
#[derive(Debug, thiserror::Error)]
pub enum InvalidRecord {
    /// An id is out of range, or a reference has no target.
    #[error("node {0}: an id is out of range or refers to nothing")]
    Reference(u64),
    /// A culture is not a language tag, or names the node twice.
    #[error("node {0}: not a culture, or one that names it twice")]
    Culture(u64),
    /// A name or a path contains a control character, which stored forms use as separators, or is far longer than any of an accepted file.
    #[error("node {0}: a name or a path holds a control character or is too long")]
    Text(u64),
    /// The records violate an invariant of a taxonomy.
    #[error(transparent)]
    Unfinished(#[from] Unfinished),
}

impl Record {
    /// Returns the record of a category.
    #[must_use]
    pub fn of_category(category: Category<'_>) -> Self {
        Self::of_node(category.id().get(), category.node)
    }

    /// Returns the record of a term.
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
            let path = name.path.map(|path| path.text().into_owned());
            NameRecord(name.culture.to_string(), name.name.to_owned(), path)
        });
        Self {
            id,
            category: None,
            parent: None,
            names: names.collect(),
            details: node.details().clone(),
        }
    }
}

/// Collects records, in any order, into a taxonomy.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    tree: Tree,
    /// The position of each term by its id, and of each category.
    terms: HashMap<u64, u32>,
    categories: HashMap<u64, u32>,
    /// Terms whose category or parent follows them, with the ids of both.
    waiting: Vec<(u32, u64, Option<u64>)>,
}

impl Assembly {
    /// Creates an assembly with a reserve for texts, in bytes; [`default`](Self::default) reserves space for a whole taxonomy.
    pub(crate) fn with_room(bytes: usize) -> Self {
        Self {
            tree: Tree::with_room(bytes),
            ..Self::default()
        }
    }

    pub(crate) fn push_category(&mut self, record: Record) -> Result<(), InvalidRecord> {
        let id = CategoryId::new(record.id).ok_or(InvalidRecord::Reference(record.id))?;
        let mut node = NodeData::new(0, None, 0);
        self.fill(&mut node, record, None)?;
        self.categories
            .insert(id.get(), narrow(self.tree.categories.len()));
        push_node(&mut self.tree.categories, node);
        Ok(())
    }

    pub(crate) fn push_term(&mut self, record: Record) -> Result<(), InvalidRecord> {
        let id = TermId::new(record.id)
            .ok_or(InvalidRecord::Reference(record.id))?
            .get();
        let (category, parent) = (
            record.category.ok_or(InvalidRecord::Reference(id))?,
            record.parent,
        );
        let position = narrow(self.tree.terms.len());
        let (mut node, above) = match self.place(category, parent) {
            Some((category, parent)) => {
                let node = NodeData::new(category, parent, 0);
                let above = node.above();
                (node, Some(above))
            }
            None => {
                self.waiting.push((position, category, parent));
                (NodeData::new(0, None, 0), None)
            }
        };
        self.fill(&mut node, record, above)?;
        self.terms.insert(id, position);
        push_node(&mut self.tree.terms, node);
        Ok(())
    }

    /// Returns the positions of a category and a parent; none while either is missing.
    fn place(&self, category: u64, parent: Option<u64>) -> Option<(u32, Option<u32>)> {
        let category = *self.categories.get(&category)?;
        let parent = match parent {
            None => None,
            Some(parent) => Some(*self.terms.get(&parent)?),
        };
        Some((category, parent))
    }

    fn fill(
        &mut self,
        node: &mut NodeData,
        record: Record,
        above: Option<NodeRef>,
    ) -> Result<(), InvalidRecord> {
        let (id, tree) = (record.id, &mut self.tree);
        let start = tree.names.begin(record.names.len());
        for NameRecord(tag, name, path) in &record.names {
            let mut texts = [name].into_iter().chain(path);
            if texts.any(|text| text.len() > TextBuffer::LONGEST || text.chars().any(char::is_control)) {
                return Err(InvalidRecord::Text(id));
            }
            let culture = tag.parse::<Culture>().map_err(|_| InvalidRecord::Culture(id))?;
            let culture = tree.culture(&culture);
            let name = tree.push_text(name);
            let path = path.as_ref();
            let path = path.map_or(PathData::None, |path| tree.push_path(above, culture, path));
            tree.names.push(NameData::new(culture, name, path));
        }
        let names = start..tree.names.end();
        tree.sort_names(&names);
        // The paths below would continue the path of either name.
        let pairs = tree.names.get(&names).windows(2);
        if pairs.into_iter().any(|pair| pair[0].culture == pair[1].culture) {
            return Err(InvalidRecord::Culture(id));
        }
        (node.id, node.names) = (id, names);
        node.details = tree.push_details(record.details);
        Ok(())
    }

    pub(crate) fn finish(mut self, settings: Settings) -> Result<Taxonomy, InvalidRecord> {
        for (position, category, parent) in std::mem::take(&mut self.waiting) {
            let place = self.place(category, parent);
            let term = &mut self.tree.terms[position as usize];
            let (category, parent) = place.ok_or(InvalidRecord::Reference(term.id))?;
            (term.category, term.parent) = (category, parent.map(Index::new));
        }
        Ok(self.tree.finish(settings)?)
    }
}
