//! The index file of one version: ordinals by id, and the rows and blocks of ordinals.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use taxonomy_index::{
    Block, Bucket, Column, CountedPart, Damaged, Footer, IdTable, PartName, ROWS, Row, StoredCounts,
};
use taxonomy_keys::{CategoryId, Culture, TermId, Version};
use taxonomy_model::items;
use taxonomy_model::stored::{StoredCategory, StoredTerm};
use taxonomy_model::{Category, Node, NodeId, Term};

use crate::files::error::VersionError;
use crate::files::open::OpenedFile;
use crate::files::parts::{VersionFiles, inconsistent};

/// The index file of a version, opened.
#[derive(Debug)]
pub struct VersionFile<'v> {
    pub(crate) versions: &'v VersionFiles,
    pub(super) key: Arc<str>,
    pub(super) opened: Arc<OpenedFile>,
}

/// A category or a term, with the block that contains it.
#[derive(Debug, Clone)]
pub struct FileNode {
    pub(crate) ordinal: u32,
    pub(crate) block: Arc<Block>,
}

/// A category or a term of a list, with the number of terms below it.
#[derive(Debug, Clone)]
pub struct ListedNode {
    /// The category or the term.
    pub node: FileNode,
    /// What lies below it.
    pub below: Below,
}

/// The numbers of live terms below a category or a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Below {
    /// Those directly below it.
    pub children: u32,
    /// All of them.
    pub descendants: u32,
}

/// A page of a list that a file has.
#[derive(Debug)]
pub struct FilePage<T> {
    /// The items of the page.
    pub items: Vec<T>,
    /// The position where the next page begins; none after the last.
    pub next: Option<u32>,
}

impl FileNode {
    /// Returns the term; none for a category or a removed term.
    pub fn term(&self) -> Option<Term<'_>> {
        self.block.term(self.ordinal)
    }

    /// Returns the category; none for a term or a removed category.
    pub fn category(&self) -> Option<Category<'_>> {
        self.block.category(self.ordinal)
    }

    /// Returns what a live category or term has beside its place; none for a removed one.
    pub fn node(&self) -> Option<Node<'_>> {
        let term = self.term().map(|term| term.node);
        term.or_else(|| self.category().map(|category| category.node))
    }

    /// Returns the category, or that of the term; none for a removed one.
    pub fn category_id(&self) -> Option<CategoryId> {
        let category = self.term().map(|term| term.category());
        category.or_else(|| self.category()).map(Category::id)
    }

    /// Returns its id; none for a removed one.
    pub fn node_id(&self) -> Option<u64> {
        let term = self.term().map(|term| term.id().get());
        term.or_else(|| self.category().map(|category| category.id().get()))
    }

    /// Returns the term's stored form: it and each node above it in the first culture of `order` in which that node has a name, otherwise in the
    /// default culture.
    pub fn stored_term(&self, order: &[Culture]) -> Option<StoredTerm> {
        self.term().map(|term| items::stored_term(term, order))
    }

    /// Returns the category's stored form, equal to the table's.
    pub fn stored_category(&self) -> Option<StoredCategory> {
        self.category().map(items::stored_category)
    }
}

impl VersionFile<'_> {
    /// Returns the footer: settings, cultures and counts of the version.
    pub fn footer(&self) -> &Footer {
        &self.opened.footer
    }

    pub(crate) fn inconsistent(&self, what: &'static str) -> VersionError {
        inconsistent(&self.key, what)
    }

    pub(crate) fn damaged(&self, source: Damaged) -> VersionError {
        damaged(&self.key, source)
    }

    /// Returns the row of an ordinal.
    pub(crate) async fn row(&self, ordinal: u32) -> Result<Row, VersionError> {
        let row = self.column(ordinal).await?.row(ordinal);
        row.ok_or_else(|| self.outside())
    }

    /// Returns the rows of a range of ordinals, up to the end of one column.
    pub(crate) async fn rows(&self, range: Range<u32>) -> Result<Vec<Row>, VersionError> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let column = self.column(range.start).await?;
        let end = range.end.min(column.ordinals().end);
        Ok((range.start..end)
            .filter_map(|ordinal| column.row(ordinal))
            .collect())
    }

    /// Returns the column that has the row of an ordinal.
    async fn column(&self, ordinal: u32) -> Result<Arc<Column>, VersionError> {
        let (_, part) = self.footer().column_of(ordinal).ok_or_else(|| self.outside())?;
        self.part(part, Column::open, Column::bytes).await
    }

    fn outside(&self) -> VersionError {
        self.inconsistent("an ordinal outside the file")
    }

    /// Returns the values of a key in a table, ascending.
    pub(crate) async fn values(&self, table: IdTable, key: u64) -> Result<Vec<u32>, VersionError> {
        self.values_of(table, key..=key).await
    }

    /// Returns the values of some keys in a table, ascending by key and value.
    pub(crate) async fn values_of(
        &self,
        table: IdTable,
        keys: RangeInclusive<u64>,
    ) -> Result<Vec<u32>, VersionError> {
        let mut values = Vec::new();
        for (_, part) in self.footer().buckets(table, keys.clone()) {
            let bucket = self.part(part, Bucket::open, Bucket::bytes).await?;
            values.extend(bucket.values(keys.clone()));
        }
        Ok(values)
    }

    /// Returns the newest version before that of this file that was committed at or before `at` (epoch milliseconds); none before the first. The
    /// file's own commit time is in the head and in the log.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn version_at(&self, at: u64) -> Result<Option<Version>, VersionError> {
        let Some((_, part)) = self.footer().bucket_at(IdTable::Times, at) else {
            return Ok(None);
        };
        let bucket = self.part(part, Bucket::open, Bucket::bytes).await?;
        let found = bucket.predecessor(at);
        Ok(found.and_then(|(_, version)| Version::new(version.into())))
    }

    /// Returns the commit time of a version before that of this file, in epoch milliseconds. A version commits later than the one before, so the
    /// table of times has the versions in their order, from the first on.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read, or lacks the version.
    pub async fn committed_at(&self, version: Version) -> Result<u64, VersionError> {
        let place = version.get() - 1;
        let rows = ROWS as u64;
        let number = u32::try_from(place / rows).unwrap_or(u32::MAX);
        let lacking = || self.inconsistent("it lacks the time of a version before");
        let part = self.footer().part(PartName::Bucket(IdTable::Times, number));
        let part = part.ok_or_else(lacking)?;
        let bucket = self.part(part, Bucket::open, Bucket::bytes).await?;
        let place = usize::try_from(place % rows).unwrap_or(usize::MAX);
        let found = bucket.entries().nth(place);
        let found = found.filter(|(_, known)| u64::from(*known) == version.get());
        found.map(|(at, _)| at).ok_or_else(lacking)
    }

    /// Returns the row of a category or a term, including removed ones; none if no version up to this one had it.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn row_of(&self, node: NodeId) -> Result<Option<Row>, VersionError> {
        let (NodeId::Category(id) | NodeId::Term(id)) = node;
        let table = match node {
            NodeId::Category(_) => IdTable::CategoryIds,
            NodeId::Term(_) => IdTable::TermIds,
        };
        match self.values(table, id).await?.first() {
            Some(ordinal) => Ok(Some(self.row(*ordinal).await?)),
            None => Ok(None),
        }
    }

    /// Returns the counts of a category; none if neither the version nor an earlier one had it.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn counted(&self, id: CategoryId) -> Result<Option<StoredCounts>, VersionError> {
        let Some((_, part)) = self.footer().counts_of(id) else {
            return Ok(None);
        };
        let counts = self.part(part, CountedPart::open, CountedPart::bytes).await?;
        Ok(counts.get(id).cloned())
    }

    /// Returns the ordinal of a term, including removed ones.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn term_ordinal(&self, id: TermId) -> Result<Option<u32>, VersionError> {
        Ok(self.values(IdTable::TermIds, id.get()).await?.first().copied())
    }

    /// Returns the ordinal of a category, including removed ones.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn category_ordinal(&self, id: CategoryId) -> Result<Option<u32>, VersionError> {
        let ordinals = self.values(IdTable::CategoryIds, id.get()).await?;
        Ok(ordinals.first().copied())
    }

    /// Returns the nodes of ordinals, in their order. Each block is read once.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn nodes(&self, ordinals: &[u32]) -> Result<Vec<FileNode>, VersionError> {
        let mut wanted = BTreeMap::new();
        let mut blocks = Vec::with_capacity(ordinals.len());
        for ordinal in ordinals {
            let found = self.footer().block_of(*ordinal);
            let (number, part) = found.ok_or_else(|| self.outside())?;
            wanted.insert(number, part);
            blocks.push(number);
        }
        let read = self.blocks(wanted).await?;
        let nodes = ordinals.iter().zip(blocks).map(|(ordinal, number)| {
            let block = read.get(&number).cloned();
            let block = block.ok_or_else(|| self.inconsistent("a block outside the file"))?;
            Ok(FileNode {
                ordinal: *ordinal,
                block,
            })
        });
        nodes.collect()
    }

    /// Returns the node of one ordinal.
    pub(crate) async fn node(&self, ordinal: u32) -> Result<FileNode, VersionError> {
        let mut nodes = self.nodes(&[ordinal]).await?;
        nodes
            .pop()
            .ok_or_else(|| self.inconsistent("an ordinal without a node"))
    }
}

pub(super) fn damaged(file: &str, source: Damaged) -> VersionError {
    VersionError::Damaged {
        file: file.to_owned(),
        source,
    }
}
