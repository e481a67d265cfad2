//! The output in SARIF 2.1.0 for code scanning: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.

use std::io::{self, Write};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use taxonomy_model::Code;

use super::validated::{LocatedIssue, Validated};
use crate::output::pretty;

pub(super) fn write(out: &mut impl Write, files: &[Validated]) -> io::Result<()> {
    let results = files
        .iter()
        .flat_map(|file| file.issues.iter().map(|located| result(&file.file, located)));
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "taxonomy",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": Code::ALL.iter().map(|code| rule(*code)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<_>>(),
        }],
    });
    pretty(out, &log)
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.as_str(),
        "shortDescription": {"text": code.as_str().replace('-', " ")},
        "fullDescription": {"text": code.hint()},
        "help": {"text": code.hint()},
        "defaultConfiguration": {"level": code.severity()},
    })
}

fn result(file: &str, LocatedIssue { issue, place }: &LocatedIssue) -> Value {
    let mut location = json!({
        "physicalLocation": {"artifactLocation": {"uri": uri(file)}},
        "logicalLocations": [{"fullyQualifiedName": issue.pointer}],
    });
    if let Some(place) = place {
        location["physicalLocation"]["region"] =
            json!({"startLine": place.at.line, "startColumn": place.at.column});
    }
    json!({
        "ruleId": issue.code.as_str(),
        "level": issue.severity,
        "message": {"text": format!("{}. {}", issue.message, issue.hint)},
        "locations": [location],
    })
}

/// Encodes a path as a relative reference (RFC 3986, section 4.2), or an absolute path as a file URI (RFC 8089).
fn uri(path: &str) -> String {
    const OTHERS: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    format!("{scheme}{}", utf8_percent_encode(path, OTHERS))
}
