//! The warnings of a file that a command compares or uploads.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Plans a file with a warning for a tenant without a taxonomy.
fn plan(name: &str, arguments: &[&str]) -> Output {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    let content = r#"{"categories":[{"id":1,"name":"Fruit","terms":[{"id":2,"name":"Pears","colour":1}]}]}"#;
    fs::write(&file, content).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxonomy"));
    command.arg("plan").arg(file).args(["--against", "empty"]);
    command.args(arguments).output().unwrap()
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
