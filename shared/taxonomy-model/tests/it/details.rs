//! Relations, notes and deprecations: taken as they are meant, refused where they are wrong.

use serde_json::json;

use crate::parser::{check, term};
use taxonomy_testfiles::{issues, taxonomy};

#[test]
fn relations_notes_and_deprecation_are_read() {
    let of = |fields: &str| taxonomy(&term(&format!(r#""id":1,"name":"a",{fields}"#)));
    let details = |taxonomy: &taxonomy_model::Taxonomy| {
        let details = taxonomy.terms().next().unwrap().node.details();
        serde_json::to_value(details).unwrap()
    };
    for (fields, expect) in [
        // Each once, by type, scheme and id.
        (
            r#""relations":[{"type":"related","id":7},{"type":"exact","scheme":"b","id":"2"},{"type":"exact","scheme":"a","id":"3"},{"type":"related","id":7},{"type":"exact","id":9}]"#,
            json!({"relations": [{"type": "exact", "id": 9}, {"type": "exact", "scheme": "a", "id": "3"}, {"type": "exact", "scheme": "b", "id": "2"}, {"type": "related", "id": 7}]}),
        ),
        (
            r#""notes":[{"culture":"fr-fr","definition":"a\tb\nc"},{"culture":"en-GB","scopeNote":"n"},{"culture":"de-DE"}]"#,
            json!({"notes": {"fr-FR": {"definition": "a\tb\nc"}, "en-GB": {"scopeNote": "n"}}}),
        ),
        (
            r#""deprecation":{"reason":"a\nb","since":"2024-02-29"}"#,
            json!({"deprecated": true, "deprecation": {"reason": "a b", "since": "2024-02-29"}}),
        ),
        (
            r#""deprecated":false,"deprecation":{"since":"2024-02-28"}"#,
            json!({"deprecated": true, "deprecation": {"since": "2024-02-28"}}),
        ),
        (r#""deprecation":{}"#, json!({})),
        (r#""deprecation":null,"relations":null,"notes":null"#, json!({})),
        (
            r#""deprecated":true,"deprecation":null"#,
            json!({"deprecated": true}),
        ),
    ] {
        assert_eq!(details(&of(fields)), expect, "{fields}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn relations_notes_and_deprecation_are_refused_where_they_are_wrong() {
    let of = |fields: &str| term(&format!(r#""id":1,"name":"a",{fields}"#));
    for (fields, expect) in [
        (
            r#""relations":[{"type":"same","id":7}]"#,
            "invalid-relation relations/0/type",
        ),
        (
            r#""relations":[{"type":"exact","id":"7"}]"#,
            "invalid-relation relations/0/id",
        ),
        (
            r#""relations":[{"type":"exact","scheme":"a","id":7}]"#,
            "invalid-relation relations/0/id",
        ),
        (r#""relations":[{"type":"exact"}]"#, "missing-field relations/0"),
        (r#""relations":[{"id":7}]"#, "missing-field relations/0"),
        (
            r#""relations":[{"type":"exact","id":1}]"#,
            "self-relation relations/0/id",
        ),
        (
            r#""relations":[{"type":"exact","id":-1}]"#,
            "invalid-id relations/0/id",
        ),
        (
            r#""relations":[{"type":"exact","id":2}]"#,
            "unknown-relation relations/0/id",
        ),
        (r#""relations":{}"#, "wrong-type relations"),
        (r#""notes":[{"definition":"a"}]"#, "missing-field notes/0"),
        (
            r#""notes":[{"culture":"en","definition":"a"},{"culture":"EN","scopeNote":"b"}]"#,
            "duplicate-culture notes/1/culture",
        ),
        (
            r#""notes":[{"culture":"en","definition":"\u0007"}]"#,
            "control-character notes/0/definition",
        ),
        (
            r#""notes":[{"culture":"en","definition":1}]"#,
            "wrong-type notes/0/definition",
        ),
        (
            r#""deprecation":{"since":"2026-02-29"}"#,
            "invalid-date deprecation/since",
        ),
        (
            r#""deprecation":{"since":20260101}"#,
            "wrong-type deprecation/since",
        ),
        (r#""deprecation":"old""#, "wrong-type deprecation"),
        (
            r#""deprecated":false,"deprecation":{"reason":"x"}"#,
            "deprecation-differs deprecated",
        ),
    ] {
        let (code, field) = expect.split_once(' ').unwrap();
        check(&of(fields), &[&format!("{code} /categories/0/terms/0/{field}")]);
    }
    for (field, most) in [("definition", 4000), ("scopeNote", 4000)] {
        let note = |len: usize| {
            of(&format!(
                r#""notes":[{{"culture":"en","{field}":"{}"}}]"#,
                "a".repeat(len)
            ))
        };
        check(&note(most), &[]);
        let pointer = format!("value-too-long /categories/0/terms/0/notes/0/{field}");
        check(&note(most + 1), &[&pointer]);
    }
    for (field, most) in [("scheme", 100), ("id", 500)] {
        let relation = |len: usize| {
            let (scheme, id) = match field {
                "scheme" => ("a".repeat(len), "b".to_owned()),
                _ => ("a".to_owned(), "b".repeat(len)),
            };
            of(&format!(
                r#""relations":[{{"type":"exact","scheme":"{scheme}","id":"{id}"}}]"#
            ))
        };
        check(&relation(most), &[]);
        let pointer = format!("value-too-long /categories/0/terms/0/relations/0/{field}");
        check(&relation(most + 1), &[&pointer]);
    }
    let alt_names = |len: usize| {
        let names = (0..100).map(|n| {
            format!(
                r#"{{"culture":"en","name":"{n:02}{}"}}"#,
                "\u{10348}".repeat((len - 2) / 4)
            )
        });
        of(&format!(
            r#""altNames":[{}]"#,
            names.collect::<Vec<_>>().join(",")
        ))
    };
    check(&alt_names(1498), &[]);
    assert_eq!(
        issues(alt_names(1502).as_bytes())[0],
        "names-too-large /categories/0/terms/0/altNames/99"
    );
}
