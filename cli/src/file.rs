//! The files that the user names: read here, plain or gzip or from standard input, and written by `target` and `written`.

mod target;
mod written;

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::failure::Failure;
pub(crate) use target::Target;
pub(crate) use written::NewFile;

/// The largest size of a file in bytes, both as stored and decoded: the limit of the input format (docs/decisions/0003-input-file.md).
pub(crate) const MAX_BYTES: u64 = 512 << 20;

/// The first bytes of a gzip file (RFC 1952, section 2.3.1).
pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The stored content of a file.
pub(crate) enum Stored {
    /// The bytes.
    Bytes(Vec<u8>),
    /// The file has more than [`MAX_BYTES`].
    TooLarge,
}

/// The decoded content of a file.
pub(crate) enum Content<'a> {
    /// The bytes.
    Bytes(Cow<'a, [u8]>),
    /// The content has more than [`MAX_BYTES`].
    TooLarge,
    /// The content begins like gzip, but cannot be decoded.
    Damaged(io::Error),
}

/// Reads a file, or standard input for `-`, without decoding it.
///
/// # Errors
/// [`Failure::Read`] when it cannot be read.
pub(crate) fn stored(path: &Path) -> Result<Stored, Failure> {
    let stored = if is_stdin(path) {
        bounded(io::stdin().lock())
    } else {
        File::open(path).and_then(bounded)
    };
    stored.map_err(|cause| Failure::Read {
        path: path.to_owned(),
        cause,
    })
}

/// Reads a small text file, such as a configuration.
///
/// # Errors
/// [`Failure::Read`] when it cannot be read.
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|cause| Failure::Read {
        path: path.to_owned(),
        cause,
    })
}

/// Decodes the stored content of a file.
pub(crate) fn decode(stored: &[u8]) -> Content<'_> {
    if !stored.starts_with(&GZIP) {
        return Content::Bytes(stored.into());
    }
    match bounded(MultiGzDecoder::new(stored)) {
        Ok(Stored::Bytes(bytes)) => Content::Bytes(bytes.into()),
        Ok(Stored::TooLarge) => Content::TooLarge,
        Err(cause) => Content::Damaged(cause),
    }
}

/// Returns the name of a file for messages.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Returns whether the path stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn bounded(from: impl Read) -> io::Result<Stored> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    let fits = bytes.len() as u64 <= MAX_BYTES;
    Ok(if fits {
        Stored::Bytes(bytes)
    } else {
        Stored::TooLarge
    })
}
