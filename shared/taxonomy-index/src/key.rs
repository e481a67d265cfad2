//! The keys of the lookup tables. Different texts may share a key, so a reader compares the record.

use std::ops::RangeInclusive;

use sha2::{Digest, Sha256};
use taxonomy_keys::Culture;

use crate::search::{self, Language};

/// Returns the key of a path in a culture.
pub fn path_key(culture: &Culture, path: &str) -> u64 {
    hash(&[culture.as_str(), "\0", path])
}

/// Returns the key of a notation.
pub fn notation_key(notation: &str) -> u64 {
    hash(&[notation])
}

/// Returns the key of a name in a culture: that of all names that have its letters, as search compares them.
pub fn name_key(culture: &Culture, name: &str) -> u64 {
    hash(&[&search::letters(Language::from(culture), name)])
}

/// The bits of the key of a relation that are of its scheme.
const SCHEME: u64 = 0xffff;

/// Returns the key of a relation to a concept of another scheme or, without a scheme, to the term with this id in decimal.
pub fn relation_key(scheme: Option<&str>, id: &str) -> u64 {
    let scheme = scheme.map_or(0, |scheme| hash(&[scheme]) >> 48);
    relation_keys(id).start() | scheme
}

/// Returns the keys of the relations to a concept of any scheme, and to the term with this id in decimal.
pub fn relation_keys(id: &str) -> RangeInclusive<u64> {
    let first = hash(&[id]) & !SCHEME;
    first..=first | SCHEME
}

/// The first 8 bytes, big-endian, of the SHA-256 of the texts.
fn hash(texts: &[&str]) -> u64 {
    let mut digest = Sha256::new();
    for text in texts {
        digest.update(text.as_bytes());
    }
    u64::from_be_bytes(first_8(&digest.finalize()))
}

/// The first 8 bytes of a hash.
pub(crate) fn first_8(hash: &[u8]) -> [u8; 8] {
    hash.first_chunk().copied().unwrap_or_default()
}
