//! Texts and lists that grow in pieces, which never move: doubling one large buffer needs three times its size while it grows.

use std::num::NonZeroUsize;

/// A text in [`Texts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Span {
    /// Piece and offset in it.
    start: u32,
    len: u32,
}

/// Texts in one place.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    pieces: Vec<String>,
}

impl Texts {
    /// A text begins in the first megabyte of a piece, so its offset takes 20 bits, and 12 bits remain for 4,096 pieces.
    const PIECE: usize = 1 << 20;
    const MOST_PIECES: usize = 1 << 12;

    /// Adds a text; none where there is no room for it.
    pub(crate) fn push(&mut self, text: &str) -> Option<Span> {
        if text.is_empty() {
            return Some(Span::default());
        }
        let fits = self
            .pieces
            .last()
            .is_some_and(|piece| piece.len() + text.len() <= Self::PIECE);
        if !fits {
            if self.pieces.len() == Self::MOST_PIECES {
                return None;
            }
            self.pieces
                .push(String::with_capacity(text.len().max(Self::PIECE)));
        }
        let number = self.pieces.len().saturating_sub(1);
        let piece = self.pieces.last_mut()?;
        let start = u32::try_from(number * Self::PIECE + piece.len()).ok()?;
        let len = u32::try_from(text.len()).ok()?;
        piece.push_str(text);
        Some(Span { start, len })
    }

    /// The text of a span.
    pub(crate) fn get(&self, span: Span) -> &str {
        if span.len == 0 {
            return "";
        }
        let (start, len) = (span.start as usize, span.len as usize);
        let (piece, offset) = (start / Self::PIECE, start % Self::PIECE);
        &self.pieces[piece][offset..offset + len]
    }
}

/// A list in pieces.
#[derive(Debug)]
pub(crate) struct ChunkedList<T> {
    pieces: Vec<Vec<T>>,
    len: usize,
}

impl<T> Default for ChunkedList<T> {
    fn default() -> Self {
        Self {
            pieces: Vec::new(),
            len: 0,
        }
    }
}

impl<T> ChunkedList<T> {
    const PIECE: NonZeroUsize = NonZeroUsize::new(1 << 14).unwrap();

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn push(&mut self, value: T) {
        if self.len.is_multiple_of(Self::PIECE.get()) {
            self.pieces.push(Vec::with_capacity(Self::PIECE.get()));
        }
        if let Some(piece) = self.pieces.last_mut() {
            piece.push(value);
            self.len += 1;
        }
    }

    pub(crate) fn get(&self, position: usize) -> &T {
        &self.pieces[position / Self::PIECE][position % Self::PIECE]
    }

    pub(crate) fn get_mut(&mut self, position: usize) -> &mut T {
        &mut self.pieces[position / Self::PIECE][position % Self::PIECE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_across_pieces() {
        let mut texts = Texts::default();
        let long = "é".repeat(Texts::PIECE);
        let kept = (0..3000).map(|n| format!("{n}ü").repeat(n % 200));
        let kept: Vec<String> = kept.chain([long]).collect();
        let spans: Vec<Span> = kept.iter().map(|text| texts.push(text).unwrap()).collect();
        let after = texts.push("after").unwrap();
        for (text, span) in kept.iter().zip(spans) {
            assert_eq!(texts.get(span), text);
        }
        assert_eq!(texts.get(after), "after");
    }

    #[test]
    fn lists_come_back_across_pieces() {
        let mut list = ChunkedList::default();
        for value in 0..100_000 {
            list.push(value);
        }
        *list.get_mut(70_000) = 1;
        assert_eq!(list.len(), 100_000);
        assert_eq!((list.get(99_999), list.get(70_000)), (&99_999, &1));
    }
}
