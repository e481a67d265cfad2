//! The texts of a taxonomy in one buffer. It grows in pieces that never move, because doubling one large buffer would need
//! three times its size while it grows.

/// A text in a [`TextBuffer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// The piece and the offset in it.
    pub(crate) start: u32,
    /// The length, in bytes.
    pub(crate) len: u16,
}

impl Span {
    pub(crate) const EMPTY: Self = Self { start: 0, len: 0 };

    /// Returns whether the text may be the beginning of a longer one.
    pub(crate) fn may_be_cut(self) -> bool {
        usize::from(self.len) > TextBuffer::LONGEST - char::MAX_LEN_UTF8
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct TextBuffer {
    pieces: Vec<String>,
}

impl TextBuffer {
    /// The size of a piece, in bytes. A text begins in the first megabyte of a piece, so its offset takes 20 bits; 12 bits remain for 4,096 pieces,
    /// and a file of 512 MiB fills at most 1,024, each of which is half full at least.
    const PIECE: usize = 1 << 20;
    /// The longest text, in bytes: more than thirty times the longest name or path of an accepted file.
    pub(crate) const LONGEST: usize = u16::MAX as usize;

    /// Creates an empty buffer with a reserve for the first piece, in bytes.
    pub(crate) fn with_room(bytes: usize) -> Self {
        Self {
            pieces: vec![String::with_capacity(bytes.min(Self::PIECE))],
        }
    }

    /// Frees the reserve after the last text.
    pub(crate) fn shrink_to_fit(&mut self) {
        if let Some(piece) = self.pieces.last_mut() {
            piece.shrink_to_fit();
        }
    }

    /// Returns its size in memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.pieces
            .iter()
            .map(|piece| size_of::<String>() + piece.capacity())
            .sum()
    }

    /// Stores a text; of one that is longer than [`LONGEST`](Self::LONGEST) the beginning, since such a file is refused.
    pub(crate) fn push(&mut self, text: &str) -> Span {
        if text.is_empty() {
            return Span::EMPTY;
        }
        let text = &text[..text.floor_char_boundary(Self::LONGEST)];
        let fits = self
            .pieces
            .last()
            .is_some_and(|piece| piece.len() + text.len() <= Self::PIECE);
        if !fits {
            self.pieces.push(String::with_capacity(Self::PIECE));
        }
        let last = self.pieces.len().saturating_sub(1);
        let piece = &mut self.pieces[last];
        let start = last * Self::PIECE + piece.len();
        piece.push_str(text);
        Span {
            start: narrow(start),
            len: u16::try_from(text.len()).unwrap_or(u16::MAX),
        }
    }

    pub(crate) fn get(&self, span: Span) -> &str {
        if span.len == 0 {
            return "";
        }
        let (start, len) = (span.start as usize, span.len as usize);
        let (piece, offset) = (start / Self::PIECE, start % Self::PIECE);
        &self.pieces[piece][offset..offset + len]
    }
}

/// Converts a position to 32 bits, which suffice: a file has at most 512 MiB, and none of it is counted twice.
pub(crate) fn narrow(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_across_pieces() {
        let mut buffer = TextBuffer::default();
        let empty = buffer.push("");
        assert_eq!(buffer.get(empty), "");
        let texts: Vec<String> = (0..2000)
            .map(|n| format!("{n}é").repeat(n % 400))
            .chain(["x".repeat(TextBuffer::LONGEST)])
            .collect();
        let spans: Vec<Span> = texts.iter().map(|text| buffer.push(text)).collect();
        let after = buffer.push("after");
        for (text, span) in texts.iter().zip(spans) {
            assert_eq!(buffer.get(span), text);
        }
        assert_eq!(buffer.get(after), "after");
    }

    #[test]
    fn of_a_text_that_is_too_long_whole_characters_are_kept() {
        let mut buffer = TextBuffer::default();
        let cut = buffer.push(&"é".repeat(1 << 20));
        assert_eq!(buffer.get(cut), "é".repeat(TextBuffer::LONGEST / 2));
    }
}
