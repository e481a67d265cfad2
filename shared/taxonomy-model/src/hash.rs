//! Content hashes of stored objects.

use std::fmt;
use std::io::{self, BufReader, BufWriter, IntoInnerError, Read, Write};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The SHA-256 of a stored object, in lower-case hex.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Hash(String);

/// The text is not a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not 64 lower-case hex digits")]
pub struct NoHash;

impl Hash {
    /// Computes the hash of `bytes`.
    pub fn digest(bytes: &[u8]) -> Self {
        Self::finish(Sha256::new_with_prefix(bytes))
    }

    /// Computes the hash of all bytes of `source`.
    ///
    /// # Errors
    /// Those of `source`.
    pub fn read(source: impl Read) -> io::Result<Self> {
        let mut hashing = Hashing::new(io::sink());
        io::copy(&mut BufReader::with_capacity(BUFFER, source), &mut hashing)?;
        Ok(hashing.finish())
    }

    /// Returns the 64 hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn finish(digest: Sha256) -> Self {
        let bytes = digest.finalize();
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl TryFrom<String> for Hash {
    type Error = NoHash;

    fn try_from(text: String) -> Result<Self, NoHash> {
        let hex = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
        if text.len() == 64 && text.bytes().all(hex) {
            Ok(Self(text))
        } else {
            Err(NoHash)
        }
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The bytes that a writer collects before they are hashed and forwarded: JSON is written by a few bytes at a time.
const BUFFER: usize = 64 << 10;

/// Forwards bytes and hashes them.
#[derive(Debug)]
pub(crate) struct Hashing<T> {
    inner: T,
    digest: Sha256,
}

impl<T> Hashing<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self {
            inner,
            digest: Sha256::new(),
        }
    }

    /// Returns the hash of all bytes that were written or read.
    pub(crate) fn finish(self) -> Hash {
        Hash::finish(self.digest)
    }
}

impl<W: Write> Hashing<W> {
    /// Writes a value into `out` as JSON, through a buffer, and returns the hash of all bytes.
    pub(crate) fn write_json(out: W, value: &impl Serialize) -> io::Result<Hash> {
        let mut buffer = BufWriter::with_capacity(BUFFER, Self::new(out));
        serde_json::to_writer(&mut buffer, value)?;
        let hashing = buffer.into_inner().map_err(IntoInnerError::into_error)?;
        Ok(hashing.finish())
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.digest.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.digest.update(&bytes[..read]);
        Ok(read)
    }
}
