//! The matches of a query in a name: ranges of UTF-16 code units over the displayed text.

use std::ops::Range;

use crate::search::entry::Kind;
use crate::search::fold::{Letter, Text};
use crate::search::key::cut;
use crate::search::language::Language;
use crate::search::query::inside::{letters_inside, splits};
use crate::search::query::plan::{Plan, Wanted};
use crate::search::query::typo::{Allowance, Automaton};
use crate::search::query::{Match, Phrase};

/// Returns the ranges of a name that a query matches, ascending and disjoint.
pub(crate) fn ranges(
    name: &str,
    kind: Kind,
    matched: Match,
    plan: &Plan,
    language: Language,
) -> Vec<Range<u32>> {
    let text = Text::fold(name);
    let letters = match (matched, kind) {
        (Match::Whole | Match::Folded, Kind::Notation) => std::iter::once(0..text.letters.len()).collect(),
        (Match::Whole | Match::Folded, _) => text.runs.clone(),
        (Match::Start, Kind::Notation) => start_of_notation(plan, &text),
        (Match::Start, _) => start_of_name(plan, &text, language),
        (Match::Word, _) => words(plan, |word| met(word, &text)),
        (Match::Inside, _) => words(plan, |word| {
            met(word, &text).or_else(|| inside(word, &text, language))
        }),
        (Match::Typo, _) => words(plan, |word| {
            met(word, &text).or_else(|| nearest_word(&word.phrase, &text))
        }),
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
fn start_of_notation(plan: &Plan, text: &Text) -> Vec<Range<usize>> {
    let end = (plan.notation.letters() as usize).min(text.letters.len());
    std::iter::once(0..end).collect()
}

fn start_of_name(plan: &Plan, text: &Text, language: Language) -> Vec<Range<usize>> {
    let mut rest = plan.name.folded.split(' ');
    let runs = text
        .content(language)
        .into_iter()
        .map(|run| text.runs[run].clone());
    runs.map_while(|run| {
        let length = rest.next()?.chars().count();
        Some(run.start..run.end.min(run.start + length))
    })
    .collect()
}

fn words(plan: &Plan, find: impl Fn(&Wanted) -> Option<Range<usize>>) -> Vec<Range<usize>> {
    plan.words.iter().filter_map(find).collect()
}

/// Returns what meets a word: itself, it and its neighbours as one, or another form of it.
fn met(word: &Wanted, text: &Text) -> Option<Range<usize>> {
    let joined = || word.joined.iter().find_map(|joined| start_of_word(joined, text));
    let form = || {
        let is_form = |run: &&Range<usize>| {
            word.forms
                .contains(&text.folded(cut((*run).clone())).into_owned())
        };
        text.runs.iter().find(is_form).cloned()
    };
    let itself = || start_of_word(&word.phrase, text);
    let first = if word.is_joined {
        joined().or_else(itself)
    } else {
        itself().or_else(joined)
    };
    first.or_else(form)
}

/// Returns the first word that begins with a word of the query, preferring one whose marks agree.
fn start_of_word(word: &Phrase, text: &Text) -> Option<Range<usize>> {
    let begins = |found: &Range<usize>| text.folded(found.clone()).starts_with(&word.folded);
    let agrees = |found: &Range<usize>| text.surface(found.clone()).starts_with(&word.surface);
    let starts = || text.starts().chain(text.joined()).map(cut);
    let found = starts().filter(begins).find(agrees);
    let found = found.or_else(|| starts().find(begins))?;
    Some(found.start..found.start + word.letters() as usize)
}

/// Returns the part of the first word that a word is inside of, or the first of the two words that it is.
fn inside(word: &Wanted, text: &Text, language: Language) -> Option<Range<usize>> {
    let part = text.starts().map(cut).find_map(|found| {
        let inside = letters_inside(&text.folded(found.clone()), &word.phrase, language)?;
        Some(found.start + inside.start..found.start + inside.end)
    });
    let first = || {
        splits(&word.phrase).find_map(|(first, second)| {
            let begins = |run: &Range<usize>| text.folded(run.clone()).starts_with(second);
            text.starts().find(begins)?;
            text.runs
                .iter()
                .find(|run| text.folded((*run).clone()) == first)
                .cloned()
        })
    };
    part.or_else(first)
}

/// Returns the start of the first word that is nearest to a word of the query.
fn nearest_word(word: &Phrase, text: &Text) -> Option<Range<usize>> {
    let first = word.folded.chars().next()?;
    let nearest = |allowance| {
        let candidates = text.starts().chain(text.joined()).map(cut).filter_map(|found| {
            let folded = text.folded(found.clone());
            let rest = folded.strip_prefix(first)?;
            let mut automaton = Automaton::new(word, allowance)?;
            let nearness = automaton.nearness(rest.as_bytes(), 0)?;
            Some((nearness.edits, found.start..found.start + 1 + automaton.nearest()))
        });
        Some(candidates.min_by_key(|(edits, _)| *edits)?.1)
    };
    nearest(Allowance::Usual).or_else(|| nearest(Allowance::Last))
}
