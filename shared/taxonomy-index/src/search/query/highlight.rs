//! The matches of a query in a name: ranges of UTF-16 code units over the displayed text.

use std::ops::Range;

use crate::search::entry::Kind;
use crate::search::fold::{Letter, Text};
use crate::search::key::cut;
use crate::search::query::typo::Automaton;
use crate::search::query::{Match, Phrase, Query};

/// Returns the ranges of a name that a query matches, ascending and disjoint.
pub(crate) fn ranges(name: &str, kind: Kind, matched: Match, query: &Query) -> Vec<Range<u32>> {
    let text = Text::fold(name);
    let letters = match (matched, kind) {
        (Match::Whole | Match::Start, Kind::Notation) => start_of_notation(query, &text),
        (Match::Whole | Match::Start, _) => start_of_name(query, &text),
        (Match::Word, _) => words(query, |word| start_of_word(word, &text)),
        (Match::Typo, _) => words(query, |word| nearest_word(word, &text)),
    };
    let mut ranges: Vec<Range<u32>> = letters
        .into_iter()
        .filter_map(|range| shown(text.letters.get(range)?))
        .collect();
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    ranges.dedup_by(|next, kept| {
        let overlaps = next.start < kept.end;
        if overlaps {
            kept.end = kept.end.max(next.end);
        }
        overlaps
    });
    ranges
}

fn shown(letters: &[Letter]) -> Option<Range<u32>> {
    Some(letters.first()?.start..letters.last()?.end)
}

/// Separators inside a notation belong to the range.
fn start_of_notation(query: &Query, text: &Text) -> Vec<Range<usize>> {
    let end = (query.notation.letters() as usize).min(text.letters.len());
    std::iter::once(0..end).collect()
}

fn start_of_name(query: &Query, text: &Text) -> Vec<Range<usize>> {
    let mut rest = query.name.folded.split(' ');
    let runs = text.runs.iter();
    runs.map_while(|run| {
        let length = rest.next()?.chars().count();
        Some(run.start..run.end.min(run.start + length))
    })
    .collect()
}

fn words(query: &Query, find: impl FnMut(&Phrase) -> Option<Range<usize>>) -> Vec<Range<usize>> {
    query.words.iter().filter_map(find).collect()
}

/// Returns the first word that begins with a word of the query, preferring one whose marks agree.
fn start_of_word(word: &Phrase, text: &Text) -> Option<Range<usize>> {
    let begins = |found: &Range<usize>| text.folded(found.clone()).starts_with(&word.folded);
    let agrees = |found: &Range<usize>| text.surface(found.clone()).starts_with(&word.surface);
    let found = text.starts().map(cut).filter(begins).find(agrees);
    let found = found.or_else(|| text.starts().map(cut).find(begins))?;
    Some(found.start..found.start + word.letters() as usize)
}

/// Returns the start of the first word that is nearest to a word of the query.
fn nearest_word(word: &Phrase, text: &Text) -> Option<Range<usize>> {
    if word.typos() == 0 {
        return start_of_word(word, text);
    }
    let first = word.folded.chars().next()?;
    let candidates = text.starts().map(cut).filter_map(|found| {
        let folded = text.folded(found.clone());
        let rest = folded.strip_prefix(first)?;
        let mut automaton = Automaton::new(word);
        let edits = automaton.edits(rest.as_bytes(), 0)?;
        Some((edits, found.start..found.start + 1 + automaton.nearest()))
    });
    Some(candidates.min_by_key(|(edits, _)| *edits)?.1)
}
