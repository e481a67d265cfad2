//! The automaton: a tree of the words of all keys, in which a path of words leads to the names of a key.
//!
//! Nothing is decoded when it is opened. A step reads a few bytes, each within bounds, so that wrong bytes make another answer at most.

use crate::search::bytes::Bytes;
use crate::search::language::Language;

/// The numbers at its begin, in four bytes each: of words, of bytes of their texts, of bytes of nodes, and the root.
const NUMBERS: usize = 4;
/// The bytes of the subtag of the language before them, with zeros behind.
pub(super) const LANGUAGE_BYTES: usize = 3;

/// The automaton of the names of a culture.
#[derive(Debug, Clone, Copy)]
pub struct Automaton<'a> {
    pub(super) language: Language,
    /// The end of the text of each word, in four bytes, ascending.
    ends: &'a [u8],
    /// The words of keys, ascending.
    texts: &'a [u8],
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
        let language = std::str::from_utf8(rest.take(LANGUAGE_BYTES)?).ok()?;
        let header: Option<Vec<usize>> = (0..NUMBERS)
            .map(|_| Some(u32::from_le_bytes(rest.array()?) as usize))
            .collect();
        let [words, text_bytes, node_bytes, root] = header?.try_into().ok()?;
        let ends = rest.take(words.checked_mul(4)?)?;
        let texts = rest.take(text_bytes)?;
        let nodes = rest.take(node_bytes)?;
        Some(Self {
            language: Language::parse(language.trim_end_matches('\0')),
            ends,
            texts,
            nodes,
            lists: rest.take(rest.len())?,
            root,
            widths: Widths::new(words, node_bytes),
        })
    }

    /// Returns the number of a word.
    pub(super) fn word(&self, word: &str) -> Option<u32> {
        let number = self.first_from(word)?;
        let is_word = self.text(number)? == word.as_bytes();
        u32::try_from(number).ok().filter(|_| is_word)
    }

    /// Returns whether a word begins with a text.
    pub(super) fn has_begin(&self, begin: &str) -> bool {
        let first = self.first_from(begin).and_then(|number| self.text(number));
        first.is_some_and(|first| first.starts_with(begin.as_bytes()))
    }

    /// Returns the first word that is not before a text; their number where all are.
    fn first_from(&self, text: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.ends.len() / 4);
        while low < high {
            let middle = (low + high) / 2;
            match self.text(middle)? < text.as_bytes() {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Some(low)
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
