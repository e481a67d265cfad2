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
    let file = format!(
        r#"{{"categories":[{{"id":1,"name":"Fruit","terms":[{{"id":2,"name":"Pears",{fields}}}]}}]}}"#
    );
    let defaults = Defaults {
        tenant_culture: None,
        stack_culture: "en-GB".parse().unwrap(),
        fallback_chain: Vec::new(),
    };
    validate_content(
        "acme.json".to_owned(),
        Some(file.as_bytes()),
        MAX_BYTES,
        &defaults,
    )
    .1
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

fn human(push: PushedFile) -> String {
    let mut out = Vec::new();
    write(&mut out, &[push]).unwrap();
    anstream::adapter::strip_str(str::from_utf8(&out).unwrap()).to_string()
}

#[test]
fn a_published_file_shows_its_first_warnings_and_their_number() {
    let published = Outcome::Published {
        version: Version::FIRST,
    };
    let shown = human(push(Some(validated()), published));
    assert_eq!(shown.matches("warning[unknown-field]").count(), 5, "{shown}");
    for part in [
        "... and 2 more",
        "accepted acme.json: 0 errors, 7 warnings",
        "version 1 is served",
    ] {
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
    assert!(
        shown.contains("acme: version 3 is served: +5 ~1,030 -2 terms\n"),
        "{shown}"
    );
    let json = serde_json::to_value(published(2).json()).unwrap();
    assert_eq!(
        (
            &json["terms"]["added"],
            &json["terms"]["changed"],
            &json["terms"]["removed"]
        ),
        (&5.into(), &1030.into(), &2.into())
    );
    // Another version came between, so the comparison was with an older one.
    let shown = human(published(1));
    assert!(shown.contains("acme: version 3 is served\n"), "{shown}");
    assert_eq!(
        serde_json::to_value(published(1).json()).unwrap().get("terms"),
        None
    );
}

#[test]
fn what_was_passed_over_is_listed() {
    let shown = |count: usize| {
        let mut out = Vec::new();
        let names: Vec<String> = (0..count)
            .map(|number| format!("{number}\u{202e}.JSON"))
            .collect();
        write_passed_over(&mut out, &names).unwrap();
        anstream::adapter::strip_str(str::from_utf8(&out).unwrap()).to_string()
    };
    assert_eq!(shown(0), "");
    assert!(
        shown(2).starts_with("\npassed over: 0\\u{202e}.JSON, 1\\u{202e}.JSON. A file"),
        "{}",
        shown(2)
    );
    let many = shown(11);
    assert!(
        many.contains("9\\u{202e}.JSON and 1 more. ") && !many.contains("10\\u"),
        "{many}"
    );
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
    let json = serde_json::to_value(pushed.json()).unwrap();
    assert_eq!(json["changedIdentifiers"].as_array().unwrap().len(), 7);
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
fn the_json_of_a_push_has_every_warning() {
    let json = |warned| {
        let push = push(warned, Outcome::Uploaded);
        serde_json::to_value(push.json()).unwrap()
    };
    let warned = json(Some(validated()));
    assert_eq!(warned["warned"]["warnings"], 7);
    assert_eq!(warned["warned"]["issues"].as_array().unwrap().len(), 7);
    assert_eq!(json(None).get("warned"), None);
}

#[test]
fn warnings_refuse_a_file_where_they_are_to() {
    assert!(!validated().fails(FailOn::Error));
    assert!(validated().fails(FailOn::Warning));
    let shown = human(push(None, Outcome::Invalid(Box::new(validated()))));
    assert_eq!(shown.matches("warning[unknown-field]").count(), 7, "{shown}");
    assert!(
        shown.contains("the file has warnings; nothing was uploaded"),
        "{shown}"
    );
}
