//! The warnings of a file that a command compares, uploads or writes in another format.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{folder, run, texts};

/// Two files, each with a warning, in a folder.
fn warned(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    let content = r#"{"categories":[{"id":1,"name":"Fruit","terms":[{"id":2,"name":"Pears","colour":1}]}]}"#;
    for file in ["old.json", "new.json"] {
        fs::write(folder.join(file), content).unwrap();
    }
    folder
}

/// Plans a file with a warning for a tenant without a taxonomy. Returns the code and both outputs.
fn plan(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let command = ["plan", "new.json", "--against", "empty"];
    let output = run(folder, &[&command, arguments].concat());
    let (stdout, stderr) = texts(&output);
    (output.status.code(), stdout, stderr)
}

#[test]
fn a_plan_shows_the_warnings_of_the_file_and_refuses_them_where_it_is_to() {
    let folder = warned("plan");
    let (code, stdout, stderr) = plan(&folder, &[]);
    assert_eq!(code, Some(0), "{stderr}");
    let is_plan = stdout.contains("+ add") && !stdout.contains("warning");
    assert!(is_plan, "{stdout}");
    let place = "/categories/0/terms/0/colour";
    for part in ["warning[unknown-field]", place, "0 errors, 1 warning;"] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    let (_, stdout, _) = plan(&folder, &["--output", "json"]);
    let planned: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(planned["terms"]["added"], 1);
    assert_eq!(planned["warned"]["warnings"], 1);
    assert_eq!(planned["warned"]["issues"][0]["code"], "unknown-field");
    let (code, stdout, stderr) = plan(&folder, &["--fail-on", "warning"]);
    assert_eq!((code, &*stdout), (Some(5), ""), "{stderr}");
    assert!(stderr.contains("warning[unknown-field]"), "{stderr}");
    let (_, stdout, _) = plan(&folder, &["--fail-on", "warning", "--output", "json"]);
    let refused: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(refused["refused"]["warnings"], 1);
}

#[test]
fn a_difference_reads_as_it_is() {
    let folder = folder("difference");
    for (file, [two, three, four]) in [
        ("old.json", ["Café", "Thé", "abc"]),
        ("new.json", [r"Cafe\u0301", "Tisane é", r"\u202ecba\u202c"]),
    ] {
        let terms =
            format!(r#"{{"id":2,"name":"{two}"}},{{"id":3,"name":"{three}"}},{{"id":4,"name":"{four}"}}"#);
        let content = format!(r#"{{"categories":[{{"id":1,"name":"Food","terms":[{terms}]}}]}}"#);
        fs::write(folder.join(file), content).unwrap();
    }
    let (stdout, _) = texts(&run(&folder, &["diff", "old.json", "new.json"]));
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
    let folder = warned("shown");
    for (line, files) in [
        (&["diff", "old.json", "new.json"][..], 2),
        (&["diff", "old.json", "new.json", "--output", "json"], 2),
        (&["export", "csv", "new.json"], 1),
    ] {
        let output = run(&folder, line);
        let (stdout, stderr) = texts(&output);
        assert_eq!(output.status.code(), Some(0), "{line:?}: {stderr}");
        let shown = stderr.matches("warning[unknown-field]").count();
        assert_eq!(shown, files, "{line:?}: {stderr}");
        assert!(!stdout.contains("warning"), "{line:?}: {stdout}");
    }
}
