//! The files that the user names: plain or gzip, or standard input.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::failure::Failure;

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

/// A file that is written beside its destination and moved there when it is complete. Dropped before that, it is deleted.
pub(crate) struct NewFile {
    path: PathBuf,
    beside: PathBuf,
    out: BufWriter<File>,
    is_whole: bool,
}

impl NewFile {
    /// Creates the temporary file beside `path`.
    ///
    /// # Errors
    /// [`Failure::WriteTo`], as for every method of this type.
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

    /// Moves the complete file to its destination.
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
            // The failure that caused the drop is reported elsewhere.
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
