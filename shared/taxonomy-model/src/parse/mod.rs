//! The input file, parsed in one pass that finds everything (docs/decisions/0003-input-file.md, docs/taxonomy.schema.json).
//!
//! `json` walks objects and lists and turns surprises into issues, `nodes` and `names` know the fields of the format, `text` the rules
//! of names, `metadata` makes free JSON canonical, `check` looks at the whole once it is read, `size` at what DynamoDB takes.

mod check;
mod details;
mod json;
mod metadata;
mod names;
mod nodes;
mod size;
mod text;

use taxonomy_keys::Culture;

use crate::report::{Code, Report};
use crate::settings::Settings;
use crate::taxonomy::Taxonomy;
use json::Reader;

/// What the file does not say, from the tenant's configuration and the stack.
#[derive(Debug, Clone)]
pub struct Defaults {
    /// The tenant's default culture; it counts more than the file's.
    pub tenant_culture: Option<Culture>,
    /// Used when neither tenant nor file names a default culture.
    pub stack_culture: Culture,
    /// The tenant's fallback chain.
    pub fallback_chain: Vec<Culture>,
}

/// Bounds on a file that are not part of the format.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Categories and terms.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { nodes: 500_000 }
    }
}

/// A file that was taken.
#[derive(Debug)]
pub struct Parsed {
    /// Its content.
    pub taxonomy: Taxonomy,
    /// Counts and warnings.
    pub report: Report,
    /// The default culture that the file itself names, whether or not it counts.
    pub default_culture: Option<Culture>,
}

/// Parses and validates a decoded file: all of it or nothing.
///
/// # Errors
/// The report, with every error there is, unless the bytes stop being JSON.
pub fn parse(bytes: &[u8], defaults: &Defaults, limits: Limits) -> Result<Parsed, Box<Report>> {
    let json = decoded(bytes)?;
    let mut reader = Reader::new(limits.nodes);
    if let Err(error) = nodes::read_file(json, &mut reader) {
        let what = if error.to_string().starts_with("number out of range") {
            "a number that no double can hold"
        } else {
            "not JSON"
        };
        let message = format!("{what} at line {}, column {}", error.line(), error.column());
        reader.issue(Code::InvalidJson, None, message);
        let last = reader.report.issues.last_mut();
        if let Some(issue) = last.filter(|issue| issue.code == Code::InvalidJson) {
            // Column 0 is the end of the line before.
            issue.stops_at = Some((error.line().max(1), error.column().max(1)));
        }
        return Err(Box::new(reader.report));
    }
    let own_culture = reader.default_culture.clone();
    let default_culture = defaults
        .tenant_culture
        .clone()
        .or_else(|| own_culture.clone())
        .unwrap_or_else(|| defaults.stack_culture.clone());
    let settings = Settings {
        default_culture,
        fallback_chain: defaults.fallback_chain.clone(),
    };
    check::check(&mut reader, &settings);

    // Everything that only the checks needed goes here.
    let (tree, mut report) = reader.into_parts();
    if !report.accepted {
        return Err(Box::new(report));
    }
    match tree.finish(settings) {
        Ok(taxonomy) => Ok(Parsed {
            taxonomy,
            report,
            default_culture: own_culture,
        }),
        // The checks found everything this could find; should they ever disagree, the file is refused, not half taken.
        Err(unfinished) => {
            report.add(Code::InvalidJson, None, unfinished.to_string(), String::new);
            Err(Box::new(report))
        }
    }
}

fn decoded(bytes: &[u8]) -> Result<&str, Box<Report>> {
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        let message = "the file begins with a byte order mark".to_owned();
        return Err(Box::new(Report::refusal(Code::ByteOrderMark, message)));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let message = format!("not UTF-8 at byte {}", error.valid_up_to());
        Box::new(Report::refusal(Code::InvalidUtf8, message))
    })
}
