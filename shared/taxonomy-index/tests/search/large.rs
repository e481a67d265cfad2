//! Answers over enough names that frequent prefixes have short lists, and lists are longer than a page.

use std::sync::OnceLock;

use taxonomy_index::search::{Kind, Query, SearchOptions};

use crate::answers::{found, options};
use crate::object::{Object, OwnEntry};
use crate::reading::Language;
use crate::reference::{self, Filter, Name};
use crate::symbols::{GAP, SCRIPTS, Symbol, written};

const NAMES: u32 = 8_000;

struct Large {
    names: Vec<Name>,
    symbols: Vec<Vec<Symbol>>,
    object: Object,
}

/// Words of a few letters, so that every prefix of one or two letters is frequent, in two scripts that have marks and one that has no
/// spaces.
fn symbols(rng: &mut fastrand::Rng) -> Vec<Symbol> {
    let scripts = [
        SCRIPTS[0], SCRIPTS[0], SCRIPTS[1], SCRIPTS[1], SCRIPTS[3], SCRIPTS[8],
    ];
    let mut symbols = Vec::new();
    for word in 0..rng.usize(1..4) {
        let script = scripts[rng.usize(..scripts.len())];
        if word > 0 {
            symbols.push(GAP);
        }
        // The first letters are frequent: a square draws towards 0.
        symbols.extend(
            (0..rng.usize(1..8))
                .map(|_| script[rng.usize(..script.len()) * rng.usize(..script.len()) / script.len()]),
        );
    }
    symbols
}

fn large() -> &'static Large {
    static LARGE: OnceLock<Large> = OnceLock::new();
    LARGE.get_or_init(|| {
        let mut rng = fastrand::Rng::with_seed(20_261_122);
        let symbols: Vec<Vec<Symbol>> = (0..NAMES).map(|_| symbols(&mut rng)).collect();
        let entries: Vec<OwnEntry> = symbols
            .iter()
            .map(|symbols| OwnEntry {
                kind: [
                    Kind::Preferred,
                    Kind::Preferred,
                    Kind::Alternative,
                    Kind::Notation,
                ][rng.usize(..4)],
                depth: rng.u8(1..6),
                deprecated: rng.u8(..10) == 0,
                sort_key: rng.u8(..4).to_string(),
                // Several names a term: some terms have hundreds.
                ..OwnEntry::new(rng.u32(..NAMES / 3) * rng.u32(..2), &written(symbols))
            })
            .collect();
        let object = Object::of(&entries);
        let names = entries.into_iter().zip(&symbols);
        Large {
            names: names
                .map(|(entry, symbols)| Name::new(entry, symbols, Language::English))
                .collect(),
            symbols,
            object,
        }
    })
}

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
    assert_eq!(found, expect, "{} {filter:?}", written(query));
    assert!(
        total.is_none_or(|total| total == count),
        "{} {filter:?}",
        written(query)
    );
}

#[test]
fn frequent_prefixes_are_answered_as_all_others() {
    let large = large();
    for script in [0, 1, 3, 8].map(|script| SCRIPTS[script]) {
        for first in script {
            for deprecated in [None, Some(false), Some(true)] {
                let filter = Filter {
                    deprecated,
                    ..Filter::default()
                };
                check(large, &[*first], 50, &filter);
            }
            for within in [0..40, 500..900] {
                let within = Some(vec![within]);
                check(
                    large,
                    &[*first],
                    50,
                    &Filter {
                        within,
                        ..Filter::default()
                    },
                );
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
    let large = large();
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..150 {
        let query = query(large, &mut rng);
        let within = (rng.u8(..3) == 0).then(|| {
            let from = rng.u32(..NAMES / 3);
            let terms = from..from + rng.u32(1..3000);
            vec![terms]
        });
        let deprecated = (rng.u8(..3) == 0).then(|| rng.bool());
        check(
            large,
            &query,
            rng.usize(1..51),
            &Filter {
                within,
                deprecated,
                ..Filter::default()
            },
        );
    }
}

#[test]
fn a_frequent_prefix_takes_few_reads() {
    let large = large();
    let (answer, reads) = large
        .object
        .read(&Query::parse("a").unwrap(), &SearchOptions::new(10).unwrap())
        .unwrap();
    assert_eq!(answer.hits.len(), 10);
    assert!(reads.rounds <= 4, "{} rounds", reads.rounds);
    assert!(reads.bytes < 1 << 20, "{} bytes", reads.bytes);
}

/// Four letters, three of which differ by marks alone: prefixes of three letters are frequent still.
#[test]
fn short_lists_know_where_marks_begin() {
    let letters = [0, 2, 6, 9].map(|at| SCRIPTS[0][at]);
    let mut rng = fastrand::Rng::with_seed(5);
    let symbols: Vec<Vec<Symbol>> = (0..5000)
        .map(|_| {
            (0..rng.usize(4..8))
                .map(|_| letters[rng.usize(..4).max(rng.usize(..3))])
                .collect()
        })
        .collect();
    let entry = |(ordinal, symbols): (u32, &Vec<Symbol>)| OwnEntry {
        depth: rng.u8(1..4),
        deprecated: rng.u8(..4) == 0,
        ..OwnEntry::new(ordinal / 2, &written(symbols))
    };
    let entries: Vec<OwnEntry> = (0..).zip(&symbols).map(entry).collect();
    let object = Object::of(&entries);
    let names = entries.into_iter().zip(&symbols);
    let large = Large {
        names: names
            .map(|(entry, symbols)| Name::new(entry, symbols, Language::English))
            .collect(),
        symbols: Vec::new(),
        object,
    };
    let frequent = symbols
        .iter()
        .filter(|symbols| crate::symbols::folded(symbols).starts_with("eee"));
    assert!(frequent.count() > 2048, "there is a short list");
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
    check_beside_map([2, 6, 9, 0], 30_000);
    // So many have a mark that those alone would have a map, if they had any.
    check_beside_map([6, 2, 9, 0], 48_000);
}

fn check_beside_map(letters: [usize; 4], names: u32) {
    let letters = letters.map(|at| SCRIPTS[0][at]);
    let mut rng = fastrand::Rng::with_seed(7);
    let mut name = |number: u32| {
        let mut symbols = vec![
            letters[3],
            letters[number as usize % 4],
            letters[number as usize / 4 % 4],
        ];
        for _ in 0..4 {
            symbols.push(GAP);
            symbols.extend((0..rng.usize(2..5)).map(|_| letters[rng.usize(..4).min(rng.usize(..5))]));
        }
        symbols
    };
    let symbols: Vec<Vec<Symbol>> = (0..names).map(&mut name).collect();
    let entry = |(ordinal, symbols): (u32, &Vec<Symbol>)| OwnEntry {
        depth: rng.u8(1..4),
        deprecated: rng.u8(..4) == 0,
        ..OwnEntry::new(ordinal / 2, &written(symbols))
    };
    let entries: Vec<OwnEntry> = (0..).zip(&symbols).map(entry).collect();
    let object = Object::of(&entries);
    let words = symbols
        .iter()
        .flat_map(|symbols| symbols.split(|symbol| *symbol == GAP));
    let frequent = words.filter(|word| crate::symbols::folded(word).starts_with('e'));
    assert!(frequent.count() > 1 << 16, "there is a map");
    let names = entries.into_iter().zip(&symbols);
    let large = Large {
        names: names
            .map(|(entry, symbols)| Name::new(entry, symbols, Language::English))
            .collect(),
        symbols: Vec::new(),
        object,
    };
    let [e, marked, other, rare] = letters;
    for start in [&[e] as &[Symbol], &[marked], &[e, e], &[other, rare]] {
        for word in [&[rare, e, rare] as &[Symbol], &[rare, marked], &[e, other, e]] {
            let query = [word, &[GAP], start].concat();
            check(&large, &query, 30, &Filter::default());
        }
    }
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
    assert!(
        reads.bytes < object.bytes.len() as u64 / 2,
        "{} bytes",
        reads.bytes
    );
}

/// The bounds of docs/decisions/0019-search.md.
#[test]
fn postings_beyond_the_bound_are_left_out_and_said_so() {
    let entry = |number: u32| OwnEntry::new(number, &format!("ax{} bx{}", number % 7, number % 11));
    let entries: Vec<OwnEntry> = (0..160_000).map(entry).collect();
    let object = Object::of(&entries);
    let options = SearchOptions::new(10).unwrap();
    let one = object.search("b", &options);
    assert!(!one.truncated && one.hits.len() == 10, "a short list");
    let within = |ordinals| {
        let mut within = options.clone();
        within.filter.within = Some(vec![ordinals]);
        within
    };
    let filtered = object.search("b", &within(0..100));
    assert!(filtered.truncated, "more postings than are read");
    let two = object.search("a b", &options);
    assert!(two.truncated && two.hits.len() == 10, "the same of two words");
    let rare = object.search("bx3 a", &options);
    assert!(
        !rare.truncated && rare.hits.len() == 10,
        "a rare word and a frequent one"
    );
    let all = object.search("a b ax bx a b a b", &options);
    assert!(
        all.truncated && all.hits.len() == 10,
        "frequent words until nothing is left to read"
    );
    let typos = object.search("a b ax bx axxxx1 bxaaaa", &options);
    assert!(typos.hits.is_empty());
}
