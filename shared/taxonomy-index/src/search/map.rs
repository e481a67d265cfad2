//! Maps: the names with a word of a very frequent prefix, a bit a name. Several words of a query are compared by them in place of their postings,
//! which are many times as long and lie under thousands of keys.
//!
//! The bits are those of names with a word whose letters are plain at least up to the end of the prefix. The others follow as postings.

use crate::ordinal_set::OrdinalSet;
use crate::search::collect::SortedKeys;
use crate::search::entry::Entry;
use crate::search::hot::{divided, shared};
use crate::search::postings::{Posting, encode};

/// Prefixes with more postings have a map.
pub(crate) const MAP_POSTINGS: usize = 1 << 16;

/// Returns the maps of the space of words, ascending by prefix. Prefixes of the same keys share the map of the longest of them.
pub(crate) fn maps(sorted: &SortedKeys, names: &[Entry<'_>]) -> Vec<(String, Vec<u8>)> {
    let mut maps = below(sorted, names, (0, sorted.keys.len()));
    maps.sort_unstable();
    maps
}

fn below(sorted: &SortedKeys, names: &[Entry<'_>], (first, end): (usize, usize)) -> Vec<(String, Vec<u8>)> {
    if sorted.count(first, end) <= MAP_POSTINGS {
        return Vec::new();
    }
    let prefix = shared(&sorted.keys[first], &sorted.keys[end - 1]);
    let parts = match end - first {
        1 => Vec::new(),
        _ => divided(sorted, (first, end), prefix),
    };
    // The key that is the prefix would have a map of the same prefix.
    let parts = parts.into_iter().filter(|(letter, _)| letter.is_some());
    let mut maps: Vec<_> = parts.flat_map(|(_, part)| below(sorted, names, part)).collect();
    if !prefix.is_empty() {
        let map = map(sorted.postings(first, end, names), prefix, names.len());
        maps.push((prefix.to_owned(), map));
    }
    maps
}

/// Takes the postings twice instead of keeping them: a frequent prefix can have more of them than there are names.
fn map(postings: impl Iterator<Item = Posting> + Clone, prefix: &str, names: usize) -> Vec<u8> {
    let letters = prefix.chars().count();
    let is_plain = |posting: &Posting| posting.plain as usize >= letters;
    let plain: OrdinalSet = postings
        .clone()
        .filter(is_plain)
        .map(|posting| posting.rank)
        .collect();
    let mut others: Vec<Posting> = postings.filter(|posting| !plain.contains(posting.rank)).collect();
    others.sort_unstable();
    let mut bytes = plain.to_bytes(length(names));
    encode(&mut bytes, &others);
    bytes
}

/// Returns the number of bytes of the bits.
pub(crate) fn length(names: usize) -> usize {
    names.div_ceil(8)
}
