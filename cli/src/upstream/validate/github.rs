//! The output for GitHub Actions: workflow commands, which appear as annotations of a file:
//! <https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions>.

use std::io::{self, Write};

use taxonomy_model::Severity;

use super::validated::{LocatedIssue, Validated};

pub(super) fn write(out: &mut impl Write, files: &[Validated]) -> io::Result<()> {
    for file in files {
        for LocatedIssue { issue, place } in &file.issues {
            let command = match issue.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            write!(out, "::{command} file={}", property(&file.file))?;
            if let Some(place) = place {
                write!(out, ",line={},col={}", place.at.line, place.at.column)?;
            }
            let message = format!("{} (at {:?}). {}", issue.message, issue.pointer, issue.hint);
            writeln!(out, ",title={}::{}", issue.code.as_str(), data(&message))?;
        }
    }
    Ok(())
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_escaped() {
        assert_eq!(property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
        assert_eq!(data("a:b,c%\r\n"), "a:b,c%25%0D%0A");
    }
}
