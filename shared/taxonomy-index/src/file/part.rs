//! A part: one zstd frame with its content size, whose place, lengths and checksum the footer lists.

use std::ops::Range;

use sha2::{Digest, Sha256};

use crate::damage::{Damaged, PartName, Reason};
use crate::key::first_8;
use crate::{MAX_BLOCK, MAX_CONTENT, MAX_FOOTER};

/// The position of a part, and the expected checksum of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The part.
    pub name: PartName,
    /// The offset of its first byte in the file.
    pub offset: u64,
    /// Its bytes in the file.
    pub packed: u32,
    /// Its bytes when unpacked.
    pub content: u32,
    pub(crate) sum: u64,
}

impl Part {
    /// The range of the file to read.
    pub fn range(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(u64::from(self.packed))
    }

    /// The most content that the part may have.
    pub(crate) fn most(name: PartName) -> u32 {
        match name {
            PartName::Block(_) => MAX_BLOCK,
            PartName::Footer => MAX_FOOTER,
            PartName::Trailer
            | PartName::Column(_)
            | PartName::Order(..)
            | PartName::Counts(_)
            | PartName::Bits(_)
            | PartName::Bucket(..) => MAX_CONTENT,
        }
    }

    /// Returns the content, after checks of lengths and checksum: nothing is allocated for bytes that are not those of the part.
    pub(crate) fn unpack(&self, packed: &[u8]) -> Result<Vec<u8>, Damaged> {
        let damaged = |reason| Err(self.name.damaged(reason));
        if u32::try_from(packed.len()) != Ok(self.packed) {
            return damaged(Reason::Length);
        }
        if sum(packed) != self.sum {
            return damaged(Reason::Sum);
        }
        if self.content > Self::most(self.name) {
            return damaged(Reason::TooLarge(self.content.into()));
        }
        let content = zstd::zstd_safe::get_frame_content_size(packed).ok().flatten();
        if content != Some(self.content.into()) {
            return damaged(Reason::Packing);
        }
        let unpacked = zstd::bulk::decompress(packed, self.content as usize);
        match unpacked {
            Ok(content) if content.len() == self.content as usize => Ok(content),
            _ => damaged(Reason::Packing),
        }
    }
}

/// The first 8 bytes of the SHA-256 of packed bytes, as a little-endian number.
pub(crate) fn sum(packed: &[u8]) -> u64 {
    u64::from_le_bytes(first_8(&Sha256::digest(packed)))
}
