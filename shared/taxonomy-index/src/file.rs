//! A whole index file in memory: the one of the version before, while the next one is built.

pub(crate) mod bits;
pub(crate) mod block;
pub(crate) mod blocks;
pub(crate) mod body;
pub(crate) mod bucket;
pub(crate) mod changed;
pub(crate) mod column;
pub(crate) mod columns;
pub(crate) mod counted;
pub(crate) mod counted_writer;
pub(crate) mod culture_order;
pub(crate) mod culture_orders;
pub(crate) mod footer;
pub(crate) mod id_table;
pub(crate) mod list;
pub(crate) mod part;
pub(crate) mod past;
pub(crate) mod preorder;
pub(crate) mod tables;
pub(crate) mod trailer;

use sha2::{Digest as _, Sha256};
use taxonomy_keys::Version;
use taxonomy_model::attribute::Attributes;
use taxonomy_model::{NodeId, Record, Taxonomy, TaxonomyBuilder};

use crate::damage::{Damaged, PartName, Reason};
use crate::digest::Digest;
use crate::file::bits::Bits;
use crate::file::block::Block;
use crate::file::bucket::Bucket;
use crate::file::column::Column;
use crate::file::counted::CountedPart;
use crate::file::culture_order::CultureOrder;
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
    /// Opens a file by its footer; the other parts are checked where they are read. Without `expected` it may be of any version.
    ///
    /// # Errors
    /// [`Damaged`] if trailer or footer are damaged, or belong to another file than the expected one.
    pub fn open<'e>(bytes: &'a [u8], expected: impl Into<Option<Expected<'e>>>) -> Result<Self, Damaged> {
        match Footer::locate(bytes, bytes.len() as u64, expected)? {
            Located::Here(footer) => Ok(Self {
                bytes,
                footer: *footer,
            }),
            Located::Elsewhere(part) => Err(part.name.damaged(Reason::Length)),
        }
    }

    /// Its footer.
    pub fn footer(&self) -> &Footer {
        &self.footer
    }

    /// Decodes a block.
    ///
    /// # Errors
    /// [`Damaged`] if the file has none with this number, or if it is damaged.
    pub fn block(&self, number: u32) -> Result<Block, Damaged> {
        let part = self.part(PartName::Block(number))?;
        Block::open(self.packed(&part)?, &part, &self.footer)
    }

    /// Decodes a column.
    ///
    /// # Errors
    /// [`Damaged`] if the file has none with this number, or if it is damaged.
    pub fn column(&self, number: u32) -> Result<Column, Damaged> {
        let part = self.part(PartName::Column(number))?;
        Column::open(self.packed(&part)?, &part, &self.footer)
    }

    /// Decodes a part of the order of a culture.
    ///
    /// # Errors
    /// [`Damaged`] if it is not one, or if it is damaged.
    pub fn order(&self, part: Part) -> Result<CultureOrder, Damaged> {
        CultureOrder::open(self.packed(&part)?, &part, &self.footer)
    }

    /// Decodes counts of categories.
    ///
    /// # Errors
    /// [`Damaged`] if the file has none with this number, or if they are damaged.
    pub fn counts(&self, number: u32) -> Result<CountedPart, Damaged> {
        let part = self.part(PartName::Counts(number))?;
        CountedPart::open(self.packed(&part)?, &part, &self.footer)
    }

    /// Decodes a part of bit maps.
    ///
    /// # Errors
    /// [`Damaged`] if the file has none with this number, or if it is damaged.
    pub fn bits(&self, number: u32) -> Result<Bits, Damaged> {
        let part = self.part(PartName::Bits(number))?;
        Bits::open(self.packed(&part)?, &part, &self.footer)
    }

    /// Decodes a bucket.
    ///
    /// # Errors
    /// [`Damaged`] if the file has none with this number, or if it is damaged.
    pub fn bucket(&self, table: IdTable, number: u32) -> Result<Bucket, Damaged> {
        let part = self.part(PartName::Bucket(table, number))?;
        Bucket::open(self.packed(&part)?, &part, &self.footer)
    }

    /// The entries of a table, bucket by bucket.
    pub(crate) fn entries(&self, table: IdTable) -> impl Iterator<Item = Result<Vec<(u64, u32)>, Damaged>> {
        let numbers = 0..self.footer.buckets_of(table);
        numbers.map(move |number| Ok(self.bucket(table, number)?.entries().collect()))
    }

    /// Returns the categories, then the terms that any version up to this one had, with their ordinals, bucket by bucket.
    pub fn nodes(&self) -> impl Iterator<Item = Result<Vec<(NodeId, u32)>, Damaged>> {
        let kinds = [
            (IdTable::CategoryIds, NodeId::Category as fn(u64) -> NodeId),
            (IdTable::TermIds, NodeId::Term),
        ];
        kinds.into_iter().flat_map(|(table, node)| {
            let named = move |(id, ordinal)| (node(id), ordinal);
            self.entries(table)
                .map(move |entries| Ok(entries?.into_iter().map(named).collect()))
        })
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
        let removed = self.footer.removed_categories().start;
        let has_removed = move |number: &u32| {
            let ordinals = self.footer.ordinals_of_block(*number);
            ordinals.is_some_and(|ordinals| ordinals.end > removed)
        };
        let blocks = (0..self.footer.blocks()).filter(has_removed);
        blocks.map(move |number| self.tombstones_of(&self.block(number)?, after))
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
                let (number, _) =
                    place.ok_or_else(|| PartName::Footer.malformed("an ordinal without a column"))?;
                column = self.column(number)?;
            }
            let removed_in = column.row(ordinal).map(|row| row.changed_in);
            if after.is_none() || removed_in > after {
                let removed = block.removed(ordinal);
                let lacking = || PartName::Footer.malformed("an ordinal that is not removed");
                let (id, item) = removed.ok_or_else(lacking)?;
                let node = match self.footer.is_category(ordinal) {
                    true => NodeId::Category(id),
                    false => NodeId::Term(id),
                };
                tombstones.push((node, item.clone()));
            }
        }
        Ok(tombstones)
    }

    /// Returns the content of the version, from the records of all blocks.
    ///
    /// # Errors
    /// [`Damaged`] names the first block that is damaged.
    pub fn taxonomy(&self) -> Result<Taxonomy, Damaged> {
        let mut builder = TaxonomyBuilder::default();
        for number in 0..self.footer.blocks() {
            let block = self.block(number)?;
            for ordinal in block.ordinals() {
                let pushed = match (block.category(ordinal), block.term(ordinal)) {
                    (Some(category), _) => builder.push_category(Record::of_category(category)),
                    (None, Some(term)) => builder.push_term(Record::of_term(term)),
                    // What was removed is no content.
                    (None, None) => Ok(()),
                };
                pushed.map_err(|error| PartName::Block(number).malformed(error))?;
            }
        }
        let settings = self.footer.settings().clone();
        let finished = builder.finish(settings);
        finished.map_err(|error| PartName::Footer.malformed(error))
    }

    /// Returns the commit time of each version before this one, in epoch milliseconds, ascending, part by part.
    pub fn times(&self) -> impl Iterator<Item = Result<Vec<(u64, u32)>, Damaged>> {
        self.entries(IdTable::Times)
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
                PartName::Order(..) => drop(self.order(part)?),
                PartName::Counts(number) => drop(self.counts(number)?),
                PartName::Bits(number) => drop(self.bits(number)?),
                PartName::Bucket(table, number) => drop(self.bucket(table, number)?),
                PartName::Trailer | PartName::Footer => {}
            }
        }
        let summary = self.footer.summary_json()?;
        Ok(Digest::finish(digest.chain_update(summary)))
    }

    fn part(&self, name: PartName) -> Result<Part, Damaged> {
        let part = self.footer.part(name);
        part.ok_or_else(|| name.malformed("the file has no such part"))
    }

    fn packed(&self, part: &Part) -> Result<&'a [u8], Damaged> {
        self.footer
            .bytes_in_tail(part, self.bytes)
            .ok_or_else(|| part.name.damaged(Reason::Length))
    }
}
