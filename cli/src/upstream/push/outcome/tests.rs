//! Tests of the forms of an outcome.

use taxonomy_model::{Changes, Defaults, NodeId};

use super::*;
use crate::arguments::FailOn;
use crate::file::MAX_BYTES;
use crate::upstream::validate::validate_content;

/// A file with seven warnings, one a field.
fn validated() -> Validated {
    let fields = (1..8).map(|number| format!(r#""colour{number}":1"#));
    let fields = fields.collect::<Vec<_>>().join(",");
    let term = format!(r#"{{"id":2,"name":"Pears",{fields}}}"#);
    let file = format!(r#"{{"categories":[{{"id":1,"name":"Fruit","terms":[{term}]}}]}}"#);
    let defaults = Defaults {
        tenant_culture: None,
        stack_culture: "en-GB".parse().unwrap(),
        fallback_chain: Vec::new(),
    };
    let name = "acme.json".to_owned();
    validate_content(name, Some(file.as_bytes()), MAX_BYTES, &defaults).1
}

fn push(warned: Option<Validated>, outcome: Outcome) -> PushedFile {
    PushedFile {
        tenant: "acme".parse().unwrap(),
        file: "acme.json".to_owned(),
        compared: Compared {
            warned: warned.map(Box::new),
            ..Compared::default()
        },
        outcome,
    }
}

fn plain(out: &[u8]) -> String {
    anstream::adapter::strip_str(str::from_utf8(out).unwrap()).to_string()
}

fn human(push: PushedFile) -> String {
    let mut out = Vec::new();
    write(&mut out, &[push]).unwrap();
    plain(&out)
}

fn json(push: &PushedFile) -> serde_json::Value {
    serde_json::to_value(push.json()).unwrap()
}

#[test]
fn a_published_file_shows_its_first_warnings_and_its_json_every_one() {
    let published = Outcome::Published {
        version: Version::FIRST,
    };
    let pushed = push(Some(validated()), published);
    let warned = json(&pushed)["warned"].take();
    assert_eq!(warned["warnings"], 7);
    assert_eq!(warned["issues"].as_array().unwrap().len(), 7);
    let shown = human(pushed);
    assert_eq!(shown.matches("warning[unknown-field]").count(), 5, "{shown}");
    let accepted = "accepted acme.json: 0 errors, 7 warnings";
    for part in ["... and 2 more", accepted, "version 1 is served"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn a_published_file_shows_what_it_changed() {
    let changes = Changes {
        added: 5,
        changed: 1_030,
        removed: 2,
        ..Changes::default()
    };
    let published = |before| {
        let version = Version::new(3).unwrap();
        let compared = Compared {
            terms: Some(ChangedTerms::from(&changes)),
            ..Compared::default()
        };
        let mut pushed = push(None, Outcome::Published { version });
        pushed.compared = compared.after(before, &pushed.outcome);
        pushed
    };
    let shown = human(published(2));
    let line = "acme: version 3 is served: +5 ~1,030 -2 terms\n";
    assert!(shown.contains(line), "{shown}");
    let terms = &json(&published(2))["terms"];
    let counts = ["added", "changed", "removed"].map(|name| terms[name].as_u64());
    assert_eq!(counts, [Some(5), Some(1_030), Some(2)]);
    // Another version came between, so the comparison was with an older one.
    let shown = human(published(1));
    assert!(shown.contains("acme: version 3 is served\n"), "{shown}");
    assert_eq!(json(&published(1)).get("terms"), None);
}

#[test]
fn what_was_passed_over_is_listed() {
    let shown = |count: usize| {
        let mut out = Vec::new();
        let name = |number| format!("{number}\u{202e}.JSON");
        let names: Vec<String> = (0..count).map(name).collect();
        write_passed_over(&mut out, &names).unwrap();
        plain(&out)
    };
    assert_eq!(shown(0), "");
    let (two, many) = (shown(2), shown(11));
    let start = "\npassed over: 0\\u{202e}.JSON, 1\\u{202e}.JSON. A file";
    assert!(two.starts_with(start), "{two}");
    assert!(many.contains("9\\u{202e}.JSON and 1 more. "), "{many}");
    assert!(!many.contains("10\\u"), "{many}");
}

#[test]
fn ids_of_other_concepts_are_shown() {
    let changed = |id| ChangedIdentifier {
        node: NodeId::Term(id),
        name: format!("Sector:T{id}"),
        scheme: "isco".to_owned(),
        from: format!("A{id}"),
        to: "B\u{202e}".to_owned(),
    };
    let mut pushed = push(None, Outcome::Uploaded);
    pushed.compared.changed_identifiers = (1..=7).map(changed).collect();
    let changed = &json(&pushed)["changedIdentifiers"];
    assert_eq!(changed.as_array().unwrap().len(), 7);
    let shown = human(pushed);
    for part in [
        "warning: 7 ids name another concept of their source than before\n",
        "Sector:T5 (5): A5 -> B\\u{202e} of isco",
        "and 2 more",
        "--ids",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("Sector:T6"), "{shown}");
}

#[test]
fn warnings_refuse_a_file_where_they_are_to() {
    assert!(!validated().fails(FailOn::Error));
    assert!(validated().fails(FailOn::Warning));
    assert_eq!(json(&push(None, Outcome::Uploaded)).get("warned"), None);
    let shown = human(push(None, Outcome::Invalid(Box::new(validated()))));
    assert_eq!(shown.matches("warning[unknown-field]").count(), 7, "{shown}");
    let line = "the file has warnings; nothing was uploaded";
    assert!(shown.contains(line), "{shown}");
}
