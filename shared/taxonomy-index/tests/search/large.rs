//! Answers over enough names that frequent prefixes have short lists, and lists are longer than a page.

use std::sync::LazyLock;

use taxonomy_index::search::{Query, SearchOptions};

use crate::answers::{found, options};
use crate::object::{KINDS, Object, OwnEntry};
use crate::reading::Language;
use crate::reference::{self, Filter, Name};
use crate::symbols::{GAP, SCRIPTS, Symbol, folded, written};

const NAMES: u32 = 8_000;

struct Large {
    names: Vec<Name>,
    symbols: Vec<Vec<Symbol>>,
    object: Object,
}

/// Words of a few letters, so that every prefix of one or two letters is frequent, in two scripts that have marks and one that has no
/// spaces.
fn symbols(rng: &mut fastrand::Rng) -> Vec<Symbol> {
    let scripts = [0, 0, 1, 1, 3, 8];
    let mut symbols = Vec::new();
    for word in 0..rng.usize(1..4) {
        let script = &SCRIPTS[scripts[rng.usize(..scripts.len())]];
        if word > 0 {
            symbols.push(GAP);
        }
        // The first letters are frequent: a square draws towards 0.
        let (letters, count) = (rng.usize(1..8), script.len());
        symbols.extend((0..letters).map(|_| script[rng.usize(..count) * rng.usize(..count) / count]));
    }
    symbols
}

impl Large {
    /// Names of these texts; each entry is made of its number and its text.
    fn of(symbols: Vec<Vec<Symbol>>, entry: impl FnMut((u32, &Vec<Symbol>)) -> OwnEntry) -> Self {
        let entries: Vec<OwnEntry> = (0..).zip(&symbols).map(entry).collect();
        let object = Object::of(&entries);
        let names = entries.into_iter().zip(&symbols);
        let names = names.map(|(entry, symbols)| Name::new(entry, symbols, Language::English));
        Self {
            names: names.collect(),
            symbols,
            object,
        }
    }

    /// Two names a term.
    fn in_pairs(symbols: Vec<Vec<Symbol>>, rng: &mut fastrand::Rng) -> Self {
        Self::of(symbols, |(number, symbols)| OwnEntry {
            depth: rng.u8(1..4),
            deprecated: rng.u8(..4) == 0,
            ..OwnEntry::new(number / 2, &written(symbols))
        })
    }
}

static LARGE: LazyLock<Large> = LazyLock::new(|| {
    let mut rng = fastrand::Rng::with_seed(20_261_122);
    let symbols = (0..NAMES).map(|_| symbols(&mut rng)).collect();
    Large::of(symbols, |(_, symbols)| OwnEntry {
        kind: KINDS[rng.usize(..4)],
        depth: rng.u8(1..6),
        deprecated: rng.u8(..10) == 0,
        sort_key: rng.u8(..4).to_string(),
        // Several names a term: some terms have hundreds.
        ..OwnEntry::new(rng.u32(..NAMES / 3) * rng.u32(..2), &written(symbols))
    })
});

/// A start of a name, or words out of two, with a typo now and then.
fn query(large: &Large, rng: &mut fastrand::Rng) -> Vec<Symbol> {
    let mut query = Vec::new();
    for word in 0..rng.usize(1..3) {
        let name = &large.symbols[rng.usize(..large.symbols.len())];
        let from = rng.usize(..name.len());
        let to = (from + 1 + rng.usize(..7)).min(name.len());
        if word > 0 {
            query.push(GAP);
        }
        query.extend_from_slice(&name[from..to]);
    }
    if query.len() > 4 && rng.bool() {
        let at = rng.usize(1..query.len());
        query[at] = SCRIPTS[1][rng.usize(..4)];
    }
    query
}

#[track_caller]
fn check(large: &Large, query: &[Symbol], limit: usize, filter: &Filter) {
    let (expect, count) = reference::answer(&large.names, query, Language::English, limit, filter);
    let (found, total) = found(&large.object, &written(query), &options(limit, filter));
    let asked = format!("{} {filter:?}", written(query));
    assert_eq!(found, expect, "{asked}");
    assert!(total.is_none_or(|total| total == count), "{asked}");
}

#[test]
fn frequent_prefixes_are_answered_as_all_others() {
    let large = &*LARGE;
    for script in [0, 1, 3, 8].map(|script| &SCRIPTS[script]) {
        for first in script {
            let of_state = [None, Some(false), Some(true)].map(|deprecated| Filter {
                deprecated,
                ..Filter::default()
            });
            let of_terms = [0..40, 500..900].map(|terms| Filter {
                within: Some(vec![terms]),
                ..Filter::default()
            });
            for filter in of_state.iter().chain(&of_terms) {
                check(large, &[*first], 50, filter);
            }
            for second in script.iter().take(4) {
                check(large, &[*first, *second], 50, &Filter::default());
                check(large, &[*first, GAP, *second], 20, &Filter::default());
            }
        }
    }
}

#[test]
fn any_query_is_answered_as_by_a_search_of_every_name() {
    let large = &*LARGE;
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..150 {
        let query = query(large, &mut rng);
        let within = (rng.u8(..3) == 0).then(|| {
            let from = rng.u32(..NAMES / 3);
            let terms = from..from + rng.u32(1..3000);
            vec![terms]
        });
        let filter = Filter {
            within,
            deprecated: (rng.u8(..3) == 0).then(|| rng.bool()),
            ..Filter::default()
        };
        check(large, &query, rng.usize(1..51), &filter);
    }
}

#[test]
fn a_frequent_prefix_takes_few_reads() {
    let large = &*LARGE;
    let (query, options) = (Query::parse("a").unwrap(), SearchOptions::new(10).unwrap());
    let (answer, reads) = large.object.read(&query, &options).unwrap();
    assert_eq!(answer.hits.len(), 10);
    assert!(reads.rounds <= 4, "{} rounds", reads.rounds);
    assert!(reads.bytes < 1 << 20, "{} bytes", reads.bytes);
}

/// Four letters, three of which differ by marks alone: prefixes of three letters are frequent still.
#[test]
fn short_lists_know_where_marks_begin() {
    let letters = [0, 2, 6, 9].map(|at| SCRIPTS[0][at]);
    let mut rng = fastrand::Rng::with_seed(5);
    let name = |_| -> Vec<Symbol> {
        let length = rng.usize(4..8);
        let symbols = (0..length).map(|_| letters[rng.usize(..4).max(rng.usize(..3))]);
        symbols.collect()
    };
    let symbols = (0..5000).map(name).collect();
    let large = Large::in_pairs(symbols, &mut rng);
    let frequent = large.symbols.iter().map(|symbols| folded(symbols));
    let frequent = frequent.filter(|name| name.starts_with("eee")).count();
    assert!(frequent > 2048, "there is a short list");
    for a in letters {
        for b in letters {
            check(&large, &[a, b], 50, &Filter::default());
            for c in letters {
                check(&large, &[a, b, c], 30, &Filter::default());
            }
        }
    }
}

/// Of the words of a name most begin with one letter, with marks or without: with it begin so many that it has a map.
#[test]
fn words_beside_a_map_are_found_with_their_marks() {
    let bytes = check_beside_map([2, 6, 9, 0], 30_000);
    // The map has a bit a name; the list would take some 260,000 bytes more.
    assert!(bytes < 600_000, "{bytes} bytes");
    // So many have a mark that those alone would have a map, if they had any.
    check_beside_map([6, 2, 9, 0], 48_000);
}

/// Returns the bytes that a search for a rare and a frequent word reads.
fn check_beside_map(letters: [usize; 4], names: u32) -> u64 {
    let letters = letters.map(|at| SCRIPTS[0][at]);
    let mut rng = fastrand::Rng::with_seed(7);
    let mut name = |number: u32| {
        let number = number as usize;
        let mut symbols = vec![letters[3], letters[number % 4], letters[number / 4 % 4]];
        for _ in 0..4 {
            symbols.push(GAP);
            symbols.extend((0..rng.usize(2..5)).map(|_| letters[rng.usize(..4).min(rng.usize(..5))]));
        }
        symbols
    };
    let symbols: Vec<Vec<Symbol>> = (0..names).map(&mut name).collect();
    let words = symbols.iter();
    let words = words.flat_map(|symbols| symbols.split(|symbol| *symbol == GAP));
    let frequent = words.filter(|word| folded(word).starts_with('e')).count();
    assert!(frequent > 1 << 16, "there is a map");
    let large = Large::in_pairs(symbols, &mut rng);
    let [e, marked, other, rare] = letters;
    for start in [&[e] as &[Symbol], &[marked], &[e, e], &[other, rare]] {
        for word in [&[rare, e, rare] as &[Symbol], &[rare, marked], &[e, other, e]] {
            let query = [word, &[GAP], start].concat();
            check(&large, &query, 30, &Filter::default());
        }
    }
    let query = Query::parse(&written(&[rare, e, rare, GAP, e])).unwrap();
    let (_, reads) = large
        .object
        .read(&query, &options(30, &Filter::default()))
        .unwrap();
    reads.bytes
}

/// Blocks of the dictionary that hold nothing near are not read; a word near is in any of the others.
#[test]
fn typos_are_found_in_every_block() {
    let mut rng = fastrand::Rng::with_seed(9);
    let mut word = || -> String { (0..7).map(|_| rng.lowercase()).collect() };
    let entry = |ordinal| OwnEntry::new(ordinal, &format!("d{}", word()));
    let entries: Vec<OwnEntry> = (0..12_000).map(entry).collect();
    let object = Object::of(&entries);
    for entry in entries.iter().step_by(200) {
        for at in 1..8 {
            let mut query = entry.name.clone();
            let letter = if query.as_bytes()[at] == b'q' { "z" } else { "q" };
            query.replace_range(at..=at, letter);
            assert!(object.names(&query).contains(&entry.name), "{query}");
        }
    }
    let query = Query::parse("dxxqxxxx").unwrap();
    let (_, reads) = object.read(&query, &SearchOptions::new(10).unwrap()).unwrap();
    let all = object.bytes.len() as u64;
    assert!(reads.bytes < all / 2, "{} bytes", reads.bytes);
}

/// The bounds of docs/decisions/0019-search.md.
#[test]
fn postings_beyond_the_bound_are_left_out_and_said_so() {
    let entry = |number: u32| OwnEntry::new(number, &format!("ax{} bx{}", number % 7, number % 11));
    let entries: Vec<OwnEntry> = (0..160_000).map(entry).collect();
    let object = Object::of(&entries);
    let search = |query: &str, within: Option<std::ops::Range<u32>>| {
        let mut options = SearchOptions::new(10).unwrap();
        options.filter.within = within.map(|terms| vec![terms]);
        let answer = object.search(query, &options);
        (answer.hits.len(), answer.truncated)
    };
    for (query, expect, why) in [
        ("b", (10, false), "a short list"),
        ("a b", (10, true), "more postings than are read, of two words"),
        ("bx3 a", (10, false), "a rare word and a frequent one"),
        ("a b ax bx a b a b", (10, true), "until nothing is left to read"),
    ] {
        assert_eq!(search(query, None), expect, "{why}");
    }
    assert!(search("b", Some(0..100)).1, "more postings than are read");
    assert_eq!(search("a b ax bx axxxx1 bxaaaa", None).0, 0, "typos");
}
