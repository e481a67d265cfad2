//! Writes the files of an import. Each becomes visible only when it is complete.

use std::io::{self, Write};
use std::path::Path;

use crate::failure::Failure;
use crate::file::{MAX_BYTES, NewFile};

/// The imported file in memory, up to the largest size that the service accepts.
#[derive(Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    /// Whether the file exceeds this size; `bytes` is then incomplete.
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

/// Writes a file beside its destination; [`NewFile::close`] moves it there.
///
/// # Errors
/// [`Failure::WriteTo`].
pub(super) fn beside(path: &Path, bytes: &[u8]) -> Result<NewFile, Failure> {
    let mut file = NewFile::beside(path.to_owned())?;
    file.write(|out| out.write_all(bytes).and_then(|()| out.flush()))?;
    Ok(file)
}
