//! The names of all nodes in one container. Like the texts, they are in pieces that never move: a file may consist of little else, and
//! doubling one large list would need three times its size while it grows.

use std::ops::Range;

use crate::text::{Span, narrow};

/// The name of a node in a culture, and the path. The fields of two spans and of [`PathData`] lie side by side, which takes 16 bytes in place of 24;
/// in a file of short names these are a third of a taxonomy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameData {
    pub(crate) culture: u16,
    path_kind: PathKind,
    name_len: u16,
    path_len: u16,
    name_start: u32,
    path_start: u32,
}

#[derive(Debug, Clone, Copy)]
enum PathKind {
    None,
    Whole,
    Below,
}

impl NameData {
    pub(crate) fn new(culture: u16, name: Span, path: PathData) -> Self {
        let (path_kind, Span { start, len }) = match path {
            PathData::None => (PathKind::None, Span::EMPTY),
            PathData::Whole(path) => (PathKind::Whole, path),
            PathData::Below(path) => (PathKind::Below, path),
        };
        Self {
            culture,
            path_kind,
            name_len: name.len,
            path_len: len,
            name_start: name.start,
            path_start: start,
        }
    }

    pub(crate) fn name(&self) -> Span {
        Span {
            start: self.name_start,
            len: self.name_len,
        }
    }

    pub(crate) fn path(&self) -> PathData {
        let path = Span {
            start: self.path_start,
            len: self.path_len,
        };
        match self.path_kind {
            PathKind::None => PathData::None,
            PathKind::Whole => PathData::Whole(path),
            PathKind::Below => PathData::Below(path),
        }
    }
}

/// A path. Most paths begin with the path of the parent in the same culture. Whole paths are two thirds of a large file; only their own parts
/// are a sixth.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PathData {
    None,
    Whole(Span),
    /// Continues the path of the parent, a term or a category, in the same culture.
    Below(Span),
}

/// The names of a node are contiguous in one piece, so a range represents them.
#[derive(Debug, Clone, Default)]
pub(crate) struct NameList {
    pieces: Vec<Vec<NameData>>,
}

impl NameList {
    /// The maximum number of names of a piece among which the names of a node begin. A file of 512 MiB fills fewer than 1,200 pieces, so positions fit into 32
    /// bits.
    const PIECE: usize = 1 << 15;

    /// Creates an empty list without a reserve, for few names.
    pub(crate) fn small() -> Self {
        Self {
            pieces: vec![Vec::new()],
        }
    }

    /// Returns its size in memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let pieces = self.pieces.iter();
        pieces
            .map(|piece| size_of::<Vec<NameData>>() + piece.capacity() * size_of::<NameData>())
            .sum()
    }

    /// Reserves space for at most `most` names of a node, and returns the position of the first.
    pub(crate) fn begin(&mut self, most: usize) -> u32 {
        let fits = self
            .pieces
            .last()
            .is_some_and(|piece| piece.len() + most <= Self::PIECE);
        if !fits {
            self.pieces.push(Vec::with_capacity(most.max(Self::PIECE)));
        }
        self.end()
    }

    /// Adds a name to the last node.
    pub(crate) fn push(&mut self, name: NameData) {
        match self.pieces.last_mut() {
            Some(piece) => piece.push(name),
            None => self.pieces.push(vec![name]),
        }
    }

    /// Returns the position of the next name.
    pub(crate) fn end(&self) -> u32 {
        let last = self.pieces.len().saturating_sub(1);
        narrow(last * Self::PIECE + self.pieces.last().map_or(0, Vec::len))
    }

    pub(crate) fn get(&self, range: &Range<u32>) -> &[NameData] {
        if range.is_empty() {
            return &[];
        }
        let (piece, range) = Self::place(range);
        &self.pieces[piece][range]
    }

    pub(crate) fn get_mut(&mut self, range: &Range<u32>) -> &mut [NameData] {
        if range.is_empty() {
            return &mut [];
        }
        let (piece, range) = Self::place(range);
        &mut self.pieces[piece][range]
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut NameData> {
        self.pieces.iter_mut().flatten()
    }

    /// Frees the names before `position`, which must be unreferenced; all others keep their positions.
    pub(crate) fn forget_before(&mut self, position: u32) {
        let gone = position as usize / Self::PIECE;
        for piece in self.pieces[..gone].iter_mut().rev() {
            if piece.capacity() == 0 {
                break;
            }
            *piece = Vec::new();
        }
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        if let Some(piece) = self.pieces.last_mut() {
            piece.shrink_to_fit();
        }
    }

    fn place(range: &Range<u32>) -> (usize, Range<usize>) {
        let (start, end) = (range.start as usize, range.end as usize);
        let (piece, offset) = (start / Self::PIECE, start % Self::PIECE);
        (piece, offset..offset + (end - start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::TextBuffer;

    #[test]
    fn the_names_of_a_node_come_back_across_pieces() {
        let (mut list, mut text) = (NameList::default(), TextBuffer::default());
        let name = text.push("a");
        let mut ranges = Vec::new();
        for count in (0..600).cycle().take(2_000) {
            let start = list.begin(600);
            for culture in 0..count {
                list.push(NameData::new(culture, name, PathData::None));
            }
            ranges.push((count, start..list.end()));
        }
        let counted = |list: &NameList, range: &Range<u32>| {
            let names = list.get(range).iter();
            names.map(|name| name.culture).collect::<Vec<_>>()
        };
        for (count, range) in &ranges {
            assert_eq!(counted(&list, range), (0..*count).collect::<Vec<_>>());
        }
        let (forgotten, kept) = ranges.split_at(1_000);
        list.forget_before(kept[0].1.start);
        for (count, range) in kept {
            assert_eq!(counted(&list, range), (0..*count).collect::<Vec<_>>());
        }
        assert!(forgotten.len() == 1_000 && list.pieces[0].capacity() == 0);
    }
}
