//! The difference of two versions, page by page: the categories and terms of the later file that changed after the earlier version, each
//! compared with the earlier file. Changes that were undone in between are omitted.

use std::collections::BTreeSet;

use futures_util::{StreamExt, TryStreamExt, stream};
use taxonomy_index::{IdTable, Row};
use taxonomy_keys::TermId;
use taxonomy_model::{NodeChange, NodeId};

use crate::files::changes::ChangedOrdinal;
use crate::files::error::VersionError;
use crate::files::version_file::{FileNode, FilePage, VersionFile};

/// The fewest ordinals that a round compares after the first round of a page.
const LEAST_ROUND: usize = 16;

/// The maximum number of buckets of ids that are read concurrently.
const CONCURRENCY: usize = 8;

/// The bounds of a page. A page that ends at another bound than its items has fewer items, and the position of the next page.
#[derive(Debug, Clone, Copy)]
pub struct PageBounds {
    /// The items of the page.
    pub items: usize,
    /// The most scanned rows of columns: the page ends at the end of a column.
    pub rows: usize,
    /// The most compared ids, up to a round of `items` more.
    pub compared: usize,
    /// The maximum number of blocks of both files, up to a round more.
    pub blocks: usize,
    /// The maximum number of bytes of content of those blocks, beside one block of each file.
    pub bytes: usize,
}

impl PageBounds {
    /// Returns the bounds of a page of at most `items`, for a process with 256 MB.
    pub fn of_items(items: usize) -> Self {
        Self {
            items,
            rows: 1 << 18,
            compared: 1_000,
            blocks: 200,
            bytes: 32 << 20,
        }
    }
}

/// The pairs of a round, fewer than its ordinals if their blocks are too large, and the amount that it read.
struct Round {
    pairs: Vec<Different>,
    blocks: usize,
    bytes: usize,
}

/// A category or term that differs between two versions.
#[derive(Debug, Clone)]
pub struct Different {
    /// Its kind and its id.
    pub id: NodeId,
    /// Its state in the earlier version.
    pub earlier: Option<FileNode>,
    /// Its state in the later version.
    pub later: Option<FileNode>,
}

impl VersionFile<'_> {
    /// Returns a page of the differences between an earlier version (none: a tenant without a taxonomy) and this one, from an ordinal of this
    /// file on: categories and terms, in the order of this file, removed ones at the end. It reads a bounded number of parts, wherever it begins.
    ///
    /// # Errors
    /// [`VersionError`] if a file cannot be read.
    pub async fn differences(
        &self,
        earlier: Option<&VersionFile<'_>>,
        from: u32,
        bounds: PageBounds,
    ) -> Result<FilePage<Different>, VersionError> {
        let version = earlier.map(|file| file.footer().identity().version);
        let mut page = FilePage {
            items: Vec::with_capacity(bounds.items),
            next: Some(from),
        };
        let (mut rows, mut compared, mut blocks, mut bytes, mut wanted) = (0, 0, 0, 0, bounds.items);
        while let Some(from) = page.next {
            let is_full = page.items.len() >= bounds.items;
            let is_spent = rows >= bounds.rows || compared >= bounds.compared;
            if is_full || is_spent || blocks >= bounds.blocks || bytes >= bounds.bytes {
                break;
            }
            let changed = self
                .changed_after(version, from, wanted, bounds.rows - rows)
                .await?;
            rows += changed.rows;
            let ordinals = &changed.changed;
            let round = self.compare(earlier, ordinals, bounds.bytes - bytes).await?;
            let is_cut = round.pairs.len() < ordinals.len();
            let is_last = is_cut || ordinals.len() < wanted;
            page.next = match ordinals.get(round.pairs.len()) {
                Some(cut) => Some(cut.ordinal),
                None => changed.next,
            };
            compared += round.pairs.len();
            blocks += round.blocks;
            bytes += round.bytes;
            for (ordinal, pair) in ordinals.iter().zip(round.pairs) {
                if FileNode::change(pair.earlier.as_ref(), pair.later.as_ref()).is_empty() {
                    continue;
                }
                if page.items.len() == bounds.items {
                    page.next = Some(ordinal.ordinal);
                    break;
                }
                page.items.push(pair);
            }
            if is_last {
                break;
            }
            wanted = (bounds.items - page.items.len()).max(LEAST_ROUND);
        }
        Ok(page)
    }

    /// Pairs the first of some ordinals of this file with the same ids in the earlier one: as many as have blocks of `bytes` bytes, and at least
    /// one.
    async fn compare(
        &self,
        earlier: Option<&VersionFile<'_>>,
        changed: &[ChangedOrdinal],
        bytes: usize,
    ) -> Result<Round, VersionError> {
        let ordinals: Vec<u32> = changed.iter().map(|changed| changed.ordinal).collect();
        // Half of the bytes for each file, so that the earlier one gets its share.
        let here = self.within(&ordinals, bytes / 2);
        let mut pairs = Vec::with_capacity(here.count);
        for node in self.nodes(&ordinals[..here.count]).await? {
            pairs.push(Different {
                id: self.id_of(&node)?,
                earlier: None,
                later: live(node),
            });
        }
        let mut round = Round {
            pairs,
            blocks: here.blocks,
            bytes: here.bytes,
        };
        let Some(file) = earlier else {
            return Ok(round);
        };
        let known = changed.iter().zip(&round.pairs).enumerate();
        let known = known.filter(|(_, (changed, _))| !changed.is_new);
        let (positions, ids): (Vec<usize>, Vec<NodeId>) =
            known.map(|(position, (_, pair))| (position, pair.id)).unzip();
        let ordinals = file.ordinals_of(&ids).await?;
        let there = file.within(&ordinals, bytes.saturating_sub(here.bytes));
        let before = file.nodes(&ordinals[..there.count]).await?;
        for (position, node) in positions.iter().zip(before) {
            round.pairs[*position].earlier = live(node);
        }
        // The pairs end before the first whose earlier state was not read.
        if let Some(end) = positions.get(there.count) {
            round.pairs.truncate(*end);
        }
        round.blocks += there.blocks;
        round.bytes += there.bytes;
        Ok(round)
    }

    /// Returns the ordinals of ids that this file must contain, live or removed, in their order.
    async fn ordinals_of(&self, ids: &[NodeId]) -> Result<Vec<u32>, VersionError> {
        let ordinals = stream::iter(ids.iter().copied()).map(async |id| {
            let (table, id) = match id {
                NodeId::Category(id) => (IdTable::CategoryIds, id),
                NodeId::Term(id) => (IdTable::TermIds, id),
            };
            let found = self.values(table, id).await?.first().copied();
            found.ok_or_else(|| self.inconsistent("it lacks an id that a later file has from before"))
        });
        ordinals.buffered(CONCURRENCY).try_collect().await
    }

    /// Returns the number of ordinals whose blocks have at most `bytes` bytes of content together; at least one.
    fn within(&self, ordinals: &[u32], bytes: usize) -> Within {
        let (mut seen, mut within) = (BTreeSet::new(), Within::default());
        for ordinal in ordinals {
            // An ordinal without a block is an error when its node is read.
            if let Some((number, part)) = self.footer().block_of(*ordinal) {
                let is_seen = seen.contains(&number);
                let more = if is_seen { 0 } else { part.content as usize };
                if within.count > 0 && within.bytes + more > bytes {
                    break;
                }
                seen.insert(number);
                within.bytes += more;
            }
            within.count += 1;
        }
        within.blocks = seen.len();
        within
    }

    /// The kind and the id of a node of this file.
    fn id_of(&self, node: &FileNode) -> Result<NodeId, VersionError> {
        if let Some(term) = node.term() {
            return Ok(NodeId::Term(term.id().get()));
        }
        if let Some(category) = node.category() {
            return Ok(NodeId::Category(category.id().get()));
        }
        let (id, _) = node
            .block
            .removed(node.ordinal)
            .ok_or_else(|| self.inconsistent("an ordinal without a node"))?;
        Ok(match self.footer().removed_categories().contains(&node.ordinal) {
            true => NodeId::Category(id),
            false => NodeId::Term(id),
        })
    }

    /// Returns a term of this file, live or removed, with its row; none if no version up to this one had it.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn known_term(&self, id: TermId) -> Result<Option<(Row, FileNode)>, VersionError> {
        match self.term_ordinal(id).await? {
            Some(ordinal) => Ok(Some((self.row(ordinal).await?, self.node(ordinal).await?))),
            None => Ok(None),
        }
    }
}

impl FileNode {
    /// Returns whether this is a category or a term of the version; false for a removed one.
    pub fn is_live(&self) -> bool {
        self.term().is_some() || self.category().is_some()
    }

    /// Returns the change from a node of one version to that of the same id in another; none, or a removed one, stands for a version without it.
    pub fn change(before: Option<&Self>, after: Option<&Self>) -> NodeChange {
        match (before.and_then(Self::term), after.and_then(Self::term)) {
            (None, None) => {
                NodeChange::of_category(before.and_then(Self::category), after.and_then(Self::category))
            }
            (before, after) => NodeChange::of_term(before, after),
        }
    }
}

/// The first of some ordinals, their blocks, and the content of those.
#[derive(Default)]
struct Within {
    count: usize,
    blocks: usize,
    bytes: usize,
}

/// Returns a node if it is live.
fn live(node: FileNode) -> Option<FileNode> {
    Some(node).filter(FileNode::is_live)
}
