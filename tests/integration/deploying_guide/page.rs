//! The guide as text: its code, its tables, the commands that it names; and the commands and flags that there are.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use regex_lite::Regex;

use crate::template::read;

/// A page, divided into text and the lines of its code blocks.
pub(super) struct Page {
    lines: Vec<String>,
    code: Vec<String>,
}

/// Returns the code spans of a line of text.
pub(super) fn spans(text: &str) -> Vec<String> {
    let parts = text.split('`').skip(1).step_by(2);
    parts.map(str::to_owned).collect()
}

fn found(expression: &str, texts: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    let expression = Regex::new(expression).unwrap();
    let mut found = BTreeSet::new();
    for text in texts {
        found.extend(expression.captures_iter(&text).map(|found| found[1].to_owned()));
    }
    found
}

impl Page {
    pub(super) fn new(text: &str) -> Self {
        let (mut lines, mut code, mut is_code) = (Vec::new(), Vec::new(), false);
        for line in text.lines().map(str::trim) {
            if line.starts_with("```") {
                is_code = !is_code;
            } else if is_code {
                code.push(line.to_owned());
            } else {
                lines.push(line.to_owned());
            }
        }
        Self { lines, code }
    }

    /// Returns the cells of the rows under a heading, up to the next heading, whose first cell begins with code.
    pub(super) fn rows(&self, heading: &str) -> Vec<Vec<String>> {
        let section = self.lines.iter().skip_while(|line| *line != heading).skip(1);
        let section = section.take_while(|line| !line.starts_with('#'));
        let rows = section.filter(|line| line.starts_with("| `"));
        rows.map(|row| {
            let row = row.trim_matches('|');
            row.split('|').map(|cell| cell.trim().to_owned()).collect()
        })
        .collect()
    }

    fn all_spans(&self) -> Vec<String> {
        self.lines.iter().flat_map(|line| spans(line)).collect()
    }

    /// Returns the code spans that are a name such as `AuthMode`.
    pub(super) fn names(&self) -> BTreeSet<String> {
        found("^([A-Z][a-z][A-Za-z0-9]*)(?:=.*)?$", self.all_spans())
    }

    /// Returns the names in code that get a value, as in `AuthMode=iam`.
    pub(super) fn assigned(&self) -> BTreeSet<String> {
        let code = self.all_spans().into_iter().chain(self.code.clone());
        found(r"\b([A-Z][a-z][A-Za-z]*)=", code)
    }

    /// Returns each call of the command line.
    pub(super) fn commands(&self) -> Vec<String> {
        let code = self.all_spans().into_iter().chain(self.code.clone());
        code.filter(|code| code.starts_with("taxonomy ")).collect()
    }
}

/// Returns the commands of the command line, as the test of its manual lists them.
pub(super) fn commands() -> BTreeSet<String> {
    let commands = found(r#""taxonomy-([a-z-]+)\.1""#, [read("cli/tests/manual.rs")]);
    assert!(commands.contains("tenant-purge"), "{commands:?}");
    commands
}

/// Returns the flags of all commands.
pub(super) fn flags() -> BTreeSet<String> {
    let mut sources = Vec::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/src"),
        &mut sources,
    );
    let fields = found(r"#\[arg\(long[^\]]*\)\]\s*(?:pub\([a-z]+\) )?([a-z_]+):", sources);
    let flags: BTreeSet<String> = fields.iter().map(|field| field.replace('_', "-")).collect();
    assert!(
        flags.contains("allow-removals") && flags.contains("stack"),
        "{flags:?}"
    );
    flags
}

/// Collects the texts of all files below a folder.
fn collect(folder: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => collect(&path, texts),
            false => texts.push(fs::read_to_string(&path).unwrap()),
        }
    }
}
