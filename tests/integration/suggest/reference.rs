//! The reference model of suggestions: a search of every name of a file, letter by letter. It shares no code with the service: it reads the
//! JSON, and has its own table of the letters in these tests.

use serde_json::Value;

/// How a name matches, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Whole,
    Start,
    Word,
    Typo,
}

impl Class {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Start => "start",
            Self::Word => "word",
            Self::Typo => "typo",
        }
    }
}

/// A term of a file with its position.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub(super) id: u64,
    category: u64,
    /// The lineage, nearest first.
    ancestors: Vec<u64>,
    depth: usize,
    deprecated: bool,
    sort_key: String,
    names: Vec<(String, String)>,
    alt_names: Vec<(String, String)>,
    notation: Option<String>,
}

/// The terms that a request may find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    All,
    Category(u64),
    Below(u64),
}

/// A request for suggestions.
#[derive(Debug, Clone)]
pub(super) struct Asked<'a> {
    pub(super) query: &'a str,
    /// The cultures to search, in their order.
    pub(super) cultures: &'a [&'a str],
    pub(super) limit: usize,
    pub(super) scope: Scope,
    pub(super) deprecated: Option<bool>,
}

/// A hit: id, name, kind (0 preferred, 1 alternative, 2 notation), class, culture.
pub(super) type Found = (u64, String, u8, Class, String);

/// Returns the terms of a file.
pub(super) fn terms(file: &Value) -> Vec<Term> {
    let mut terms = Vec::new();
    for category in list(&file["categories"]) {
        let id = category["id"].as_u64().unwrap();
        collect(&category["terms"], id, &[], &mut terms);
    }
    terms
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn texts(value: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let texts = list(value).iter();
    texts
        .map(|name| (text(&name["culture"]), text(&name["name"])))
        .collect()
}

fn collect(from: &Value, category: u64, ancestors: &[u64], terms: &mut Vec<Term>) {
    for term in list(from) {
        let id = term["id"].as_u64().unwrap();
        terms.push(Term {
            id,
            category,
            ancestors: ancestors.to_vec(),
            depth: ancestors.len() + 1,
            deprecated: term["deprecated"] == true,
            sort_key: term["sortKey"].as_str().unwrap_or_default().to_owned(),
            names: texts(&term["names"]),
            alt_names: texts(&term["altNames"]),
            notation: term["notation"].as_str().map(str::to_owned),
        });
        let below: Vec<u64> = [id].into_iter().chain(ancestors.iter().copied()).collect();
        collect(&term["children"], category, &below, terms);
    }
}

/// A letter: compared without its mark and with it, and whether words in its script need no space after it.
#[derive(Debug, Clone)]
struct Letter {
    folded: char,
    marked: String,
    is_ideograph: bool,
}

/// The letters of these tests that have a mark, with the letter without it.
const MARKED: &[(char, char)] = &[
    ('é', 'e'),
    ('è', 'e'),
    ('ê', 'e'),
    ('û', 'u'),
    ('ö', 'o'),
    ('ø', 'o'),
    ('å', 'a'),
    ('ñ', 'n'),
    ('й', 'и'),
    ('ά', 'α'),
    ('έ', 'ε'),
    ('ό', 'ο'),
    ('ک', 'ك'),
];

/// Returns the words of a text: letters and digits between any other characters.
fn words(text: &str) -> Vec<Vec<Letter>> {
    let mut words = vec![Vec::new()];
    for letter in text.chars().flat_map(char::to_lowercase) {
        let folded = MARKED.iter().find(|(marked, _)| *marked == letter);
        match letter {
            'ß' => words.last_mut().unwrap().extend([plain('s'), plain('s')]),
            'ς' => words.last_mut().unwrap().push(plain('σ')),
            _ if letter.is_alphanumeric() => words.last_mut().unwrap().push(Letter {
                folded: folded.map_or(letter, |(_, plain)| *plain),
                marked: letter.to_string(),
                is_ideograph: ('\u{4e00}'..'\u{a000}').contains(&letter),
            }),
            _ => words.push(Vec::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn plain(letter: char) -> Letter {
    Letter {
        folded: letter,
        marked: letter.to_string(),
        is_ideograph: false,
    }
}

fn folded(word: &[Letter]) -> String {
    word.iter().map(|letter| letter.folded).collect()
}

fn marked(word: &[Letter]) -> String {
    word.iter().map(|letter| &*letter.marked).collect()
}

fn joined(words: &[Vec<Letter>], part: fn(&[Letter]) -> String, separator: &str) -> String {
    words
        .iter()
        .map(|word| part(word))
        .collect::<Vec<_>>()
        .join(separator)
}

/// Returns the rest of a name from each place where a word may begin.
fn beginnings(words: &[Vec<Letter>]) -> Vec<&[Letter]> {
    let of_word = |word| -> Vec<&[Letter]> {
        let word: &Vec<Letter> = word;
        let begins = |at: &usize| *at == 0 || word[*at].is_ideograph || word[*at - 1].is_ideograph;
        (0..word.len()).filter(begins).map(|at| &word[at..]).collect()
    };
    words.iter().flat_map(of_word).collect()
}

/// Returns how a name matches a query: class, typos, whether marks differ.
fn matches(query: &[Vec<Letter>], name: &str, is_notation: bool) -> Option<(Class, usize, bool)> {
    let words = words(name);
    let separator = if is_notation { "" } else { " " };
    let (wanted, has) = (
        joined(query, folded, separator),
        joined(&words, folded, separator),
    );
    if has.starts_with(&wanted) {
        let (wanted_marks, marks) = (
            joined(query, marked, separator),
            joined(&words, marked, separator),
        );
        return Some(match has == wanted {
            true => (Class::Whole, 0, !is_notation && marks != wanted_marks),
            false => (Class::Start, 0, !is_notation && !marks.starts_with(&wanted_marks)),
        });
    }
    let beginnings = beginnings(&words);
    let begins = |part: fn(&[Letter]) -> String, word: &[Letter]| {
        beginnings
            .iter()
            .any(|found| part(found).starts_with(&part(word)))
    };
    if query.iter().all(|word| begins(folded, word)) {
        return Some((Class::Word, 0, !query.iter().all(|word| begins(marked, word))));
    }
    let typos = query.iter().map(|word| {
        let word: Vec<char> = folded(word).chars().collect();
        let near = beginnings
            .iter()
            .filter_map(|found| typos(&word, &folded(found).chars().collect::<Vec<_>>()));
        near.min()
    });
    Some((Class::Typo, typos.sum::<Option<usize>>()?, false))
}

/// Returns the typos between a word and the nearest beginning of another, if they are allowed.
fn typos(word: &[char], found: &[char]) -> Option<usize> {
    let forgiven = match word.len() {
        _ if word.iter().any(char::is_ascii_digit) => 0,
        0..=4 => 0,
        5..=8 => 1,
        _ => 2,
    };
    if word[0] != found[0] {
        return None;
    }
    let lengths = 1..=found.len();
    let nearest = lengths
        .map(|length| distance(&word[1..], &found[1..length]))
        .min()?;
    (nearest <= forgiven).then_some(nearest)
}

/// Returns the number of insertions, deletions, replacements and swaps of neighbours, by recursion over the last letters.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for (i, from) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, to) in b.iter().enumerate() {
            let mut least = (rows[i][j] + usize::from(from != to))
                .min(rows[i][j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *to && b[j - 1] == *from {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// Returns the best names of the first culture that has any, one a term.
pub(super) fn answer(terms: &[Term], asked: &Asked<'_>) -> Vec<Found> {
    let query = words(asked.query);
    if query.is_empty() {
        return Vec::new();
    }
    let found = asked
        .cultures
        .iter()
        .map(|culture| in_culture(terms, asked, &query, culture));
    found
        .into_iter()
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

fn in_culture(terms: &[Term], asked: &Asked<'_>, query: &[Vec<Letter>], culture: &str) -> Vec<Found> {
    let is_in_scope = |term: &&Term| match asked.scope {
        Scope::All => true,
        Scope::Category(id) => term.category == id,
        Scope::Below(id) => term.ancestors.contains(&id),
    };
    let is_in_state = |term: &&Term| asked.deprecated.is_none_or(|state| term.deprecated == state);
    let mut found = Vec::new();
    for term in terms.iter().filter(is_in_scope).filter(is_in_state) {
        let of = |names: &[(String, String)], kind: u8| -> Vec<(String, u8)> {
            let names = names.iter().filter(|(tag, _)| tag == culture);
            names.map(|(_, name)| (name.clone(), kind)).collect()
        };
        let mut names = [of(&term.names, 0), of(&term.alt_names, 1)].concat();
        if !names.is_empty() {
            names.extend(term.notation.clone().map(|notation| (notation, 2)));
        }
        for (name, kind) in names {
            if let Some((class, typos, differs)) = matches(query, &name, kind == 2) {
                let of_match = (class, typos, kind, differs, term.deprecated);
                let of_term = (term.depth, name.chars().count(), term.sort_key.clone(), term.id);
                found.push((of_match, of_term, name));
            }
        }
    }
    found.sort();
    let mut best: Vec<Found> = Vec::new();
    for (of_match, of_term, name) in found {
        if best.len() < asked.limit && best.iter().all(|other| other.0 != of_term.3) {
            best.push((of_term.3, name, of_match.2, of_match.0, culture.to_owned()));
        }
    }
    best
}
