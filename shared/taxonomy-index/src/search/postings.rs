//! Lists of postings. A posting records that a name has a key. A list is a sequence of groups with the same number of leading plain letters, ranks
//! before terms, so that the ranks alone are read in half the time. Lists follow each other without a separator, so that the lists of
//! neighbouring keys are read as one.

use crate::search::bytes::{Bytes, push};
use crate::search::key::ALL;
use crate::search::part::CHECKSUM_BYTES;

/// The payload of a page, in bytes.
pub(crate) const PAGE_BYTES: usize = (64 << 10) - CHECKSUM_BYTES;
/// The maximum number of postings of a group, which bounds the postings that a cut omits.
const GROUP_POSTINGS: usize = 4096;
/// Groups with fewer postings have no lengths, which would be a third of a short list.
const MEASURED_GROUP: usize = 32;
/// The number of words of a name from which on they are not counted.
pub(crate) const MANY_WORDS: u8 = 8;

/// A name that has a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Posting {
    /// The number of leading plain letters of the key; [`ALL`] if all are plain.
    pub(crate) plain: u32,
    /// The rank of the name.
    pub(crate) rank: u32,
    /// The ordinal of its term.
    pub(crate) ordinal: u32,
    /// The number of words of the name if the key is one of them, [`MANY_WORDS`] at most, and otherwise.
    pub(crate) words: u8,
}

/// Appends a list, sorted and without duplicates. Returns the number of its postings.
pub(crate) fn encode(out: &mut Vec<u8>, postings: &[Posting]) -> u64 {
    let groups = postings.chunk_by(|a, b| a.plain == b.plain);
    for group in groups.flat_map(|group| group.chunks(GROUP_POSTINGS)) {
        let (mut ranks, mut terms, mut before) = (Vec::new(), Vec::new(), 0);
        for posting in group {
            push(&mut ranks, u64::from(posting.rank - before));
            let words = posting.words.clamp(1, MANY_WORDS) - 1;
            push(&mut terms, u64::from(posting.ordinal) << 3 | u64::from(words));
            before = posting.rank;
        }
        let plain = group[0].plain;
        push(out, (group.len() as u64) << 1 | u64::from(plain != ALL));
        if plain != ALL {
            push(out, plain.into());
        }
        if group.len() >= MEASURED_GROUP {
            push(out, ranks.len() as u64);
            push(out, terms.len() as u64);
        }
        out.append(&mut ranks);
        out.append(&mut terms);
    }
    postings.len() as u64
}

/// The exclusive bounds of ranks and ordinals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) names: u32,
    pub(crate) ordinals: u32,
}

/// Calls `take` with each posting of consecutive lists. For lists that are cut, calls it with the groups before the cut.
///
/// Returns none if the bytes do not parse or exceed the bounds.
pub(crate) fn decode(
    bytes: &[u8],
    is_cut: bool,
    bounds: Bounds,
    mut take: impl FnMut(Posting),
) -> Option<()> {
    groups(bytes, is_cut, |group| group.decode(bounds, &mut take))
}

/// As [`decode`], with the number of plain letters and the rank alone, which takes a fraction of the time.
pub(crate) fn decode_ranks(
    bytes: &[u8],
    is_cut: bool,
    bounds: Bounds,
    mut take: impl FnMut(u32, u32),
) -> Option<()> {
    groups(bytes, is_cut, |group| {
        let plain = group.plain;
        group.ranks(bounds, |_, rank| {
            take(plain, rank);
            Some(())
        })
    })
}

/// As [`decode`], with the postings of those ranks alone that have a place, and the place of each.
pub(crate) fn decode_some(
    bytes: &[u8],
    is_cut: bool,
    bounds: Bounds,
    place: impl Fn(u32) -> Option<usize>,
    mut take: impl FnMut(usize, Posting),
) -> Option<()> {
    groups(bytes, is_cut, |group| {
        let (plain, mut terms, mut next) = (group.plain, group.terms.clone(), 0);
        group.ranks(bounds, |number, rank| {
            if let Some(place) = place(rank) {
                terms.take_numbers(number - next)?;
                next = number + 1;
                let (ordinal, words) = term(&mut terms, bounds)?;
                take(
                    place,
                    Posting {
                        plain,
                        rank,
                        ordinal,
                        words,
                    },
                );
            }
            Some(())
        })
    })
}

/// Reads consecutive groups.
fn groups(bytes: &[u8], is_cut: bool, mut read: impl FnMut(Group<'_>) -> Option<()>) -> Option<()> {
    let mut bytes = Bytes::new(bytes);
    while !bytes.is_empty() {
        let Some(group) = group(&mut bytes) else {
            return is_cut.then_some(());
        };
        read(group)?;
    }
    Some(())
}

/// Reads the ordinal and the number of words of a posting.
fn term(bytes: &mut Bytes<'_>, bounds: Bounds) -> Option<(u32, u8)> {
    let term = bytes.number()?;
    let ordinal = u32::try_from(term >> 3).ok();
    let ordinal = ordinal.filter(|ordinal| *ordinal < bounds.ordinals)?;
    Some((ordinal, (term & 7) as u8 + 1))
}

struct Group<'a> {
    count: usize,
    plain: u32,
    ranks: Bytes<'a>,
    terms: Bytes<'a>,
}

/// Reads a group; none if the bytes end inside it.
fn group<'a>(bytes: &mut Bytes<'a>) -> Option<Group<'a>> {
    let header = bytes.length()?;
    let (count, plain) = (header >> 1, if header & 1 == 0 { ALL } else { bytes.number32()? });
    let (ranks, terms) = if count >= MEASURED_GROUP {
        let (ranks, terms) = (bytes.length()?, bytes.length()?);
        (bytes.take(ranks)?, bytes.take(terms)?)
    } else {
        (bytes.take_numbers(count)?, bytes.take_numbers(count)?)
    };
    Some(Group {
        count,
        plain,
        ranks: Bytes::new(ranks),
        terms: Bytes::new(terms),
    })
}

impl Group<'_> {
    fn decode(self, bounds: Bounds, take: &mut impl FnMut(Posting)) -> Option<()> {
        let (plain, mut terms) = (self.plain, self.terms.clone());
        self.ranks(bounds, |_, rank| {
            let (ordinal, words) = term(&mut terms, bounds)?;
            take(Posting {
                plain,
                rank,
                ordinal,
                words,
            });
            Some(())
        })?;
        terms.is_empty().then_some(())
    }

    /// Calls `take` with the number of each posting and its rank.
    fn ranks(mut self, bounds: Bounds, mut take: impl FnMut(usize, u32) -> Option<()>) -> Option<()> {
        let mut rank = 0u32;
        for number in 0..self.count {
            rank = rank.checked_add(self.ranks.number32()?)?;
            if rank >= bounds.names {
                return None;
            }
            take(number, rank)?;
        }
        self.ranks.is_empty().then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        names: 1000,
        ordinals: 1000,
    };

    fn postings(plain: u32, ranks: &[u32]) -> Vec<Posting> {
        let posting = |&rank| Posting {
            plain,
            rank,
            ordinal: 999 - rank,
            words: (rank % 8) as u8 + 1,
        };
        ranks.iter().map(posting).collect()
    }

    #[test]
    fn a_cut_list_is_an_error_unless_the_cut_is_known() {
        let mut bytes = Vec::new();
        encode(&mut bytes, &postings(ALL, &[1, 2]));
        encode(&mut bytes, &postings(ALL, &[3]));
        bytes.pop();
        assert_eq!(decode(&bytes, false, BOUNDS, |_| {}), None);
        let mut read = 0;
        assert_eq!(decode(&bytes, true, BOUNDS, |_| read += 1), Some(()));
        assert_eq!(read, 2);
    }

    #[test]
    fn a_rank_or_an_ordinal_out_of_bounds_is_an_error() {
        for (names, ordinals) in [(3, 1000), (1000, 3)] {
            let bounds = Bounds { names, ordinals };
            let mut bytes = Vec::new();
            encode(&mut bytes, &postings(ALL, &[3]));
            assert_eq!(decode(&bytes, false, bounds, |_| {}), None);
            assert_eq!(decode_some(&bytes, false, bounds, |_| Some(0), |_, _| {}), None);
            let ranks = decode_ranks(&bytes, false, bounds, |_, _| {});
            assert_eq!(ranks.is_none(), names == 3);
        }
    }
}
