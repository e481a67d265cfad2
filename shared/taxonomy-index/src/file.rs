//! A whole index file in memory: the one of the version before, while the next one is built.

pub(crate) mod block;
pub(crate) mod blocks;
pub(crate) mod body;
pub(crate) mod bucket;
pub(crate) mod changed;
pub(crate) mod column;
pub(crate) mod counted;
pub(crate) mod counted_writer;
pub(crate) mod footer;
pub(crate) mod id_table;
pub(crate) mod list;
pub(crate) mod part;
pub(crate) mod past;
pub(crate) mod preorder;
pub(crate) mod tables;
pub(crate) mod trailer;

use sha2::{Digest as _, Sha256};
use taxonomy_keys::{CategoryId, TermId, Version};
use taxonomy_model::NodeId;
use taxonomy_model::attribute::Attributes;

use crate::damage::{Damaged, PartName, Reason};
use crate::digest::Digest;
use crate::file::block::Block;
use crate::file::bucket::Bucket;
use crate::file::column::{Column, Row};
use crate::file::counted::CountedPart;
use crate::file::footer::{Expected, Footer, Located};
use crate::file::id_table::IdTable;
use crate::file::part::Part;

/// A whole index file.
#[derive(Debug, Clone)]
pub struct File<'a> {
    bytes: &'a [u8],
    footer: Footer,
}

impl<'a> File<'a> {
    /// Opens a file by its footer; the other parts are checked where they are read.
    ///
    /// # Errors
    /// [`Damaged`] if trailer or footer are damaged, or belong to another file than the expected one.
    pub fn open(bytes: &'a [u8], expected: Expected<'_>) -> Result<Self, Damaged> {
        match Footer::locate(bytes, bytes.len() as u64, expected)? {
            Located::Here(footer) => Ok(Self {
                bytes,
                footer: *footer,
            }),
            Located::Elsewhere(part) => Err(part.name.damaged(Reason::Length)),
        }
    }

    /// Its footer.
    #[must_use]
    pub fn footer(&self) -> &Footer {
        &self.footer
    }

    /// Decodes a block.
    ///
    /// # Errors
    /// [`Damaged`] if the file has none with this number, or if it is damaged.
    pub fn block(&self, number: u32) -> Result<Block, Damaged> {
        let part = there(self.footer.block(number), PartName::Block(number))?;
        Block::open(self.packed(&part)?, &part, &self.footer)
    }

    /// Decodes a column.
    ///
    /// # Errors
    /// [`Damaged`] if the file has none with this number, or if it is damaged.
    pub fn column(&self, number: u32) -> Result<Column, Damaged> {
        let part = there(self.footer.column(number), PartName::Column(number))?;
        Column::open(self.packed(&part)?, &part, &self.footer)
    }

    /// Decodes counts of categories.
    ///
    /// # Errors
    /// [`Damaged`] if the file has none with this number, or if they are damaged.
    pub fn counts(&self, number: u32) -> Result<CountedPart, Damaged> {
        let part = there(self.footer.counts_part(number), PartName::Counts(number))?;
        CountedPart::open(self.packed(&part)?, &part, &self.footer)
    }

    /// Decodes a bucket.
    ///
    /// # Errors
    /// [`Damaged`] if the file has none with this number, or if it is damaged.
    pub fn bucket(&self, table: IdTable, number: u32) -> Result<Bucket, Damaged> {
        let part = there(self.footer.bucket(table, number), PartName::Bucket(table, number))?;
        Bucket::open(self.packed(&part)?, &part, &self.footer)
    }

    /// The values of a key in a table, ascending.
    ///
    /// # Errors
    /// [`Damaged`] if a bucket that may hold the key is damaged.
    pub fn values(&self, table: IdTable, key: u64) -> Result<Vec<u32>, Damaged> {
        let mut values = Vec::new();
        for (number, _) in self.footer.buckets(table, key) {
            values.extend(self.bucket(table, number)?.values(key));
        }
        Ok(values)
    }

    /// Returns the row of a category, live or removed, and its ordinal; none if no version had it.
    ///
    /// # Errors
    /// [`Damaged`] if a part that it reads is damaged.
    pub fn category(&self, id: CategoryId) -> Result<Option<(u32, Row)>, Damaged> {
        self.find(IdTable::CategoryIds, id.get())
    }

    /// Returns the row of a term, live or removed, and its ordinal; none if no version had it.
    ///
    /// # Errors
    /// [`Damaged`] if a part that it reads is damaged.
    pub fn term(&self, id: TermId) -> Result<Option<(u32, Row)>, Damaged> {
        self.find(IdTable::TermIds, id.get())
    }

    fn find(&self, table: IdTable, id: u64) -> Result<Option<(u32, Row)>, Damaged> {
        match self.values(table, id)?.first() {
            Some(ordinal) => Ok(Some((*ordinal, self.row(*ordinal)?))),
            None => Ok(None),
        }
    }

    /// Returns the categories and terms that any version up to this one had, bucket by bucket.
    pub fn nodes(&self) -> impl Iterator<Item = Result<Vec<NodeId>, Damaged>> {
        let kinds = [
            (IdTable::CategoryIds, NodeId::Category as fn(u64) -> NodeId),
            (IdTable::TermIds, NodeId::Term),
        ];
        kinds.into_iter().flat_map(move |(table, node)| {
            let numbers = (0..).take_while(move |number| self.footer.bucket(table, *number).is_some());
            numbers.map(move |number| {
                let bucket = self.bucket(table, number)?;
                Ok(bucket.entries().map(|(id, _)| node(id)).collect())
            })
        })
    }

    /// The numbers of an ordinal.
    ///
    /// # Errors
    /// [`Damaged`] if the file does not have the ordinal, or if its column is damaged.
    pub fn row(&self, ordinal: u32) -> Result<Row, Damaged> {
        let lacking = || PartName::Footer.malformed("an ordinal outside the file");
        let (number, _) = self.footer.column_of(ordinal).ok_or_else(lacking)?;
        self.column(number)?.row(ordinal).ok_or_else(lacking)
    }

    /// The block that holds an ordinal.
    ///
    /// # Errors
    /// [`Damaged`] if the file does not have the ordinal, or if its block is damaged.
    pub fn block_of(&self, ordinal: u32) -> Result<Block, Damaged> {
        let lacking = || PartName::Footer.malformed("an ordinal outside the file");
        let (number, _) = self.footer.block_of(ordinal).ok_or_else(lacking)?;
        self.block(number)
    }

    /// Returns the categories and terms that were removed after a version (`None`: ever), each with the attributes of its tombstone in the table, block
    /// by block.
    pub fn tombstones(
        &self,
        after: Option<Version>,
    ) -> impl Iterator<Item = Result<Vec<(NodeId, Attributes)>, Damaged>> {
        let mut next = self.footer.removed_categories().start;
        let end = self.footer.removed_terms().end;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let block = self.block_of(next).inspect_err(|_| next = end)?;
                next = block.ordinals().end;
                self.tombstones_of(&block, after).inspect_err(|_| next = end)
            })
        })
    }

    fn tombstones_of(
        &self,
        block: &Block,
        after: Option<Version>,
    ) -> Result<Vec<(NodeId, Attributes)>, Damaged> {
        let mut tombstones = Vec::new();
        let mut column = Column::default();
        for ordinal in block.ordinals() {
            if after.is_some() && column.row(ordinal).is_none() {
                let place = self.footer.column_of(ordinal);
                let (number, _) = place.ok_or_else(|| block_damage("an ordinal without a column"))?;
                column = self.column(number)?;
            }
            let removed_in = column.row(ordinal).map(|row| row.changed_in);
            if after.is_none() || removed_in > after {
                let removed = block.removed(ordinal);
                let (id, item) = removed.ok_or_else(|| block_damage("an ordinal that is not removed"))?;
                let node = match self.footer.removed_categories().contains(&ordinal) {
                    true => NodeId::Category(id),
                    false => NodeId::Term(id),
                };
                tombstones.push((node, item.clone()));
            }
        }
        Ok(tombstones)
    }

    /// Decodes every part and returns the digest of the content, which the key of the file names.
    ///
    /// # Errors
    /// [`Damaged`] names the first part that is damaged.
    pub fn digest(&self) -> Result<Digest, Damaged> {
        let mut digest = Sha256::new();
        for part in self.footer.parts() {
            digest.update(part.unpack(self.packed(&part)?)?);
            match part.name {
                PartName::Block(number) => drop(self.block(number)?),
                PartName::Column(number) => drop(self.column(number)?),
                PartName::Counts(number) => drop(self.counts(number)?),
                PartName::Bucket(table, number) => drop(self.bucket(table, number)?),
                PartName::Trailer | PartName::Footer => {}
            }
        }
        let summary = self.footer.summary_json()?;
        Ok(Digest::finish(digest.chain_update(summary)))
    }

    fn packed(&self, part: &Part) -> Result<&'a [u8], Damaged> {
        self.footer
            .bytes_in_tail(part, self.bytes)
            .ok_or_else(|| part.name.damaged(Reason::Length))
    }
}

fn block_damage(reason: &str) -> Damaged {
    PartName::Footer.malformed(reason)
}

fn there(part: Option<Part>, name: PartName) -> Result<Part, Damaged> {
    part.ok_or_else(|| name.malformed("the file has no such part"))
}
