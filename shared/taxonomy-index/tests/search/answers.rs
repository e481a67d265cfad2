//! Answers over a few names of many scripts.

use proptest::prelude::*;
use taxonomy_index::OrdinalSet;
use taxonomy_index::search::{Deprecated, Kind, Match, Node, SearchOptions};

use crate::object::{Object, OwnEntry, write, write_in};
use crate::reading::Language;
use crate::reference::{self, Filter, Found, Name};
use crate::symbols::{SCRIPTS, Symbol, texts, written};

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![4 => Just(Kind::Preferred), 2 => Just(Kind::Alternative), 1 => Just(Kind::Notation)]
}

fn names() -> impl Strategy<Value = Vec<(Vec<Symbol>, OwnEntry)>> {
    let name = (
        texts(14),
        0u32..12,
        kinds(),
        0u8..4,
        prop::bool::weighted(0.2),
        0u8..3,
    );
    let name = name.prop_map(|(symbols, ordinal, kind, depth, deprecated, sort)| {
        let entry = OwnEntry {
            kind,
            depth,
            deprecated,
            sort_key: ["", "010", "020"][usize::from(sort)].to_owned(),
            ..OwnEntry::new(ordinal, &written(&symbols))
        };
        (symbols, entry)
    });
    prop::collection::vec(name, 1..40)
}

/// A part of a name with small changes, or any text.
fn queries(names: Vec<Vec<Symbol>>) -> impl Strategy<Value = Vec<Symbol>> {
    let part = (
        prop::sample::select(names),
        any::<(prop::sample::Index, prop::sample::Index)>(),
    );
    let part = part.prop_map(|(name, (a, b))| {
        let (a, b) = (a.index(name.len()), b.index(name.len()));
        name[a.min(b)..=a.max(b)].to_vec()
    });
    let change = (
        any::<prop::sample::Index>(),
        0..4u8,
        prop::sample::select(SCRIPTS[1]),
    );
    let changes = prop::collection::vec(change, 0..3);
    let changed = (part.clone(), changes).prop_map(|(mut symbols, changes)| {
        for (at, change, symbol) in changes {
            let at = at.index(symbols.len());
            match change {
                0 => symbols[at] = symbol,
                1 => symbols.insert(at, symbol),
                2 if symbols.len() > 1 => drop(symbols.remove(at)),
                _ if at > 0 => symbols.swap(at - 1, at),
                _ => {}
            }
        }
        symbols
    });
    prop_oneof![3 => part, 4 => changed, 1 => texts(6)]
}

fn filters() -> impl Strategy<Value = Filter> {
    let ends = prop::collection::btree_set(0u32..12, 1..4);
    let ranges = ends.prop_map(|ends| {
        let ends: Vec<u32> = ends.into_iter().collect();
        ends.chunks(2)
            .map(|pair| pair[0]..pair.get(1).copied().unwrap_or(12))
            .collect()
    });
    let within = prop::option::of(ranges);
    let without = prop::collection::vec(0u32..12, 0..3);
    let rarely = |values| prop::option::weighted(0.2, values);
    let others = (
        without,
        rarely(0u8..4),
        prop::option::weighted(0.2, any::<bool>()),
    );
    let of = |(within, deprecated, (without, depth, categories))| Filter {
        within,
        deprecated,
        without,
        categories,
        depth,
    };
    (within, prop::option::of(any::<bool>()), others).prop_map(of)
}

pub(crate) fn options(limit: usize, filter: &Filter) -> SearchOptions {
    let mut options = SearchOptions::new(limit).unwrap();
    options.filter.within = filter.within.clone();
    options.filter.deprecated = match filter.deprecated {
        None => Deprecated::Include,
        Some(false) => Deprecated::Exclude,
        Some(true) => Deprecated::Only,
    };
    if !filter.without.is_empty() {
        let bits = (0..8).map(|byte| {
            (0..8u32)
                .filter(|bit| filter.without.contains(&(byte * 8 + bit)))
                .map(|bit| 1 << bit)
                .sum()
        });
        options.filter.without = Some(OrdinalSet::from_bytes(&bits.collect::<Vec<u8>>()));
    }
    options.filter.node = filter
        .categories
        .map(|categories| if categories { Node::Category } else { Node::Term });
    options.filter.depth = filter.depth;
    options
}

/// Returns the hits and the number of terms; none where it may be more.
pub(crate) fn found(object: &Object, query: &str, options: &SearchOptions) -> (Vec<Found>, Option<usize>) {
    let answer = object.search(query, options);
    assert!(!answer.truncated, "{query}");
    let total = (!answer.has_more).then_some(answer.total);
    let hits = answer.hits.into_iter();
    let found = hits.map(|hit| {
        assert_eq!(hit.id, 1000 + u64::from(hit.ordinal));
        (hit.ordinal, hit.name, hit.matched)
    });
    (found.collect(), total)
}

type Case = (
    Language,
    Vec<(Vec<Symbol>, OwnEntry)>,
    Vec<Vec<Symbol>>,
    Filter,
    usize,
);

fn cases() -> impl Strategy<Value = Case> {
    names().prop_flat_map(|names| {
        let symbols = names.iter().map(|(symbols, _)| symbols.clone()).collect();
        let queries = prop::collection::vec(queries(symbols), 1..12);
        (
            prop_oneof![Just(Language::English), Just(Language::Estonian)],
            Just(names),
            queries,
            filters(),
            prop_oneof![Just(50usize), 1usize..8],
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, max_shrink_iters: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_answer_is_that_of_a_search_of_every_name((language, names, queries, filter, limit) in cases()) {
        let entries: Vec<OwnEntry> = names.iter().map(|(_, entry)| entry.clone()).collect();
        let object = Object::open(write_in(language.subtag(), &entries)).unwrap();
        let names = names.into_iter().map(|(symbols, entry)| Name::new(entry, &symbols, language));
        let names: Vec<Name> = names.collect();
        for query in queries {
            let (expect, total) = reference::answer(&names, &query, language, limit, &filter);
            let found = found(&object, &written(&query), &options(limit, &filter));
            prop_assert_eq!(found, (expect, Some(total)), "{:?}", written(&query));
            // The next page has what follows, and the last one leads nowhere.
            let (all, _) = reference::answer(&names, &query, language, 2 * limit + 1, &filter);
            let mut next = options(limit, &filter);
            next.skip = limit;
            let (page, _) = self::found(&object, &written(&query), &next);
            prop_assert_eq!(page, all.get(limit..).unwrap_or_default().iter().take(limit).cloned().collect::<Vec<Found>>());
        }
    }

    #[test]
    fn the_order_of_the_names_does_not_change_the_object((_, names, _, _, seed) in cases()) {
        let mut entries: Vec<OwnEntry> = names.into_iter().map(|(_, entry)| entry).collect();
        let first = write(&entries);
        fastrand::Rng::with_seed(seed as u64).shuffle(&mut entries);
        prop_assert_eq!(first, write(&entries));
    }
}

#[test]
fn the_classes_come_in_their_order() {
    let names = [
        "Shoes for running",
        "Run",
        "Running shoes",
        "Marathon run",
        "Run club",
        "Brun",
    ];
    let entries: Vec<OwnEntry> = (0..)
        .zip(names)
        .map(|(ordinal, name)| OwnEntry::new(ordinal, name))
        .collect();
    let object = Object::of(&entries);
    assert_eq!(
        object.names("run"),
        [
            "Run",
            "Run club",
            "Running shoes",
            "Marathon run",
            "Shoes for running"
        ]
    );
    assert_eq!(object.names("shoes runn"), ["Running shoes", "Shoes for running"]);
    assert_eq!(
        object.names("run sho"),
        ["Running shoes", "Shoes for running"],
        "each word is a prefix"
    );
    assert_eq!(
        object.names("runing"),
        ["Running shoes", "Shoes for running"],
        "one typo in six letters"
    );
    assert!(
        object.names("unning").is_empty(),
        "the first letter is right always"
    );
    assert!(object.names("rux").is_empty(), "no typo in three letters");
    assert_eq!(
        object.names("runx")[0],
        "Run",
        "one in four letters where nothing else is found"
    );
}

#[test]
fn a_swap_is_one_typo_and_nine_letters_have_two() {
    let object = Object::of(&[OwnEntry::new(0, "Diabetes mellitus")]);
    for query in [
        "dibaetes",
        "diabtees",
        "diabets",
        "mellitis",
        "diabtes melitus",
        "dibetes mellituss",
    ] {
        assert_eq!(object.names(query), ["Diabetes mellitus"], "{query}");
    }
    for query in ["dbites", "dibatse", "diabetes melxxtus"] {
        assert!(object.names(query).is_empty(), "{query}");
    }
}

#[test]
fn a_notation_is_found_with_and_without_separators() {
    let object = Object::of(&[
        OwnEntry::new(0, "E11.9").kind(Kind::Notation),
        OwnEntry::new(1, "E1190").kind(Kind::Notation),
        OwnEntry::new(2, "01 21-7").kind(Kind::Notation),
    ]);
    for query in ["E11.9", "e119", "e 11 9"] {
        assert_eq!(object.names(query), ["E11.9", "E1190"], "{query}");
    }
    assert_eq!(object.names("012.17"), ["01 21-7"]);
    assert_eq!(object.names("21"), ["01 21-7"], "a word of it");
    assert!(object.names("e1180").is_empty(), "no typo in digits");
}

#[test]
fn exact_accents_come_before_folded_ones() {
    let names = ["Crème", "Creme", "Crèmerie fine"];
    let entries: Vec<OwnEntry> = (0..)
        .zip(names)
        .map(|(ordinal, name)| OwnEntry::new(ordinal, name))
        .collect();
    let object = Object::of(&entries);
    assert_eq!(object.names("creme"), ["Creme", "Crème", "Crèmerie fine"]);
    assert_eq!(object.names("crème"), ["Crème", "Creme", "Crèmerie fine"]);
    assert_eq!(object.names("crèm"), ["Crème", "Crèmerie fine", "Creme"]);
    assert_eq!(
        object.names("cr"),
        ["Crème", "Creme", "Crèmerie fine"],
        "no mark in two letters"
    );
}

#[test]
fn the_marks_of_every_word_count() {
    let names = [
        "Big creme brulee",
        "Big crème brulee",
        "Big creme brûlée",
        "Big Viet",
        "Big Việt",
    ];
    let entries: Vec<OwnEntry> = (0..)
        .zip(names)
        .map(|(ordinal, name)| OwnEntry::new(ordinal, name))
        .collect();
    let object = Object::of(&entries);
    assert_eq!(object.names("creme brulee")[0], names[0]);
    assert_eq!(object.names("crème brulee")[0], names[1]);
    assert_eq!(object.names("creme brûlée")[0], names[2]);
    assert_eq!(object.names("brûlée creme")[0], names[2]);
    assert_eq!(object.names("viet"), [names[3], names[4]]);
    assert_eq!(
        object.names("vie\u{302}\u{323}t"),
        [names[4], names[3]],
        "marks in another order"
    );
    let names = ["Big crème brulee", "Big creme brûlée", "Big creme brulee"];
    let entry = |(ordinal, name): (u32, &&str)| OwnEntry::new(ordinal, name);
    let object = Object::of(&(0..).zip(&names).map(entry).collect::<Vec<_>>());
    assert_eq!(object.names("creme brulee")[0], names[2]);
}

#[test]
fn a_word_is_compared_by_its_first_letters() {
    let long = "x".repeat(40);
    let object = Object::of(&[OwnEntry::new(0, &format!("a {long}")), OwnEntry::new(1, &long)]);
    let other = format!("{}y", "x".repeat(32));
    assert_eq!(
        object.names(&other),
        [long.clone(), format!("a {long}")],
        "beyond 32 letters"
    );
    assert_eq!(object.names(&long), [long.clone(), format!("a {long}")]);
    let answer = object.search(&long, &SearchOptions::new(1).unwrap());
    assert_eq!(answer.hits[0].matched, Match::Whole);
}

#[test]
fn a_name_that_is_longer_than_a_query_can_be_is_found_by_its_start() {
    let name = "ab ".repeat(200);
    let object = Object::of(&[OwnEntry::new(0, name.trim())]);
    assert_eq!(object.names("ab ab ab").len(), 1);
    let object = Object::of(&[
        OwnEntry::new(0, &"ﷺ".repeat(10)),
        OwnEntry::new(1, &"手".repeat(300)),
    ]);
    assert_eq!(object.names(&"手".repeat(199)).len(), 1);
}

#[test]
fn a_name_that_is_the_query_to_the_letter_comes_first() {
    let names = ["it", "It", "IT", "Chargé d’études", "Chargé d'études"];
    let entries: Vec<OwnEntry> = (0..)
        .zip(names)
        .map(|(ordinal, name)| OwnEntry::new(ordinal, name))
        .collect();
    let object = Object::of(&entries);
    for name in names {
        let found = object.search(name, &SearchOptions::new(5).unwrap()).hits;
        assert_eq!((found[0].name.as_str(), found[0].matched), (name, Match::Whole));
        assert_eq!(found[1].matched, Match::Whole, "{name}");
    }
}
