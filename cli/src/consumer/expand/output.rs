//! The output: complete lines, collected into large writes.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read as _, Seek as _, SeekFrom};

use taxonomy_client::expander::Expanded;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::metric::MetricLine;
use super::render::{self, NamesField};

/// The number of bytes to collect before a write.
const BUFFER: usize = 64 << 10;

/// The lines to write, and their writer.
#[derive(Debug)]
pub(super) struct ExpandedLines<W> {
    writer: W,
    /// Its position is behind the bytes that are written.
    buffer: Cursor<Vec<u8>>,
}

impl<W: AsyncWrite + Unpin> ExpandedLines<W> {
    pub(super) fn new(writer: W) -> Self {
        Self {
            writer,
            buffer: Cursor::new(Vec::with_capacity(BUFFER)),
        }
    }

    /// Adds a line. Returns whether the buffer is full enough for a write.
    pub(super) fn add(&mut self, expanded: &Expanded<MetricLine>, into: &NamesField) -> io::Result<bool> {
        // Reserve exactly: doubling the capacity would take twice the memory of a long line.
        let names: usize = expanded.names.iter().map(|name| name.len() + 3).sum();
        let buffer = self.buffer.get_mut();
        buffer.reserve_exact(expanded.value.text.len() + names);
        render::line(buffer, expanded, into)?;
        Ok(buffer.len() >= BUFFER)
    }

    /// Writes all lines. If the future is dropped, the next call continues where it stopped.
    pub(super) async fn write(&mut self) -> io::Result<()> {
        self.writer.write_all_buf(&mut self.buffer).await?;
        self.buffer.set_position(0);
        let buffer = self.buffer.get_mut();
        buffer.clear();
        buffer.shrink_to(BUFFER);
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
    let (mut lines, mut end) = (0, 0);
    let bytes = BufReader::with_capacity(BUFFER, &*file).bytes();
    for (read, byte) in (1..).zip(bytes) {
        if byte? == b'\n' {
            (lines, end) = (lines + 1, read);
        }
    }
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok(lines)
}
