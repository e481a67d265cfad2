//! Building the index file of a version from its taxonomy, the ids that it changed, and the file of the version before.

use taxonomy_keys::Version;
use taxonomy_model::{Census, Counts, NodeId, Taxonomy};

use crate::INDEX_FORMAT;
use crate::build_error::BuildError;
use crate::damage::PartName;
use crate::digest::Digest;
use crate::file::File;
use crate::file::blocks;
use crate::file::body::Writer;
use crate::file::changed::Changed;
use crate::file::column::{Column, Row};
use crate::file::counted_writer;
use crate::file::footer::{Body, Summary};
use crate::file::list::List;
use crate::file::past::{Gone, Past};
use crate::file::preorder::Preorder;
use crate::file::tables;
use crate::identity::Identity;

/// A file that was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The file.
    pub body: Vec<u8>,
    /// The digest of its content, which its key contains.
    pub digest: Digest,
}

/// The source of the index file of a version.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The version.
    pub identity: &'a Identity,
    /// Its content.
    pub taxonomy: &'a Taxonomy,
    /// Its ordinals.
    pub order: &'a Preorder,
    /// The ids that it changed, by the facts of its changeset.
    pub changed: &'a Changed,
    /// The digest of the search object of each culture, in the order of [`Taxonomy::cultures`].
    pub search: &'a [Digest],
    /// The version before; none for version 1 alone.
    pub previous: Option<Previous<'a>>,
}

/// The version before.
#[derive(Debug, Clone, Copy)]
pub struct Previous<'a> {
    /// Its file.
    pub file: &'a File<'a>,
    /// Its commit time, in epoch milliseconds. Its file cannot contain it, since that was written before.
    pub committed_at: u64,
}

/// Builds the index file of a version. The same source gives the same bytes.
///
/// # Errors
/// [`BuildError`] if the members of the source do not fit each other, or if the taxonomy is larger than the format allows.
pub fn build(source: &Source<'_>) -> Result<Built, BuildError> {
    let Source {
        identity,
        taxonomy,
        order,
        changed,
        search,
        previous,
    } = *source;
    let file = previous.map(|previous| previous.file);
    check_order(identity, file)?;
    if search.len() != taxonomy.cultures().len() {
        return Err(BuildError::Search);
    }
    let past = Past::read(file)?;
    let gone_categories = past.gone_categories(|id| taxonomy.category(id).is_some())?;
    let gone_terms = past.gone_terms(|id| taxonomy.term(id).is_some())?;
    let mut writer = Writer::new()?;
    let gone = [gone_categories.as_slice(), gone_terms.as_slice()];
    let blocks = blocks::write(&mut writer, taxonomy, order, &past, gone)?;
    let columns = Rows {
        version: identity.version,
        taxonomy,
        order,
        changed,
        past: &past,
    }
    .write(&mut writer, gone)?;
    drop(past);
    let census = Census::new(taxonomy);
    let counts = census.totals.counts.clone();
    let categories_counted = counted_writer::write(&mut writer, identity.version, census, changed, file)?;
    let tables = tables::write(&mut writer, source, gone)?;
    let sizes = [
        order.categories().len(),
        order.terms().len(),
        gone_categories.len(),
        gone_terms.len(),
    ];
    let summary = summary(source, small(sizes)?, counts);
    let digest = writer.digest(&summary)?;
    let body = writer.finish(&Body {
        index_format: INDEX_FORMAT,
        summary,
        blocks,
        columns,
        categories_counted,
        tables,
    })?;
    Ok(Built { body, digest })
}

/// The summary of the footer. `sizes` counts categories, terms, and removed ones.
fn summary(source: &Source<'_>, sizes: [u32; 4], counts: Counts) -> Summary {
    let Source {
        identity,
        taxonomy,
        search,
        ..
    } = source;
    let settings = taxonomy.settings();
    let [categories, terms, removed_categories, removed_terms] = sizes;
    Summary {
        tenant: identity.tenant.clone(),
        version: identity.version,
        changeset: identity.changeset.clone(),
        state: identity.state.clone(),
        projection_format: identity.projection_format,
        default_culture: settings.default_culture.clone(),
        fallback_chain: settings.fallback_chain.clone(),
        cultures: taxonomy.cultures().to_vec(),
        search: search.to_vec(),
        categories,
        terms,
        removed_categories,
        removed_terms,
        counts,
    }
}

fn check_order(identity: &Identity, previous: Option<&File<'_>>) -> Result<(), BuildError> {
    let is_next = match previous.map(|file| file.footer().identity()) {
        None => identity.version == Version::FIRST,
        Some(before) => {
            let is_next = before.version.get().checked_add(1) == Some(identity.version.get());
            is_next && before.tenant == identity.tenant
        }
    };
    if is_next { Ok(()) } else { Err(BuildError::Order) }
}

/// Counts of ordinals, whose sum has to be below the number that stands for no ordinal.
fn small(counts: [usize; 4]) -> Result<[u32; 4], BuildError> {
    let total = counts
        .iter()
        .try_fold(0_usize, |sum, count| sum.checked_add(*count));
    match total.and_then(|total| u32::try_from(total).ok()) {
        Some(total) if total < u32::MAX => Ok(counts.map(|count| u32::try_from(count).unwrap_or(u32::MAX))),
        _ => Err(BuildError::TooMany("categories and terms")),
    }
}

/// The source of the numbers of all ordinals.
struct Rows<'a> {
    version: Version,
    taxonomy: &'a Taxonomy,
    order: &'a Preorder,
    changed: &'a Changed,
    past: &'a Past<'a>,
}

impl Rows<'_> {
    /// Writes all columns.
    fn write(&self, writer: &mut Writer, gone: [&[Gone]; 2]) -> Result<List, BuildError> {
        let mut columns = Columns {
            writer,
            list: List::default(),
            open: Column::default(),
        };
        let mut ordinals = 0..;
        for category in self
            .order
            .categories()
            .iter()
            .filter_map(|id| self.taxonomy.category(*id))
        {
            let node = NodeId::Category(category.id().get());
            let before = self.past.category(category.id())?;
            let has_fact = self.changed.category(category.id());
            let versions = self.versions(node, before, has_fact, has_fact)?;
            columns.push(&self.live(&mut ordinals, versions, 0, category.node.details().deprecated))?;
        }
        for term in self.order.terms().iter().filter_map(|id| self.taxonomy.term(*id)) {
            let (id, category) = (term.id(), term.category().id());
            let before = self.past.term(id)?;
            let has_fact = self.changed.has_fact_of(id);
            let node = NodeId::Term(id.get());
            let versions = self.versions(node, before, has_fact, self.changed.term(id, category))?;
            let deprecated = term.node.details().deprecated;
            columns.push(&self.live(&mut ordinals, versions, term.depth(), deprecated))?;
        }
        let [categories, terms] = gone;
        for gone in categories {
            let has_fact =
                taxonomy_keys::CategoryId::new(gone.id).is_some_and(|id| self.changed.category(id));
            columns.push(&self.removed(gone, NodeId::Category(gone.id), has_fact)?)?;
        }
        for gone in terms {
            let has_fact = taxonomy_keys::TermId::new(gone.id).is_some_and(|id| self.changed.has_fact_of(id));
            columns.push(&self.removed(gone, NodeId::Term(gone.id), has_fact)?)?;
        }
        columns.end()?;
        Ok(columns.list)
    }

    /// `createdIn` and `changedIn` of something that the version has. Only a fact can add or restore it.
    fn versions(
        &self,
        node: NodeId,
        before: Option<Row>,
        has_fact: bool,
        is_changed: bool,
    ) -> Result<[Version; 2], BuildError> {
        match before {
            None if has_fact => Ok([self.version; 2]),
            None => Err(BuildError::Facts(node)),
            Some(before) if before.removed && !has_fact => Err(BuildError::Facts(node)),
            Some(before) if is_changed => Ok([before.created_in, self.version]),
            Some(before) => Ok([before.created_in, before.changed_in]),
        }
    }

    fn live(
        &self,
        ordinals: &mut impl Iterator<Item = u32>,
        [created_in, changed_in]: [Version; 2],
        depth: u8,
        deprecated: bool,
    ) -> Row {
        let place = ordinals.next().and_then(|ordinal| self.order.place(ordinal));
        let (span, first) = place.unwrap_or_default();
        Row {
            span,
            first,
            created_in,
            changed_in,
            depth,
            deprecated,
            removed: false,
        }
    }

    fn removed(&self, gone: &Gone, node: NodeId, has_fact: bool) -> Result<Row, BuildError> {
        if !gone.row.removed && !has_fact {
            return Err(BuildError::Facts(node));
        }
        Ok(Row {
            span: 0,
            first: None,
            created_in: gone.row.created_in,
            changed_in: if gone.row.removed {
                gone.row.changed_in
            } else {
                self.version
            },
            depth: gone.row.depth,
            deprecated: true,
            removed: true,
        })
    }
}

struct Columns<'w> {
    writer: &'w mut Writer,
    list: List,
    open: Column,
}

impl Columns<'_> {
    fn push(&mut self, row: &Row) -> Result<(), BuildError> {
        if self.open.is_full() {
            self.end()?;
        }
        self.open.push(row);
        Ok(())
    }

    fn end(&mut self) -> Result<(), BuildError> {
        let column = std::mem::take(&mut self.open);
        if column.is_empty() {
            return Ok(());
        }
        let number = u32::try_from(self.list.len()).map_err(|_| BuildError::TooMany("columns"))?;
        let part = self.writer.add(PartName::Column(number), &column.encode())?;
        self.list.push(part);
        self.list.changed_in.push(column.last_change());
        Ok(())
    }
}
