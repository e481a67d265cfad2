//! The mentions of a text: from the left, at each word the longest name that begins with it.

use std::ops::Range;

use crate::search::mention::automaton::Automaton;
use crate::search::mention::stored::StoredName;
use crate::search::mention::words::{Gap, Words};
use crate::search::mention::{MAX_CANDIDATES, MAX_WORDS};

/// A name that a text mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention<'t> {
    /// Its place in the text, in UTF-16 code units.
    pub range: Range<u32>,
    /// It as the text has it.
    pub text: &'t str,
    /// The terms that have such a name, each once for each culture: the preferred names, then the alternative ones, of each the live terms, then the
    /// deprecated ones, in the order of the tree.
    pub candidates: Vec<Candidate>,
    /// Whether there are more candidates than [`MAX_CANDIDATES`].
    pub has_more: bool,
}

/// A term that a mention may mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The position of the automaton that has its name.
    pub automaton: usize,
    /// The position of the term in the version.
    pub ordinal: u32,
}

/// A text, and the names that are looked for in it.
#[derive(Debug)]
pub struct Extraction<'t, 'a> {
    words: Words<'t>,
    /// Each word by itself; and joined, where the signs that join are left out.
    readings: [Vec<Range<usize>>; 2],
    readers: Vec<Reader<'a>>,
}

/// An automaton with the numbers of what each reading of a text has.
#[derive(Debug)]
struct Reader<'a> {
    automaton: Automaton<'a>,
    numbers: [Vec<Option<u32>>; 2],
}

/// The longest names that begin with a word.
struct Longest {
    end: usize,
    /// Of each name its automaton, its kind, its state and the ordinal of its term.
    names: Vec<(usize, bool, bool, u32)>,
}

impl<'t, 'a> Extraction<'t, 'a> {
    /// Looks up the words of a text.
    pub fn new(text: &'t str, automata: &[Automaton<'a>]) -> Self {
        let words = Words::new(text);
        let readings = [words.singles().collect(), words.chunks()];
        let readers = automata.iter().map(|automaton| {
            let number = |part: &Range<usize>| automaton.word(&words.base(part.clone()));
            Reader {
                automaton: *automaton,
                numbers: readings
                    .each_ref()
                    .map(|reading: &Vec<_>| reading.iter().map(number).collect()),
            }
        });
        Self {
            readers: readers.collect(),
            readings,
            words,
        }
    }

    /// Returns the mentions of the text from a place in UTF-16 code units on, of the terms that are admitted, by ordinal and whether they are
    /// deprecated.
    pub fn mentions<'e>(
        &'e self,
        from: u32,
        admits: impl Fn(u32, bool) -> bool + 'e,
    ) -> impl Iterator<Item = Mention<'t>> + 'e {
        let mut next = self.words.first_from(from);
        std::iter::from_fn(move || {
            while next < self.words.len() {
                let longest = self.longest(next, &admits);
                let start = next;
                next = longest.end.max(start + 1);
                if longest.end > start {
                    return Some(self.mention(start, longest));
                }
            }
            None
        })
    }

    fn longest(&self, start: usize, admits: &impl Fn(u32, bool) -> bool) -> Longest {
        let mut longest = Longest {
            end: start,
            names: Vec::new(),
        };
        let is_split_alone = self.readings[0].len() == self.readings[1].len();
        for reader in 0..self.readers.len() {
            self.walk(reader, 0, start, &mut longest, admits);
            if !is_split_alone {
                self.walk(reader, 1, start, &mut longest, admits);
            }
        }
        longest
    }

    /// Follows the words of a reading from a word on, as far as they are the begin of a name.
    fn walk(
        &self,
        reader: usize,
        reading: usize,
        start: usize,
        longest: &mut Longest,
        admits: &impl Fn(u32, bool) -> bool,
    ) {
        let Reader { automaton, numbers } = &self.readers[reader];
        let (parts, numbers) = (&self.readings[reading], &numbers[reading]);
        let first = parts.partition_point(|part| part.start < start);
        let (mut state, mut breaks) = (automaton.root(), 0);
        for (bit, part) in (0..MAX_WORDS).zip(first..parts.len()) {
            let Range { start: word, end } = parts[part];
            if bit == 0 && word != start {
                return;
            }
            if bit > 0 && self.words.gap(word) == Gap::Break {
                breaks |= 1 << bit;
            }
            let Some(next) = numbers[part].and_then(|number| automaton.step(state, number)) else {
                return;
            };
            state = next;
            if end < longest.end {
                continue;
            }
            let is_short_written_so = |name: &StoredName<'_>| match &name.spelling {
                Some(spelling) => {
                    reading == 0
                        && self
                            .words
                            .spelling(start..end)
                            .is_some_and(|text| spelling.is_of(&text))
                }
                None => true,
            };
            let names = automaton.names(state).filter(|name| {
                breaks & !name.breaks == 0
                    && is_short_written_so(name)
                    && admits(name.ordinal, name.is_deprecated)
            });
            if !self.words.are_inside(start..end) {
                longest.add(end, reader, names);
            }
        }
    }

    fn mention(&self, start: usize, longest: Longest) -> Mention<'t> {
        let Longest { end, mut names } = longest;
        names.sort_unstable();
        let mut candidates: Vec<Candidate> = Vec::new();
        for (automaton, .., ordinal) in names {
            let candidate = Candidate { automaton, ordinal };
            if !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
        let has_more = candidates.len() > MAX_CANDIDATES;
        candidates.truncate(MAX_CANDIDATES);
        Mention {
            range: self.words.place(start..end),
            text: self.words.raw(start..end),
            candidates,
            has_more,
        }
    }
}

impl Longest {
    /// Adds names that end before a word, in their order.
    fn add<'a>(&mut self, end: usize, automaton: usize, names: impl Iterator<Item = StoredName<'a>>) {
        let mut room = MAX_CANDIDATES + 1;
        let mut last = None;
        for name in names {
            if std::mem::replace(&mut self.end, end) < end {
                self.names.clear();
            }
            // The names of a term that are equal but for their spelling are one candidate.
            room -= usize::from(last != Some(name.ordinal));
            last = Some(name.ordinal);
            self.names
                .push((automaton, name.is_alternative, name.is_deprecated, name.ordinal));
            if room == 0 {
                break;
            }
        }
    }
}
