//! The footer and the trailer: the identity of the file, its settings and counts, and the place of every part.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, Culture, TenantId, Version};
use taxonomy_model::{Counts, Hash, Settings};

use crate::damage::{Damaged, PartName, Reason};
use crate::digest::Digest;
use crate::file::bits;
use crate::file::culture_orders;
use crate::file::id_table::IdTable;
use crate::file::list::PartList;
use crate::file::part::Part;
use crate::file::trailer::{TRAILER, read_trailer};
use crate::identity::Identity;
use crate::{INDEX_FORMAT, ROWS};

/// The identity that a reader expects of a file. The key of the file's object names all of it.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    /// The tenant.
    pub tenant: &'a TenantId,
    /// The version.
    pub version: Version,
    /// The id of the version's changeset.
    pub changeset: &'a Hash,
}

/// The stored form. These names are the storage format (docs/decisions/0018-version-index.md).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct FooterBody {
    pub(crate) index_format: u32,
    pub(crate) summary: Summary,
    pub(crate) blocks: PartList,
    pub(crate) columns: PartList,
    /// Of each culture whose siblings have another order than those of the default culture.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) orders: BTreeMap<Culture, PartList>,
    pub(crate) categories_counted: PartList,
    pub(crate) bits: PartList,
    pub(crate) tables: Tables,
}

/// The members of a footer that do not depend on how its parts are packed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Summary {
    pub(crate) tenant: TenantId,
    pub(crate) version: Version,
    pub(crate) changeset: Hash,
    pub(crate) state: Hash,
    pub(crate) projection_format: u32,
    pub(crate) default_culture: Culture,
    pub(crate) fallback_chain: Vec<Culture>,
    pub(crate) cultures: Vec<Culture>,
    pub(crate) search: Vec<Digest>,
    pub(crate) categories: u32,
    pub(crate) terms: u32,
    pub(crate) removed_categories: u32,
    pub(crate) removed_terms: u32,
    pub(crate) counts: Counts,
}

/// The lists of buckets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Tables {
    category_ids: PartList,
    term_ids: PartList,
    paths: PartList,
    notations: PartList,
    relations: PartList,
    further: PartList,
    removed_names: PartList,
    times: PartList,
}

impl Tables {
    pub(crate) fn list(&self, table: IdTable) -> &PartList {
        match table {
            IdTable::CategoryIds => &self.category_ids,
            IdTable::TermIds => &self.term_ids,
            IdTable::Paths => &self.paths,
            IdTable::Notations => &self.notations,
            IdTable::Relations => &self.relations,
            IdTable::Further => &self.further,
            IdTable::RemovedNames => &self.removed_names,
            IdTable::Times => &self.times,
        }
    }

    pub(crate) fn list_mut(&mut self, table: IdTable) -> &mut PartList {
        match table {
            IdTable::CategoryIds => &mut self.category_ids,
            IdTable::TermIds => &mut self.term_ids,
            IdTable::Paths => &mut self.paths,
            IdTable::Notations => &mut self.notations,
            IdTable::Relations => &mut self.relations,
            IdTable::Further => &mut self.further,
            IdTable::RemovedNames => &mut self.removed_names,
            IdTable::Times => &mut self.times,
        }
    }
}

/// The only member that footers of every format have.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Format {
    index_format: u32,
}

/// The footer of an index file, checked: its parts lie one behind the other and cover all ordinals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Footer {
    identity: Identity,
    settings: Settings,
    body: FooterBody,
    size: u64,
    bytes: usize,
}

/// The footer, or where it lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Located {
    /// The tail held all of it.
    Here(Box<Footer>),
    /// A reader has to read this part, and give it to [`Footer::open`].
    Elsewhere(Part),
}

impl Footer {
    /// Finds the footer of a file of `size` bytes, given its last bytes: those from `size` - [`TAIL`](crate::TAIL) on, or the whole file.
    ///
    /// # Errors
    /// [`Damaged`] if trailer or footer are damaged, or belong to another file than the expected one.
    pub fn locate<'e>(
        tail: &[u8],
        size: u64,
        expected: impl Into<Option<Expected<'e>>>,
    ) -> Result<Located, Damaged> {
        let part = read_trailer(tail, size)?;
        match within(&part, tail, size) {
            Some(packed) => Self::open(packed, &part, expected).map(|footer| Located::Here(Box::new(footer))),
            None => Ok(Located::Elsewhere(part)),
        }
    }

    /// Reads a footer that [`locate`](Self::locate) found, given the bytes of its part.
    ///
    /// # Errors
    /// [`Damaged`] if it is damaged, or belongs to another file than the expected one.
    pub fn open<'e>(
        packed: &[u8],
        part: &Part,
        expected: impl Into<Option<Expected<'e>>>,
    ) -> Result<Self, Damaged> {
        let content = part.unpack(packed)?;
        let malformed = |error: serde_json::Error| PartName::Footer.malformed(error);
        let Format { index_format } = serde_json::from_slice(&content).map_err(malformed)?;
        if index_format != INDEX_FORMAT {
            return Err(PartName::Footer.damaged(Reason::Format(index_format)));
        }
        let body: FooterBody = serde_json::from_slice(&content).map_err(malformed)?;
        let summary = &body.summary;
        let members = expected.into().map(|expected| {
            [
                ("tenant", summary.tenant == *expected.tenant),
                ("version", summary.version == expected.version),
                ("changeset", summary.changeset == *expected.changeset),
            ]
        });
        let mut members = members.into_iter().flatten();
        if let Some((member, _)) = members.find(|(_, is_expected)| !is_expected) {
            return Err(PartName::Footer.damaged(Reason::Identity(member)));
        }
        check(&body, part.offset)?;
        Ok(Self::new(body, part.range().end + TRAILER as u64))
    }

    fn new(body: FooterBody, size: u64) -> Self {
        let lists = [&body.blocks, &body.columns, &body.categories_counted, &body.bits].into_iter();
        let lists = lists.chain(IdTable::ALL.map(|table| body.tables.list(table)));
        let lists = lists.chain(body.orders.values());
        let summary = &body.summary;
        Self {
            identity: Identity {
                tenant: summary.tenant.clone(),
                version: summary.version,
                changeset: summary.changeset.clone(),
                state: summary.state.clone(),
                projection_format: summary.projection_format,
            },
            settings: Settings {
                default_culture: summary.default_culture.clone(),
                fallback_chain: summary.fallback_chain.clone(),
            },
            size,
            bytes: size_of::<Self>()
                + 72 * summary.cultures.len()
                + lists.map(PartList::bytes).sum::<usize>(),
            body,
        }
    }

    /// The version that the file belongs to.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The settings of the version.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Every culture in which something has a name, ascending.
    pub fn cultures(&self) -> &[Culture] {
        &self.body.summary.cultures
    }

    /// Returns the key of the search object of a culture; none if nothing has a name in it.
    pub fn search_key(&self, culture: &Culture) -> Option<String> {
        let place = self.cultures().binary_search(culture).ok()?;
        let digest = self.body.summary.search.get(place)?;
        Some(self.identity.search_key(culture, *digest))
    }

    pub(crate) fn summary_json(&self) -> Result<Vec<u8>, Damaged> {
        serde_json::to_vec(&self.body.summary).map_err(|error| PartName::Footer.malformed(error))
    }

    /// Returns the size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the approximate number of bytes that the footer takes in memory.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The ordinals of the categories.
    pub fn categories(&self) -> Range<u32> {
        0..self.body.summary.categories
    }

    /// The ordinals of the terms.
    pub fn terms(&self) -> Range<u32> {
        let start = self.body.summary.categories;
        start..start + self.body.summary.terms
    }

    /// The ordinals of removed categories.
    pub fn removed_categories(&self) -> Range<u32> {
        let start = self.terms().end;
        start..start + self.body.summary.removed_categories
    }

    /// The ordinals of removed terms.
    pub fn removed_terms(&self) -> Range<u32> {
        let start = self.removed_categories().end;
        start..start + self.body.summary.removed_terms
    }

    /// All ordinals.
    pub fn ordinals(&self) -> Range<u32> {
        0..self.removed_terms().end
    }

    /// Returns whether an ordinal is that of a category, live or removed.
    pub fn is_category(&self, ordinal: u32) -> bool {
        self.categories().contains(&ordinal) || self.removed_categories().contains(&ordinal)
    }

    /// The part with this name; none if the file lacks it, and for trailer and footer.
    pub fn part(&self, name: PartName) -> Option<Part> {
        let (list, number) = match name {
            PartName::Trailer | PartName::Footer => return None,
            PartName::Block(number) => (&self.body.blocks, number),
            PartName::Column(number) => (&self.body.columns, number),
            PartName::Order(culture, number) => {
                let culture = self.cultures().get(usize::from(culture))?;
                (self.orders().get(culture)?, number)
            }
            PartName::Counts(number) => (&self.body.categories_counted, number),
            PartName::Bits(number) => (&self.body.bits, number),
            PartName::Bucket(table, number) => (self.body.tables.list(table), number),
        };
        list.part(number as usize, name)
    }

    /// The orders of cultures.
    pub(crate) fn orders(&self) -> &BTreeMap<Culture, PartList> {
        &self.body.orders
    }

    /// The number of blocks.
    pub fn blocks(&self) -> u32 {
        narrow(self.body.blocks.len())
    }

    /// The block that holds an ordinal, and its number; none for an ordinal that the file lacks.
    pub fn block_of(&self, ordinal: u32) -> Option<(u32, Part)> {
        let number = self.body.blocks.last_up_to(ordinal.into())?;
        let is_there = self.ordinals().contains(&ordinal);
        Some((number, self.part(PartName::Block(number)).filter(|_| is_there)?))
    }

    /// The ordinals of a block.
    pub fn ordinals_of_block(&self, number: u32) -> Option<Range<u32>> {
        let first = &self.body.blocks.first;
        let start = u32::try_from(*first.get(number as usize)?).ok()?;
        let end = match first.get(number as usize + 1) {
            Some(next) => u32::try_from(*next).ok()?,
            None => self.ordinals().end,
        };
        Some(start..end)
    }

    /// The number of columns.
    pub fn columns(&self) -> u32 {
        narrow(self.body.columns.len())
    }

    /// The column that holds an ordinal, and its number; none for an ordinal that the file lacks.
    pub fn column_of(&self, ordinal: u32) -> Option<(u32, Part)> {
        let number = ordinal / narrow(ROWS);
        let is_there = self.ordinals().contains(&ordinal);
        Some((number, self.part(PartName::Column(number)).filter(|_| is_there)?))
    }

    /// The ordinals of a column.
    pub fn ordinals_of_column(&self, number: u32) -> Option<Range<u32>> {
        self.part(PartName::Column(number))?;
        let start = number * narrow(ROWS);
        Some(start..self.ordinals().end.min(start.saturating_add(narrow(ROWS))))
    }

    /// The columns in which anything changed after a version, with their numbers.
    pub fn columns_changed_after(&self, version: Version) -> impl Iterator<Item = (u32, Part)> {
        let columns = (0..).zip(&self.body.columns.changed_in);
        let changed = columns.filter(move |(_, changed_in)| **changed_in > version.get());
        changed.filter_map(|(number, _)| Some((number, self.part(PartName::Column(number))?)))
    }

    /// The counts over all terms of the version.
    pub fn counts(&self) -> &Counts {
        &self.body.summary.counts
    }

    /// The number of parts with counts of categories.
    pub fn counts_parts(&self) -> u32 {
        narrow(self.body.categories_counted.len())
    }

    /// The part that may hold the counts of a category, and its number.
    pub fn counts_of(&self, category: CategoryId) -> Option<(u32, Part)> {
        let number = self.body.categories_counted.last_up_to(category.get())?;
        Some((number, self.part(PartName::Counts(number))?))
    }

    /// The place of the bit map of what has a name in a culture, among the bytes of all maps; none if nothing has.
    pub fn map_of_named(&self, culture: &Culture) -> Option<Range<usize>> {
        let number = bits::number_of(culture, self.cultures())?;
        Some(bits::place(self.terms().end, number))
    }

    /// The place of the bit map of what is deprecated.
    pub fn map_of_deprecated(&self) -> Range<usize> {
        bits::place(self.terms().end, self.cultures().len())
    }

    /// The parts that hold a bit map, and the number of the first.
    pub fn parts_of_map(&self, map: &Range<usize>) -> (u32, Vec<Part>) {
        let numbers = bits::parts_of(map);
        let numbers = narrow(numbers.start)..narrow(numbers.end);
        let parts = numbers
            .clone()
            .filter_map(|number| self.part(PartName::Bits(number)));
        (numbers.start, parts.collect())
    }

    /// The number of buckets of a table.
    pub fn buckets_of(&self, table: IdTable) -> u32 {
        narrow(self.body.tables.list(table).len())
    }

    /// The buckets that may hold some keys, with their numbers: of one key one bucket, unless entries with this key begin or end it.
    pub fn buckets(&self, table: IdTable, keys: RangeInclusive<u64>) -> impl Iterator<Item = (u32, Part)> {
        let first = &self.body.tables.list(table).first;
        let start = first
            .partition_point(|first| first < keys.start())
            .saturating_sub(1);
        let end = first.partition_point(|first| first <= keys.end());
        let numbers = narrow(start)..narrow(end);
        numbers.filter_map(move |number| Some((number, self.part(PartName::Bucket(table, number))?)))
    }

    /// The bucket that holds the largest key up to `key`, and its number; none if all keys are larger.
    pub fn bucket_at(&self, table: IdTable, key: u64) -> Option<(u32, Part)> {
        let number = self.body.tables.list(table).last_up_to(key)?;
        Some((number, self.part(PartName::Bucket(table, number))?))
    }

    /// All parts in the order of the file.
    pub fn parts(&self) -> impl Iterator<Item = Part> {
        let blocks = (0..self.blocks()).map(PartName::Block);
        let columns = (0..self.columns()).map(PartName::Column);
        let orders = self.orders().iter();
        let orders = orders.filter_map(|(culture, list)| Some((self.order_of(culture)?, narrow(list.len()))));
        let orders =
            orders.flat_map(|(order, parts)| (0..parts).map(move |number| PartName::Order(order, number)));
        let counts = (0..self.counts_parts()).map(PartName::Counts);
        let bits = (0..narrow(self.body.bits.len())).map(PartName::Bits);
        let buckets = IdTable::ALL
            .into_iter()
            .flat_map(|table| (0..self.buckets_of(table)).map(move |number| PartName::Bucket(table, number)));
        let names = blocks.chain(columns).chain(orders).chain(counts);
        let names = names.chain(bits).chain(buckets);
        names.filter_map(|name| self.part(name))
    }

    /// The bytes of a part, if the tail of the file holds them.
    pub fn bytes_in_tail<'t>(&self, part: &Part, tail: &'t [u8]) -> Option<&'t [u8]> {
        within(part, tail, self.size)
    }
}

/// Positions of parts fit into 32 bits, since [`PartList::check`] or the builder gave each a number.
fn narrow(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// The bytes of a part in the last bytes of a file.
fn within<'t>(part: &Part, tail: &'t [u8], size: u64) -> Option<&'t [u8]> {
    let begin = size.checked_sub(tail.len() as u64)?;
    let start = usize::try_from(part.offset.checked_sub(begin)?).ok()?;
    tail.get(start..start.checked_add(part.packed as usize)?)
}

/// Checks that the lists of parts cover the file up to the footer, and all ordinals.
fn check(body: &FooterBody, footer: u64) -> Result<(), Damaged> {
    let malformed = |reason| Err(PartName::Footer.malformed(reason));
    let summary = &body.summary;
    if summary.search.len() != summary.cultures.len() || !summary.cultures.is_sorted() {
        return malformed("search objects that are not those of the cultures");
    }
    let counts = [
        summary.categories,
        summary.terms,
        summary.removed_categories,
        summary.removed_terms,
    ];
    let total = counts
        .iter()
        .try_fold(0_u32, |sum, count| sum.checked_add(*count));
    let Some(total) = total.filter(|total| *total < u32::MAX) else {
        return malformed("more ordinals than a number can have");
    };
    let mut end = body.blocks.check(0, false, PartName::Block)?;
    end = body.columns.check(end, true, PartName::Column)?;
    end = culture_orders::check(&body.orders, summary, end)?;
    let counted = &body.categories_counted;
    end = counted.check(end, false, PartName::Counts)?;
    if !counted.first.is_sorted_by(|one, next| one < next) {
        return malformed("counts in another order than that of their categories");
    }
    end = body.bits.check(end, false, PartName::Bits)?;
    for table in IdTable::ALL {
        let list = body.tables.list(table);
        end = list.check(end, false, |number| PartName::Bucket(table, number))?;
        if !list.first.is_sorted() {
            return malformed("buckets in another order than that of their keys");
        }
    }
    if end != footer {
        return malformed("parts that end elsewhere than before the footer");
    }
    let first = &body.blocks.first;
    let begins = first.first().copied() == (total > 0).then_some(0);
    let ends = first.last().is_none_or(|last| *last < total.into());
    if !begins || !ends || !first.is_sorted_by(|one, next| one < next) {
        return malformed("blocks that do not cover the ordinals");
    }
    if body.columns.len() != (total as usize).div_ceil(ROWS) {
        return malformed("columns that do not cover the ordinals");
    }
    let mapped = bits::all_bytes(summary.categories + summary.terms, summary.cultures.len());
    if body.bits.content() != mapped as u64 {
        return malformed("bit maps of another number of ordinals or cultures");
    }
    Ok(())
}
