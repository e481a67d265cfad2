//! Subtrees and categories in the order of the tree: every term before its children.

use std::ops::Range;

use taxonomy_index::search::Deprecated;
use taxonomy_keys::{CategoryId, TermId};

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
    /// The ordinal of the first term; none for the first page.
    pub from: Option<u32>,
}

impl VersionFile<'_> {
    /// Returns a page of the categories that a filter lists, in their order, that begins at an ordinal, or at the first one.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read, or the page begins outside the list.
    pub async fn categories(
        &self,
        deprecated: Deprecated,
        limit: usize,
        from: Option<u32>,
    ) -> Result<FilePage<ListedNode>, VersionError> {
        let all = self.footer().categories();
        let mut scan = Scan::new(all.clone(), from, limit)?;
        while let Some(ordinal) = scan.wanted() {
            let row = self.row(ordinal).await?;
            let below = Below {
                children: row.children,
                descendants: row.span,
            };
            scan.pass(lists(deprecated, row.deprecated).then_some(below), 1);
        }
        self.listed(scan).await
    }

    /// Returns a page of terms in the order of the tree; none if the version has no such category or term. With a filter that lists few terms it
    /// reads the columns of the branch up to the first term of the next page: one for 8,192 terms.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read, or the page begins outside the branch.
    pub async fn walk(&self, walk: Walk) -> Result<Option<FilePage<ListedNode>>, VersionError> {
        let Some((range, above)) = self.branch(walk.branch).await? else {
            return Ok(None);
        };
        let mut scan = Scan::new(range, walk.from, walk.limit)?;
        while let Some(ordinal) = scan.wanted() {
            let row = self.row(ordinal).await?;
            if row.span == 0 {
                return Err(self.inconsistent("a removed term among the live ones"));
            }
            let level = row.depth.saturating_sub(above);
            let below = Below {
                children: row.children,
                descendants: row.span - 1,
            };
            // A cursor may be made up: such a page begins anywhere in the branch.
            let is_listed = level <= walk.depth && lists(walk.deprecated, row.deprecated);
            // All that is below the last level is left out.
            let rows = if level < walk.depth { 1 } else { row.span };
            scan.pass(is_listed.then_some(below), rows);
        }
        self.listed(scan).await.map(Some)
    }

    /// Returns the page of a scan that has ended.
    async fn listed(&self, scan: Scan) -> Result<FilePage<ListedNode>, VersionError> {
        let ordinals: Vec<u32> = scan.listed.iter().map(|(ordinal, _)| *ordinal).collect();
        let nodes = self.nodes(&ordinals).await?.into_iter();
        let items = nodes.zip(&scan.listed);
        let items = items.map(|(node, (_, below))| ListedNode { node, below: *below });
        Ok(FilePage {
            items: items.collect(),
            next: scan.next,
        })
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

/// A scan of rows for the nodes of a page. It ends at the first node of the next page, so that no page leads to an empty one.
struct Scan {
    /// The ordinals that are left.
    left: Range<u32>,
    limit: usize,
    listed: Vec<(u32, Below)>,
    /// The first node of the next page.
    next: Option<u32>,
}

impl Scan {
    fn new(list: Range<u32>, from: Option<u32>, limit: usize) -> Result<Self, VersionError> {
        let start = from.unwrap_or(list.start);
        if !(list.start..=list.end).contains(&start) {
            return Err(VersionError::OutsideBranch);
        }
        Ok(Self {
            left: start..list.end,
            limit,
            listed: Vec::new(),
            next: None,
        })
    }

    /// Returns the next ordinal to look at; none at the end.
    fn wanted(&self) -> Option<u32> {
        self.left.clone().next().filter(|_| self.next.is_none())
    }

    /// Passes so many rows from the wanted one on, which is listed or not.
    fn pass(&mut self, listed: Option<Below>, rows: u32) {
        let ordinal = self.left.start;
        self.left.start = ordinal.saturating_add(rows);
        match listed {
            Some(_) if self.listed.len() == self.limit => self.next = Some(ordinal),
            Some(below) => self.listed.push((ordinal, below)),
            None => {}
        }
    }
}
