//! The mentions of a text: from the left, at each word the longest name that begins with it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::search::mention::automaton::{Automaton, State};
use crate::search::mention::stored::StoredName;
use crate::search::mention::words::{Gap, Words, others, stem};
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
    numbers: [Vec<Numbers>; 2],
}

/// The numbers of a word in an automaton: its own, and those of the words that it is another form of.
#[derive(Debug, Clone, Default)]
struct Numbers {
    own: Option<u32>,
    others: Vec<u32>,
}

impl Numbers {
    fn new(automaton: &Automaton<'_>, word: &str) -> Self {
        let language = automaton.language;
        // Most words of a text are near no word of a name.
        let may_have_others = language.is_and(word) || automaton.has_begin(stem(language, word));
        let others = if may_have_others {
            others(language, word)
        } else {
            Vec::new()
        };
        Self {
            own: automaton.word(word),
            others: others.iter().filter_map(|other| automaton.word(other)).collect(),
        }
    }

    fn is_none(&self) -> bool {
        self.own.is_none() && self.others.is_empty()
    }

    /// Returns each number, with whether it is that of another word.
    fn all(&self) -> impl Iterator<Item = (u32, bool)> {
        let others = self.others.iter().map(|other| (*other, true));
        self.own.into_iter().map(|own| (own, false)).chain(others)
    }
}

/// A path through the automaton, and the words of the text that it took in another form, by their bits.
#[derive(Debug, Clone, Copy)]
struct Path<'a> {
    state: State<'a>,
    changed: u64,
}

/// The most paths that are followed from a word at once: words that have other forms divide them.
const MAX_PATHS: usize = 16;

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
            let mut known: HashMap<Cow<'_, str>, Numbers> = HashMap::new();
            let mut numbers = |part: &Range<usize>| {
                let word = words.base(part.clone());
                if let Some(numbers) = known.get(&word) {
                    return numbers.clone();
                }
                let numbers = Numbers::new(automaton, &word);
                known.insert(word, numbers.clone());
                numbers
            };
            let singles: Vec<Numbers> = readings[0].iter().map(&mut numbers).collect();
            // Most words are joined to no other one.
            let chunks = readings[1].iter().map(|chunk| match chunk.len() {
                1 => singles[chunk.start].clone(),
                _ => numbers(chunk),
            });
            let chunks = chunks.collect();
            Reader {
                automaton: *automaton,
                numbers: [singles, chunks],
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
        let mut paths: Vec<Path<'_>> = Vec::new();
        let mut breaks = 0;
        for (bit, part) in (0..MAX_WORDS).zip(first..parts.len()) {
            let Range { start: word, end } = parts[part];
            let numbers = &numbers[part];
            if numbers.is_none() || bit == 0 && word != start {
                return;
            }
            breaks |= u64::from(bit > 0 && self.words.gap(word) == Gap::Break) << bit;
            let step = |path: Path<'a>| {
                numbers.all().filter_map(move |(word, is_other)| {
                    let state = automaton.step(path.state, word)?;
                    Some(Path {
                        state,
                        changed: path.changed | u64::from(is_other) << bit,
                    })
                })
            };
            paths = match bit {
                0 => step(Path {
                    state: automaton.root(),
                    changed: 0,
                })
                .collect(),
                _ => paths.into_iter().flat_map(step).take(MAX_PATHS).collect(),
            };
            if paths.is_empty() {
                return;
            }
            if end < longest.end || self.words.are_inside(start..end) {
                continue;
            }
            for path in &paths {
                let names = automaton.names(path.state);
                let names = names.filter(|name| {
                    self.is_name(name, reading, start..end, (breaks, path.changed))
                        && admits(name.ordinal, name.is_deprecated)
                });
                longest.add(end, reader, names);
            }
        }
    }

    /// Whether words, with these breaks and words in another form, are a mention of a name of their key.
    fn is_name(
        &self,
        name: &StoredName<'_>,
        reading: usize,
        words: Range<usize>,
        (breaks, changed): (u64, u64),
    ) -> bool {
        let is_written_so = match &name.spelling {
            Some(spelling) => {
                let is_one_way = (reading, changed) == (0, 0);
                is_one_way
                    && self
                        .words
                        .spelling(words)
                        .is_some_and(|text| spelling.is_of(&text))
            }
            None => true,
        };
        breaks & !name.breaks == 0 && changed & name.fixed == 0 && is_written_so
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
        let mut added = Vec::new();
        for name in names {
            if std::mem::replace(&mut self.end, end) < end {
                self.names.clear();
            }
            // Of the names of a term the first one counts.
            if added.contains(&name.ordinal) {
                continue;
            }
            added.push(name.ordinal);
            self.names
                .push((automaton, name.is_alternative, name.is_deprecated, name.ordinal));
            if added.len() > MAX_CANDIDATES {
                break;
            }
        }
    }
}
