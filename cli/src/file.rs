//! Files that a person names: plain or gzip, or standard input.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::failure::Failure;

/// The most bytes of a file, as stored and as decoded: the limit of the format (docs/decisions/0003-input-file.md).
pub(crate) const MAX_BYTES: u64 = 128 << 20;

/// The first bytes of a gzip file (RFC 1952, section 2.3.1).
pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A file as it is stored.
pub(crate) enum Stored {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// It has more than [`MAX_BYTES`].
    TooLarge,
}

/// The decoded content of a file.
pub(crate) enum Content<'a> {
    /// Its bytes.
    Bytes(Cow<'a, [u8]>),
    /// It has more than [`MAX_BYTES`].
    TooLarge,
    /// It begins like gzip, and cannot be decoded.
    Damaged(io::Error),
}

/// Reads a file, or standard input for `-`, as it is stored.
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

/// Reads a small file of text, such as a configuration.
///
/// # Errors
/// [`Failure::Read`] when it cannot be read.
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|cause| Failure::Read {
        path: path.to_owned(),
        cause,
    })
}

/// Decodes a stored file.
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

/// A file that is written beside its place and moved there when it is whole. Dropped before, it leaves nothing.
pub(crate) struct NewFile {
    path: PathBuf,
    beside: PathBuf,
    out: BufWriter<File>,
    is_whole: bool,
}

impl NewFile {
    /// Creates the file beside its place.
    ///
    /// # Errors
    /// [`Failure::WriteTo`], as of every method here.
    pub(crate) fn beside(path: PathBuf) -> Result<Self, Failure> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let beside = path.with_file_name(name);
        match File::create(&beside) {
            Ok(file) => Ok(Self {
                out: BufWriter::new(file),
                path,
                beside,
                is_whole: false,
            }),
            Err(cause) => Err(Failure::WriteTo { path, cause }),
        }
    }

    /// Writes to the file.
    pub(crate) fn write<T>(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> Result<T, Failure> {
        let written = write(&mut self.out);
        written.map_err(|cause| self.failed(cause))
    }

    /// Moves the whole file to its place.
    pub(crate) fn close(mut self) -> Result<(), Failure> {
        let moved = self
            .out
            .flush()
            .and_then(|()| fs::rename(&self.beside, &self.path));
        self.is_whole = moved.is_ok();
        moved.map_err(|cause| self.failed(cause))
    }

    fn failed(&self, cause: io::Error) -> Failure {
        Failure::WriteTo {
            path: self.path.clone(),
            cause,
        }
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_whole {
            // The failure that dropped it is reported.
            let _ = fs::remove_file(&self.beside);
        }
    }
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
