//! The warnings of a file that a command compares, uploads or writes in another format.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Plans a file with a warning for a tenant without a taxonomy.
fn plan(name: &str, arguments: &[&str]) -> Output {
    let command = ["plan", &file(name), "--against", "empty"];
    run(&[&command, arguments].concat())
}

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxonomy"));
    command.args(arguments).output().unwrap()
}

/// Writes a file with a warning. Returns its path.
fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    let content = r#"{"categories":[{"id":1,"name":"Fruit","terms":[{"id":2,"name":"Pears","colour":1}]}]}"#;
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_plan_shows_the_warnings_of_the_file_beside_the_difference() {
    let output = plan("shown", &[]);
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(
        stdout.contains("+ add") && !stdout.contains("warning"),
        "{stdout}"
    );
    assert!(stderr.contains("warning[unknown-field]"), "{stderr}");
    assert!(stderr.contains("/categories/0/terms/0/colour"), "{stderr}");
    assert!(stderr.contains("0 errors, 1 warning;"), "{stderr}");
}

#[test]
fn the_json_of_a_plan_has_the_warnings() {
    let output = plan("json", &["--output", "json"]);
    let planned: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(planned["terms"]["added"], 1);
    assert_eq!(planned["warned"]["warnings"], 1);
    assert_eq!(planned["warned"]["issues"][0]["code"], "unknown-field");
}

#[test]
fn a_plan_refuses_warnings_where_it_is_to() {
    let output = plan("refused", &["--fail-on", "warning"]);
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    assert!(
        stdout.is_empty() && stderr.contains("warning[unknown-field]"),
        "{stdout}{stderr}"
    );
    let output = plan("refused", &["--fail-on", "warning", "--output", "json"]);
    let refused: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(refused["refused"]["warnings"], 1);
}

#[test]
fn a_difference_reads_as_it_is() {
    let file = |name: &str, term: &str| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
        let content = format!(r#"{{"categories":[{{"id":1,"name":"Food","terms":[{term}]}}]}}"#);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let old = file(
        "composed",
        r#"{"id":2,"name":"Café"},{"id":3,"name":"Thé"},{"id":4,"name":"abc"}"#,
    );
    let new = file(
        "decomposed",
        r#"{"id":2,"name":"Cafe\u0301"},{"id":3,"name":"Tisane é"},{"id":4,"name":"\u202ecba\u202c"}"#,
    );
    let (stdout, _) = texts(&run(&["diff", &old, &new]));
    for line in [
        r#"[en-GB]: "Caf\u{e9}" -> "Cafe\u{301}""#,
        r#"[en-GB]: "Thé" -> "Tisane é""#,
        r#"Food:\u{202e}cba\u{202c} (4) [en-GB]: "abc" -> "\u{202e}cba\u{202c}""#,
    ] {
        assert!(stdout.contains(line), "{line}: {stdout}");
    }
}

#[test]
fn a_difference_and_an_export_show_the_warnings_of_their_files() {
    let (old, new) = (file("old"), file("new"));
    for (arguments, files) in [
        (vec!["diff", &old, &new], 2),
        (vec!["diff", &old, &new, "--output", "json"], 2),
        (vec!["export", "csv", &new], 1),
    ] {
        let output = run(&arguments);
        let (stdout, stderr) = texts(&output);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
        assert_eq!(
            stderr.matches("warning[unknown-field]").count(),
            files,
            "{arguments:?}: {stderr}"
        );
        assert!(!stdout.contains("warning"), "{arguments:?}: {stdout}");
    }
}
