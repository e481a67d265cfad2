//! The files of a version for reading: its index file, one immutable file that answers subtrees, paths, notations, relations, differences and
//! history, and its search objects ([`mod@search`]).
//! Its bytes are the storage format (docs/decisions/0018-version-index.md).
//! Pure: bytes and plain data in, plain data out; no AWS, no async, no clock, no I/O.
//!
//! Words: an *ordinal* is the position of a category or term in the file; a *part* is one compressed piece of the file; a *block* holds
//! records, a *column* the numbers of 8,192 ordinals, a *bucket* a piece of a lookup table; the *footer* lists all parts.
//!
//! Modules, in reading order:
//! - [`Footer`], found by [`Footer::locate`] in the last [`TAIL`] bytes: which part to read for an ordinal or a key;
//! - [`Block`], [`Column`], [`CultureOrder`], [`CountedPart`], [`Bits`], [`Bucket`]: parts, decoded; [`path_key`], [`notation_key`], [`relation_key`], [`relation_keys`]: the
//!   keys of the lookup tables;
//! - [`build()`]: the file of a version, from its [`Preorder`], the [`Changed`] ids
//!   and the [`File`] of the version before;
//! - [`Identity`] and [`Digest`]: the version of a file, and its name.

mod build;
mod build_error;
mod damage;
mod digest;
mod file;
mod identity;
mod key;
mod ordinal_set;
pub mod search;

pub use build::{Built, Previous, Source, build};
pub use build_error::BuildError;
pub use damage::{Damaged, PartName, Reason};
pub use digest::Digest;
pub use file::File;
pub use file::bits::{Bits, map_of};
pub use file::block::Block;
pub use file::bucket::Bucket;
pub use file::changed::Changed;
pub use file::column::{Column, Row};
pub use file::counted::{CountedPart, StoredCounts};
pub use file::culture_order::CultureOrder;
pub use file::footer::{Expected, Footer, Located};
pub use file::id_table::IdTable;
pub use identity::{Identity, format_of};
pub use key::{name_key, notation_key, path_key, relation_key, relation_keys};
pub use ordinal_set::OrdinalSet;

pub use file::part::Part;
pub use file::preorder::Preorder;

/// The format that this build writes and reads. The key of a file names its format.
pub const INDEX_FORMAT: u32 = 1;

/// The size of the first read, at the end of the file, in bytes. It contains the trailer and, up to some 10,000 terms, the footer and the tables
/// of ids.
pub const TAIL: u64 = 64 << 10;

/// Ordinals of a column, and most entries of a bucket.
pub const ROWS: usize = 8_192;

/// The maximum number of bytes of content of a column or a bucket.
const MAX_CONTENT: u32 = 1 << 20;

/// The maximum number of bytes of content of a block. The format's limits keep every block below it: 32 levels of names and paths in 500 cultures,
/// [`blocks::MAX_TARGET`] of records and one record more.
const MAX_BLOCK: u32 = 96 << 20;

/// The maximum number of bytes of content of a footer: some 500,000 parts.
const MAX_FOOTER: u32 = 32 << 20;
