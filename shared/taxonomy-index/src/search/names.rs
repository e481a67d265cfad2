//! Pages of names: the texts in the order of their ranks, each with its term.

use crate::search::bytes::{self, Bytes};
use crate::search::entry::Entry;

/// The size after which a page ends, in bytes.
pub(crate) const PAGE_BYTES: usize = 16 << 10;

/// A name in its stored form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredName<'a> {
    pub(crate) ordinal: u32,
    pub(crate) id: u64,
    pub(crate) name: &'a str,
}

/// Appends a name to a page.
pub(crate) fn push(page: &mut Vec<u8>, entry: &Entry<'_>) {
    bytes::push(page, entry.ordinal.into());
    bytes::push(page, entry.id);
    bytes::push(page, entry.name.len() as u64);
    page.extend_from_slice(entry.name.as_bytes());
}

/// Returns the name at a position of a page; none if the page does not parse.
pub(crate) fn name_at(page: &[u8], position: u32) -> Option<StoredName<'_>> {
    let mut bytes = Bytes::new(page);
    for _ in 0..position {
        bytes.number()?;
        bytes.number()?;
        let length = bytes.length()?;
        bytes.take(length)?;
    }
    let (ordinal, id) = (bytes.number32()?, bytes.number()?);
    let length = bytes.length()?;
    let name = std::str::from_utf8(bytes.take(length)?).ok()?;
    Some(StoredName { ordinal, id, name })
}
