//! The output: complete lines, collected into large writes.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use taxonomy_client::expander::Expanded;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::render::{self, NamesField};

/// The number of bytes to collect before a write.
const BUFFER: usize = 64 << 10;

/// The lines to write, and their writer.
#[derive(Debug)]
pub(super) struct Output<W> {
    writer: W,
    buffer: Vec<u8>,
    /// The number of bytes of the buffer that are written.
    written: usize,
}

impl<W: AsyncWrite + Unpin> Output<W> {
    pub(super) fn new(writer: W) -> Self {
        Self {
            writer,
            buffer: Vec::with_capacity(BUFFER),
            written: 0,
        }
    }

    /// Adds a line. Returns whether the buffer is full enough for a write.
    pub(super) fn add(&mut self, expanded: &Expanded<String>, into: &NamesField) -> io::Result<bool> {
        // Reserve exactly: doubling the capacity would take twice the memory of a long line.
        let names: usize = expanded.names.iter().map(|name| name.len() + 3).sum();
        self.buffer.reserve_exact(expanded.value.len() + names);
        render::line(&mut self.buffer, expanded, into)?;
        Ok(self.buffer.len() >= BUFFER)
    }

    /// Writes all lines. If the future is dropped, the next call continues where it stopped.
    pub(super) async fn write(&mut self) -> io::Result<()> {
        while let Some(rest) = self.buffer.get(self.written..).filter(|rest| !rest.is_empty()) {
            match self.writer.write(rest).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => self.written += written,
            }
        }
        self.buffer.clear();
        self.buffer.shrink_to(BUFFER);
        self.written = 0;
        Ok(())
    }

    /// Writes all lines and flushes the writer.
    pub(super) async fn flush(&mut self) -> io::Result<()> {
        self.write().await?;
        self.writer.flush().await
    }
}

/// Goes to the end of the last complete line of a file, and truncates the rest. Returns the number of complete lines.
pub(super) fn resume(file: &mut File) -> io::Result<u64> {
    let (mut lines, mut end, mut read) = (0, 0, 0);
    let mut buffer = vec![0; BUFFER];
    loop {
        let length = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        for (at, _) in buffer
            .iter()
            .take(length)
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
        {
            lines += 1;
            end = read + at as u64 + 1;
        }
        read += length as u64;
    }
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok(lines)
}
