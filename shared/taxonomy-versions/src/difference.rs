//! The difference of two versions, page by page: the categories and terms of the later file that changed after the earlier version, each
//! compared with the earlier file. What changed and changed back is left out.

use std::collections::BTreeSet;

use futures_util::{StreamExt, TryStreamExt, stream};
use taxonomy_keys::{CategoryId, TermId, Version};
use taxonomy_model::{NodeChange, NodeId};

use crate::changes::ChangedOrdinal;
use crate::error::VersionError;
use crate::file::{Node, VersionFile};

/// Ordinals that one page compares at most, and blocks of both files that it reads until it ends. A page that ends for one of these has
/// less than its limit, and says where to go on.
const MOST_COMPARED: usize = 1_000;
const MOST_BLOCKS: usize = 200;

/// After the first round of a page, rounds compare so many ordinals at least.
const LEAST_ROUND: usize = 16;

/// Buckets of ids that are read at once.
const CONCURRENCY: usize = 8;

/// A category or term that differs between two versions.
#[derive(Debug, Clone)]
pub struct Different {
    /// Its kind and its id.
    pub id: NodeId,
    /// As the earlier version has it.
    pub earlier: Option<Node>,
    /// As the later version has it.
    pub later: Option<Node>,
}

/// A page of a difference.
#[derive(Debug)]
pub struct DifferencePage {
    /// Categories and terms, in the order of the later file; removed ones at the end.
    pub items: Vec<Different>,
    /// The ordinal where the next page begins; none after the last.
    pub next: Option<u32>,
}

/// A term as a version's file knows it, live or removed.
#[derive(Debug, Clone)]
pub struct KnownTerm {
    /// The version that first had it.
    pub created_in: Version,
    /// The last version that changed it.
    pub changed_in: Version,
    /// Its node; [`Node::is_live`] says whether the version has the term.
    pub node: Node,
}

impl VersionFile<'_> {
    /// A page of the differences between an earlier version (none: a tenant without a taxonomy) and this one, from an ordinal of this
    /// file on. It reads a bounded number of parts, wherever it begins.
    ///
    /// # Errors
    /// [`VersionError`] if a file cannot be read.
    pub async fn differences(
        &self,
        earlier: Option<&VersionFile<'_>>,
        from: u32,
        limit: usize,
    ) -> Result<DifferencePage, VersionError> {
        let version = earlier.map(|file| file.footer().identity().version);
        let mut page = DifferencePage {
            items: Vec::with_capacity(limit),
            next: Some(from),
        };
        let (mut compared, mut blocks, mut round) = (0, 0, limit);
        while let Some(from) = page.next {
            if page.items.len() >= limit || compared >= MOST_COMPARED || blocks >= MOST_BLOCKS {
                break;
            }
            let changed = self.changed_after(version, from, round).await?;
            let is_short = changed.changed.len() < round;
            let (pairs, read) = self.compare(earlier, &changed.changed).await?;
            compared += pairs.len();
            blocks += read;
            page.next = changed.next;
            for (ordinal, pair) in changed.changed.iter().zip(pairs) {
                if Node::change(pair.earlier.as_ref(), pair.later.as_ref()).is_empty() {
                    continue;
                }
                if page.items.len() == limit {
                    page.next = Some(ordinal.ordinal);
                    break;
                }
                page.items.push(pair);
            }
            if is_short {
                break;
            }
            round = (limit - page.items.len()).max(LEAST_ROUND);
        }
        Ok(page)
    }

    /// Pairs ordinals of this file with the same ids in the earlier one, and counts the blocks that they lie in.
    async fn compare(
        &self,
        earlier: Option<&VersionFile<'_>>,
        changed: &[ChangedOrdinal],
    ) -> Result<(Vec<Different>, usize), VersionError> {
        let ordinals: Vec<u32> = changed.iter().map(|changed| changed.ordinal).collect();
        let later = self.nodes(&ordinals).await?;
        let ids = later.iter().map(|node| self.id_of(node));
        let ids: Vec<NodeId> = ids.collect::<Result<_, _>>()?;
        let known = changed.iter().zip(&ids);
        let known: Vec<NodeId> = known
            .filter(|(changed, _)| !changed.is_new)
            .map(|(_, id)| *id)
            .collect();
        let before = match earlier {
            Some(file) => file.nodes_of(&known).await?,
            None => Vec::new(),
        };
        let blocks = count_blocks(&later) + count_blocks(&before);
        let mut before = before.into_iter();
        let live = |node: Node| Some(node).filter(Node::is_live);
        let pairs = changed.iter().zip(ids).zip(later);
        let pairs = pairs.map(|((changed, id), node)| Different {
            id,
            earlier: match changed.is_new {
                true => None,
                false => before.next().and_then(live),
            },
            later: live(node),
        });
        Ok((pairs.collect(), blocks))
    }

    /// The nodes of ids that this file must know, live or removed, in their order.
    async fn nodes_of(&self, ids: &[NodeId]) -> Result<Vec<Node>, VersionError> {
        let ordinals = stream::iter(ids.iter().copied()).map(async |id| {
            let found = match id {
                NodeId::Category(id) => match CategoryId::new(id) {
                    Some(id) => self.category_ordinal(id).await?,
                    None => None,
                },
                NodeId::Term(id) => match TermId::new(id) {
                    Some(id) => self.term_ordinal(id).await?,
                    None => None,
                },
            };
            found.ok_or_else(|| self.inconsistent("it lacks an id that a later file has from before"))
        });
        let ordinals: Vec<u32> = ordinals.buffered(CONCURRENCY).try_collect().await?;
        self.nodes(&ordinals).await
    }

    /// The kind and the id of a node of this file.
    fn id_of(&self, node: &Node) -> Result<NodeId, VersionError> {
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

    /// A term as this file knows it; none if no version up to this one had it.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn known_term(&self, id: TermId) -> Result<Option<KnownTerm>, VersionError> {
        let Some(ordinal) = self.term_ordinal(id).await? else {
            return Ok(None);
        };
        let row = self.row(ordinal).await?;
        Ok(Some(KnownTerm {
            created_in: row.created_in,
            changed_in: row.changed_in,
            node: self.node(ordinal).await?,
        }))
    }
}

impl Node {
    /// True for a category or a term of the version, false for one that was removed.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.term().is_some() || self.category().is_some()
    }

    /// The change from a node of one version to that of the same id in another; none, or a removed one, stands for a version that lacks it.
    #[must_use]
    pub fn change(before: Option<&Self>, after: Option<&Self>) -> NodeChange {
        match (before.and_then(Self::term), after.and_then(Self::term)) {
            (None, None) => {
                NodeChange::of_category(before.and_then(Self::category), after.and_then(Self::category))
            }
            (before, after) => NodeChange::of_term(before, after),
        }
    }
}

/// The distinct blocks that nodes of one file lie in.
fn count_blocks(nodes: &[Node]) -> usize {
    let starts = nodes.iter().map(|node| node.block.ordinals().start);
    starts.collect::<BTreeSet<u32>>().len()
}
