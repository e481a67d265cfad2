//! The automaton: a tree of the words of all keys, in which a path of words leads to the names of a key.
//!
//! Nothing is decoded when it is opened. A step reads a few bytes, each within bounds, so that wrong bytes make another answer at most.

use crate::search::bytes::Bytes;

/// The numbers at its begin: of words, of bytes of their texts, of bytes of nodes, and the root, each in four bytes.
pub(super) const HEADER: usize = 16;

/// The automaton of the names of a culture.
#[derive(Debug, Clone, Copy)]
pub struct Automaton<'a> {
    /// The end of the text of each word, in four bytes, ascending.
    ends: &'a [u8],
    /// The words of keys, and other forms of them, ascending.
    texts: &'a [u8],
    /// For each word the words of keys that it is another form of, in four bytes: none, one or a list.
    others: &'a [u8],
    nodes: &'a [u8],
    lists: &'a [u8],
    root: usize,
    widths: Widths,
}

/// The bytes of the numbers of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Widths {
    pub(super) word: usize,
    pub(super) address: usize,
}

impl Widths {
    pub(super) fn new(words: usize, node_bytes: usize) -> Self {
        Self {
            word: width(words),
            address: width(node_bytes),
        }
    }
}

/// Returns the bytes that numbers up to `end` take.
pub(super) fn width(end: usize) -> usize {
    (end.checked_ilog2().unwrap_or(0) as usize / 8 + 1).min(4)
}

/// A state: the words that must follow, then a key that ends there, and the next words.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct State<'a> {
    label: &'a [u8],
    value: Option<u64>,
    words: &'a [u8],
    addresses: &'a [u8],
}

impl<'a> Automaton<'a> {
    /// Opens an automaton; none if the bytes are not one.
    pub fn open(bytes: &'a [u8]) -> Option<Self> {
        let mut rest = Bytes::new(bytes);
        let header: Option<Vec<usize>> = (0..HEADER / 4)
            .map(|_| Some(u32::from_le_bytes(rest.array()?) as usize))
            .collect();
        let [words, text_bytes, node_bytes, root] = header?.try_into().ok()?;
        let ends = rest.take(words.checked_mul(4)?)?;
        let texts = rest.take(text_bytes)?;
        let others = rest.take(ends.len())?;
        let nodes = rest.take(node_bytes)?;
        Some(Self {
            ends,
            texts,
            others,
            nodes,
            lists: rest.take(rest.len())?,
            root,
            widths: Widths::new(words, node_bytes),
        })
    }

    /// Returns the number of a word.
    pub(super) fn word(&self, word: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.ends.len() / 4);
        while low < high {
            let middle = (low + high) / 2;
            match self.text(middle)?.cmp(word.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return u32::try_from(middle).ok(),
            }
        }
        None
    }

    /// Returns the words of keys that a word is another form of.
    pub(super) fn others(&self, word: u32) -> impl Iterator<Item = u32> + use<'a> {
        let other = read(self.others, word as usize, 4).unwrap_or(0);
        let (single, list) = match other & 1 {
            0 if other == 0 => (None, None),
            0 => (None, self.lists.get(other as usize >> 1..)),
            _ => (Some(other >> 1), None),
        };
        let mut bytes = Bytes::new(list.unwrap_or_default());
        let count = bytes.number().unwrap_or(0);
        let listed = (0..count).map_while(move |_| bytes.number32());
        single.into_iter().chain(listed)
    }

    fn text(&self, number: usize) -> Option<&'a [u8]> {
        let end = |number: usize| Some(read(self.ends, number, 4)? as usize);
        let start = number.checked_sub(1).map_or(Some(0), end)?;
        self.texts.get(start..end(number)?)
    }

    pub(super) fn root(&self) -> State<'a> {
        self.state(self.root).unwrap_or_default()
    }

    fn state(&self, address: usize) -> Option<State<'a>> {
        let mut bytes = Bytes::new(self.nodes.get(address..)?);
        let kind = bytes.length()?;
        let label = bytes.take((kind >> 2).checked_mul(self.widths.word)?)?;
        let value = match kind & 1 {
            0 => None,
            _ => Some(bytes.number()?),
        };
        let count = match kind & 2 {
            0 => 0,
            _ => bytes.length()?,
        };
        Some(State {
            label,
            value,
            words: bytes.take(count.checked_mul(self.widths.word)?)?,
            addresses: bytes.take(count.checked_mul(self.widths.address)?)?,
        })
    }

    /// Returns the state after a word; none if no key goes on with it.
    pub(super) fn step(&self, state: State<'a>, word: u32) -> Option<State<'a>> {
        let width = self.widths.word;
        if let Some((first, label)) = state.label.split_at_checked(width) {
            let is_next = read(first, 0, width)? == word;
            return is_next.then_some(State { label, ..state });
        }
        let (mut low, mut high) = (0, state.words.len() / width);
        while low < high {
            let middle = (low + high) / 2;
            match read(state.words, middle, width)?.cmp(&word) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    return self.state(read(state.addresses, middle, self.widths.address)? as usize);
                }
            }
        }
        None
    }

    /// Returns the names of the key that ends in a state.
    pub(super) fn names(
        &self,
        state: State<'a>,
    ) -> impl Iterator<Item = super::stored::StoredName<'a>> + use<'a> {
        let value = state.value.filter(|_| state.label.is_empty());
        let lists = self.lists;
        value
            .into_iter()
            .flat_map(move |value| super::stored::read(lists, value))
    }
}

/// Reads the number with this position in a list of numbers of one width.
fn read(list: &[u8], position: usize, width: usize) -> Option<u32> {
    let start = position.checked_mul(width)?;
    let bytes = list.get(start..start.checked_add(width)?)?;
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u32::from(*byte)),
    )
}
