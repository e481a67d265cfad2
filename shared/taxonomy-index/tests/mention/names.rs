//! Names with what the automaton is written from.

use taxonomy_index::search::mention::{Automaton, Extraction, Mention, write};
use taxonomy_index::search::{Entry, Kind, Language};

/// A name with its own text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnName {
    pub(crate) ordinal: u32,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) deprecated: bool,
}

impl OwnName {
    pub(crate) fn new(ordinal: u32, name: &str) -> Self {
        Self {
            ordinal,
            name: name.to_owned(),
            kind: Kind::Preferred,
            deprecated: false,
        }
    }
}

pub(crate) fn english() -> Language {
    Language::parse("en")
}

pub(crate) fn part(names: &[OwnName]) -> Vec<u8> {
    part_in(english(), names)
}

pub(crate) fn part_in(language: Language, names: &[OwnName]) -> Vec<u8> {
    let entries = names.iter().map(|name| Entry {
        ordinal: name.ordinal,
        id: name.ordinal.into(),
        name: &name.name,
        kind: name.kind,
        depth: 1,
        deprecated: name.deprecated,
        sort_key: "",
    });
    write(language, &entries.collect::<Vec<_>>()).unwrap()
}

/// A mention: its place, and the ordinals of its candidates with the number of their culture.
pub(crate) type Found = (std::ops::Range<u32>, Vec<(usize, u32)>);

pub(crate) fn found(mention: &Mention<'_>) -> Found {
    let candidates = mention.candidates.iter();
    let candidates = candidates.map(|candidate| (candidate.automaton, candidate.ordinal));
    (mention.range.clone(), candidates.collect())
}

/// Returns the mentions of the names of several cultures.
pub(crate) fn mentions(text: &str, parts: &[Vec<u8>], admits: impl Fn(u32, bool) -> bool) -> Vec<Found> {
    let automata: Vec<Automaton<'_>> = parts.iter().map(|part| Automaton::open(part).unwrap()).collect();
    let extraction = Extraction::new(text, &automata);
    extraction
        .mentions(0, admits)
        .map(|mention| found(&mention))
        .collect()
}
