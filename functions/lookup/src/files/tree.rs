//! Subtrees and categories in the order of the tree: every term before its children.

use std::ops::Range;

use taxonomy_index::search::Deprecated;
use taxonomy_keys::{CategoryId, TermId};

use crate::files::culture_order::Position;
use crate::files::error::VersionError;
use crate::files::version_file::{FileNode, FilePage, VersionFile};

/// The terms of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Branch {
    /// All terms of a category.
    Category(CategoryId),
    /// The descendants of a term.
    Below(TermId),
}

/// Returns whether a list has a term, deprecated or not, under this filter. The descendants of a deprecated term stay in the list.
pub(crate) fn lists(filter: Deprecated, is_deprecated: bool) -> bool {
    match filter {
        Deprecated::Include => true,
        Deprecated::Exclude => !is_deprecated,
        Deprecated::Only => is_deprecated,
    }
}

/// The parameters of a page of a walk.
#[derive(Debug, Clone, Copy)]
pub struct Walk {
    /// The terms of the walk.
    pub branch: Branch,
    /// The levels below the branch; at least 1.
    pub depth: u8,
    /// The filter of deprecated terms.
    pub deprecated: Deprecated,
    /// The maximum number of terms of the page.
    pub limit: usize,
    /// The order of siblings.
    pub order: Option<u16>,
    /// The position of the first term; none for the first page.
    pub from: Option<u32>,
}

/// The maximum number of rows that one page scans: eight columns. A page that ends for this reason has fewer terms than its limit, and the position of the next one.
const MOST_ROWS: usize = 65_536;

impl VersionFile<'_> {
    /// Returns a page of the categories, in an order, that begins at a position, or at the first one.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read, or the page begins outside the list.
    pub async fn categories(
        &self,
        limit: usize,
        order: Option<u16>,
        from: Option<u32>,
    ) -> Result<FilePage<FileNode>, VersionError> {
        let all = self.footer().categories();
        let start = from.unwrap_or(all.start);
        if !(all.start..=all.end).contains(&start) {
            return Err(VersionError::OutsideBranch);
        }
        let mut ordinals = Vec::new();
        for at in (start..all.end).take(limit) {
            ordinals.push(self.ordinal_at(Position { at, order }).await?);
        }
        let next = (start..=all.end)
            .nth(ordinals.len())
            .filter(|_| !ordinals.is_empty());
        Ok(FilePage {
            items: self.nodes(&ordinals).await?,
            next: next.filter(|next| *next < all.end),
        })
    }

    /// Returns a page of terms in the order of the tree, each with whether it has children; none if the version has no such category or term.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read, or the page begins outside the branch.
    pub async fn walk(&self, walk: Walk) -> Result<Option<FilePage<(FileNode, bool)>>, VersionError> {
        let Some((range, above)) = self.branch(walk.branch).await? else {
            return Ok(None);
        };
        let range = self.positions(walk, range).await?;
        let mut next = walk.from.unwrap_or(range.start);
        if next != range.end && !range.contains(&next) {
            return Err(VersionError::OutsideBranch);
        }
        let at = |at| Position {
            at,
            order: walk.order,
        };
        let count = u32::try_from(walk.limit)
            .unwrap_or(u32::MAX)
            .min(range.end - next);
        self.read_rows(at(next), count).await?;
        let (mut found, mut looked_at) = (Vec::new(), 0);
        while next < range.end && found.len() < walk.limit && looked_at < MOST_ROWS {
            let ordinal = self.ordinal_at(at(next)).await?;
            let row = self.row(ordinal).await?;
            let level = row.depth.saturating_sub(above);
            // A cursor may be made up: such a page begins anywhere in the branch.
            if level <= walk.depth && lists(walk.deprecated, row.deprecated) {
                found.push((ordinal, row.span > 1));
            }
            if row.span == 0 {
                return Err(self.inconsistent("a removed term among the live ones"));
            }
            // All that is below the last level is left out.
            next = next.saturating_add(if level < walk.depth { 1 } else { row.span });
            looked_at += 1;
        }
        let ordinals: Vec<u32> = found.iter().map(|(ordinal, _)| *ordinal).collect();
        let nodes = self.nodes(&ordinals).await?;
        let terms = nodes
            .into_iter()
            .zip(found)
            .map(|(node, (_, has_children))| (node, has_children));
        Ok(Some(FilePage {
            items: terms.collect(),
            next: (next < range.end).then_some(next),
        }))
    }

    /// Returns the positions of a walk, given its ordinals. The terms of a category take the same places in every order.
    async fn positions(&self, walk: Walk, ordinals: Range<u32>) -> Result<Range<u32>, VersionError> {
        match walk.branch {
            Branch::Below(_) if !ordinals.is_empty() => {
                let above = self.position_of(ordinals.start - 1, walk.order).await?;
                Ok(above + 1..above + 1 + (ordinals.end - ordinals.start))
            }
            _ => Ok(ordinals),
        }
    }

    /// Returns the ordinals of a branch, and the depth above it.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn branch(&self, branch: Branch) -> Result<Option<(Range<u32>, u8)>, VersionError> {
        let ordinal = match branch {
            Branch::Category(id) => self.category_ordinal(id).await?,
            Branch::Below(id) => self.term_ordinal(id).await?,
        };
        let Some(ordinal) = ordinal else {
            return Ok(None);
        };
        let row = self.row(ordinal).await?;
        let range = match branch {
            _ if row.removed => ordinal..ordinal,
            Branch::Category(_) => {
                let first = row.first.unwrap_or_default();
                first..first + row.span
            }
            Branch::Below(_) => ordinal + 1..ordinal + row.span,
        };
        Ok(Some((range, row.depth)))
    }
}
