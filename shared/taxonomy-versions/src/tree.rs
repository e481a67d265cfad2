//! Subtrees and categories in the order of the tree: every term before its children.

use std::ops::Range;

use taxonomy_keys::{CategoryId, TermId};

use crate::error::VersionError;
use crate::file::{Node, VersionFile};

/// The terms to walk over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Branch {
    /// All terms of a category.
    Category(CategoryId),
    /// What lies below a term.
    Below(TermId),
}

/// Which terms a walk passes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Retired {
    /// None.
    #[default]
    Include,
    /// Deprecated ones. What lies below them is not passed over.
    Exclude,
    /// All but deprecated ones.
    Only,
}

impl Retired {
    /// Returns whether a term is listed.
    #[must_use]
    pub fn keeps(self, deprecated: bool) -> bool {
        match self {
            Self::Include => true,
            Self::Exclude => !deprecated,
            Self::Only => deprecated,
        }
    }
}

/// A page of a walk.
#[derive(Debug, Clone, Copy)]
pub struct Walk {
    /// The terms to walk over.
    pub branch: Branch,
    /// The levels below the branch to walk over; at least 1.
    pub depth: u8,
    /// Which terms are passed over.
    pub retired: Retired,
    /// The most terms of the page.
    pub limit: usize,
    /// The ordinal where it begins; none for the first page.
    pub from: Option<u32>,
}

/// The terms of a page, in the order of the tree.
#[derive(Debug)]
pub struct Walked {
    /// The terms, and whether each has children.
    pub terms: Vec<(Node, bool)>,
    /// The ordinal where the next page begins; none after the last.
    pub next: Option<u32>,
}

/// Rows that one page looks at: eight columns. A page that ends for this has less than its limit, and says where to go on.
const MOST_ROWS: usize = 65_536;

impl VersionFile<'_> {
    /// A page of terms in the order of the tree; none where there is no such category or term in the version.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn walk(&self, walk: Walk) -> Result<Option<Walked>, VersionError> {
        let Some((range, above)) = self.branch(walk.branch).await? else {
            return Ok(None);
        };
        let mut next = walk.from.unwrap_or(range.start);
        if next != range.end && !range.contains(&next) {
            return Err(self.inconsistent("a page begins outside its branch"));
        }
        let (mut found, mut looked_at) = (Vec::new(), 0);
        while next < range.end && found.len() < walk.limit && looked_at < MOST_ROWS {
            for row in self.rows(next..range.end, MOST_ROWS).await? {
                if found.len() == walk.limit {
                    break;
                }
                looked_at += 1;
                let level = row.depth.saturating_sub(above);
                // Rows in between lie below one that is too deep already.
                if level <= walk.depth && walk.retired.keeps(row.deprecated) {
                    found.push((next, row.span > 1));
                }
                next += 1;
            }
        }
        let ordinals: Vec<u32> = found.iter().map(|(ordinal, _)| *ordinal).collect();
        let nodes = self.nodes(&ordinals).await?;
        let terms = nodes
            .into_iter()
            .zip(found)
            .map(|(node, (_, has_children))| (node, has_children));
        Ok(Some(Walked {
            terms: terms.collect(),
            next: (next < range.end).then_some(next),
        }))
    }

    /// The ordinals of a branch, and the depth above it.
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
