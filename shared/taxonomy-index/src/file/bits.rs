//! Bit maps of the live ordinals: a map for each culture of what has a name in it, then one of what is deprecated.
//!
//! A map has a bit for each ordinal, the lowest bit of a byte first, in as many bytes as that takes. The maps lie one behind the other; the bytes
//! of all are cut into parts of [`PART_BYTES`].

use std::ops::Range;

use taxonomy_keys::Culture;

use crate::build::Source;
use crate::build_error::BuildError;
use crate::damage::{Damaged, PartName};
use crate::file::body::FileWriter;
use crate::file::footer::Footer;
use crate::file::list::PartList;
use crate::file::part::Part;
use crate::ordinal_set::OrdinalSet;

/// The bytes of a part, but for the last one.
pub(crate) const PART_BYTES: usize = 64 << 10;

/// A decoded part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bits(Vec<u8>);

impl Bits {
    /// Decodes a part, given its bytes.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are not those of the part.
    pub fn open(packed: &[u8], part: &Part, _: &Footer) -> Result<Self, Damaged> {
        match part.name {
            PartName::Bits(_) => part.unpack(packed).map(Self),
            name => Err(name.malformed("not a part of bit maps")),
        }
    }

    /// The bytes that it takes in memory, about.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.0.len()
    }
}

/// The map in a range of the bytes of all maps, given the parts that hold it, of which the first has this number.
pub fn map_of<'p>(parts: impl Iterator<Item = &'p Bits>, first: u32, map: Range<usize>) -> OrdinalSet {
    let begin = first as usize * PART_BYTES;
    let joined: Vec<u8> = parts.flat_map(|part| &part.0).copied().collect();
    let within = map.start.saturating_sub(begin)..map.end.saturating_sub(begin);
    OrdinalSet::from_bytes(joined.get(within).unwrap_or_default())
}

/// The bytes of a map.
fn map_bytes(ordinals: u32) -> usize {
    ordinals.div_ceil(8) as usize
}

/// The bytes of the maps of a version with so many live ordinals and cultures.
pub(crate) fn all_bytes(ordinals: u32, cultures: usize) -> usize {
    map_bytes(ordinals) * (cultures + 1)
}

/// The place of a map by its number among the bytes of all.
pub(crate) fn place(ordinals: u32, number: usize) -> Range<usize> {
    let bytes = map_bytes(ordinals);
    number * bytes..(number + 1) * bytes
}

/// The numbers of the parts that hold a range of the bytes.
pub(crate) fn parts_of(map: &Range<usize>) -> Range<usize> {
    match map.is_empty() {
        true => 0..0,
        false => map.start / PART_BYTES..map.end.div_ceil(PART_BYTES),
    }
}

/// Writes all maps.
pub(crate) fn write(writer: &mut FileWriter, source: &Source<'_>) -> Result<PartList, BuildError> {
    let (cultures, ordinals) = (source.taxonomy.cultures(), source.order.len());
    let mut maps = vec![OrdinalSet::default(); cultures.len() + 1];
    let categories = source.order.categories_of(source.taxonomy);
    let terms = source.order.terms_of(source.taxonomy);
    let nodes = categories
        .map(|category| category.node)
        .chain(terms.map(|term| term.node));
    for (ordinal, node) in (0..).zip(nodes) {
        for name in node.names() {
            if let Some(map) = number_of(name.culture, cultures).and_then(|number| maps.get_mut(number)) {
                map.insert(ordinal);
            }
        }
        if let Some(map) = maps.last_mut().filter(|_| node.details().deprecated) {
            map.insert(ordinal);
        }
    }
    let length = map_bytes(ordinals);
    let bytes: Vec<u8> = maps.iter().flat_map(|map| map.to_bytes(length)).collect();
    let mut list = PartList::default();
    for (number, part) in (0..).zip(bytes.chunks(PART_BYTES)) {
        writer.add(&mut list, (PartName::Bits, "parts of bit maps"), part)?;
        list.first.push(number * PART_BYTES as u64);
    }
    Ok(list)
}

/// The number of the map of a culture, by the cultures of the version.
pub(crate) fn number_of(culture: &Culture, cultures: &[Culture]) -> Option<usize> {
    cultures.binary_search(culture).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_may_lie_across_parts() {
        let ordinals = u32::try_from(8 * (PART_BYTES - 1)).unwrap();
        let mut maps = vec![OrdinalSet::default(); 3];
        let members = [vec![0, 9], vec![7, 8, 15, ordinals - 1], vec![ordinals - 8]];
        for (map, members) in maps.iter_mut().zip(&members) {
            for ordinal in members {
                map.insert(*ordinal);
            }
        }
        let bytes = maps.iter().flat_map(|map| map.to_bytes(map_bytes(ordinals)));
        let bytes: Vec<u8> = bytes.collect();
        assert_eq!(bytes.len(), all_bytes(ordinals, 2));
        let parts: Vec<Bits> = bytes.chunks(PART_BYTES).map(|part| Bits(part.to_vec())).collect();
        for (number, map) in maps.iter().enumerate() {
            let at = place(ordinals, number);
            let numbers = parts_of(&at);
            let first = u32::try_from(numbers.start).unwrap();
            assert!(numbers.len() <= 2, "{numbers:?}");
            assert_eq!(map_of(parts[numbers].iter(), first, at), *map);
            assert_eq!(map.within(0..ordinals).collect::<Vec<_>>(), members[number]);
        }
    }
}
