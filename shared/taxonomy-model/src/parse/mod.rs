//! Parses the input file in one pass that reports all issues (docs/decisions/0003-input-file.md, docs/taxonomy.schema.json).
//!
//! `json` walks objects and lists and converts unexpected values to issues, `nodes` and `names` contain the fields of the format, `text` the
//! rules of texts, `metadata` canonicalises free JSON, `misnamed` compares unknown fields with known ones, `check` contains the checks of the whole file, `size` those of the limits of DynamoDB,
//! `syntax` the place and the reason where a text is no JSON.

mod check;
mod details;
mod json;
mod metadata;
mod misnamed;
mod names;
mod nodes;
mod size;
mod syntax;
mod text;

use taxonomy_keys::Culture;

use crate::report::{Code, Report};
use crate::taxonomy::Taxonomy;
use crate::taxonomy::settings::Settings;
use json::FileReader;
pub use syntax::syntax_error;

/// Settings that do not come from the file but from the tenant's configuration and the stack.
#[derive(Debug, Clone)]
pub struct Defaults {
    /// The tenant's default culture; it takes precedence over the file's.
    pub tenant_culture: Option<Culture>,
    /// Used when neither tenant nor file names a default culture.
    pub stack_culture: Culture,
    /// The tenant's fallback chain.
    pub fallback_chain: Vec<Culture>,
}

/// Bounds on a file that are not part of the format.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The maximum number of categories and terms together.
    pub nodes: usize,
}

impl Default for Limits {
    /// A million terms and their categories (docs/decisions/0027-large-files.md).
    fn default() -> Self {
        Self { nodes: 1_100_000 }
    }
}

/// The result for a valid file.
#[derive(Debug)]
pub struct Parsed {
    /// The content.
    pub taxonomy: Taxonomy,
    /// Counts and warnings.
    pub report: Report,
    /// The default culture that the file names, whether or not it applies.
    pub default_culture: Option<Culture>,
}

/// Parses and validates a decoded file completely, or refuses it.
///
/// # Errors
/// The report, with every error, unless the bytes stop being JSON.
pub fn parse(bytes: &[u8], defaults: &Defaults, limits: Limits) -> Result<Parsed, Box<Report>> {
    let json = decoded(bytes)?;
    let mut reader = FileReader::new(limits.nodes);
    if let Err(error) = nodes::read_file(json, &mut reader) {
        syntax::not_json(json, &error, &mut reader);
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
    // What the tenant's configuration replaces.
    let replaced = own_culture
        .as_ref()
        .filter(|own| **own != settings.default_culture);
    check::check(&mut reader, &settings, replaced);

    // Frees the state that only the checks needed.
    let FileReader { tree, mut report, .. } = reader;
    if !report.accepted {
        return Err(Box::new(report));
    }
    match tree.finish(settings) {
        Ok(taxonomy) => Ok(Parsed {
            taxonomy,
            report,
            default_culture: own_culture,
        }),
        // The checks reported everything that this can find; should the two ever disagree, the file is refused.
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
    std::str::from_utf8(bytes).map_err(|error| Box::new(syntax::not_utf8(bytes, error)))
}
