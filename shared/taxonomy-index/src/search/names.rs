//! Pages of names: the texts in the order of their ranks, each with its term.

use crate::search::bytes::{Bytes, push};

/// The size after which a page ends, in bytes.
const PAGE_BYTES: usize = 16 << 10;

/// A name in its stored form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    pub(crate) ordinal: u32,
    pub(crate) id: u64,
    pub(crate) name: &'a str,
}

/// Writes pages.
#[derive(Debug, Default)]
pub(crate) struct NamesWriter {
    page: Vec<u8>,
    names: u32,
}

impl NamesWriter {
    /// Appends a name. Returns the page that it completes, with its number of names.
    pub(crate) fn push(&mut self, record: Record<'_>) -> Option<(u32, Vec<u8>)> {
        push(&mut self.page, record.ordinal.into());
        push(&mut self.page, record.id);
        push(&mut self.page, record.name.len() as u64);
        self.page.extend_from_slice(record.name.as_bytes());
        self.names += 1;
        (self.page.len() >= PAGE_BYTES).then(|| self.take())
    }

    /// Returns the last page.
    pub(crate) fn finish(&mut self) -> Option<(u32, Vec<u8>)> {
        (self.names > 0).then(|| self.take())
    }

    fn take(&mut self) -> (u32, Vec<u8>) {
        (std::mem::take(&mut self.names), std::mem::take(&mut self.page))
    }
}

/// Returns the name at a position of a page; none if the page does not parse.
pub(crate) fn record(page: &[u8], position: u32) -> Option<Record<'_>> {
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
    Some(Record { ordinal, id, name })
}
