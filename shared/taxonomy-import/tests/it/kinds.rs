//! A key that was a term stays a term, and one that was a category stays one, over the releases of a source.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use taxonomy_import::{Categories, Code, ConceptTree, NodeKind, Replacements, Statement};
use taxonomy_model::Limits;

use crate::support::{Imported, Source, codes};

fn import(concepts: &str, before: Option<&Imported>) -> Imported {
    let source = Source::of(concepts);
    match before {
        Some(before) => source.after(before, &[]),
        None => source.import(),
    }
}

#[test]
fn a_deprecated_concept_without_a_parent_stays_where_it_was_with_its_replacement() {
    let first = import("top new<top old<top", None);
    let retired = "top new<top old!>new";
    let second = import(retired, Some(&first));
    assert_eq!((second.paths(), second.codes()), (first.paths(), vec![]));
    second.has("OLD replacedBy: #NEW");
    // It gets a parent again.
    let third = import("top new<top old<new", Some(&second));
    third.shows("TOP/NEW TOP/NEW/OLD");
    assert_eq!(third.id("OLD"), first.id("OLD"));

    // On a first import there is no last parent: it lies beside its replacement.
    assert_eq!(import(retired, None).tree(), "TOP/NEW TOP/OLD");
    // Without a replacement it has a place all the same, and one with concepts below is another thing.
    assert_eq!(import("top new<top old!", None).tree(), "TOP/NEW things/OLD");
    assert_eq!(import("old! a<old", None).tree(), "OLD/A");
    let mut member = Source::of("top new<top old!");
    member.state("s", Statement::Scheme);
    member.state("s", Statement::Name(Some("en-GB"), "Scheme"));
    member.link("old", Statement::InScheme, "s");
    assert_eq!(member.import().tree(), "Scheme/OLD TOP/NEW");
}

/// As from ESCO 1.0 to 1.1.1, in which thousands of concepts got a parent.
#[test]
fn what_gains_or_loses_a_parent_keeps_its_kind_and_id() {
    let all = "a b<a c<b d e<d";
    let first = import(all, None);
    // b and its branch come loose, d gets a parent, e loses it with d.
    let second = import("a b c<b d<a e", Some(&first));
    assert_eq!(second.paths(), first.paths());
    assert_eq!(second.codes(), ["category-below"]);
    second.has("D relations: exact things:d, broad things:a");

    // Where all are below one category, that is where a term without a parent is.
    let one = |concepts: &str| {
        let mut source = Source::of(concepts);
        source.graph.options.categories = Some(Categories::One);
        source
    };
    let after = one("a b c!").after(&one("a b<a c<b").import(), &[]);
    assert_eq!(after.tree(), "things/A things/B things/B/C");

    // The parent is gone, too: the nearest that is left, by the key that it has now.
    let third = import("a2 c d", Some(&first));
    assert_eq!(third.tree(), "A2/ D/ things/C", "{}", third.ids());
    let renamed = Source::of("a2 c d").after(&first, &[("a", "a2")]);
    assert_eq!(renamed.tree(), "A2/C D/");
    assert_eq!(renamed.id("C"), first.id("C"));
    assert_eq!(import(all, Some(&third)).paths(), first.paths());
}

#[test]
fn a_replacement_inherits_the_kind_and_a_reason_says_why_it_cannot() {
    let first = import("a b<a", None);
    // Without a replacement it is another concept.
    assert_eq!(import("a b2", Some(&first)).tree(), "A/ B2/");
    let replaced = Source::of("a b2").after(&first, &[("b", "b2")]);
    assert_eq!(replaced.tree(), "A/B2");
    assert_eq!(replaced.id("B2"), first.id("B"));

    let wrong = import("a>a b<a!>a", None);
    let itself = "a: is replaced by a, itself";
    let category = "b: is replaced by a, which is a category, and it is a term";
    wrong.says(&format!("unusable-replacement {itself} | {category}"));
}

/// The id map would keep their new ids, so that it would be too late to map them.
#[test]
fn new_keys_that_differ_in_http_and_https_alone_are_refused_until_they_are_mapped() {
    let of = |scheme: &str| format!("{scheme}://x.example/a {scheme}://x.example/b<{scheme}://x.example/a");
    for (before, after) in [("http", "https"), ("https", "http")] {
        let key = |scheme: &str, name: &str| format!("{scheme}://x.example/{name}");
        let first = import(&of(before), None);
        let graph = Source::of(&of(after)).graph;
        let none = Replacements::default();
        let refused = ConceptTree::new(graph, first.id_map(), &none, Limits::default()).unwrap_err();
        assert_eq!(codes(&refused), ["http-or-https"]);
        let issue = refused.issues()[0];
        assert_eq!((issue.key.clone(), issue.line), (Some(key(after, "a")), Some(1)));
        assert_eq!(issue.message, format!("was {} before", key(before, "a")));
        let pairs = ["a", "b"].map(|name| [key(before, name), key(after, name)]);
        let pairs = pairs.each_ref().map(|[old, new]| (old.as_str(), new.as_str()));
        let mapped = Source::of(&of(after)).after(&first, &pairs);
        assert!(mapped.paths().keys().eq(first.paths().keys()));
        assert_eq!(import(&of(before), Some(&mapped)).paths(), first.paths());
    }
}

/// A concept of a generated release: its parent, whether it is deprecated, and what replaced it.
type Drawn = (Option<usize>, bool, Option<usize>);

/// Some of twelve concepts; a parent has a smaller number, so that there is no cycle.
fn release() -> impl Strategy<Value = BTreeMap<usize, Drawn>> {
    let other = || prop::option::of(0..12_usize);
    let drawn = (0..12_usize, other(), any::<bool>(), other());
    let drawn = drawn.prop_map(|(number, parent, is_deprecated, replaced_by)| {
        let parent = parent.filter(|parent| *parent < number);
        let replaced_by = replaced_by.filter(|other| *other != number);
        (number, (parent, is_deprecated, replaced_by))
    });
    prop::collection::vec(drawn, 1..14).prop_map(BTreeMap::from_iter)
}

fn text(release: &BTreeMap<usize, Drawn>) -> String {
    let concept = |(number, (parent, is_deprecated, replaced_by)): (&usize, &Drawn)| {
        let parent = parent.map(|parent| format!("<k{parent}")).unwrap_or_default();
        let replaced_by = replaced_by.map(|other| format!(">k{other}")).unwrap_or_default();
        let mark = if *is_deprecated { "!" } else { "" };
        format!("k{number}{parent}{mark}{replaced_by} ")
    };
    release.iter().map(concept).collect()
}

/// Kind and id of each key, and the key of its parent.
fn nodes(imported: &Imported) -> BTreeMap<String, (NodeKind, u64, String)> {
    let rows = imported.written.ids.rows();
    let nodes = rows.map(|row| (row.key.to_owned(), (row.kind, row.id, row.parent.to_owned())));
    nodes.collect()
}

fn lies_below(key: &str, above: &str, nodes: &BTreeMap<String, (NodeKind, u64, String)>) -> bool {
    let parents = std::iter::successors(Some(key), |key| nodes.get(*key).map(|node| node.2.as_str()));
    parents.take(40).any(|key| key == above)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever parents come and go and whatever is deprecated.
    #[test]
    fn kinds_and_ids_stay_over_any_releases(releases in prop::collection::vec(release(), 2..5)) {
        let mut last: Option<Imported> = None;
        for release in &releases {
            let next = import(&text(release), last.as_ref());
            let now = nodes(&next);
            let before = last.as_ref().map(nodes).unwrap_or_default();
            let written: BTreeSet<String> = release.keys().map(|number| format!("k{number}")).collect();
            for (key, (kind, id, parent)) in &before {
                let (kind_now, id_now, parent_now) = &now[key];
                prop_assert_eq!((kind_now, id_now), (kind, id), "{}", key);
                let number = key.strip_prefix('k').and_then(|number| number.parse::<usize>().ok());
                let Some((parent_stated, ..)) = number.and_then(|number| release.get(&number)) else { continue };
                // A term without a parent stays below the one that it had, unless that is below it by now.
                let is_loose = parent_stated.is_none_or(|parent| !release.contains_key(&parent));
                let is_known = written.contains(parent) && now.contains_key(parent);
                if is_loose && *kind == NodeKind::Term && is_known && !lies_below(parent, key, &now) {
                    prop_assert_eq!(parent_now, parent, "{}", key);
                }
            }
            // Every concept is there once, and what a report calls gone is not.
            for key in &written {
                next.node(&key.to_uppercase());
            }
            for issue in next.issues(Code::Gone.as_str()) {
                prop_assert!(!written.contains(issue.key.as_deref().unwrap()), "{:?}", issue);
            }
            last = Some(next);
        }
    }
}
