//! Lists of postings. A posting says that a name has a key. A list is a sequence of groups, one for each number of plain letters that
//! begin the key; lists follow each other without a mark between them, so that the lists of neighbouring keys are read as one.

use crate::bytes::{Bytes, push};
use crate::key::ALL;
use crate::part::CHECKSUM_BYTES;

/// The payload of a page.
pub(crate) const PAGE_BYTES: u64 = (64 << 10) - CHECKSUM_BYTES as u64;
/// The most names a list may claim in one group that is not empty: two bytes each.
const MIN_POSTING_BYTES: usize = 2;

/// A name that has a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Posting {
    /// The number of plain letters that begin the key; [`ALL`] where all are plain.
    pub(crate) plain: u32,
    /// The rank of the name.
    pub(crate) rank: u32,
    /// The ordinal of its term.
    pub(crate) ordinal: u32,
}

/// Appends a list, sorted and without duplicates. Returns how many postings it has.
pub(crate) fn encode(out: &mut Vec<u8>, postings: &[Posting]) -> u64 {
    for group in postings.chunk_by(|a, b| a.plain == b.plain) {
        push(out, group.len() as u64);
        push(
            out,
            if group[0].plain == ALL {
                0
            } else {
                u64::from(group[0].plain) + 1
            },
        );
        let mut before = 0;
        for posting in group {
            push(out, u64::from(posting.rank - before));
            push(out, posting.ordinal.into());
            before = posting.rank;
        }
    }
    postings.len() as u64
}

/// The numbers that a posting stays below.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) names: u32,
    pub(crate) ordinals: u32,
}

/// Calls `take` with each posting of lists that follow each other. Of lists that are cut, calls it with those before the cut.
///
/// Returns nothing where the bytes do not parse or exceed the bounds.
pub(crate) fn decode(
    bytes: &[u8],
    is_cut: bool,
    bounds: Bounds,
    mut take: impl FnMut(Posting),
) -> Option<()> {
    let mut bytes = Bytes::new(bytes);
    while !bytes.is_empty() {
        match group(&mut bytes, is_cut, bounds, &mut take) {
            Group::Read => {}
            Group::Ends if is_cut => return Some(()),
            Group::Ends | Group::Wrong => return None,
        }
    }
    Some(())
}

enum Group {
    Read,
    Ends,
    Wrong,
}

fn group(bytes: &mut Bytes<'_>, is_cut: bool, bounds: Bounds, take: &mut impl FnMut(Posting)) -> Group {
    let (Some(count), Some(plain)) = (bytes.length(), bytes.number32()) else {
        return Group::Ends;
    };
    if !is_cut && count > bytes.len() / MIN_POSTING_BYTES {
        return Group::Wrong;
    }
    let plain = plain.checked_sub(1).unwrap_or(ALL);
    let mut rank = 0u32;
    for _ in 0..count {
        let (Some(step), Some(ordinal)) = (bytes.number32(), bytes.number32()) else {
            return Group::Ends;
        };
        match rank.checked_add(step) {
            Some(next) if next < bounds.names && ordinal < bounds.ordinals => rank = next,
            _ => return Group::Wrong,
        }
        take(Posting { plain, rank, ordinal });
    }
    Group::Read
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
        };
        ranks.iter().map(posting).collect()
    }

    #[test]
    fn lists_that_follow_each_other_are_read_as_one() {
        let lists = [
            postings(3, &[0, 7, 900]),
            postings(ALL, &[5]),
            postings(0, &[2, 3]),
        ];
        let mut bytes = Vec::new();
        let count: u64 = lists.iter().map(|list| encode(&mut bytes, list)).sum();
        assert_eq!(count, 6);
        let mut read = Vec::new();
        assert_eq!(
            decode(&bytes, false, BOUNDS, |posting| read.push(posting)),
            Some(())
        );
        assert_eq!(read, lists.concat());
    }

    #[test]
    fn a_cut_list_is_an_error_unless_the_cut_is_known() {
        let mut bytes = Vec::new();
        encode(&mut bytes, &postings(ALL, &[1, 2, 3]));
        bytes.pop();
        assert_eq!(decode(&bytes, false, BOUNDS, |_| {}), None);
        let mut read = 0;
        assert_eq!(decode(&bytes, true, BOUNDS, |_| read += 1), Some(()));
        assert_eq!(read, 2);
    }

    #[test]
    fn a_rank_or_an_ordinal_out_of_bounds_is_an_error() {
        for (names, ordinals) in [(3, 1000), (1000, 3)] {
            let mut bytes = Vec::new();
            encode(&mut bytes, &postings(ALL, &[3]));
            assert_eq!(decode(&bytes, false, Bounds { names, ordinals }, |_| {}), None);
        }
    }
}
