//! Lists of postings. A posting records that a name has a key. A list is a sequence of groups with the same number of leading plain letters, ranks
//! before ordinals, so that the ranks alone are read in half the time. Lists follow each other without a separator, so that the lists of
//! neighbouring keys are read as one.

use crate::search::bytes::{Bytes, push};
use crate::search::key::ALL;
use crate::search::part::CHECKSUM_BYTES;

/// The payload of a page, in bytes.
pub(crate) const PAGE_BYTES: usize = (64 << 10) - CHECKSUM_BYTES;
/// The maximum number of postings of a group, which bounds the postings that a cut omits.
const GROUP_POSTINGS: usize = 4096;

/// A name that has a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Posting {
    /// The number of leading plain letters of the key; [`ALL`] if all are plain.
    pub(crate) plain: u32,
    /// The rank of the name.
    pub(crate) rank: u32,
    /// The ordinal of its term.
    pub(crate) ordinal: u32,
}

/// Appends a list, sorted and without duplicates. Returns the number of its postings.
pub(crate) fn encode(out: &mut Vec<u8>, postings: &[Posting]) -> u64 {
    let groups = postings.chunk_by(|a, b| a.plain == b.plain);
    for group in groups.flat_map(|group| group.chunks(GROUP_POSTINGS)) {
        let (mut ranks, mut ordinals, mut before) = (Vec::new(), Vec::new(), 0);
        for posting in group {
            push(&mut ranks, u64::from(posting.rank - before));
            push(&mut ordinals, posting.ordinal.into());
            before = posting.rank;
        }
        push(out, group.len() as u64);
        push(
            out,
            if group[0].plain == ALL {
                0
            } else {
                u64::from(group[0].plain) + 1
            },
        );
        push(out, ranks.len() as u64);
        push(out, ordinals.len() as u64);
        out.append(&mut ranks);
        out.append(&mut ordinals);
    }
    postings.len() as u64
}

/// The exclusive bounds of ranks and ordinals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) names: u32,
    /// None: ordinals are not read, and are 0. That takes half the time.
    pub(crate) ordinals: Option<u32>,
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
    let mut bytes = Bytes::new(bytes);
    while !bytes.is_empty() {
        let Some(mut group) = group(&mut bytes) else {
            return is_cut.then_some(());
        };
        let (plain, mut rank) = (group.plain, 0u32);
        for _ in 0..group.count {
            rank = rank.checked_add(group.ranks.number32()?)?;
            let ordinal = match bounds.ordinals {
                Some(end) => group.ordinals.number32().filter(|ordinal| *ordinal < end)?,
                None => 0,
            };
            (rank < bounds.names).then(|| take(Posting { plain, rank, ordinal }))?;
        }
        let is_read = group.ordinals.is_empty() || bounds.ordinals.is_none();
        (is_read && group.ranks.is_empty()).then_some(())?;
    }
    Some(())
}

struct Group<'a> {
    count: usize,
    plain: u32,
    ranks: Bytes<'a>,
    ordinals: Bytes<'a>,
}

fn group<'a>(bytes: &mut Bytes<'a>) -> Option<Group<'a>> {
    let (count, plain) = (bytes.length()?, bytes.number32()?);
    let (ranks, ordinals) = (bytes.length()?, bytes.length()?);
    Some(Group {
        count,
        plain: plain.checked_sub(1).unwrap_or(ALL),
        ranks: Bytes::new(bytes.take(ranks)?),
        ordinals: Bytes::new(bytes.take(ordinals)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        names: 1000,
        ordinals: Some(1000),
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
        let mut ranks = Vec::new();
        let names = BOUNDS.names;
        let ordinals = None;
        decode(&bytes, false, Bounds { names, ordinals }, |posting| {
            ranks.push((posting.plain, posting.rank));
        })
        .unwrap();
        let expect: Vec<(u32, u32)> = read.iter().map(|posting| (posting.plain, posting.rank)).collect();
        assert_eq!(ranks, expect);
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
            let mut bytes = Vec::new();
            encode(&mut bytes, &postings(ALL, &[3]));
            let decode = |ordinals| decode(&bytes, false, Bounds { names, ordinals }, |_| {});
            assert_eq!(decode(Some(ordinals)), None);
            assert_eq!(decode(None).is_none(), names == 3);
        }
    }
}
