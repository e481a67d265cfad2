//! Writing the lookup tables: one at a time, since each is as long as the taxonomy has names, notations or relations.

use std::collections::HashMap;

use taxonomy_keys::TermId;
use taxonomy_model::{Node, RelatedId, RelationType, Term};

use crate::ROWS;
use crate::build::{Previous, Source};
use crate::build_error::BuildError;
use crate::damage::PartName;
use crate::file::body::FileWriter;
use crate::file::bucket::encode;
use crate::file::footer::Tables;
use crate::file::id_table::IdTable;
use crate::file::past::Gone;
use crate::key::{notation_key, path_key, relation_key};

type Entries = Vec<(u64, u32)>;

/// Writes all tables, in the order of the file.
pub(crate) fn write(
    writer: &mut FileWriter,
    source: &Source<'_>,
    gone: &[Gone],
    removed_names: &Entries,
) -> Result<Tables, BuildError> {
    let mut tables = Tables::default();
    for table in IdTable::ALL {
        let mut entries = entries(source, gone, removed_names, table)?;
        entries.sort_unstable();
        entries.dedup();
        let list = tables.list_mut(table);
        let name = |number| PartName::Bucket(table, number);
        for bucket in entries.chunks(ROWS) {
            writer.add(list, (name, "buckets"), &encode(bucket))?;
            list.first.extend(bucket.first().map(|(key, _)| *key));
        }
    }
    Ok(tables)
}

fn entries(
    source: &Source<'_>,
    gone: &[Gone],
    removed_names: &Entries,
    table: IdTable,
) -> Result<Entries, BuildError> {
    let order = source.order;
    let removed = |of_categories: bool| {
        let gone = gone.iter().zip(order.len()..);
        let gone = gone.filter(move |(gone, _)| gone.is_category() == of_categories);
        gone.map(|(gone, ordinal)| (gone.id(), ordinal))
    };
    Ok(match table {
        IdTable::CategoryIds => {
            let live = order.categories().iter().map(|id| id.get()).zip(0..);
            live.chain(removed(true)).collect()
        }
        IdTable::TermIds => {
            let live = order.terms().iter().map(|id| id.get());
            live.zip(order.term_range()).chain(removed(false)).collect()
        }
        IdTable::Paths => of_nodes(source, paths),
        IdTable::Notations => of_nodes(source, notations),
        IdTable::Relations => of_nodes(source, relations),
        IdTable::Further => further(source),
        IdTable::Times => times(source.previous)?,
        IdTable::RemovedNames => removed_names.clone(),
    })
}

/// The entries of all live categories and terms.
fn of_nodes(source: &Source<'_>, add: fn(Node<'_>, u32, &mut Entries)) -> Entries {
    let categories = source.order.categories_of(source.taxonomy);
    let terms = source.order.terms_of(source.taxonomy);
    let nodes = categories
        .map(|category| category.node)
        .chain(terms.map(|term| term.node));
    let mut entries = Entries::new();
    for (node, ordinal) in nodes.zip(0..) {
        add(node, ordinal, &mut entries);
    }
    entries
}

fn times(previous: Option<Previous<'_>>) -> Result<Entries, BuildError> {
    let Some(Previous { file, committed_at }) = previous else {
        return Ok(Entries::new());
    };
    let version = u32::try_from(file.footer().identity().version.get());
    let version = version.map_err(|_| BuildError::TooMany("versions"))?;
    let mut entries = file
        .entries(IdTable::Times)
        .collect::<Result<Vec<_>, _>>()?
        .concat();
    entries.push((committed_at, version));
    Ok(entries)
}

fn further(source: &Source<'_>) -> Entries {
    let Source { taxonomy, order, .. } = *source;
    let pairs: Vec<(u64, u64)> = order.terms_of(taxonomy).flat_map(further_pairs).collect();
    if pairs.is_empty() {
        return Entries::new();
    }
    let ids = order.terms().iter().map(|id| id.get());
    let ordinals: HashMap<u64, u32> = ids.zip(order.term_range()).collect();
    let entry = |(parent, term)| Some((u64::from(*ordinals.get(&parent)?), *ordinals.get(&term)?));
    let is_own = |(parent, term): &(u64, u64)| {
        let term = TermId::new(*term).and_then(|id| taxonomy.term(id));
        term.and_then(Term::parent)
            .is_some_and(|own| own.id().get() == *parent)
    };
    let pairs = pairs.into_iter().filter(|pair| !is_own(pair));
    pairs.filter_map(entry).collect()
}

/// The further parents that a term names, each with the term, and the terms that it names as below it.
fn further_pairs(term: Term<'_>) -> impl Iterator<Item = (u64, u64)> {
    let id = term.id().get();
    let relations = term.node.details().relations.iter();
    let own = relations.filter(|relation| relation.scheme.is_none());
    own.filter_map(move |relation| match (relation.kind, &relation.id) {
        (RelationType::Broad, RelatedId::Term(other)) => Some((*other, id)),
        (RelationType::Narrow, RelatedId::Term(other)) => Some((id, *other)),
        _ => None,
    })
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
