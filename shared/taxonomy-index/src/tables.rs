//! Writing the lookup tables: one at a time, since each is as long as the taxonomy has names, notations or relations.

use taxonomy_model::{Node, RelatedId, Taxonomy};

use crate::ROWS;
use crate::body::Writer;
use crate::bucket::encode;
use crate::build_error::BuildError;
use crate::damage::{Damaged, PartName};
use crate::file::File;
use crate::footer::Tables;
use crate::id_table::IdTable;
use crate::identity::Identity;
use crate::key::{notation_key, path_key, relation_key};
use crate::past::Gone;
use crate::preorder::Preorder;

type Entries = Vec<(u64, u32)>;

/// The content of a version that the tables are made of.
pub(crate) struct Source<'a> {
    pub(crate) identity: &'a Identity,
    pub(crate) taxonomy: &'a Taxonomy,
    pub(crate) order: &'a Preorder,
    pub(crate) gone_categories: &'a [Gone],
    pub(crate) gone_terms: &'a [Gone],
    pub(crate) previous: Option<&'a File<'a>>,
}

/// Writes all tables, in the order of the file.
pub(crate) fn write(writer: &mut Writer, source: &Source<'_>) -> Result<Tables, BuildError> {
    let mut tables = Tables::default();
    for table in IdTable::ALL {
        let mut entries = source.entries(table)?;
        entries.sort_unstable();
        entries.dedup();
        let list = tables.list_mut(table);
        for bucket in entries.chunks(ROWS) {
            let number = u32::try_from(list.len()).map_err(|_| BuildError::TooMany("buckets"))?;
            let part = writer.add(PartName::Bucket(table, number), &encode(bucket))?;
            list.push(part);
            list.first.extend(bucket.first().map(|(key, _)| *key));
        }
    }
    Ok(tables)
}

impl<'a> Source<'a> {
    fn entries(&self, table: IdTable) -> Result<Entries, BuildError> {
        match table {
            IdTable::CategoryIds => Ok(self.category_ids()),
            IdTable::TermIds => Ok(self.term_ids()),
            IdTable::Paths => Ok(self.of_nodes(paths)),
            IdTable::Notations => Ok(self.of_nodes(notations)),
            IdTable::Relations => Ok(self.of_nodes(relations)),
            IdTable::Times => self.times(),
        }
    }

    fn category_ids(&self) -> Entries {
        let live = self.taxonomy.categories().zip(self.order.category_ordinals());
        let live = live.map(|(category, ordinal)| (category.id().get(), *ordinal));
        let start = self.order.len();
        live.chain(numbered(self.gone_categories, start)).collect()
    }

    fn term_ids(&self) -> Entries {
        let live = self.taxonomy.terms().zip(self.order.term_ordinals());
        let live = live.map(|(term, ordinal)| (term.id().get(), *ordinal));
        let start = self.order.len() + narrow(self.gone_categories.len());
        live.chain(numbered(self.gone_terms, start)).collect()
    }

    /// The entries of all live categories and terms.
    fn of_nodes(&self, add: fn(Node<'_>, u32, &mut Entries)) -> Entries {
        let mut entries = Entries::new();
        let categories = self.taxonomy.categories().zip(self.order.category_ordinals());
        let terms = self.taxonomy.terms().zip(self.order.term_ordinals());
        for (node, ordinal) in categories
            .map(|(category, ordinal)| (category.node, ordinal))
            .chain(terms.map(|(term, ordinal)| (term.node, ordinal)))
        {
            add(node, *ordinal, &mut entries);
        }
        entries
    }

    fn times(&self) -> Result<Entries, BuildError> {
        let version = u32::try_from(self.identity.version.get());
        let mut entries = vec![(
            self.identity.committed_at,
            version.map_err(|_| BuildError::TooMany("versions"))?,
        )];
        if let Some(previous) = self.previous {
            entries.extend(times(previous)?);
        }
        Ok(entries)
    }
}

fn times(file: &File<'_>) -> Result<Entries, Damaged> {
    let mut entries = Entries::new();
    for number in 0..file.footer().buckets_of(IdTable::Times) {
        entries.extend(file.bucket(IdTable::Times, number)?.entries());
    }
    Ok(entries)
}

/// Removed ids with their ordinals, which count from `start` on.
fn numbered(gone: &[Gone], start: u32) -> impl Iterator<Item = (u64, u32)> {
    gone.iter().zip(start..).map(|(gone, ordinal)| (gone.id, ordinal))
}

fn paths(node: Node<'_>, ordinal: u32, entries: &mut Entries) {
    for name in node.names() {
        if let Some(path) = name.path {
            entries.push((path_key(name.culture, &path.text()), ordinal));
        }
    }
}

fn notations(node: Node<'_>, ordinal: u32, entries: &mut Entries) {
    let notation = node.details().notation.as_deref();
    entries.extend(notation.map(|notation| (notation_key(notation), ordinal)));
}

fn relations(node: Node<'_>, ordinal: u32, entries: &mut Entries) {
    for relation in &node.details().relations {
        let scheme = relation.scheme.as_deref();
        let key = match &relation.id {
            RelatedId::Term(id) => relation_key(scheme, &id.to_string()),
            RelatedId::Concept(id) => relation_key(scheme, id),
        };
        entries.push((key, ordinal));
    }
}

/// The builder has checked that ordinals fit into 32 bits.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
