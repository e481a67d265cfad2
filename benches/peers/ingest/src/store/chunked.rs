//! Bodies in the encoding `aws-chunked`, as the SDK sends them with a checksum behind: `{size in hex}\r\n{bytes}\r\n` .. `0\r\n{trailers}\r\n`.

use std::io::{self, Write};

/// Writes the content of a body that arrives in pieces.
#[derive(Debug)]
pub(super) struct Dechunker<W> {
    out: W,
    /// The bytes of a size line that is not complete.
    line: Vec<u8>,
    /// The bytes of the chunk that are still to come; none between two chunks.
    left: Option<u64>,
    is_over: bool,
}

impl<W: Write> Dechunker<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            line: Vec::new(),
            left: None,
            is_over: false,
        }
    }

    /// Adds a piece.
    pub(super) fn push(&mut self, mut piece: &[u8]) -> io::Result<()> {
        while !piece.is_empty() && !self.is_over {
            match self.left {
                Some(left) => {
                    let taken = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                    let (content, rest) = piece.split_at(taken);
                    self.out.write_all(content)?;
                    self.left = Some(left - taken as u64).filter(|left| *left > 0);
                    piece = rest;
                }
                None => {
                    let (byte, rest) = piece.split_at(1);
                    self.line.extend_from_slice(byte);
                    piece = rest;
                    // An empty line ends the chunk before.
                    if self.line == b"\r\n" {
                        self.line.clear();
                    } else if self.line.ends_with(b"\r\n") {
                        let size = size(&self.line)?;
                        self.line.clear();
                        self.is_over = size == 0;
                        self.left = Some(size).filter(|size| *size > 0);
                    }
                }
            }
        }
        Ok(())
    }

    /// Flushes; fails if the last chunk is missing.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        match self.is_over {
            true => Ok(()),
            false => Err(io::Error::other("the body was cut short")),
        }
    }
}

fn size(line: &[u8]) -> io::Result<u64> {
    let text = std::str::from_utf8(line).map_err(io::Error::other)?;
    let size = text.split(';').next().unwrap_or_default().trim();
    u64::from_str_radix(size, 16).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = b"4\r\nwiki\r\nA;x=y\r\n0123456789\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n";

    #[test]
    fn chunks_are_joined_however_they_arrive() {
        for step in 1..BODY.len() {
            let mut out = Vec::new();
            let mut dechunker = Dechunker::new(&mut out);
            for piece in BODY.chunks(step) {
                dechunker.push(piece).unwrap();
            }
            dechunker.finish().unwrap();
            assert_eq!(out, b"wiki0123456789", "{step}");
        }
    }

    #[test]
    fn a_body_cut_short_fails() {
        let mut dechunker = Dechunker::new(Vec::new());
        dechunker.push(&BODY[..12]).unwrap();
        assert!(dechunker.finish().is_err());
    }
}
