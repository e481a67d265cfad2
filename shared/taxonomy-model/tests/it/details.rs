//! Relations, notes and deprecations: taken as they are meant, refused where they are wrong.

use serde_json::Value;

use crate::parser::term;
use taxonomy_testfiles::{issues, taxonomy};

/// Fields of a term, and what is kept of them: each relation once, by type, scheme and id.
const TAKEN: &str = r#"
"relations":[{"type":"related","id":7},{"type":"exact","scheme":"b","id":"2"},{"type":"exact","scheme":"a","id":"3"}]
 -> {"relations":[{"type":"exact","scheme":"a","id":"3"},{"type":"exact","scheme":"b","id":"2"},{"type":"related","id":7}]}
"relations":[{"type":"related","id":7},{"type":"related","id":7},{"type":"exact","id":9}]
 -> {"relations":[{"type":"exact","id":9},{"type":"related","id":7}]}
"notes":[{"culture":"fr-fr","definition":"a\tb\nc"},{"culture":"en-GB","scopeNote":"n"},{"culture":"de-DE"}]
 -> {"notes":{"fr-FR":{"definition":"a\tb\nc"},"en-GB":{"scopeNote":"n"}}}
"deprecation":{"reason":"a\nb","since":"2024-02-29"}
 -> {"deprecated":true,"deprecation":{"reason":"a b","since":"2024-02-29"}}
"deprecated":false,"deprecation":{"since":"2024-02-28"} -> {"deprecated":true,"deprecation":{"since":"2024-02-28"}}
"deprecation":{} -> {}
"deprecation":null,"relations":null,"notes":null -> {}
"deprecated":true,"deprecation":null -> {"deprecated":true}
"#;

/// Fields of a term, and the error at one of them.
const REFUSED: &str = r#"
"relations":[{"type":"same","id":7}] -> invalid-relation relations/0/type
"relations":[{"type":"exact","id":"7"}] -> invalid-relation relations/0/id
"relations":[{"type":"exact","scheme":"a","id":7}] -> invalid-relation relations/0/id
"relations":[{"type":"exact"}] -> missing-field relations/0
"relations":[{"id":7}] -> missing-field relations/0
"relations":[{"type":"exact","id":1}] -> self-relation relations/0/id
"relations":[{"type":"exact","id":-1}] -> invalid-id relations/0/id
"relations":[{"type":"exact","id":2}] -> unknown-relation relations/0/id
"relations":{} -> wrong-type relations
"notes":[{"definition":"a"}] -> missing-field notes/0
"notes":[{"culture":"en","definition":"a"},{"culture":"EN","scopeNote":"b"}] -> duplicate-culture notes/1/culture
"notes":[{"culture":"en","definition":"\u0007"}] -> control-character notes/0/definition
"notes":[{"culture":"en","definition":1}] -> wrong-type notes/0/definition
"deprecation":{"since":"2026-02-29"} -> invalid-date deprecation/since
"deprecation":{"since":20260101} -> wrong-type deprecation/since
"deprecation":"old" -> wrong-type deprecation
"deprecated":false,"deprecation":{"reason":"x"} -> deprecation-differs deprecated
"#;

/// The rows of a table: fields of a term, and what is expected of them.
fn rows(table: &str) -> Vec<(String, String)> {
    let table = table.replace("\n ->", " ->");
    let rows = table.trim().lines().map(|row| row.split_once(" -> ").unwrap());
    let rows = rows.map(|(fields, expect)| (of(fields), expect.to_owned()));
    rows.collect()
}

/// A term with further fields.
fn of(fields: &str) -> String {
    term(&format!(r#""id":1,"name":"a",{fields}"#))
}

#[test]
fn relations_notes_and_deprecation_are_read() {
    for (file, expect) in rows(TAKEN) {
        let details = taxonomy(&file).terms().next().unwrap().node.details().clone();
        let expect: Value = serde_json::from_str(&expect).unwrap();
        assert_eq!(serde_json::to_value(details).unwrap(), expect, "{file}");
    }
}

#[test]
fn relations_notes_and_deprecation_are_refused_where_they_are_wrong() {
    for (file, expect) in rows(REFUSED) {
        let expect = [expect.replacen(' ', " /categories/0/terms/0/", 1)];
        assert_eq!(issues(file.as_bytes()), expect, "{file}");
    }
}

#[test]
fn alternative_names_end_at_their_limit_together() {
    let alt_names = |length: usize| {
        let text = "\u{10348}".repeat((length - 2) / 4);
        let names = (0..100).map(|n| format!(r#"{{"culture":"en","name":"{n:02}{text}"}}"#));
        let names = names.collect::<Vec<_>>().join(",");
        issues(of(&format!(r#""altNames":[{names}]"#)).as_bytes())
    };
    assert_eq!(alt_names(1498), [""; 0]);
    let last = "names-too-large /categories/0/terms/0/altNames/99";
    assert_eq!(alt_names(1502)[0], last);
}
