//! The trailer: the last bytes of a file, which contain the position of the footer.

use crate::damage::{Damaged, PartName, Reason};
use crate::file::part::Part;

/// The last bytes of every file.
pub(crate) const MAGIC: &[u8; 8] = b"TAXINDX1";

/// Offset, lengths and checksum of the footer, and the magic bytes.
pub(crate) const TRAILER: usize = 40;

/// Reads the place of the footer out of the last bytes of a file of `size` bytes.
pub(crate) fn read_trailer(tail: &[u8], size: u64) -> Result<Part, Damaged> {
    let length = || PartName::Trailer.damaged(Reason::Length);
    let trailer: &[u8; TRAILER] = tail.last_chunk().ok_or_else(length)?;
    if tail.len() as u64 > size {
        return Err(length());
    }
    if !trailer.ends_with(MAGIC) {
        return Err(PartName::Trailer.damaged(Reason::Magic));
    }
    let number = |at: usize| trailer[at..].first_chunk().copied().map_or(0, u64::from_le_bytes);
    let small = |at: usize| u32::try_from(number(at)).map_err(|_| length());
    let part = Part {
        name: PartName::Footer,
        offset: number(0),
        packed: small(8)?,
        content: small(16)?,
        sum: number(24),
    };
    let end = part.offset.checked_add(part.packed.into());
    if end.and_then(|end| end.checked_add(TRAILER as u64)) != Some(size) {
        return Err(length());
    }
    if part.content > Part::most(part.name) {
        return Err(part.name.damaged(Reason::TooLarge(part.content.into())));
    }
    Ok(part)
}

/// The trailer of a file, given the part of its footer.
pub(crate) fn trailer(footer: &Part) -> [u8; TRAILER] {
    let mut trailer = [0; TRAILER];
    let numbers = [
        footer.offset,
        footer.packed.into(),
        footer.content.into(),
        footer.sum,
    ];
    for (place, number) in trailer.chunks_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    trailer[TRAILER - MAGIC.len()..].copy_from_slice(MAGIC);
    trailer
}
