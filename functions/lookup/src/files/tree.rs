//! Subtrees and categories in the order of the tree: every term before its children.

use std::ops::Range;

use taxonomy_index::search::Deprecated;
use taxonomy_index::{OrdinalSet, Row};
use taxonomy_keys::{CategoryId, TermId};

use crate::files::culture_order::Position;
use crate::files::error::VersionError;
use crate::files::version_file::{Below, FilePage, ListedNode, VersionFile};

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
    /// The order of siblings: that of a culture, or of the ordinals.
    pub order: Option<u16>,
    /// The position of the first term; none for the first page.
    pub from: Option<u32>,
}

impl VersionFile<'_> {
    /// Returns a page of the categories that a filter lists, in an order, that begins at a position, or at the first one.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read, or the page begins outside the list.
    pub async fn categories(
        &self,
        deprecated: Deprecated,
        limit: usize,
        order: Option<u16>,
        from: Option<u32>,
    ) -> Result<FilePage<ListedNode>, VersionError> {
        let mut page = FullPage::new(limit);
        let left = from_position(self.footer().categories(), from)?;
        self.read_rows(left.clone(), order, limit).await?;
        for at in left {
            let ordinal = self.ordinal_at(Position { at, order }).await?;
            let row = self.row(ordinal).await?;
            if page.adds(deprecated, at, ordinal, &row) {
                break;
            }
        }
        self.listed(page).await
    }

    /// Returns a page of terms in the order of the tree; none if the version has no such category or term. Of deprecated terms alone it reads the
    /// columns that have some; else the columns of the branch up to the first term of the next page: one for 8,192 terms.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read, or the page begins outside the branch.
    pub async fn walk(&self, walk: Walk) -> Result<Option<FilePage<ListedNode>>, VersionError> {
        let Some((range, above)) = self.branch(walk.branch).await? else {
            return Ok(None);
        };
        let order = walk.order;
        let range = self.positions(walk.branch, order, range).await?;
        let mut terms = Levels {
            order,
            left: from_position(range, walk.from)?,
            last: above.saturating_add(walk.depth),
            candidates: self.candidates(walk.deprecated).await?,
        };
        self.read_rows(terms.left.clone(), order, walk.limit).await?;
        let mut page = FullPage::new(walk.limit);
        while let Some((at, ordinal, row)) = terms.next(self).await? {
            if page.adds(walk.deprecated, at, ordinal, &row) {
                break;
            }
        }
        self.listed(page).await.map(Some)
    }

    /// Returns the ordinals whose rows a list with this filter reads. Most lists have few deprecated terms.
    pub(super) async fn candidates(&self, filter: Deprecated) -> Result<Candidates, VersionError> {
        match filter {
            Deprecated::Only => self
                .map(self.footer().map_of_deprecated())
                .await
                .map(Candidates::Mapped),
            Deprecated::Include | Deprecated::Exclude => Ok(Candidates::All),
        }
    }

    /// Returns the position after the subtree of a term, or of the term above it at this depth.
    async fn behind(
        &self,
        (mut ordinal, mut row): (u32, Row),
        depth: u8,
        order: Option<u16>,
    ) -> Result<u32, VersionError> {
        while row.depth > depth {
            let parent = row.first.filter(|parent| *parent < ordinal);
            ordinal = parent.ok_or_else(|| self.inconsistent("a term that is not behind its parent"))?;
            row = self.row(ordinal).await?;
        }
        Ok(self.position_of(ordinal, order).await?.saturating_add(row.span))
    }

    /// Returns a page with its nodes.
    pub(super) async fn listed(&self, page: FullPage) -> Result<FilePage<ListedNode>, VersionError> {
        let ordinals: Vec<u32> = page.listed.iter().map(|(ordinal, _)| *ordinal).collect();
        let nodes = self.nodes(&ordinals).await?.into_iter();
        let items = nodes.zip(&page.listed);
        let items = items.map(|(node, (_, below))| ListedNode { node, below: *below });
        Ok(FilePage {
            items: items.collect(),
            next: page.next,
        })
    }

    /// Returns the positions of a branch in an order, given its ordinals. The terms of a category take the same places in every order.
    pub(super) async fn positions(
        &self,
        branch: Branch,
        order: Option<u16>,
        ordinals: Range<u32>,
    ) -> Result<Range<u32>, VersionError> {
        match branch {
            Branch::Below(_) if !ordinals.is_empty() => {
                let start = self.position_of(ordinals.start - 1, order).await? + 1;
                Ok(start..start + (ordinals.end - ordinals.start))
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

/// The ordinals whose rows a list reads.
#[derive(Debug)]
pub(super) enum Candidates {
    /// Each one.
    All,
    /// Those of a bit map.
    Mapped(OrdinalSet),
}

impl Candidates {
    pub(super) fn has(&self, ordinal: u32) -> bool {
        match self {
            Self::All => true,
            Self::Mapped(set) => set.contains(ordinal),
        }
    }
}

/// What is left of the terms of a branch down to a depth.
#[derive(Debug)]
pub(super) struct Levels {
    /// The order of the positions.
    pub(super) order: Option<u16>,
    /// The positions.
    pub(super) left: Range<u32>,
    /// The depth of the last level.
    pub(super) last: u8,
    pub(super) candidates: Candidates,
}

impl Levels {
    /// Returns the position, ordinal and row of the next term. All that is below the last level is left out.
    pub(super) async fn next(
        &mut self,
        file: &VersionFile<'_>,
    ) -> Result<Option<(u32, u32, Row)>, VersionError> {
        let order = self.order;
        while let Some(at) = self.left.next() {
            let ordinal = file.ordinal_at(Position { at, order }).await?;
            if !self.candidates.has(ordinal) {
                continue;
            }
            let row = file.row(ordinal).await?;
            if row.span == 0 {
                return Err(file.inconsistent("a removed term among the live ones"));
            }
            if row.depth >= self.last {
                // A cursor may be made up: such a page begins anywhere in the branch.
                let behind = file.behind((ordinal, row), self.last, order).await?;
                self.left.start = behind.max(self.left.start).min(self.left.end);
            }
            if row.depth <= self.last {
                return Ok(Some((at, ordinal, row)));
            }
        }
        Ok(None)
    }
}

/// The nodes of a page, which is full when it has the first node of the next page as well: so no page leads to an empty one.
#[derive(Debug)]
pub(super) struct FullPage {
    limit: usize,
    listed: Vec<(u32, Below)>,
    /// The position of the first node of the next page.
    next: Option<u32>,
}

impl FullPage {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            listed: Vec::new(),
            next: None,
        }
    }

    /// Adds the node at a position if the filter lists it, and returns whether the page is full.
    pub(super) fn adds(&mut self, filter: Deprecated, at: u32, ordinal: u32, row: &Row) -> bool {
        if !lists(filter, row.deprecated) {
            return false;
        }
        let itself = u32::from(row.depth > 0);
        let below = Below {
            children: row.children,
            descendants: row.span.saturating_sub(itself),
        };
        match self.listed.len() < self.limit {
            true => self.listed.push((ordinal, below)),
            false => self.next = Some(at),
        }
        self.next.is_some()
    }
}

/// Returns the positions of a list from one of them on.
fn from_position(list: Range<u32>, from: Option<u32>) -> Result<Range<u32>, VersionError> {
    let start = from.unwrap_or(list.start);
    match (list.start..=list.end).contains(&start) {
        true => Ok(start..list.end),
        false => Err(VersionError::OutsideBranch),
    }
}
