//! The place of a category or a term among its siblings.

use taxonomy_index::search::Deprecated;
use taxonomy_index::{IdTable, Row};
use taxonomy_model::NodeId;

use crate::files::culture_order::Position;
use crate::files::error::VersionError;
use crate::files::tree::{Branch, lists};
use crate::files::version_file::{Below, FileNode, VersionFile};

/// The maximum number of siblings that are counted.
const MAX_SIBLINGS: u32 = 10_000;

/// Where a category or a term stands.
#[derive(Debug)]
pub struct PlaceInTree {
    /// What lies below it.
    pub below: Below,
    /// Its siblings; none where there are more than `MAX_SIBLINGS`.
    pub siblings: Option<Siblings>,
}

/// The siblings of a category or a term, as a list has them.
#[derive(Debug)]
pub struct Siblings {
    /// Its place among them, from 0 on.
    pub position: usize,
    /// Their number, itself included.
    pub total: usize,
    /// The one before it.
    pub previous: Option<FileNode>,
    /// The one after it.
    pub next: Option<FileNode>,
}

impl VersionFile<'_> {
    /// Returns the place of a category or a term in an order; none if the version lacks it or has removed it. The filter leaves out siblings, never
    /// the node itself. It reads the rows of all siblings.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn place(
        &self,
        id: NodeId,
        deprecated: Deprecated,
        order: Option<u16>,
    ) -> Result<Option<PlaceInTree>, VersionError> {
        let (table, id) = match id {
            NodeId::Category(id) => (IdTable::CategoryIds, id),
            NodeId::Term(id) => (IdTable::TermIds, id),
        };
        let Some(ordinal) = self.values(table, id).await?.first().copied() else {
            return Ok(None);
        };
        let row = self.row(ordinal).await?;
        if row.removed {
            return Ok(None);
        }
        let below = Below {
            children: row.children,
            descendants: row.span.saturating_sub(u32::from(row.depth > 0)),
        };
        let siblings = self.siblings(ordinal, &row, deprecated, order).await?;
        Ok(Some(PlaceInTree { below, siblings }))
    }

    async fn siblings(
        &self,
        ordinal: u32,
        row: &Row,
        deprecated: Deprecated,
        order: Option<u16>,
    ) -> Result<Option<Siblings>, VersionError> {
        let (range, number) = match row.depth {
            0 => {
                let categories = self.footer().categories();
                (categories.clone(), categories.end - categories.start)
            }
            _ => {
                let parent = self.parent(ordinal).await?;
                let found = self.branch(parent).await?;
                let (ordinals, _) = found.ok_or_else(|| self.inconsistent("a term without its parent"))?;
                let above = match parent {
                    Branch::Category(id) => self.row_of(NodeId::Category(id.get())).await?,
                    Branch::Below(id) => self.row_of(NodeId::Term(id.get())).await?,
                };
                let range = self.positions(parent, order, ordinals).await?;
                (range, above.map_or(0, |above| above.children))
            }
        };
        if number > MAX_SIBLINGS {
            return Ok(None);
        }
        let (mut listed, mut at) = (Vec::new(), range.start);
        while at < range.end {
            let sibling = self.ordinal_at(Position { at, order }).await?;
            let row = self.row(sibling).await?;
            if sibling == ordinal || lists(deprecated, row.deprecated) {
                listed.push(sibling);
            }
            at += match row.depth {
                0 => 1,
                _ if row.span == 0 => return Err(self.inconsistent("a removed term among the live ones")),
                _ => row.span,
            };
        }
        let position = listed.iter().position(|sibling| *sibling == ordinal);
        let position = position.ok_or_else(|| self.inconsistent("a term that is not below its parent"))?;
        let before = position.checked_sub(1).and_then(|before| listed.get(before));
        let beside: Vec<u32> = before
            .into_iter()
            .chain(listed.get(position + 1))
            .copied()
            .collect();
        let mut nodes = self.nodes(&beside).await?.into_iter();
        Ok(Some(Siblings {
            position,
            total: listed.len(),
            previous: before.and_then(|_| nodes.next()),
            next: nodes.next(),
        }))
    }

    /// Returns what a live term is directly below.
    async fn parent(&self, ordinal: u32) -> Result<Branch, VersionError> {
        let node = self.node(ordinal).await?;
        let term = node
            .term()
            .ok_or_else(|| self.inconsistent("a live term that is none"))?;
        let parent = term.ancestors().next();
        Ok(parent.map_or(Branch::Category(term.category().id()), |parent| {
            Branch::Below(parent.id())
        }))
    }
}
