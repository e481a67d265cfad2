//! Names, notes, values and relations of a node.

use serde_json::json;
use taxonomy_import::{Code, ExactField, NodeKind, Statement};
use taxonomy_model::RelationType;

use crate::support::{Source, codes};

/// A category `A` with a term `b` of which statements are made.
fn with(statements: &[Statement<'_>]) -> Source {
    let mut source = Source::new();
    source.concept("a", &[]);
    source.bare("b");
    let above = source.key("a");
    source.state("b", Statement::Broader(above));
    for statement in statements {
        source.state("b", *statement);
    }
    source
}

fn check(statements: &[Statement<'_>], field: &str, expect: &serde_json::Value, codes: &[&str]) {
    let imported = with(statements).import();
    let node = &imported.json["categories"][0]["terms"][0];
    assert_eq!(&node[field], expect, "{statements:?}");
    assert_eq!(imported.codes(), codes, "{statements:?}");
}

const NAME: Statement<'_> = Statement::Name(Some("en-GB"), "B");

#[test]
fn languages_follow_the_rules() {
    let name = |tag, name| Statement::Name(tag, name);
    check(
        &[
            name(Some("EN_gb"), "B"),
            name(Some("fr"), "b"),
            name(Some("klingon!"), "x"),
        ],
        "names",
        &json!([{"culture": "en-GB", "name": "B"}, {"culture": "fr", "name": "b"}]),
        &["invalid-tag", "tag-changed"],
    );
    check(
        &[name(None, "B")],
        "names",
        &json!([{"culture": "en-GB", "name": "B"}]),
        &["no-language"],
    );
    check(
        &[name(None, "C"), NAME],
        "altNames",
        &json!([{"culture": "en-GB", "name": "C"}]),
        &["no-language"],
    );
    for (tags, expect) in [(["fr", "en", "de"], "in en"), (["fr", "nl", "de"], "in de")] {
        let names = tags.map(|tag| format!("in {tag}"));
        let statements: Vec<Statement<'_>> = tags
            .iter()
            .zip(&names)
            .map(|(tag, text)| Statement::Name(Some(tag), text))
            .collect();
        let imported = with(&statements).import();
        let term = imported.taxonomy.terms().next().unwrap();
        assert_eq!(term.node.default_name().name, expect);
        assert_eq!(imported.codes(), ["no-default-name"]);
    }
}

#[test]
fn a_concept_without_a_name_is_kept() {
    let en_gb = |name: &str| json!([{"culture": "en-GB", "name": name}]);
    check(&[], "names", &en_gb("b"), &["no-name"]);
    check(
        &[Statement::Notation("B.1")],
        "names",
        &en_gb("B.1"),
        &["no-name"],
    );
    for unseen in ["  ", "\u{feff}", "\u{200b} \u{202e}"] {
        check(
            &[Statement::Name(Some("en-GB"), unseen)],
            "names",
            &en_gb("b"),
            &["no-name", "empty-text"],
        );
    }
}

#[test]
fn one_name_a_culture_is_the_preferred_one() {
    let names = [NAME, Statement::Name(Some("en-GB"), "Ab"), NAME];
    check(
        &names,
        "names",
        &json!([{"culture": "en-GB", "name": "B"}]),
        &["several-names"],
    );
    check(
        &names,
        "altNames",
        &json!([{"culture": "en-GB", "name": "Ab"}]),
        &["several-names"],
    );
    let mut unordered = with(&names);
    unordered.graph.set_unordered();
    let imported = unordered.import();
    assert_eq!(
        imported.json["categories"][0]["terms"][0]["names"][0]["name"],
        "Ab"
    );
}

#[test]
fn alternative_names_say_something_new() {
    let alt = |name| Statement::AltName(Some("en-GB"), name);
    check(
        &[
            NAME,
            alt("C"),
            alt("B"),
            alt("C"),
            Statement::AltName(Some("de"), "B"),
        ],
        "altNames",
        &json!([{"culture": "de", "name": "B"}, {"culture": "en-GB", "name": "C"}]),
        &["duplicate-label", "repeated-name"],
    );
    // Those of the default culture before others.
    let names: Vec<String> = (0..150).map(|n| format!("n{n}")).collect();
    let mut statements = vec![NAME];
    statements.extend(names.iter().map(|name| Statement::AltName(Some("de"), name)));
    statements.push(alt("kept"));
    let imported = with(&statements).import();
    let kept = imported.json["categories"][0]["terms"][0]["altNames"]
        .as_array()
        .unwrap();
    assert_eq!(kept.len(), 100);
    assert!(kept.contains(&json!({"culture": "en-GB", "name": "kept"})));
    assert_eq!(imported.codes(), ["too-many-values"]);
}

#[test]
fn what_is_too_long_or_no_text_is_refused_left_out_or_cut() {
    let long = "x".repeat(501);
    let report = with(&[Statement::Name(Some("en-GB"), &long)])
        .try_import(None, &[])
        .unwrap_err();
    assert_eq!(codes(&report), ["name-too-long"]);
    check(
        &[NAME, Statement::AltName(None, &long)],
        "altNames",
        &json!(null),
        &["no-language", "value-left-out"],
    );
    check(
        &[NAME, Statement::Notation(&long)],
        "notation",
        &json!(null),
        &["value-left-out"],
    );
    let note = "ä".repeat(2_001);
    let cut = format!("{}…", "ä".repeat(1_998));
    check(
        &[NAME, Statement::Definition(Some("en-GB"), &note)],
        "notes",
        &json!([{"culture": "en-GB", "definition": cut}]),
        &["text-cut"],
    );
    check(
        &[Statement::Name(Some("en-GB"), "a\n\tb\u{7}c")],
        "names",
        &json!([{"culture": "en-GB", "name": "a bc"}]),
        &["control-character"],
    );
    let names: Vec<(String, String)> = (0..100).map(|n| (format!("en-x-{n}"), "y".repeat(450))).collect();
    let mut statements = vec![NAME];
    statements.extend(names.iter().map(|(tag, name)| Statement::Name(Some(tag), name)));
    let report = with(&statements).try_import(None, &[]).unwrap_err();
    assert_eq!(codes(&report), ["names-too-large"]);
}

#[test]
fn notes_properties_and_deprecations_are_kept() {
    let en = Some("en-GB");
    check(
        &[
            NAME,
            Statement::Definition(en, "one\nline"),
            Statement::Definition(en, "two"),
            Statement::ScopeNote(Some("de"), "drei"),
        ],
        "notes",
        &json!([{"culture": "de", "scopeNote": "drei"}, {"culture": "en-GB", "definition": "one\nline\ntwo"}]),
        &[],
    );
    check(
        &[
            NAME,
            Statement::Property("colour", None, "red"),
            Statement::Property("colour", Some("de"), "rot"),
            Statement::Property("colour", None, "dark"),
        ],
        "metadata",
        &json!({"colour": {"de": ["rot"], "en-GB": ["red", "dark"]}}),
        &[],
    );
    let large = "z".repeat(7_990);
    check(
        &[
            NAME,
            Statement::Property("b", None, &large),
            Statement::Property("a", None, "kept"),
        ],
        "metadata",
        &json!({"a": {"en-GB": ["kept"]}}),
        &["value-left-out"],
    );
    let deprecated = [
        NAME,
        Statement::Deprecated,
        Statement::DeprecatedSince("2020-02-29T00:00:00Z"),
        Statement::DeprecationReason("old"),
    ];
    check(
        &deprecated,
        "deprecation",
        &json!({"reason": "old", "since": "2020-02-29"}),
        &[],
    );
    check(
        &[NAME, Statement::Deprecated, Statement::DeprecatedSince("soon")],
        "deprecated",
        &json!(true),
        &["invalid-value"],
    );
    check(
        &[NAME, Statement::Notation("1"), Statement::Notation("2")],
        "notation",
        &json!("1"),
        &["several-values"],
    );
}

#[test]
fn mappings_are_relations() {
    let mut source = with(&[
        NAME,
        Statement::Mapping(RelationType::Close, None, "http://other.example/x"),
        Statement::Mapping(RelationType::Exact, Some("wikidata"), "Q1"),
        Statement::Mapping(RelationType::Narrow, None, "c"),
        Statement::Mapping(RelationType::Exact, None, &"x".repeat(501)),
    ]);
    source.concept("c", &["a"]);
    let (b, gone) = (source.key("b"), source.key("gone"));
    source.state("b", Statement::Related(gone));
    source.state("b", Statement::Related(b));
    let imported = source.import();
    assert_eq!(
        imported.node("B")["relations"],
        json!([
            {"type": "exact", "scheme": "things", "id": "b"},
            {"type": "close", "scheme": "other.example", "id": "http://other.example/x"},
            {"type": "exact", "scheme": "wikidata", "id": "Q1"},
            {"type": "narrow", "id": imported.id("C")},
            {"type": "related", "scheme": "things", "id": "gone"},
        ])
    );
    assert_eq!(
        imported.codes(),
        ["value-left-out", "invalid-value", "unknown-relation"]
    );
}

#[test]
fn siblings_that_look_alike_are_reported() {
    for (one, other, codes) in [
        ("Same", "SAME", vec!["duplicate-name"]),
        ("Café", "Cafe\u{301}", vec!["duplicate-name"]),
        ("Au lait", "Au\u{a0} lait", vec!["duplicate-name"]),
        ("Same", "Some", vec![]),
    ] {
        let mut source = Source::new();
        source.concept("a", &[]);
        for (key, name) in [("b", one), ("c", other)] {
            source.bare(key);
            let above = source.key("a");
            source.state(key, Statement::Broader(above));
            source.state(key, Statement::Name(Some("en-GB"), name));
        }
        let imported = source.import();
        assert_eq!(imported.codes(), codes, "{one} {other}");
        assert_eq!(imported.written.counts.terms, 2);
    }
}

#[test]
fn our_own_nodes_keep_every_field_to_the_letter() {
    let mut own = with(&[
        Statement::Name(Some("en-GB"), "B"),
        Statement::ExactName("en-GB", " B "),
        Statement::Path("en-GB", "a/b"),
        Statement::Own(NodeKind::Term),
        Statement::Number(77),
        Statement::SortKey("1"),
        Statement::AltName(Some("en-GB"), "sorted"),
        Statement::Exact(
            ExactField::AltNames,
            r#"[{"culture":"en-GB","name":"z "},{"culture":"en-GB","name":"B"}]"#,
        ),
        Statement::Exact(ExactField::Notes, r#"[{"culture":"en-GB","definition":" d "}]"#),
        Statement::Exact(ExactField::Metadata, r#"{"k":1}"#),
        Statement::Exact(ExactField::ReplacedBy, "[9,8]"),
        Statement::Exact(
            ExactField::Relations,
            r#"[{"type":"exact","scheme":"s","id":"x"}]"#,
        ),
    ]);
    own.state("a", Statement::Own(NodeKind::Category));
    own.state("a", Statement::Number(0));
    let imported = own.import();
    assert_eq!(
        imported.json["categories"][0],
        json!({"id": 0, "names": [{"culture": "en-GB", "name": "A"}], "terms": [{
            "id": 77,
            "names": [{"culture": "en-GB", "name": " B ", "path": "a/b"}],
            "altNames": [{"culture": "en-GB", "name": "z "}, {"culture": "en-GB", "name": "B"}],
            "notes": [{"culture": "en-GB", "definition": " d "}],
            "sortKey": "1",
            "metadata": {"k": 1},
            "replacedBy": [9, 8],
            "relations": [{"type": "exact", "scheme": "s", "id": "x"}],
        }]})
    );
    let damaged = with(&[NAME, Statement::Exact(ExactField::Metadata, "{")]);
    let report = damaged.try_import(None, &[]).unwrap_err();
    assert_eq!(report.count_of(Code::InvalidField), 1);
}
