//! What an import writes: each file whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::file::MAX_BYTES;

/// The written file, as far as the service would take it.
#[derive(Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    /// There was more.
    pub(super) is_too_large: bool,
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_too_large |= (self.bytes.len() + bytes.len()) as u64 > MAX_BYTES;
        if !self.is_too_large {
            self.bytes.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is written and not yet in its place; dropped before it is, it goes.
pub(super) struct Staged<'a> {
    path: &'a Path,
    beside: PathBuf,
}

impl<'a> Staged<'a> {
    /// Writes a file beside its place.
    ///
    /// # Errors
    /// [`Failure::WriteTo`].
    pub(super) fn write(path: &'a Path, bytes: &[u8]) -> Result<Self, Failure> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let staged = Self {
            path,
            beside: path.with_file_name(name),
        };
        fs::write(&staged.beside, bytes).map_err(|cause| staged.failed(cause))?;
        Ok(staged)
    }

    /// Moves it to its place.
    ///
    /// # Errors
    /// [`Failure::WriteTo`].
    pub(super) fn place(self) -> Result<(), Failure> {
        fs::rename(&self.beside, self.path).map_err(|cause| self.failed(cause))
    }

    fn failed(&self, cause: io::Error) -> Failure {
        Failure::WriteTo {
            path: self.path.to_owned(),
            cause,
        }
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        // In its place by now, or never written.
        let _ = fs::remove_file(&self.beside);
    }
}
