//! Building the index file of a version from its taxonomy, the ids that it changed, and the file of the version before.

use taxonomy_keys::Version;
use taxonomy_model::{Census, Counts, Taxonomy};

use crate::INDEX_FORMAT;
use crate::build_error::BuildError;
use crate::digest::Digest;
use crate::file::File;
use crate::file::bits;
use crate::file::blocks;
use crate::file::body::FileWriter;
use crate::file::changed::Changed;
use crate::file::columns;
use crate::file::counted_writer;
use crate::file::culture_orders;
use crate::file::footer::{FooterBody, Summary};
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
        search,
        previous,
        ..
    } = *source;
    let file = previous.map(|previous| previous.file);
    check_order(identity, file)?;
    if search.len() != taxonomy.cultures().len() {
        return Err(BuildError::Search);
    }
    let past = Past::read(file)?;
    let gone = past.gone(taxonomy)?;
    let mut writer = FileWriter::new()?;
    let blocks::Written {
        blocks,
        removed_names,
    } = blocks::write(&mut writer, source, &past, &gone)?;
    let columns = columns::write(&mut writer, source, &past, &gone)?;
    drop(past);
    let orders = culture_orders::write(&mut writer, source)?;
    let census = Census::new(taxonomy);
    let counts = census.totals.counts.clone();
    let categories_counted = counted_writer::write(&mut writer, source, census)?;
    let bits = bits::write(&mut writer, source)?;
    let tables = tables::write(&mut writer, source, &gone, &removed_names)?;
    let removed_categories = gone.partition_point(Gone::is_category);
    let sizes = [
        order.categories().len(),
        order.terms().len(),
        removed_categories,
        gone.len() - removed_categories,
    ];
    let summary = summary(source, small(sizes)?, counts);
    let digest = writer.digest(&summary)?;
    let body = writer.finish(&FooterBody {
        index_format: INDEX_FORMAT,
        summary,
        blocks,
        columns,
        orders,
        categories_counted,
        bits,
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
