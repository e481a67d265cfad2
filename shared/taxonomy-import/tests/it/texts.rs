//! Names, notes, values and relations of a node.

use serde_json::json;
use taxonomy_import::{Code, ExactField, NodeKind, Statement};
use taxonomy_model::RelationType;

use crate::support::{Imported, Source, codes, with_codes};

/// A category `A` with a term `b` of which statements are made.
fn with(statements: &[Statement<'_>]) -> Source {
    let mut source = Source::of("a");
    source.bare("b");
    source.link("b", Statement::Broader, "a");
    for statement in statements {
        source.state("b", *statement);
    }
    source
}

/// The field of the only term in few words, with the codes of the report.
fn field(imported: &Imported, field: &str) -> String {
    let term = imported.taxonomy.terms().next().unwrap();
    let words = imported.field(term.node.default_name().name, field);
    with_codes(words, &imported.codes())
}

/// Checks a field of the term: `FIELD: WORDS # CODES`.
fn check(statements: &[Statement<'_>], expect: &str) {
    let (name, expect) = expect.split_once(": ").unwrap();
    assert_eq!(field(&with(statements).import(), name), expect, "{statements:?}");
}

/// What is too long is an error; nothing is written.
fn refused(statements: &[Statement<'_>], code: &str) {
    assert_eq!(codes(&with(statements).refused(None)), [code]);
}

const EN: Option<&str> = Some("en-GB");
const NAME: Statement<'_> = Statement::Name(EN, "B");

#[test]
fn languages_follow_the_rules() {
    let name = |tag, name| Statement::Name(tag, name);
    let other = name(Some("klingon!"), "x");
    let tags = [name(Some("EN_gb"), "B"), name(Some("fr"), "b"), other];
    check(&tags, "names: en-GB=B, fr=b # invalid-tag tag-changed");
    check(&[name(None, "B")], "names: en-GB=B # no-language");
    check(&[name(None, "C"), NAME], "altNames: en-GB=C # no-language");
    // A culture of the same language, else the smallest one.
    let [fr, de] = [name(Some("fr"), "B"), name(Some("de"), "C")];
    for (other, default) in [(name(Some("en"), "D"), "D"), (name(Some("nl"), "D"), "C")] {
        let imported = with(&[fr, other, de]).import();
        let term = imported.taxonomy.terms().next().unwrap();
        assert_eq!(term.node.default_name().name, default);
        assert_eq!(imported.codes(), ["no-default-name"]);
    }
}

#[test]
fn a_concept_without_a_name_is_kept() {
    check(&[], "names: en-GB=b # no-name");
    check(&[Statement::Notation("B.1")], "names: en-GB=B.1 # no-name");
    for unseen in ["  ", "\u{feff}", "\u{a0}\u{feff}", "\u{200b} \u{202e}"] {
        let names = [Statement::Name(EN, unseen)];
        check(&names, "names: en-GB=b # no-name empty-text");
    }
    let blank = [Statement::Name(EN, " \t")];
    check(&blank, "names: en-GB=b # no-name empty-text control-character");
}

#[test]
fn one_name_a_culture_is_the_preferred_one() {
    let names = [NAME, Statement::Name(EN, "Ab"), NAME];
    check(&names, "names: en-GB=B # several-names");
    check(&names, "altNames: en-GB=Ab # several-names");
    let mut unordered = with(&names);
    unordered.graph.set_unordered();
    assert_eq!(field(&unordered.import(), "names"), "en-GB=Ab # several-names");
}

#[test]
fn alternative_names_say_something_new() {
    let alt = |name| Statement::AltName(EN, name);
    let german = |name| Statement::AltName(Some("de"), name);
    let names = [NAME, alt("C"), alt("B"), alt("C"), german("B")];
    check(&names, "altNames: de=B, en-GB=C # duplicate-label repeated-name");
    // Those of the default culture before others.
    let names: Vec<String> = (0..150).map(|n| format!("n{n}")).collect();
    let mut statements = vec![NAME];
    statements.extend(names.iter().map(|name| german(name)));
    statements.push(alt("kept"));
    let found = field(&with(&statements).import(), "altNames");
    assert_eq!(found.split(", ").count(), 100);
    assert!(found.ends_with("en-GB=kept # too-many-values"), "{found}");
}

#[test]
fn what_is_too_long_or_no_text_is_refused_left_out_or_cut() {
    let long = "x".repeat(501);
    refused(&[Statement::Name(EN, &long)], "name-too-long");
    let names: Vec<(String, String)> = (0..100).map(|n| (format!("en-x-{n}"), "y".repeat(450))).collect();
    let names = names.iter().map(|(tag, name)| Statement::Name(Some(tag), name));
    let names: Vec<Statement<'_>> = [NAME].into_iter().chain(names).collect();
    refused(&names, "names-too-large");
    let alternative = [NAME, Statement::AltName(None, &long)];
    check(&alternative, "altNames:  # no-language value-left-out");
    check(&[NAME, Statement::Notation(&long)], "notation:  # value-left-out");
    let cut = format!("notes: en-GB definition={}… # text-cut", "ä".repeat(1_998));
    check(&[NAME, Statement::Definition(EN, &"ä".repeat(2_001))], &cut);
    let control = [Statement::Name(EN, "a\r\n\tb\u{7}c")];
    check(&control, "names: en-GB=a bc # control-character");
    let control = [NAME, Statement::Definition(EN, "a\r\nb\u{7}")];
    check(&control, "notes: en-GB definition=a\r\nb # control-character");
}

#[test]
fn notes_and_deprecations_are_kept() {
    let definition = |text| Statement::Definition(EN, text);
    let german = Statement::ScopeNote(Some("de"), "drei");
    let notes = [NAME, definition("one\nline"), definition("two"), german];
    let expect = "notes: de scopeNote=drei, en-GB definition=one\nline\ntwo";
    check(&notes, expect);
    let since = Statement::DeprecatedSince;
    let reason = Statement::DeprecationReason("old");
    let deprecated = [NAME, Statement::Deprecated, since("2020-02-29T00:00:00Z"), reason];
    let expect = r#"deprecation: {"reason":"old","since":"2020-02-29"}"#;
    check(&deprecated, expect);
    let soon = [NAME, Statement::Deprecated, since("soon")];
    check(&soon, "deprecated: true # invalid-value");
    let notations = [NAME, Statement::Notation("1"), Statement::Notation("2")];
    check(&notations, "notation: 1 # several-values");
}

#[test]
fn mappings_are_relations() {
    let map = Statement::Mapping;
    let long = "x".repeat(501);
    let mut source = with(&[
        NAME,
        map(RelationType::Close, None, "http://o.io/x"),
        map(RelationType::Exact, Some("w"), "Q1"),
        map(RelationType::Narrow, None, "c"),
        map(RelationType::Exact, None, &long),
    ]);
    source.concept("c");
    source.link("c", Statement::Broader, "a");
    source.link("b", Statement::Related, "gone");
    source.link("b", Statement::Related, "b");
    let imported = source.import();
    imported.shows("A/B A/C # value-left-out invalid-value unknown-relation");
    let mapped = "close o.io:http://o.io/x, exact w:Q1, narrow #C, related things:gone";
    imported.has(&format!("B relations: exact things:b, {mapped}"));
}

#[test]
fn siblings_that_look_alike_are_reported() {
    for (one, other) in [
        ("Same", "SAME"),
        ("Café", "Cafe\u{301}"),
        ("Au lait", "Au\u{a0} lait"),
        ("Same", "Some"),
    ] {
        let mut source = with(&[Statement::Name(EN, one)]);
        source.bare("c");
        source.link("c", Statement::Broader, "a");
        source.state("c", Statement::Name(EN, other));
        let imported = source.import();
        assert_eq!(imported.codes() == ["duplicate-name"], other != "Some", "{other}");
        assert_eq!(imported.written.counts.terms, 2);
    }
}

#[test]
fn our_own_nodes_keep_every_field_to_the_letter() {
    let exact = Statement::Exact;
    let relations = r#"[{"type":"exact","scheme":"s","id":"x"}]"#;
    let alternative = r#"[{"culture":"en-GB","name":"z "},{"culture":"en-GB","name":"B"}]"#;
    let mut own = with(&[
        NAME,
        Statement::ExactName("en-GB", " B "),
        Statement::Path("en-GB", "a/b"),
        Statement::Own(NodeKind::Term),
        Statement::Number(77),
        Statement::SortKey("1"),
        Statement::AltName(EN, "sorted"),
        exact(ExactField::AltNames, alternative),
        exact(ExactField::Notes, r#"[{"culture":"en-GB","definition":" d "}]"#),
        exact(ExactField::Metadata, r#"{"k":1}"#),
        exact(ExactField::ReplacedBy, "[9,8]"),
        exact(ExactField::Relations, relations),
    ]);
    own.state("a", Statement::Own(NodeKind::Category));
    own.state("a", Statement::Number(0));
    let imported = own.import();
    let term = json!({
        "id": 77,
        "names": [{"culture": "en-GB", "name": " B ", "path": "a/b"}],
        "altNames": [{"culture": "en-GB", "name": "z "}, {"culture": "en-GB", "name": "B"}],
        "notes": [{"culture": "en-GB", "definition": " d "}],
        "sortKey": "1",
        "metadata": {"k": 1},
        "replacedBy": [9, 8],
        "relations": [{"type": "exact", "scheme": "s", "id": "x"}],
    });
    let names = json!([{"culture": "en-GB", "name": "A"}]);
    let category = json!({"id": 0, "names": names, "terms": [term]});
    assert_eq!(imported.json["categories"][0], category);
    let damaged = with(&[NAME, exact(ExactField::Metadata, "{")]).refused(None);
    assert_eq!(damaged.count_of(Code::InvalidField), 1);
}
