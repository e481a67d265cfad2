//! Files that a person names: plain or gzip, or standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::failure::Failure;

/// The most bytes of a file, as stored and as decoded: the limit of the format (docs/decisions/0003-input-file.md).
pub(crate) const MAX_BYTES: u64 = 128 << 20;

/// The first bytes of a gzip file (RFC 1952, section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The decoded content of a file.
pub(crate) enum Content {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// It has more than [`MAX_BYTES`].
    TooLarge,
    /// It begins like gzip, and cannot be decoded.
    Damaged(io::Error),
}

/// Reads a file, or standard input for `-`.
///
/// # Errors
/// [`Failure::Read`] when it cannot be read.
pub(crate) fn read(path: &Path) -> Result<Content, Failure> {
    let content = if is_stdin(path) {
        decode(io::stdin().lock())
    } else {
        File::open(path).and_then(decode)
    };
    content.map_err(|cause| Failure::Read {
        path: path.to_owned(),
        cause,
    })
}

/// A file's name in messages.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Returns whether a path names standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn decode(file: impl Read) -> io::Result<Content> {
    match bounded(file)? {
        Content::Bytes(stored) if stored.starts_with(&GZIP) => {
            Ok(bounded(MultiGzDecoder::new(stored.as_slice())).unwrap_or_else(Content::Damaged))
        }
        content => Ok(content),
    }
}

fn bounded(from: impl Read) -> io::Result<Content> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    let fits = bytes.len() as u64 <= MAX_BYTES;
    Ok(if fits {
        Content::Bytes(bytes)
    } else {
        Content::TooLarge
    })
}
