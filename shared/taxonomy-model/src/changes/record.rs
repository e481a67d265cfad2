//! A category or a term by itself, in the form of snapshots and facts. The names are the storage format
//! (docs/decisions/0002-stored-bodies.md).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, Culture, TermId};

use crate::taxonomy::details::Details;
use crate::taxonomy::draft::Unfinished;
use crate::taxonomy::names::{NameData, PathData};
use crate::taxonomy::settings::Settings;
use crate::taxonomy::tree::{NodeData, NodeRef, Position, TaxonomyTree, push_node};
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
    pub fn of_category(category: Category<'_>) -> Self {
        Self::of_node(category.id().get(), category.node)
    }

    /// Returns the record of a term.
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

/// Collects records, in any order, into a taxonomy, or into a part of one: some terms with their categories and all their ancestors. Paths take the
/// least memory if ancestors come first.
#[derive(Debug, Default)]
pub struct TaxonomyBuilder {
    tree: TaxonomyTree,
    /// The position of each term by its id, and of each category.
    terms: HashMap<u64, u32>,
    categories: HashMap<u64, u32>,
    /// Terms whose category or parent follows them, with the ids of both.
    waiting: Vec<(u32, u64, Option<u64>)>,
}

impl TaxonomyBuilder {
    /// Creates a builder for records of about `bytes` of JSON; [`default`](Self::default) reserves space for a whole taxonomy.
    pub fn with_room(bytes: usize) -> Self {
        Self {
            tree: TaxonomyTree::with_room(bytes),
            ..Self::default()
        }
    }

    /// Adds a category.
    ///
    /// # Errors
    /// [`InvalidRecord`] if the record is not one of a category.
    pub fn push_category(&mut self, record: Record) -> Result<(), InvalidRecord> {
        let id = CategoryId::new(record.id).ok_or(InvalidRecord::Reference(record.id))?;
        let mut node = NodeData::new(0, None, 0);
        self.fill(&mut node, record, None)?;
        self.categories
            .insert(id.get(), narrow(self.tree.categories.len()));
        push_node(&mut self.tree.categories, node);
        Ok(())
    }

    /// Adds a term.
    ///
    /// # Errors
    /// [`InvalidRecord`] if the record is not one of a term.
    pub fn push_term(&mut self, record: Record) -> Result<(), InvalidRecord> {
        let invalid = InvalidRecord::Reference(record.id);
        let Some((id, category)) = TermId::new(record.id).zip(record.category) else {
            return Err(invalid);
        };
        let position = narrow(self.tree.terms.len());
        let place = self.place(category, record.parent);
        if place.is_none() {
            self.waiting.push((position, category, record.parent));
        }
        let mut node = place.map_or(NodeData::new(0, None, 0), |(category, parent)| {
            NodeData::new(category, parent, 0)
        });
        let above = place.map(|_| node.above());
        self.fill(&mut node, record, above)?;
        self.terms.insert(id.get(), position);
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
            let name = tree.text.push(name);
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

    /// Returns the taxonomy.
    ///
    /// # Errors
    /// [`InvalidRecord`] if a term lacks its category or an ancestor, or if the records break another rule of a taxonomy.
    pub fn finish(mut self, settings: Settings) -> Result<Taxonomy, InvalidRecord> {
        for (position, category, parent) in std::mem::take(&mut self.waiting) {
            let place = self.place(category, parent);
            let term = &mut self.tree.terms[position as usize];
            let (category, parent) = place.ok_or(InvalidRecord::Reference(term.id))?;
            (term.category, term.parent) = (category, parent.map(Position::new));
        }
        let mut taxonomy = self.tree.finish(settings)?;
        taxonomy.tree.shrink_to_fit();
        Ok(taxonomy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(json: &str) -> Record {
        serde_json::from_str(json).unwrap()
    }

    fn settings() -> Settings {
        Settings {
            default_culture: "en-GB".parse().unwrap(),
            fallback_chain: Vec::new(),
        }
    }

    #[test]
    fn a_part_needs_the_lineage_of_its_terms() {
        let category = r#"{"id":1,"names":[["en-GB","A","a"]]}"#;
        let parent = r#"{"id":2,"category":1,"names":[["en-GB","B","a/b"]]}"#;
        let term = r#"{"id":3,"category":1,"parent":2,"names":[["en-GB","C","a/b/c"]]}"#;
        let build = |terms: &[&str]| {
            let mut builder = TaxonomyBuilder::with_room(100);
            builder.push_category(record(category)).unwrap();
            for term in terms {
                builder.push_term(record(term)).unwrap();
            }
            builder.finish(settings())
        };
        let part = build(&[parent, term]).unwrap();
        let found = part.term(TermId::new(3).unwrap()).unwrap();
        assert_eq!(found.node.default_name().path.unwrap().text(), "a/b/c");
        assert_eq!(found.depth(), 2);
        assert!(matches!(build(&[term]), Err(InvalidRecord::Reference(3))));
    }

    /// Only a damaged body has such texts.
    #[test]
    fn texts_that_no_file_may_have_are_refused() {
        let longest = "x".repeat(TextBuffer::LONGEST);
        let build = |name: &str, path: &str| {
            let category = format!(r#"{{"id":1,"names":[["en-GB","{name}","{path}"]]}}"#);
            TaxonomyBuilder::with_room(100).push_category(record(&category))
        };
        build(&longest, &longest).unwrap();
        let too_long = format!("{longest}x");
        let (control_name, control_path) = ((r"A\u0007", "a"), ("A", r"a\u0007"));
        for (name, path) in [(&*too_long, "a"), ("A", &too_long), control_name, control_path] {
            let refused = build(name, path);
            assert!(matches!(refused, Err(InvalidRecord::Text(1))), "{path:.10}");
        }
    }

    /// A cache that counts bytes holds parts of taxonomies, so a part must not reserve the memory of a whole taxonomy.
    #[test]
    fn a_small_part_takes_little_memory() {
        let mut builder = TaxonomyBuilder::with_room(100);
        let category = r#"{"id":1,"names":[["en-GB","A","a"]],"altNames":[["fr-FR","B"]]}"#;
        builder.push_category(record(category)).unwrap();
        let part = builder.finish(settings()).unwrap();
        assert!((300..2_000).contains(&part.bytes()), "{}", part.bytes());
    }
}
