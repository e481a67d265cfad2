//! Categories and terms without a name in a culture, by the bit maps of the version.

use std::ops::Range;
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use taxonomy_index::search::Deprecated;
use taxonomy_index::{Bits, OrdinalSet, map_of};
use taxonomy_keys::Culture;

use crate::files::error::VersionError;
use crate::files::tree::{Branch, FullPage};
use crate::files::version_file::{FilePage, ListedNode, VersionFile};

/// The maximum number of parts that are read concurrently; a map of the largest file lies in four.
const CONCURRENCY: usize = 8;

/// The parameters of a page of gaps.
#[derive(Debug, Clone)]
pub struct Gaps {
    /// The culture that the nodes have no name in.
    pub culture: Culture,
    /// The filter of deprecated nodes.
    pub deprecated: Deprecated,
    /// A category with its terms, or the terms below a term; everything without it.
    pub branch: Option<Branch>,
    /// The maximum number of nodes of the page.
    pub limit: usize,
    /// The ordinal of the first node; none for the first page.
    pub from: Option<u32>,
}

/// A page of gaps.
#[derive(Debug)]
pub struct GapsPage {
    /// The nodes: categories, then terms in the order of the tree.
    pub page: FilePage<ListedNode>,
    /// The number of nodes on all pages.
    pub total: usize,
}

impl VersionFile<'_> {
    /// Returns the live categories and terms that have a name in exactly this culture.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn named_in(&self, culture: &Culture) -> Result<OrdinalSet, VersionError> {
        match self.footer().map_of_named(culture) {
            Some(map) => self.map(map).await,
            None => Ok(OrdinalSet::default()),
        }
    }

    /// Returns a page of the categories and terms without a name in a culture; none if the version lacks the category or term of the branch.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn gaps(&self, wanted: Gaps) -> Result<Option<GapsPage>, VersionError> {
        let Some(ranges) = self.ranges(wanted.branch).await? else {
            return Ok(None);
        };
        let named = self.named_in(&wanted.culture).await?;
        let mut gaps = OrdinalSet::all(self.footer().terms().end).without(&named);
        if wanted.deprecated != Deprecated::Include {
            let deprecated = self.map(self.footer().map_of_deprecated()).await?;
            gaps = match wanted.deprecated {
                Deprecated::Only => gaps.and(&deprecated),
                _ => gaps.without(&deprecated),
            };
        }
        let all = || ranges.iter().cloned().flat_map(|range| gaps.within(range));
        let (from, mut page) = (wanted.from.unwrap_or_default(), FullPage::new(wanted.limit));
        for ordinal in all().filter(|ordinal| *ordinal >= from) {
            if page.adds(wanted.deprecated, ordinal, ordinal, &self.row(ordinal).await?) {
                break;
            }
        }
        Ok(Some(GapsPage {
            page: self.listed(page).await?,
            total: all().count(),
        }))
    }

    /// Returns the ordinals of a branch: those of a category begin with the category itself.
    async fn ranges(&self, branch: Option<Branch>) -> Result<Option<Vec<Range<u32>>>, VersionError> {
        let Some(branch) = branch else {
            let all = 0..self.footer().terms().end;
            return Ok(Some(vec![all]));
        };
        let Some((below, _)) = self.branch(branch).await? else {
            return Ok(None);
        };
        let own = match branch {
            Branch::Category(id) => self.category_ordinal(id).await?,
            Branch::Below(_) => None,
        };
        let own = own.filter(|ordinal| self.footer().categories().contains(ordinal));
        let own = own.map(|ordinal| ordinal..ordinal + 1);
        Ok(Some(own.into_iter().chain([below]).collect()))
    }

    /// Returns the set of a bit map.
    pub(super) async fn map(&self, map: Range<usize>) -> Result<OrdinalSet, VersionError> {
        let (first, parts) = self.footer().parts_of_map(&map);
        let parts = stream::iter(parts).map(|part| self.part(part, Bits::open, Bits::bytes));
        let parts: Vec<Arc<Bits>> = parts.buffered(CONCURRENCY).try_collect().await?;
        Ok(map_of(parts.iter().map(|part| &**part), first, map))
    }
}
