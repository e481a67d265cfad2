//! From concepts to a tree: parents, cycles, categories, limits.

use taxonomy_import::{Categories, Code, ConceptTree, IdMap, NodeKind, Replacements, Statement};
use taxonomy_model::Limits;

use crate::support::{Imported, Source, codes};

/// A source of concepts, each with its parents.
fn source(concepts: &[(&str, &[&str])]) -> Source {
    let mut source = Source::new();
    for (key, parents) in concepts {
        source.concept(key, parents);
    }
    source
}

fn check(concepts: &[(&str, &[&str])], tree: &str, codes: &[&str]) -> Imported {
    let imported = source(concepts).import();
    assert_eq!(imported.tree(), tree);
    assert_eq!(imported.codes(), codes);
    imported
}

#[test]
fn concepts_without_a_parent_are_categories() {
    let imported = check(
        &[("a", &[]), ("b", &["a"]), ("c", &["b"]), ("d", &[])],
        "A/B A/B/C",
        &[],
    );
    assert_eq!(imported.written.counts.categories, 2);
    // A parent may come after its child.
    check(&[("c", &["b"]), ("b", &["a"]), ("a", &[])], "A/B A/B/C", &[]);
}

#[test]
fn all_can_stand_in_one_category() {
    let mut one = source(&[("a", &[]), ("b", &["a"]), ("d", &[])]);
    one.graph.options.categories = Some(Categories::One);
    one.graph.options.category_name = Some("Everything".to_owned());
    let imported = one.import();
    assert_eq!(imported.tree(), "Everything/A Everything/A/B Everything/D");
    assert!(imported.node("Everything").get("relations").is_none());
    assert!(
        imported.ids().contains("category,,1,,Everything,\n"),
        "{}",
        imported.ids()
    );
}

#[test]
fn a_concept_may_have_the_key_of_the_one_category() {
    let mut one = source(&[("*", &[]), ("b", &["*"])]);
    one.graph.options.categories = Some(Categories::One);
    one.graph.options.category_name = Some("All".to_owned());
    let options = one.graph.options.clone();
    let imported = one.import();
    assert_eq!(imported.tree(), "All/* All/*/B");
    // The next release knows both again.
    let mut next = source(&[("*", &[]), ("b", &["*"])]);
    next.graph.options = options;
    assert_eq!(next.import_with(imported.id_map(), &[]).ids(), imported.ids());
}

#[test]
fn schemes_can_be_the_categories() {
    let mut schemes = source(&[("a", &[]), ("b", &["a"]), ("c", &[]), ("d", &[])]);
    for scheme in ["s", "t", "unused"] {
        schemes.state(scheme, Statement::Scheme);
        let name = scheme.to_uppercase();
        schemes.state(scheme, Statement::Name(None, &name));
    }
    for (concept, scheme) in [("a", "t"), ("a", "s"), ("b", "s"), ("c", "s")] {
        let scheme = schemes.key(scheme);
        schemes.state(concept, Statement::InScheme(scheme));
    }
    schemes.graph.options.categories = Some(Categories::Schemes);
    let imported = schemes.import();
    // Of two schemes the larger one, and a concept in none has a category of its own.
    assert_eq!(imported.tree(), "S/A S/A/B S/C things/D");
    assert_eq!(imported.codes(), ["no-language", "ignored"]);
}

/// Whoever makes a thesaurus out of a folder of files makes a scheme a concept of itself easily.
#[test]
fn a_scheme_that_is_a_concept_never_lies_below_itself() {
    let mut schemes = source(&[
        ("own", &[]),
        ("a", &["own"]),
        ("s", &[]),
        ("t", &[]),
        ("b", &[]),
        ("top", &[]),
        ("low", &["top"]),
    ]);
    for scheme in ["own", "s", "t", "low"] {
        schemes.state(scheme, Statement::Scheme);
    }
    let inside = [("own", "own"), ("s", "t"), ("t", "s"), ("b", "s"), ("top", "low")];
    for (concept, scheme) in inside {
        let scheme = schemes.key(scheme);
        schemes.state(concept, Statement::InScheme(scheme));
    }
    schemes.graph.options.categories = Some(Categories::Schemes);
    let imported = schemes.import();
    assert_eq!(imported.tree(), "OWN/A T/S T/S/B TOP/LOW");
    assert_eq!(imported.codes(), ["cycle", "ignored"]);
}

#[test]
fn the_source_names_its_own_categories() {
    let mut own = source(&[("a", &["b"]), ("b", &[]), ("c", &["a"])]);
    own.state("a", Statement::Own(NodeKind::Category));
    let imported = own.import();
    assert_eq!(imported.tree(), "A/C");
    assert_eq!(imported.codes(), ["category-below"]);
}

#[test]
fn the_first_of_several_parents_counts_and_the_others_are_relations() {
    let concepts: [(&str, &[&str]); 4] = [
        ("z", &[]),
        ("a", &[]),
        ("m", &["a"]),
        ("c", &["z", "m", "a", "z"]),
    ];
    let imported = check(&concepts, "A/M Z/C", &["further-parent"]);
    assert_eq!(imported.written.report.count_of(Code::FurtherParent), 2);
    // A term by its number, a category by its key: relations without a scheme name terms.
    let expect = serde_json::json!([
        {"type": "exact", "scheme": "things", "id": "c"},
        {"type": "broad", "id": imported.id("M")},
        {"type": "broad", "scheme": "things", "id": "a"},
    ]);
    assert_eq!(imported.node("C")["relations"], expect);

    // In RDF the order says nothing: the smallest key.
    let mut unordered = source(&concepts);
    unordered.graph.set_unordered();
    assert_eq!(unordered.import().tree(), "A/C A/M");

    // The source's own choice.
    let mut chosen = source(&concepts);
    let parent = chosen.key("m");
    chosen.state("c", Statement::Parent(parent));
    assert_eq!(chosen.import().tree(), "A/M A/M/C");
}

#[test]
fn parents_that_are_not_described_become_relations() {
    let imported = check(
        &[("a", &[]), ("b", &["x", "a"]), ("c", &["x"])],
        "A/B",
        &["unknown-parent"],
    );
    let expect = serde_json::json!([
        {"type": "exact", "scheme": "things", "id": "b"},
        {"type": "broad", "scheme": "things", "id": "x"},
    ]);
    assert_eq!(imported.node("B")["relations"], expect);
    let issues = imported.written.report.issues();
    let unknown = issues
        .iter()
        .find(|issue| issue.code == Code::UnknownParent)
        .unwrap();
    assert_eq!((unknown.line, unknown.key.as_deref()), (Some(2), Some("b")));
    assert_eq!(unknown.file.as_deref(), Some("source.txt"));
}

#[test]
fn cycles_are_cut_once() {
    check(&[("a", &["a"])], "", &["self-parent"]);
    check(&[("a", &["b"]), ("b", &["a"])], "A/B", &["cycle"]);
    check(
        &[("a", &["c"]), ("b", &["a"]), ("c", &["b"]), ("d", &["c"])],
        "A/B A/B/C A/B/C/D",
        &["cycle"],
    );
    // The other parent of a lies below a itself, so it is no way out.
    check(
        &[("a", &["b", "c"]), ("b", &["a"]), ("c", &["a"])],
        "A/B A/C",
        &["cycle", "further-parent"],
    );
    // c has another parent outside of the cycle, so the cut is there.
    let imported = check(
        &[("r", &[]), ("a", &["c"]), ("b", &["a"]), ("c", &["b", "r"])],
        "R/C R/C/A R/C/A/B",
        &["cycle", "further-parent"],
    );
    let relations = imported.node("C")["relations"].as_array().unwrap();
    assert!(
        relations.contains(&serde_json::json!({"type": "broad", "id": imported.id("B")})),
        "{relations:?}"
    );
    // The other parent of each cycle is in the other cycle: one way out, then a top.
    check(
        &[
            ("a", &["b", "c"]),
            ("b", &["a"]),
            ("c", &["d", "a"]),
            ("d", &["c"]),
        ],
        "C/A C/A/B C/D",
        &["cycle", "further-parent"],
    );
}

#[test]
fn in_rdf_cycles_are_cut_in_the_order_of_keys() {
    let mut circles: [(&str, &[&str]); 4] = [
        ("m", &["b", "n"]),
        ("b", &["m"]),
        ("n", &["a", "m"]),
        ("a", &["n"]),
    ];
    for _ in 0..2 {
        let mut unordered = source(&circles);
        unordered.graph.set_unordered();
        assert_eq!(unordered.import().tree(), "B/M B/M/N B/M/N/A");
        circles.reverse();
    }
}

#[test]
fn a_relation_in_one_direction_is_read_in_both() {
    let mut source = source(&[("a", &[]), ("b", &["a"]), ("c", &[]), ("d", &["a"])]);
    let (b, c, d) = (source.key("b"), source.key("c"), source.key("d"));
    source.state("a", Statement::Narrower(c));
    source.state("a", Statement::Narrower(d));
    source.state("b", Statement::Related(c));
    let _ = b;
    let imported = source.import();
    assert_eq!(imported.tree(), "A/B A/C A/D");
    assert_eq!(imported.codes(), ["one-way"]);
    assert_eq!(imported.written.report.count_of(Code::OneWay), 2);
    for (one, other) in [("B", "C"), ("C", "B")] {
        let relations = imported.node(one)["relations"].as_array().unwrap();
        let expect = serde_json::json!({"type": "related", "id": imported.id(other)});
        assert!(relations.contains(&expect), "{relations:?}");
    }
}

#[test]
fn terms_lie_at_most_32_deep() {
    let chain = |terms: usize| {
        let mut source = Source::new();
        source.concept("n0", &[]);
        for term in 1..=terms {
            source.concept(&format!("n{term}"), &[&format!("n{}", term - 1)]);
        }
        source
    };
    chain(32).import();
    let report = chain(40).try_import(None, &[]).unwrap_err();
    assert_eq!(report.count_of(Code::DepthExceeded), 1);
    assert_eq!(report.issues()[0].key.as_deref(), Some("n33"));
}

#[test]
fn too_many_nodes_are_refused_at_the_first_that_is_too_many() {
    let source = || {
        let mut source = Source::new();
        source.concept("a", &[]);
        for key in ["b", "c", "d"] {
            source.concept(key, &["a"]);
        }
        source
    };
    let import = |nodes| {
        let source = source();
        let limits = Limits { nodes };
        ConceptTree::new(
            source.graph,
            Some(IdMap::default()),
            &Replacements::default(),
            limits,
        )
    };
    import(4).unwrap();
    let report = import(2).unwrap_err();
    assert_eq!(codes(&report), ["too-many-nodes"]);
    let issue = &report.issues()[0];
    assert_eq!(issue.file.as_deref(), Some("source.txt"));
    assert_eq!((issue.key.as_deref(), issue.line), (Some("c"), Some(3)));
}

#[test]
fn an_empty_source_is_refused() {
    let report = Source::new().try_import(None, &[]).unwrap_err();
    assert_eq!(codes(&report), ["no-concepts"]);
}

#[test]
fn a_concept_is_known_by_its_file_beyond_65536_of_them() {
    let mut source = Source::new();
    for number in 1..=70_000 {
        source.graph.begin_file(&format!("{number}.txt"), None);
    }
    let concept = source.bare("a");
    assert!(source.graph.is_declared_here(concept));
    source.graph.begin_file("next.txt", None);
    assert!(!source.graph.is_declared_here(concept));
    let imported = source.import();
    let issues = imported.written.report.issues();
    let named = issues.iter().find(|issue| issue.code == Code::NoName).unwrap();
    assert_eq!(named.file.as_deref(), Some("70000.txt"));
}
