//! A key that was a term stays a term, and one that was a category stays one, over the releases of a source.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{Code, ConceptTree, Graph, ImportOptions, NodeKind, Replacements, Statement};
use taxonomy_model::Limits;

use crate::support::{Imported, Source, codes, import, options, read};

fn turtle(concepts: &str, before: Option<&Imported>) -> Imported {
    import(graph_of_turtle(concepts), before.and_then(Imported::id_map), &[])
}

fn graph_of_turtle(concepts: &str) -> Graph {
    let prefixes = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix dct: <http://purl.org/dc/terms/> . @prefix x: <http://x.example/> .\n";
    let text = [prefixes, concepts].concat();
    read(SourceFormat::Turtle, &options(), &[(Some("en-GB"), &text)])
}

fn table(rows: &str, before: Option<&Imported>, options: &ImportOptions) -> Imported {
    let text = ["id,parent,name,deprecated,replacedBy\n", rows].concat();
    let graph = read(SourceFormat::Csv, options, &[(Some("en-GB"), &text)]);
    import(graph, before.and_then(Imported::id_map), &[])
}

const TOP: &str = "x:top a skos:Concept ; skos:prefLabel 'Top' . x:new a skos:Concept ; skos:prefLabel 'New term' ; skos:broader x:top .";
const OLD: &str = "x:old a skos:Concept ; skos:prefLabel 'Old term'";

#[test]
fn a_deprecated_concept_without_a_parent_stays_where_it_was_with_its_replacement() {
    let first = turtle(&format!("{TOP}\n{OLD} ; skos:broader x:top ."), None);
    let retired = format!("{TOP}\n{OLD} ; owl:deprecated true ; dct:isReplacedBy x:new .");
    let second = turtle(&retired, Some(&first));
    assert_eq!(second.paths(), first.paths());
    assert_eq!(
        second.node("Old term")["replacedBy"],
        serde_json::json!([second.id("New term")])
    );
    assert_eq!(second.codes(), [""; 0]);
    // It gets a parent again.
    let third = turtle(&format!("{TOP}\n{OLD} ; skos:broader x:new ."), Some(&second));
    assert_eq!(
        (third.id("Old term"), third.codes()),
        (first.id("Old term"), vec![])
    );
    assert_eq!(third.tree(), "Top/New term Top/New term/Old term");

    // On a first import there is no last parent: it lies beside its replacement.
    assert_eq!(turtle(&retired, None).tree(), "Top/New term Top/Old term");
    // Without a replacement it has a place all the same, and a parent of its own is another thing.
    let alone = turtle(&format!("{TOP}\n{OLD} ; owl:deprecated true ."), None);
    assert_eq!(alone.tree(), "Top/New term x.example/Old term");
    let scheme = "x:s a skos:ConceptScheme ; skos:prefLabel 'Things' .";
    let member = turtle(
        &format!("{TOP}\n{scheme} {OLD} ; skos:inScheme x:s ; owl:deprecated true ."),
        None,
    );
    assert_eq!(member.tree(), "Things/Old term Top/New term");
    let with_below = turtle(
        &format!(
            "{OLD} ; owl:deprecated true . x:a a skos:Concept ; skos:prefLabel 'A' ; skos:broader x:old ."
        ),
        None,
    );
    assert_eq!(with_below.tree(), "Old term/A");
}

/// As from ESCO 1.0 to 1.1.1, in which thousands of concepts got a parent.
#[test]
fn what_gains_or_loses_a_parent_keeps_its_kind_and_id() {
    let options = options();
    let first = table("a,,A,,\nb,a,B,,\nc,b,C,,\nd,,D,,\ne,d,E,,\n", None, &options);
    // b and its branch come loose, d gets a parent, e loses it with d.
    let second = table(
        "a,,A,,\nb,,B,,\nc,b,C,,\nd,a,D,,\ne,,E,,\n",
        Some(&first),
        &options,
    );
    assert_eq!(second.paths(), first.paths());
    assert_eq!(second.codes(), ["category-below"]);
    let relations = second.node("D")["relations"].as_array().unwrap();
    assert_eq!(
        relations.last().unwrap(),
        &serde_json::json!({"type": "broad", "scheme": "source", "id": "a"})
    );

    // Where all are below one category, that is where a term without a parent is.
    let one = ImportOptions {
        categories: Some(taxonomy_import::Categories::One),
        ..options.clone()
    };
    let before = table("a,,A,,\nb,a,B,,\nc,b,C,,\n", None, &one);
    let after = table("a,,A,,\nb,,B,,\nc,,C,x,\n", Some(&before), &one);
    assert_eq!(after.tree(), "file-1/A file-1/B file-1/B/C");

    // The parent is gone, too: the nearest that is left, by the key that it has now.
    let third = table("a2,,A,,\nc,,C,,\nd,,D,,\n", Some(&first), &options);
    assert_eq!(third.tree(), "file-1/C", "{}", third.ids());
    let graph = read(
        SourceFormat::Csv,
        &options,
        &[(Some("en-GB"), "id,parent,name\na2,,A\nc,,C\nd,,D\n")],
    );
    let renamed = import(graph, first.id_map(), &[("a", "a2")]);
    assert_eq!(renamed.tree(), "A/C");
    assert_eq!(renamed.id("C"), first.id("C"));
    let back = table(
        "a,,A,,\nb,a,B,,\nc,b,C,,\nd,,D,,\ne,d,E,,\n",
        Some(&third),
        &options,
    );
    assert_eq!(back.paths(), first.paths());
}

#[test]
fn a_replacement_inherits_the_kind_and_a_reason_says_why_it_cannot() {
    let options = options();
    let first = table("a,,A,,\nb,a,B,,\n", None, &options);
    let renamed = table("a,,A,,\nb2,,B2,,\n", Some(&first), &options);
    assert_eq!(renamed.tree(), "", "without a replacement it is another concept");
    let mut source = Source::new();
    source.concept("a", &[]);
    source.concept("b2", &[]);
    let b2 = source.key("b2");
    source.state("b", Statement::ReplacedBy(b2));
    let replaced = source.import_with(first.id_map(), &[]);
    assert_eq!(
        (replaced.tree(), replaced.id("B2")),
        ("A/B2".to_owned(), first.id("B"))
    );

    let wrong = table("a,,A,,a\nb,a,B,x,a\n", None, &options);
    let issues = wrong.written.report.issues();
    let messages: Vec<&str> = issues.iter().map(|issue| issue.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "is replaced by a, itself",
            "is replaced by a, which is a category, and it is a term"
        ]
    );
}

/// The id map would keep their new ids, so that it would be too late to map them.
#[test]
fn new_keys_that_differ_in_http_and_https_alone_are_refused_until_they_are_mapped() {
    let of = |scheme: &str| {
        format!(
            "<{scheme}://x.example/a> a skos:Concept ; skos:prefLabel 'A' . <{scheme}://x.example/b> a skos:Concept ; skos:prefLabel 'B' ; skos:broader <{scheme}://x.example/a> ."
        )
    };
    for (before, after) in [("http", "https"), ("https", "http")] {
        let first = turtle(&of(before), None);
        let (ids, none) = (first.id_map(), Replacements::default());
        let refused =
            ConceptTree::new(graph_of_turtle(&of(after)), ids, &none, Limits::default()).unwrap_err();
        assert_eq!(codes(&refused), ["http-or-https"]);
        let issue = refused.issues()[0];
        assert_eq!(
            (issue.key.as_deref(), issue.line, issue.message.as_str()),
            (
                Some(format!("{after}://x.example/a").as_str()),
                Some(3),
                format!("was {before}://x.example/a before").as_str()
            )
        );
        let pairs =
            ["a", "b"].map(|name| [before, after].map(|scheme| format!("{scheme}://x.example/{name}")));
        let pairs = pairs.each_ref().map(|[old, new]| (old.as_str(), new.as_str()));
        let mapped = import(graph_of_turtle(&of(after)), first.id_map(), &pairs);
        assert_eq!(mapped.paths(), first.paths());
        assert_eq!(turtle(&of(before), Some(&mapped)).paths(), first.paths());
    }
}

/// A concept of a generated release.
#[derive(Debug, Clone)]
struct Drawn {
    parent: Option<usize>,
    is_deprecated: bool,
    replaced_by: Option<usize>,
}

/// Some of twelve concepts; a parent has a smaller number, so that there is no cycle.
fn release() -> impl Strategy<Value = BTreeMap<usize, Drawn>> {
    let drawn = (
        0..12_usize,
        prop::option::of(0..12_usize),
        any::<bool>(),
        prop::option::of(0..12_usize),
    );
    prop::collection::vec(drawn, 1..14).prop_map(|drawn| {
        let concepts = drawn
            .into_iter()
            .map(|(number, parent, is_deprecated, replaced_by)| {
                let parent = parent.filter(|parent| *parent < number);
                let replaced_by = replaced_by.filter(|other| *other != number);
                (
                    number,
                    Drawn {
                        parent,
                        is_deprecated,
                        replaced_by,
                    },
                )
            });
        concepts.collect()
    })
}

fn imported(release: &BTreeMap<usize, Drawn>, before: Option<&Imported>) -> Imported {
    let rows = release.iter().map(|(number, drawn)| {
        let [parent, replaced_by] = [drawn.parent, drawn.replaced_by]
            .map(|other| other.map(|other| format!("k{other}")).unwrap_or_default());
        let deprecated = if drawn.is_deprecated { "yes" } else { "" };
        format!("k{number},{parent},K{number},{deprecated},{replaced_by}\n")
    });
    table(&rows.collect::<String>(), before, &options())
}

/// Kind and id of each key, and the key of its parent.
fn nodes(imported: &Imported) -> BTreeMap<String, (NodeKind, u64, String)> {
    let rows = imported.written.ids.rows();
    rows.map(|row| (row.key.to_owned(), (row.kind, row.id, row.parent.to_owned())))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever parents come and go and whatever is deprecated.
    #[test]
    fn kinds_and_ids_stay_over_any_releases(releases in prop::collection::vec(release(), 2..5)) {
        let mut last: Option<Imported> = None;
        for release in &releases {
            let next = imported(release, last.as_ref());
            let now = nodes(&next);
            let before = last.as_ref().map(nodes).unwrap_or_default();
            for (key, (kind, id, parent)) in &before {
                let (kind_now, id_now, parent_now) = &now[key];
                prop_assert_eq!((kind_now, id_now), (kind, id), "{}", key);
                let number = key.strip_prefix('k').and_then(|number| number.parse::<usize>().ok());
                let Some(drawn) = number.and_then(|number| release.get(&number)) else { continue };
                // A term without a parent stays below the one that it had, unless that is below it by now.
                let is_known = |key: &String| now.get(key).is_some_and(|_| release.keys().any(|number| format!("k{number}") == *key));
                let is_loose = drawn.parent.is_none_or(|parent| !release.contains_key(&parent));
                if is_loose && *kind == NodeKind::Term && is_known(parent) && !lies_below(parent, key, &now) {
                    prop_assert_eq!(parent_now, parent, "{}", key);
                }
            }
            // Every concept is there once, and what a report calls gone is not.
            let written: BTreeSet<String> = release.keys().map(|number| format!("K{number}")).collect();
            for name in &written {
                next.node(name);
            }
            for issue in next.written.report.issues().iter().filter(|issue| issue.code == Code::Gone) {
                let key = issue.key.clone().unwrap_or_default();
                prop_assert!(!written.contains(&key.to_uppercase()), "{}", key);
            }
            last = Some(next);
        }
    }
}

fn lies_below(key: &str, above: &str, nodes: &BTreeMap<String, (NodeKind, u64, String)>) -> bool {
    let parents = std::iter::successors(Some(key.to_owned()), |key| {
        nodes.get(key).map(|node| node.2.clone())
    });
    parents.take(40).any(|key| key == above)
}
