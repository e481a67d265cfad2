//! A search that looks at every name, letter by letter. It shares no code with the index.

use taxonomy_index::search::{Kind, Match};

use crate::object::OwnEntry;
use crate::symbols::{Symbol, folded, surface, words};

/// A name in symbols.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    pub(crate) entry: OwnEntry,
    whole: Words,
    /// From each place where a word starts, folded and surface.
    starts: Vec<(String, String)>,
}

#[derive(Debug, Clone)]
struct Words {
    words: Vec<(String, String)>,
    name: (String, String),
    notation: String,
}

impl Words {
    fn of(symbols: &[Symbol]) -> Self {
        let words: Vec<(String, String)> = words(symbols)
            .into_iter()
            .map(|word| (folded(word), surface(word)))
            .collect();
        let of = |part: fn(&(String, String)) -> &str| words.iter().map(part).collect::<Vec<_>>();
        Self {
            name: (of(|word| &word.0).join(" "), of(|word| &word.1).join(" ")),
            notation: of(|word| &word.0).concat(),
            words,
        }
    }
}

/// A filter of an answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    pub(crate) within: Option<std::ops::Range<u32>>,
    pub(crate) deprecated: Option<bool>,
}

/// A hit: ordinal, name, match.
pub(crate) type Found = (u32, String, Match);

impl Name {
    pub(crate) fn new(entry: OwnEntry, symbols: &[Symbol]) -> Self {
        let mut starts = Vec::new();
        for word in words(symbols) {
            for at in 0..word.len() {
                if at == 0 || word[at].is_unspaced || word[at - 1].is_unspaced {
                    starts.push((folded(&word[at..]), surface(&word[at..])));
                }
            }
        }
        Self {
            entry,
            whole: Words::of(symbols),
            starts,
        }
    }

    /// Returns how the name matches: the class, the edits, whether the marks differ.
    fn matches(&self, query: &Words) -> Option<(Match, usize, bool)> {
        let entry = &self.entry;
        let (name, marks) = &self.whole.name;
        if entry.kind == Kind::Notation {
            if self.whole.notation == query.notation {
                return Some((Match::Whole, 0, false));
            }
            if self.whole.notation.starts_with(&query.notation) {
                return Some((Match::Start, 0, false));
            }
        } else if *name == query.name.0 {
            return Some((Match::Whole, 0, *marks != query.name.1));
        } else if name.starts_with(&query.name.0) {
            return Some((Match::Start, 0, !marks.starts_with(&query.name.1)));
        }
        let has = |word: &(String, String)| self.starts.iter().any(|start| start.0.starts_with(&word.0));
        let has_marks =
            |word: &(String, String)| self.starts.iter().any(|start| start.1.starts_with(&word.1));
        if query.words.iter().all(has) {
            return Some((Match::Word, 0, !query.words.iter().all(has_marks)));
        }
        let edits: Option<usize> = query
            .words
            .iter()
            .map(|word| {
                self.starts
                    .iter()
                    .filter_map(|start| near(&word.0, &start.0))
                    .min()
            })
            .sum();
        Some((Match::Typo, edits?, false))
    }
}

/// Returns the edits from a word to the nearest start of a text, where they are forgiven.
fn near(word: &str, text: &str) -> Option<usize> {
    let (word, text): (Vec<char>, Vec<char>) = (word.chars().collect(), text.chars().collect());
    if word[0] != text[0] {
        return None;
    }
    let has_digit = word.iter().any(char::is_ascii_digit);
    let forgiven = match word.len() {
        _ if has_digit => 0,
        0..5 => 0,
        5..9 => 1,
        _ => 2,
    };
    let (word, text) = (&word[1..], &text[1..]);
    let nearest = (0..=text.len())
        .map(|length| distance(word, &text[..length]))
        .min()?;
    (nearest <= forgiven).then_some(nearest)
}

/// The distance of optimal string alignment.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut cells = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if i == 0 || j == 0 {
                cells[i][j] = i + j;
                continue;
            }
            let replaced = cells[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(cells[i - 1][j] + 1).min(cells[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(cells[i - 2][j - 2] + 1);
            }
            cells[i][j] = least;
        }
    }
    cells[a.len()][b.len()]
}

/// Returns the best names, one a term.
pub(crate) fn answer(names: &[Name], query: &[Symbol], limit: usize, filter: &Filter) -> Vec<Found> {
    let query = Words::of(query);
    if query.words.is_empty() {
        return Vec::new();
    }
    let admitted = names.iter().filter(|name| {
        let within = filter.within.as_ref();
        within.is_none_or(|within| within.contains(&name.entry.ordinal))
            && filter
                .deprecated
                .is_none_or(|deprecated| name.entry.deprecated == deprecated)
    });
    let mut found: Vec<_> = admitted
        .filter_map(|name| {
            let (matched, edits, differs) = name.matches(&query)?;
            let entry = &name.entry;
            let of_match = (matched, edits, entry.kind, differs, entry.deprecated);
            let of_term = (entry.depth, entry.name.chars().count(), &entry.sort_key, entry.id);
            Some((of_match, of_term, entry.ordinal, &entry.name))
        })
        .collect();
    found.sort();
    let mut best: Vec<Found> = Vec::new();
    for ((matched, ..), _, ordinal, name) in found {
        if best.len() < limit && best.iter().all(|other| other.0 != ordinal) {
            best.push((ordinal, name.clone(), matched));
        }
    }
    best
}
