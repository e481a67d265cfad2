//! The order of a culture: for 8,192 positions their ordinals, and for as many ordinals their positions.

use std::ops::Range;

use taxonomy_keys::Culture;

use crate::ROWS;
use crate::damage::{Damaged, PartName};
use crate::file::footer::Footer;
use crate::file::part::Part;

#[expect(clippy::cast_possible_truncation, reason = "8,192")]
const ROWS_OF_PART: u32 = ROWS as u32;

/// The bytes of a number.
const NUMBER: usize = 4;

/// A decoded part of the order of a culture. Positions are numbered as ordinals are: the subtree of a term lies behind it, and takes the same
/// number of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CultureOrder {
    start: u32,
    /// The ordinals of its positions, then the positions of its ordinals.
    numbers: Vec<u32>,
}

impl CultureOrder {
    /// Decodes a part, given its bytes.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are not those of the part, or if the content is not that of an order.
    pub fn open(packed: &[u8], part: &Part, footer: &Footer) -> Result<Self, Damaged> {
        let name = part.name;
        let PartName::Order(_, number) = name else {
            return Err(name.malformed("not an order"));
        };
        let positions = footer.positions_of_order(number);
        let positions = positions.filter(|_| footer.part(name) == Some(*part));
        let positions = positions.ok_or_else(|| name.malformed("not an order of this file"))?;
        let content = part.unpack(packed)?;
        let (numbers, rest) = content.as_chunks::<NUMBER>();
        if !rest.is_empty() || numbers.len() != 2 * positions.len() {
            return Err(name.malformed("another number of positions"));
        }
        let own = positions.clone().chain(positions.clone());
        let numbers = own
            .zip(numbers)
            .map(|(own, number)| own.wrapping_add(u32::from_le_bytes(*number)));
        let numbers: Vec<u32> = numbers.collect();
        if !numbers.iter().all(|number| *number < footer.terms().end) {
            return Err(name.malformed("an ordinal that is not live"));
        }
        Ok(Self {
            start: positions.start,
            numbers,
        })
    }

    /// Returns the ordinal at a position; none if the part does not hold it.
    pub fn ordinal_at(&self, position: u32) -> Option<u32> {
        self.number(0, position)
    }

    /// Returns the position of an ordinal; none if the part does not hold it.
    pub fn position_of(&self, ordinal: u32) -> Option<u32> {
        self.number(self.numbers.len() / 2, ordinal)
    }

    fn number(&self, before: usize, of: u32) -> Option<u32> {
        let place = of.checked_sub(self.start)? as usize;
        let is_here = place < self.numbers.len() / 2;
        self.numbers.get(before + place).copied().filter(|_| is_here)
    }

    /// The positions that it holds.
    pub fn positions(&self) -> Range<u32> {
        let count = u32::try_from(self.numbers.len() / 2).unwrap_or(u32::MAX);
        self.start..self.start.saturating_add(count)
    }

    /// The bytes that it takes in memory, about.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.numbers.len() * NUMBER
    }
}

impl Footer {
    /// Returns the place of a culture whose siblings have an order of their own, for [`PartName::Order`]; none for those with the order of the ordinals.
    pub fn order_of(&self, culture: &Culture) -> Option<u16> {
        let place = self.cultures().binary_search(culture).ok()?;
        let place = u16::try_from(place).ok()?;
        self.orders().contains_key(culture).then_some(place)
    }

    /// The part of the order of a culture that holds a position, and the ordinal of the same number; none for one that is not live.
    pub fn order_at(&self, order: u16, position: u32) -> Option<Part> {
        let is_live = position < self.terms().end;
        let part = self.part(PartName::Order(order, position / ROWS_OF_PART))?;
        is_live.then_some(part)
    }

    /// The positions of a part of an order.
    fn positions_of_order(&self, number: u32) -> Option<Range<u32>> {
        let start = number.checked_mul(ROWS_OF_PART)?;
        let end = self.terms().end;
        (start < end).then(|| start..end.min(start.saturating_add(ROWS_OF_PART)))
    }
}

/// The stored form: each number as the difference to its place, so that what is not moved is 0.
pub(crate) fn encode(start: u32, ordinals: &[u32], positions: &[u32]) -> Vec<u8> {
    let differences = |numbers: &[u32]| -> Vec<u8> {
        let pairs = numbers.iter().zip(start..);
        pairs
            .flat_map(|(number, own)| number.wrapping_sub(own).to_le_bytes())
            .collect()
    };
    [differences(ordinals), differences(positions)].concat()
}
