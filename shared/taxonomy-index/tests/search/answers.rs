//! Answers over a few names of many scripts.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use taxonomy_index::OrdinalSet;
use taxonomy_index::search::{Deprecated, Kind, Node, SearchOptions};

use crate::object::{Object, OwnEntry, write, write_in};
use crate::reading::Language;
use crate::reference::{self, Filter, Found, Name};
use crate::symbols::{SCRIPTS, Symbol, texts, written};

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![4 => Just(Kind::Preferred), 2 => Just(Kind::Alternative), 1 => Just(Kind::Notation)]
}

fn names() -> impl Strategy<Value = Vec<(Vec<Symbol>, OwnEntry)>> {
    let numbers = (0u32..12, 0u8..4, 0u8..3);
    let name = (texts(14), numbers, kinds(), prop::bool::weighted(0.2));
    let name = name.prop_map(|(symbols, (ordinal, depth, sort), kind, deprecated)| {
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
    let part = (select(names), any::<(Index, Index)>());
    let part = part.prop_map(|(name, (a, b))| {
        let (a, b) = (a.index(name.len()), b.index(name.len()));
        name[a.min(b)..=a.max(b)].to_vec()
    });
    let change = (any::<Index>(), 0..4u8, select(SCRIPTS[1].as_slice()));
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
        let pairs = ends.chunks(2);
        let ranges = pairs.map(|pair| pair[0]..pair.get(1).copied().unwrap_or(12));
        ranges.collect()
    });
    let within = prop::option::of(ranges);
    let without = prop::collection::vec(0u32..12, 0..3);
    let depth = prop::option::weighted(0.2, 0u8..4);
    let others = (without, depth, prop::option::weighted(0.2, any::<bool>()));
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
        let mut bytes = [0; 2];
        for ordinal in &filter.without {
            bytes[*ordinal as usize / 8] |= 1 << (ordinal % 8);
        }
        options.filter.without = Some(OrdinalSet::from_bytes(&bytes));
    }
    let node = |categories| if categories { Node::Category } else { Node::Term };
    options.filter.node = filter.categories.map(node);
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
