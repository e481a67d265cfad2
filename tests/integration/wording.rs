//! The documentation is standard technical English: riddles such as "What is told to whoever asks" are rare. The bounds are the rates of
//! well-kept codebases, per 1,000 lines of documentation.

use std::path::PathBuf;
use std::process::Command;

use regex_lite::Regex;

/// A habit, the expression that finds it, and the most findings per 1,000 lines.
const HABITS: [(&str, &str, f64); 4] = [
    (
        "a sentence that opens with What",
        r"(?:^\s*|[.!?|]\s+)(?:[-*|#]+\s*)?What\b",
        0.4,
    ),
    ("nobody and the like", r"(?i)\b(?:nobody|somebody|whoever)\b", 0.3),
    ("tell", r"(?i)\b(?:told|tells?|telling)\b", 1.0),
    (
        "a thing that stands somewhere",
        r"\bstands (?:at|in|on|here|there|elsewhere|below|behind)\b",
        0.4,
    ),
];

/// The page whose texts are pinned by the differences between engines.
const PINNED: &str = "docs/conformance.md";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the lines of documentation in the tracked files: doc comments of Rust, and text of Markdown.
fn documentation() -> Vec<(String, String)> {
    let listed = Command::new("git")
        .args(["ls-files", "*.rs", "*.md"])
        .current_dir(root())
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let mut lines = Vec::new();
    for name in listed.lines().filter(|name| *name != PINNED) {
        // A file that is removed and not yet committed.
        let Ok(text) = std::fs::read_to_string(root().join(name)) else {
            continue;
        };
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            let text = match name.ends_with(".rs") {
                true => line.strip_prefix("///").or_else(|| line.strip_prefix("//!")),
                false => Some(line).filter(|line| !line.is_empty()),
            };
            lines.extend(text.map(|text| (format!("{name}:{number}"), text.to_owned())));
        }
    }
    lines
}

#[test]
fn the_documentation_has_few_riddles() {
    let lines = documentation();
    assert!(lines.len() > 10_000, "{} lines", lines.len());
    for (habit, expression, most) in HABITS {
        let expression = Regex::new(expression).unwrap();
        let found: Vec<&(String, String)> = lines
            .iter()
            .filter(|(_, line)| expression.is_match(line))
            .collect();
        let rate = found.len() as f64 * 1000.0 / lines.len() as f64;
        assert!(
            rate <= most,
            "{habit}: {rate:.2} per 1,000 lines, at most {most}: {found:#?}"
        );
    }
}
