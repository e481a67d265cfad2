//! Writing the lookup tables: one at a time, since each is as long as the taxonomy has names, notations or relations.

use taxonomy_model::{Node, RelatedId};

use crate::ROWS;
use crate::build::{Previous, Source};
use crate::build_error::BuildError;
use crate::damage::{Damaged, PartName};
use crate::file::File;
use crate::file::body::Writer;
use crate::file::bucket::encode;
use crate::file::footer::Tables;
use crate::file::id_table::IdTable;
use crate::file::past::Gone;
use crate::key::{notation_key, path_key, relation_key};

type Entries = Vec<(u64, u32)>;

/// Writes all tables, in the order of the file.
pub(crate) fn write(
    writer: &mut Writer,
    source: &Source<'_>,
    [gone_categories, gone_terms]: [&[Gone]; 2],
) -> Result<Tables, BuildError> {
    let contents = Contents {
        source,
        gone_categories,
        gone_terms,
    };
    let mut tables = Tables::default();
    for table in IdTable::ALL {
        let mut entries = contents.entries(table)?;
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

/// The content of a version that the tables are made of.
struct Contents<'a> {
    source: &'a Source<'a>,
    gone_categories: &'a [Gone],
    gone_terms: &'a [Gone],
}

impl Contents<'_> {
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
        let live = self
            .source
            .taxonomy
            .categories()
            .zip(self.source.order.category_ordinals());
        let live = live.map(|(category, ordinal)| (category.id().get(), *ordinal));
        let start = self.source.order.len();
        live.chain(numbered(self.gone_categories, start)).collect()
    }

    fn term_ids(&self) -> Entries {
        let live = self
            .source
            .taxonomy
            .terms()
            .zip(self.source.order.term_ordinals());
        let live = live.map(|(term, ordinal)| (term.id().get(), *ordinal));
        let start = self.source.order.len() + narrow(self.gone_categories.len());
        live.chain(numbered(self.gone_terms, start)).collect()
    }

    /// The entries of all live categories and terms.
    fn of_nodes(&self, add: fn(Node<'_>, u32, &mut Entries)) -> Entries {
        let mut entries = Entries::new();
        let categories = self
            .source
            .taxonomy
            .categories()
            .zip(self.source.order.category_ordinals());
        let terms = self
            .source
            .taxonomy
            .terms()
            .zip(self.source.order.term_ordinals());
        for (node, ordinal) in categories
            .map(|(category, ordinal)| (category.node, ordinal))
            .chain(terms.map(|(term, ordinal)| (term.node, ordinal)))
        {
            add(node, *ordinal, &mut entries);
        }
        entries
    }

    fn times(&self) -> Result<Entries, BuildError> {
        let Some(Previous { file, committed_at }) = self.source.previous else {
            return Ok(Entries::new());
        };
        let version = u32::try_from(file.footer().identity().version.get());
        let version = version.map_err(|_| BuildError::TooMany("versions"))?;
        let mut entries = times(file)?;
        entries.push((committed_at, version));
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
