//! Sets of categories and terms, by their ordinals; of names, by their ranks.

use std::ops::Range;

/// A set of ordinals, a bit each.
#[derive(Debug, Clone, Default)]
pub struct OrdinalSet {
    words: Vec<u64>,
}

impl OrdinalSet {
    /// All of so many ordinals, from 0 on.
    pub fn all(ordinals: u32) -> Self {
        (0..ordinals).collect()
    }

    /// The set of a bit map, the lowest bit of a byte first.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let (words, rest) = bytes.as_chunks();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let words = words.iter().chain(std::iter::once(&last));
        Self {
            words: words.map(|word| u64::from_le_bytes(*word)).collect(),
        }
    }

    /// Whether it has no ordinal.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Its bit map, of so many bytes.
    pub(crate) fn to_bytes(&self, length: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.resize(length, 0);
        bytes
    }

    /// Adds an ordinal, and returns whether it is new.
    pub(crate) fn insert(&mut self, ordinal: u32) -> bool {
        let (word, bit) = place(ordinal);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    /// Whether it has an ordinal.
    pub fn contains(&self, ordinal: u32) -> bool {
        let (word, bit) = place(ordinal);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// The number of its ordinals.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Its ordinals that another set lacks.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.joined(other, |one, other| one & !other)
    }

    /// Its ordinals that another set has as well.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.joined(other, |one, other| one & other)
    }

    /// Its ordinals and those of another set.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        self.joined(other, |one, other| one | other)
    }

    fn joined(&self, other: &Self, join: fn(u64, u64) -> u64) -> Self {
        let length = self.words.len().max(other.words.len());
        let of = |set: &Self, word: usize| set.words.get(word).copied().unwrap_or_default();
        let words = (0..length).map(|word| join(of(self, word), of(other, word)));
        Self {
            words: words.collect(),
        }
    }

    /// Its numbers, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        (0u32..).step_by(64).zip(&self.words).flat_map(|(first, word)| {
            let bits = std::iter::successors(Some(*word), |left| Some(left & left.wrapping_sub(1)));
            let bits = bits.take_while(|left| *left != 0);
            bits.map(move |left| first + left.trailing_zeros())
        })
    }

    /// Its ordinals within a range, ascending.
    pub fn within(&self, range: Range<u32>) -> impl Iterator<Item = u32> {
        range.filter(|ordinal| self.contains(*ordinal))
    }
}

/// A set with the place of each of its numbers among them.
#[derive(Debug)]
pub(crate) struct Places {
    set: OrdinalSet,
    /// The number of members before each word of bits.
    before: Vec<u32>,
}

impl From<OrdinalSet> for Places {
    fn from(set: OrdinalSet) -> Self {
        let mut count = 0;
        let before = set.words.iter().map(|word| {
            let before = count;
            count += word.count_ones();
            before
        });
        Self {
            before: before.collect(),
            set,
        }
    }
}

impl Places {
    /// The set.
    pub(crate) fn set(&self) -> &OrdinalSet {
        &self.set
    }

    /// Its number of members.
    pub(crate) fn count(&self) -> usize {
        self.set.count()
    }

    /// The place of a number, from 0 on; none if the set lacks it.
    pub(crate) fn place(&self, number: u32) -> Option<usize> {
        let (word, bit) = place(number);
        let bits = *self.set.words.get(word)?;
        let below = (bits & (bit - 1)).count_ones();
        (bits & bit != 0).then(|| (self.before[word] + below) as usize)
    }
}

impl FromIterator<u32> for OrdinalSet {
    fn from_iter<T: IntoIterator<Item = u32>>(ordinals: T) -> Self {
        let mut set = Self::default();
        for ordinal in ordinals {
            set.insert(ordinal);
        }
        set
    }
}

/// Two sets are equal if they have the same ordinals, however many words they have room for.
impl PartialEq for OrdinalSet {
    fn eq(&self, other: &Self) -> bool {
        let (short, long) = match self.words.len() <= other.words.len() {
            true => (&self.words, &other.words),
            false => (&other.words, &self.words),
        };
        let (same, rest) = long.split_at(short.len());
        same == short && rest.iter().all(|word| *word == 0)
    }
}

impl Eq for OrdinalSet {}

fn place(ordinal: u32) -> (usize, u64) {
    ((ordinal / 64) as usize, 1 << (ordinal % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_joined_bit_by_bit() {
        let (all, mut some) = (OrdinalSet::all(11), OrdinalSet::default());
        for ordinal in [0, 3, 10] {
            assert!(some.insert(ordinal));
            assert!(!some.insert(ordinal));
        }
        let rest: Vec<u32> = all.without(&some).within(0..99).collect();
        assert_eq!(rest, [1, 2, 4, 5, 6, 7, 8, 9]);
        assert_eq!(all.and(&some), some);
        assert_eq!(some.or(&all), all);
        assert_eq!((all.count(), some.count()), (11, 3));
        assert_eq!(all.within(2..5).collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!(some.iter().collect::<Vec<_>>(), [0, 3, 10]);
        let places: Places = some.clone().into();
        assert_eq!(places.count(), 3);
        let found = [0, 3, 10, 4, 900].map(|number| places.place(number));
        assert_eq!(found, [Some(0), Some(1), Some(2), None, None]);
        some.insert(700);
        assert_ne!(some.or(&all), all);
        assert_eq!(some.and(&all).count(), 3);
        assert_eq!(some.without(&all).within(0..1000).collect::<Vec<_>>(), [700]);
    }

    #[test]
    fn a_bit_map_comes_back_as_it_went() {
        for length in [1, 7, 8, 9, 17] {
            let bytes: Vec<u8> = (0..length).map(|byte| 0x81 ^ byte).collect();
            let set = OrdinalSet::from_bytes(&bytes);
            assert_eq!(set.to_bytes(bytes.len()), bytes);
            assert!(set.contains(0) && set.contains(7) && !set.contains(1));
        }
    }
}
