//! The table of letters: the names by a hash of their letters, which finds a name by any spelling of it. Its buckets are parts.

use crate::search::bytes::{Bytes, push};

/// The number of names of a bucket, on average.
const BUCKET: usize = 2048;

/// Returns the hash of the letters of a name: 32-bit FNV-1a. A name that is found by it is compared.
pub(crate) fn hash(letters: &str) -> u32 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    letters.bytes().fold(0x811c_9dc5, step)
}

/// Returns the buckets of names, given the hash of each and its rank.
pub(crate) fn buckets(mut names: Vec<(u32, u32)>) -> Vec<Vec<u8>> {
    names.sort_unstable();
    let count = names.len().div_ceil(BUCKET);
    let mut buckets = vec![Vec::new(); count];
    let mut before = vec![0; count];
    for (hash, rank) in names {
        let bucket = bucket_of(hash, count);
        push(&mut buckets[bucket], u64::from(hash - before[bucket]));
        push(&mut buckets[bucket], rank.into());
        before[bucket] = hash;
    }
    buckets
}

/// Returns the bucket of a hash, of this many.
pub(crate) fn bucket_of(hash: u32, count: usize) -> usize {
    usize::try_from((u64::from(hash) * count as u64) >> 32).unwrap_or_default()
}

/// Returns the ranks of the names with a hash, ascending; none if the bucket does not parse.
pub(crate) fn ranks(bucket: &[u8], wanted: u32) -> Option<Vec<u32>> {
    let (mut bytes, mut hash, mut ranks) = (Bytes::new(bucket), 0u32, Vec::new());
    while !bytes.is_empty() && hash <= wanted {
        hash = hash.checked_add(bytes.number32()?)?;
        let rank = bytes.number32()?;
        if hash == wanted {
            ranks.push(rank);
        }
    }
    Some(ranks)
}
