//! Errors of reading: the part, and the reason.

use std::fmt;

use crate::file::id_table::IdTable;

/// A part of the file, by its place in the lists of the footer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartName {
    /// The last 40 bytes.
    Trailer,
    /// The footer.
    Footer,
    /// The block with this number.
    Block(u32),
    /// The column with this number.
    Column(u32),
    /// The part with this number of the order of a culture, by the culture's place among all.
    Order(u16, u32),
    /// The counts of categories with this number.
    Counts(u32),
    /// The part of bit maps with this number.
    Bits(u32),
    /// The bucket with this number of a lookup table.
    Bucket(IdTable, u32),
}

impl fmt::Display for PartName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trailer => f.write_str("trailer"),
            Self::Footer => f.write_str("footer"),
            Self::Block(number) => write!(f, "block {number}"),
            Self::Column(number) => write!(f, "column {number}"),
            Self::Order(culture, number) => write!(f, "part {number} of order {culture}"),
            Self::Counts(number) => write!(f, "counts {number}"),
            Self::Bits(number) => write!(f, "bit maps {number}"),
            Self::Bucket(table, number) => write!(f, "bucket {number} of {table}"),
        }
    }
}

/// A part of an index file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {part} of the index file is damaged: {reason}")]
pub struct Damaged {
    /// The part.
    pub part: PartName,
    /// The reason.
    pub reason: Reason,
}

/// The reason why a part cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// Fewer or more bytes than the part has.
    #[error("it has another length")]
    Length,
    /// The file does not end with the magic bytes of this format.
    #[error("it does not end as an index file of this format does")]
    Magic,
    /// The bytes are others than those that were written.
    #[error("its checksum differs")]
    Sum,
    /// More content than a part may have.
    #[error("it has {0} bytes of content, more than a reader takes")]
    TooLarge(u64),
    /// zstd cannot unpack it to the length that the footer names.
    #[error("it cannot be unpacked")]
    Packing,
    /// The footer is of another format.
    #[error("it has format {0}, which this build does not read")]
    Format(u32),
    /// The file belongs to another tenant, version or changeset.
    #[error("it belongs to another {0}")]
    Identity(&'static str),
    /// The content is not in the form of the format.
    #[error("its content is malformed: {0}")]
    Content(String),
}

impl PartName {
    pub(crate) fn damaged(self, reason: Reason) -> Damaged {
        Damaged { part: self, reason }
    }

    pub(crate) fn malformed(self, reason: impl fmt::Display) -> Damaged {
        self.damaged(Reason::Content(reason.to_string()))
    }
}
