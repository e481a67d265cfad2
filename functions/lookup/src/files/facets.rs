//! How many of the nodes of a search each value of each facet has.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use taxonomy_index::search::{Deprecated, Filter, Node};
use taxonomy_index::{Column, OrdinalSet, Part, Row};
use taxonomy_keys::Culture;

use crate::files::error::VersionError;
use crate::files::version_file::VersionFile;

/// The maximum number of columns that are read concurrently.
const CONCURRENCY: usize = 8;

/// The facets of a search, as bits: those whose filter leaves a node out.
type Facets = u8;
const KIND: Facets = 1;
const CATEGORY: Facets = 1 << 1;
const DEPTH: Facets = 1 << 2;
const STATE: Facets = 1 << 3;
const MISSING: Facets = 1 << 4;

/// The nodes that all filters admit, and the number of nodes of each value of a facet: of those that all *other* filters admit. So the number of a
/// value is the total of the search with that value chosen.
#[derive(Debug, Default)]
pub struct FacetCounts {
    /// The nodes that all filters admit.
    pub admitted: OrdinalSet,
    /// Categories, then terms.
    pub kinds: [u64; 2],
    /// The terms of each category that has some, by the ordinals of categories.
    pub categories: Vec<(u32, u64)>,
    /// By depth; the first one of categories.
    pub depths: Vec<u64>,
    /// Nodes in use, then deprecated ones.
    pub states: [u64; 2],
    /// The nodes without a name in each culture.
    pub missing: Vec<u64>,
}

impl VersionFile<'_> {
    /// Counts nodes, given the filter of all facets; its `within` is the category, if one is chosen.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn facets(
        &self,
        nodes: &OrdinalSet,
        filter: &Filter,
        cultures: &[Culture],
    ) -> Result<FacetCounts, VersionError> {
        let mut ends = self.ends_of_categories().await?.into_iter().peekable();
        let mut facets = FacetCounts::default();
        let (mut admitted, mut but_missing) = (Vec::new(), Vec::new());
        let live = 0..self.footer().terms().end;
        let mut columns = self.columns(nodes.within(live.clone()));
        while let Some(column) = columns.try_next().await? {
            let rows = rows(&column, live.clone()).filter(|(ordinal, _)| nodes.contains(*ordinal));
            for (ordinal, row) in rows {
                let is_category = self.footer().categories().contains(&ordinal);
                let left_out = left_out(filter, ordinal, &row, is_category);
                let is_of = |facet: Facets| left_out & !facet == 0;
                if !is_category && is_of(CATEGORY) {
                    while ends.next_if(|(_, end)| *end <= ordinal).is_some() {}
                    let category = ends.peek().map(|(category, _)| *category);
                    let behind = || self.inconsistent("a term behind all categories");
                    facets.count_category(category.ok_or_else(behind)?);
                }
                if is_of(KIND) {
                    facets.kinds[usize::from(!is_category)] += 1;
                }
                if is_of(DEPTH) {
                    facets.count_depth(row.depth.into());
                }
                if is_of(STATE) {
                    facets.states[usize::from(row.deprecated)] += 1;
                }
                if is_of(MISSING) {
                    but_missing.push(ordinal);
                }
                if left_out == 0 {
                    admitted.push(ordinal);
                }
            }
        }
        facets.admitted = admitted.into_iter().collect();
        let but_missing: OrdinalSet = but_missing.into_iter().collect();
        for culture in cultures {
            let named = self.named_in(culture).await?;
            facets.missing.push(but_missing.without(&named).count() as u64);
        }
        Ok(facets)
    }

    /// Returns the ordinal of each category, with that behind its last term.
    async fn ends_of_categories(&self) -> Result<Vec<(u32, u32)>, VersionError> {
        let categories = self.footer().categories();
        let mut ends = Vec::with_capacity(categories.len());
        let mut columns = self.columns(categories.clone());
        while let Some(column) = columns.try_next().await? {
            let rows = rows(&column, categories.clone());
            ends.extend(rows.map(|(ordinal, row)| (ordinal, row.first.unwrap_or_default() + row.span)));
        }
        Ok(ends)
    }

    /// Reads the columns of ordinals, each once.
    fn columns(
        &self,
        ordinals: impl Iterator<Item = u32>,
    ) -> impl Stream<Item = Result<Arc<Column>, VersionError>> + Unpin {
        let parts: BTreeMap<u32, Part> = ordinals
            .filter_map(|ordinal| self.footer().column_of(ordinal))
            .collect();
        let columns = stream::iter(parts.into_values());
        let columns = columns.map(|part| Box::pin(self.part(part, Column::open, Column::bytes)));
        columns.buffered(CONCURRENCY)
    }
}

impl FacetCounts {
    /// Terms come in the order of their categories.
    fn count_category(&mut self, ordinal: u32) {
        match self.categories.last_mut().filter(|(last, _)| *last == ordinal) {
            Some((_, count)) => *count += 1,
            None => self.categories.push((ordinal, 1)),
        }
    }

    fn count_depth(&mut self, depth: usize) {
        if self.depths.len() <= depth {
            self.depths.resize(depth + 1, 0);
        }
        self.depths[depth] += 1;
    }
}

fn rows(column: &Column, ordinals: Range<u32>) -> impl Iterator<Item = (u32, Row)> {
    let own = column.ordinals();
    let both = ordinals.start.max(own.start)..ordinals.end.min(own.end);
    both.filter_map(|ordinal| Some((ordinal, column.row(ordinal)?)))
}

/// Returns the facets whose filter leaves a node out.
fn left_out(filter: &Filter, ordinal: u32, row: &Row, is_category: bool) -> Facets {
    let node = if is_category { Node::Category } else { Node::Term };
    let is_within = |within: &Vec<Range<u32>>| within.iter().any(|range| range.contains(&ordinal));
    let has_state = match filter.deprecated {
        Deprecated::Include => true,
        Deprecated::Exclude => !row.deprecated,
        Deprecated::Only => row.deprecated,
    };
    let admitted = [
        (KIND, filter.node.is_none_or(|wanted| wanted == node)),
        (CATEGORY, filter.within.as_ref().is_none_or(is_within)),
        (DEPTH, filter.depth.is_none_or(|most| row.depth <= most)),
        (STATE, has_state),
        (
            MISSING,
            !filter
                .without
                .as_ref()
                .is_some_and(|named| named.contains(ordinal)),
        ),
    ];
    let left_out = admitted.into_iter().filter(|(_, is_admitted)| !is_admitted);
    left_out.fold(0, |all, (facet, _)| all | facet)
}
