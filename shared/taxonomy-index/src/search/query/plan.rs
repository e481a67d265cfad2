//! What a query looks for in an object: its words depend on the language of the object.

use std::ops::Range;

use crate::search::fold::Text;
use crate::search::key::{cut, joined, surface_of};
use crate::search::language::Language;
use crate::search::letters;
use crate::search::postings::MANY_WORDS;
use crate::search::query::Phrase;

/// The maximum number of words that must be met.
pub const MAX_WORDS: usize = 8;
/// The maximum number of further words, which rank.
const MAX_OTHERS: usize = 8;

/// A query in a language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The letters of all words, and their hash.
    pub(crate) letters: String,
    pub(crate) hash: u32,
    /// The words with a space between them.
    pub(crate) name: Phrase,
    /// Whether the last word ends with a sign, so that no longer word begins with it.
    pub(crate) is_complete: bool,
    /// The words with nothing between them.
    pub(crate) notation: Phrase,
    /// The words that must be met.
    pub(crate) words: Vec<Wanted>,
    /// Words that rank.
    pub(crate) others: Vec<Phrase>,
    /// The number of words of a name that has no other words; none where there are too many.
    pub(crate) count: Option<u8>,
}

/// A word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) phrase: Phrase,
    /// Whether it ends with a sign, so that no longer word begins with it.
    pub(crate) is_complete: bool,
    /// Whether signs join it to a neighbour: then the parts by themselves are not what was written.
    pub(crate) is_joined: bool,
    /// The word written as one with its neighbours.
    pub(crate) joined: Vec<Phrase>,
    /// The other forms of the word: its plurals, and what it may be the plural of.
    pub(crate) forms: Vec<String>,
}

impl Plan {
    pub(crate) fn new(text: &Text, language: Language) -> Self {
        let content = text.content(language);
        let (required, unfinished) = split_unfinished(text, language, &content);
        let runs: Vec<Range<usize>> = required.iter().map(|run| text.runs[*run].clone()).collect();
        let phrase = |runs: &[Range<usize>], separator| Phrase {
            folded: joined(text, runs, separator, Text::folded),
            surface: joined(text, runs, separator, surface_of),
        };
        let letters = text.all_letters(language);
        let mut words: Vec<Wanted> = Vec::new();
        for number in 0..required.len() {
            for word in wanted(text, language, &content, number) {
                if words.iter().all(|other| other.phrase != word.phrase) {
                    words.push(word);
                }
            }
        }
        let (words, mut others) = longest(words);
        let unfinished = unfinished.map(|run| Phrase::new(text, cut(text.runs[run].clone())));
        others.extend(unfinished.filter(|_| others.len() < MAX_OTHERS));
        let count = u8::try_from(words.len())
            .ok()
            .filter(|count| *count < MANY_WORDS && others.is_empty());
        Self {
            hash: letters::hash(&letters),
            letters,
            name: phrase(&runs, " "),
            is_complete: runs.last().is_some_and(|last| text.ends_with_sign(last.clone())),
            notation: phrase(&text.runs, ""),
            words,
            others,
            count,
        }
    }
}

/// Divides the words that count: a word for *and* behind others, of two letters at least, is one whose next word is not typed yet. It ranks.
fn split_unfinished<'c>(
    text: &Text,
    language: Language,
    content: &'c [usize],
) -> (&'c [usize], Option<usize>) {
    let is_unfinished = |run: usize| {
        let letters = text.runs[run].clone();
        letters.len() > 1 && text.joints[run].is_none() && language.is_and(&text.folded(letters))
    };
    match content {
        [required @ .., last] if !required.is_empty() && is_unfinished(*last) => (required, Some(*last)),
        _ => (content, None),
    }
}

/// Returns the words of a run: several where a script without spaces has signs for *and*.
fn wanted(text: &Text, language: Language, content: &[usize], number: usize) -> Vec<Wanted> {
    let run = content[number];
    let range = text.runs[run].clone();
    let segments = text.segments(range.clone(), language);
    let is_one = segments.len() == 1;
    let neighbour =
        |number: Option<usize>, run: usize| number.is_some_and(|number| content.get(number) == Some(&run));
    let mut ranges = Vec::new();
    if is_one && run > 0 && neighbour(number.checked_sub(1), run - 1) {
        ranges.push(text.runs[run - 1].start..range.end);
    }
    if is_one && neighbour(Some(number + 1), run + 1) {
        ranges.push(range.start..text.runs[run + 1].end);
    }
    let chain = chain(text, run);
    let is_joined = chain != range;
    if is_joined && !ranges.contains(&chain) {
        ranges.push(chain);
    }
    let wanted = segments.into_iter().map(|segment| {
        let phrase = Phrase::new(text, cut(segment.clone()));
        let is_complete = text.ends_with_sign(segment);
        let forms = if is_complete {
            Vec::new()
        } else {
            language.forms(&phrase.folded)
        };
        Wanted {
            is_complete,
            is_joined,
            joined: ranges
                .iter()
                .map(|range| Phrase::new(text, cut(range.clone())))
                .collect(),
            forms,
            phrase,
        }
    });
    wanted.collect()
}

/// Returns the letters of all words that signs join to a word.
fn chain(text: &Text, run: usize) -> Range<usize> {
    let is_joined = |run: &usize| text.joints[*run].is_some();
    let first = (1..=run)
        .rev()
        .take_while(is_joined)
        .last()
        .map_or(run, |joined| joined - 1);
    let last = (run + 1..text.runs.len())
        .take_while(is_joined)
        .last()
        .unwrap_or(run);
    text.runs[first].start..text.runs[last].end
}

/// Divides words: the longest must be met, the next ones rank.
fn longest(words: Vec<Wanted>) -> (Vec<Wanted>, Vec<Phrase>) {
    if words.len() <= MAX_WORDS {
        return (words, Vec::new());
    }
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_by_key(|number| std::cmp::Reverse(words[*number].phrase.letters()));
    let (required, others) = order.split_at(MAX_WORDS);
    let others = others
        .iter()
        .take(MAX_OTHERS)
        .map(|number| words[*number].phrase.clone());
    let others = others.collect();
    let required: Vec<usize> = required.to_vec();
    let words = words
        .into_iter()
        .enumerate()
        .filter(|(number, _)| required.contains(number));
    (words.map(|(_, word)| word).collect(), others)
}
