//! The difference of two versions, page by page: the categories and terms of the later file that changed after the earlier version, each
//! compared with the earlier file. Changes that were undone in between are omitted.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, TryStreamExt, stream};
use taxonomy_index::{IdTable, Row};
use taxonomy_keys::{CategoryId, TermId};
use taxonomy_model::{ChangeKind, NodeChange, NodeId};

use crate::files::changes::ChangedOrdinal;
use crate::files::error::VersionError;
use crate::files::version_file::{FileNode, FilePage, VersionFile};

/// The fewest ordinals that a round compares after the first round of a page.
const LEAST_ROUND: usize = 16;

/// The ordinals that a round compares for totals, whatever the size of the page: neighbours share blocks, which are counted by the round.
const TOTALS_ROUND: usize = 100;

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

/// The difference of two versions, compared round by round within the bounds of a page.
struct Comparison<'f> {
    later: &'f VersionFile<'f>,
    earlier: Option<&'f VersionFile<'f>>,
    /// What is left of them.
    bounds: PageBounds,
    /// The ordinal where the next round begins; none at the end.
    next: Option<u32>,
    is_spent: bool,
}

impl Comparison<'_> {
    /// Compares about `wanted` ordinals, and returns those that differ; none at the end, or when a bound is reached.
    async fn round(&mut self, wanted: usize) -> Result<Option<Vec<(u32, Different)>>, VersionError> {
        let Some(from) = self.next.filter(|_| !self.is_spent) else {
            return Ok(None);
        };
        let (later, bounds) = (self.later, &mut self.bounds);
        let version = self.earlier.map(|file| file.footer().identity().version);
        let changed = later.changed_after(version, from, wanted, bounds.rows).await?;
        let ordinals = &changed.changed;
        // Boxed, as the reads of both files make a large future.
        let round = Box::pin(later.compare(self.earlier, ordinals, bounds.bytes)).await?;
        let cut = ordinals.get(round.pairs.len());
        self.next = cut.map(|cut| cut.ordinal).or(changed.next);
        bounds.rows = bounds.rows.saturating_sub(changed.rows);
        bounds.compared = bounds.compared.saturating_sub(round.pairs.len());
        bounds.blocks = bounds.blocks.saturating_sub(round.blocks);
        bounds.bytes = bounds.bytes.saturating_sub(round.bytes);
        let left = [bounds.rows, bounds.compared, bounds.blocks, bounds.bytes];
        self.is_spent = cut.is_some() || left.contains(&0);
        let pairs = ordinals.iter().map(|changed| changed.ordinal).zip(round.pairs);
        let differs = |(_, pair): &(u32, Different)| !pair.change(false).is_empty();
        Ok(Some(pairs.filter(differs).collect()))
    }
}

impl Different {
    /// Returns its change from the earlier version to the later one, or back.
    pub fn change(&self, is_backwards: bool) -> NodeChange {
        match is_backwards {
            false => FileNode::change(self.earlier.as_ref(), self.later.as_ref()),
            true => FileNode::change(self.later.as_ref(), self.earlier.as_ref()),
        }
    }

    /// Returns the category or term above from whose change this one, in one direction, follows; none if it was changed itself.
    pub fn cause(&self, change: &NodeChange, is_backwards: bool) -> Option<NodeId> {
        let sides = [&self.earlier, &self.later].map(|side| side.as_ref().and_then(FileNode::term));
        let [earlier, later] = sides;
        let (before, after) = if is_backwards {
            (later, earlier)
        } else {
            (earlier, later)
        };
        change.cause(before?, after?)
    }

    /// Returns the node as the change leaves it: after it, or before it where that is removed.
    pub fn shown(&self, is_backwards: bool) -> Option<&FileNode> {
        let (earlier, later) = (self.earlier.as_ref(), self.later.as_ref());
        match is_backwards {
            false => later.or(earlier),
            true => earlier.or(later),
        }
    }
}

/// The changes that a page has of all that there are.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted {
    /// Whether the changes are those from the later version to the earlier one.
    pub is_backwards: bool,
    /// Only changes of this kind.
    pub kind: Option<ChangeKind>,
    /// Only a category and its terms, in the version after a change; of what is removed in the version before.
    pub category: Option<CategoryId>,
}

impl Wanted {
    fn has(&self, different: &Different) -> bool {
        let is_kind = |kind| different.change(self.is_backwards).kinds.contains(&kind);
        let is_in = |category| {
            let shown = different.shown(self.is_backwards);
            shown.and_then(FileNode::category_id) == Some(category)
        };
        self.category.is_none_or(is_in) && self.kind.is_none_or(is_kind)
    }
}

/// What differs of a category and its terms.
#[derive(Debug, Clone)]
pub struct CategoryTotals {
    /// The category.
    pub id: CategoryId,
    /// It, or one of its terms.
    pub node: FileNode,
    /// Whether the change removes it. Its own item is then the first of its items.
    pub is_removed: bool,
    /// The number of items.
    pub items: u64,
    /// Those that follow from a change above them.
    pub following: u64,
    /// The number of items with each kind of change.
    pub kinds: BTreeMap<ChangeKind, u64>,
}

/// The number of terms that differ, each counted once: as the counts of a version do, beside those whose FinalName alone differs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TermTotals {
    /// Terms that were added.
    pub added: u64,
    /// Terms with another name, place or property.
    pub changed: u64,
    /// Terms that were removed.
    pub removed: u64,
    /// Terms whose FinalName alone differs.
    pub final_name_only: u64,
}

impl TermTotals {
    fn add(&mut self, kinds: &[ChangeKind]) {
        let count = match kinds {
            [ChangeKind::Added] => &mut self.added,
            [ChangeKind::Removed] => &mut self.removed,
            [ChangeKind::FinalName] => &mut self.final_name_only,
            _ => &mut self.changed,
        };
        *count += 1;
    }
}

/// The number of categories and terms that differ between two versions.
#[derive(Debug, Clone, Default)]
pub struct DifferenceTotals {
    /// The categories.
    pub categories: u64,
    /// The terms.
    pub terms: u64,
    /// The number of both with each kind of change; none where the numbers are upper bounds.
    pub kinds: Option<BTreeMap<ChangeKind, u64>>,
    /// The terms by their change, each counted once.
    pub of_terms: TermTotals,
    /// Those of each category, in the order of the items; none where the numbers are upper bounds.
    pub by_category: Vec<CategoryTotals>,
}

impl DifferenceTotals {
    /// Returns the totals of two versions with the same content.
    pub fn none() -> Self {
        Self {
            kinds: Some(BTreeMap::new()),
            ..Self::default()
        }
    }

    fn add(&mut self, is_category: bool) {
        match is_category {
            true => self.categories += 1,
            false => self.terms += 1,
        }
    }

    /// Counts a change, for its category as well.
    fn add_change(&mut self, different: &Different, is_backwards: bool) {
        let change = different.change(is_backwards);
        let follows = different.cause(&change, is_backwards).is_some();
        self.add(matches!(different.id, NodeId::Category(_)));
        if matches!(different.id, NodeId::Term(_)) {
            self.of_terms.add(&change.kinds);
        }
        let Some((node, id)) = different
            .shown(is_backwards)
            .and_then(|node| Some((node, node.category_id()?)))
        else {
            return;
        };
        let position = match self.by_category.iter().position(|category| category.id == id) {
            Some(position) => position,
            None => {
                self.by_category.push(CategoryTotals {
                    id,
                    node: node.clone(),
                    is_removed: change.kinds == [ChangeKind::Removed]
                        && matches!(different.id, NodeId::Category(_)),
                    items: 0,
                    following: 0,
                    kinds: BTreeMap::new(),
                });
                self.by_category.len() - 1
            }
        };
        let category = &mut self.by_category[position];
        category.items += 1;
        category.following += u64::from(follows);
        let all = self.kinds.get_or_insert_default();
        for kind in change.kinds {
            *category.kinds.entry(kind).or_default() += 1;
            *all.entry(kind).or_default() += 1;
        }
    }
}

impl VersionFile<'_> {
    /// Returns a page of the differences between an earlier version (none: a tenant without a taxonomy) and this one, from an ordinal of this
    /// file on: categories and terms, in the order of this file, removed ones at the end. It reads a bounded number of parts, wherever it begins.
    /// A page that is full ends before the first item of the next one; one of wanted changes alone may be empty and still lead to another.
    ///
    /// # Errors
    /// [`VersionError`] if a file cannot be read.
    pub async fn differences(
        &self,
        earlier: Option<&VersionFile<'_>>,
        from: u32,
        bounds: PageBounds,
        only: Wanted,
    ) -> Result<FilePage<Different>, VersionError> {
        let mut comparison = self.comparison(earlier, from, bounds);
        let mut items = Vec::with_capacity(bounds.items);
        let mut wanted = bounds.items + 1;
        while let Some(round) = comparison.round(wanted).await? {
            for (ordinal, different) in round.into_iter().filter(|(_, found)| only.has(found)) {
                if items.len() == bounds.items {
                    let next = Some(ordinal);
                    return Ok(FilePage { items, next });
                }
                items.push(different);
            }
            wanted = (bounds.items + 1 - items.len()).max(LEAST_ROUND);
        }
        let next = comparison.next;
        Ok(FilePage { items, next })
    }

    /// Returns the number of differences between an earlier version and this one: exactly where a page of `bounds` compares all that changed, else
    /// the number of ids that changed, which counts those that changed back as well. The kinds are those of the changes to this version, or back.
    ///
    /// # Errors
    /// [`VersionError`] if a file cannot be read.
    pub async fn difference_totals(
        &self,
        earlier: Option<&VersionFile<'_>>,
        bounds: PageBounds,
        is_backwards: bool,
    ) -> Result<DifferenceTotals, VersionError> {
        let mut comparison = self.comparison(earlier, 0, bounds);
        let mut totals = DifferenceTotals::none();
        while let Some(round) = comparison.round(TOTALS_ROUND).await? {
            for (_, different) in round {
                totals.add_change(&different, is_backwards);
            }
        }
        match comparison.next {
            None => Ok(totals),
            Some(_) => Box::pin(self.changed_ids(earlier)).await,
        }
    }

    /// Returns the number of ids that changed after an earlier version, with those that changed back.
    async fn changed_ids(&self, earlier: Option<&VersionFile<'_>>) -> Result<DifferenceTotals, VersionError> {
        let mut totals = DifferenceTotals::default();
        let version = earlier.map(|file| file.footer().identity().version);
        let columns =
            stream::iter(self.columns_after(version)).map(|number| self.changed_in_column(number, version));
        let columns: Vec<Vec<u32>> = columns.buffered(CONCURRENCY).try_collect().await?;
        for ordinal in columns.into_iter().flatten() {
            totals.add(self.footer().is_category(ordinal));
        }
        Ok(totals)
    }

    fn comparison<'f>(
        &'f self,
        earlier: Option<&'f VersionFile<'f>>,
        from: u32,
        bounds: PageBounds,
    ) -> Comparison<'f> {
        Comparison {
            later: self,
            earlier,
            bounds,
            next: Some(from),
            is_spent: false,
        }
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
