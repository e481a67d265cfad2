//! Names as an automaton, and what a text mentions of them.

use taxonomy_index::search::Language;
use taxonomy_index::search::mention::{Automaton, Extraction, Mention, write};

use crate::object::{OwnEntry, entries};

pub(crate) fn english() -> Language {
    Language::parse("en")
}

pub(crate) fn part(names: &[OwnEntry]) -> Vec<u8> {
    write(english(), &entries(names)).unwrap()
}

/// A mention: its place, and the ordinals of its candidates with the number of their culture.
pub(crate) type Found = (std::ops::Range<u32>, Vec<(usize, u32)>);

fn found(mention: &Mention<'_>) -> Found {
    let candidates = mention.candidates.iter();
    let candidates = candidates.map(|candidate| (candidate.automaton, candidate.ordinal));
    (mention.range.clone(), candidates.collect())
}

/// Returns the mentions of the names of several cultures.
pub(crate) fn mentions(text: &str, parts: &[Vec<u8>], admits: impl Fn(u32, bool) -> bool) -> Vec<Found> {
    let automata: Vec<Automaton<'_>> = parts.iter().map(|part| Automaton::open(part).unwrap()).collect();
    let extraction = Extraction::new(text, &automata);
    let mentions = extraction.mentions(0, admits);
    mentions.map(|mention| found(&mention)).collect()
}
