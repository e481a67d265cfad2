//! The output line of a metric.

use std::io::{self, Write as _};
use std::str::FromStr;

use serde::Serialize;
use serde::ser::SerializeSeq as _;
use serde_json::value::RawValue;
use taxonomy_client::expander::Expanded;
use taxonomy_keys::TermId;

use super::metric::MetricLine;

/// The field for the ids without a term and for what is no id, written only if there are any.
const UNKNOWN: &str = "unknown";

/// The field for the version, written only if the metric has ids.
const VERSION: &str = "taxonomyVersion";

/// The field for the names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamesField(String);

impl FromStr for NamesField {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, &'static str> {
        if ["", UNKNOWN, VERSION].contains(&name) {
            return Err("names cannot be written to a field that is empty, `unknown` or `taxonomyVersion`");
        }
        Ok(Self(name.to_owned()))
    }
}

impl NamesField {
    /// Returns whether the output adds a field of this name.
    pub(super) fn adds(&self, key: &str) -> bool {
        [self.0.as_str(), UNKNOWN, VERSION].contains(&key)
    }
}

/// Writes a line: the metric unchanged, with the further fields before its closing brace. A blank line stays blank.
///
/// # Errors
/// Never in practice: writing to a vector does not fail.
pub(super) fn line(out: &mut Vec<u8>, expanded: &Expanded<MetricLine>, into: &NamesField) -> io::Result<()> {
    let MetricLine { text, no_ids } = &expanded.value;
    if text.is_empty() {
        out.push(b'\n');
        return Ok(());
    }
    let own = text.strip_suffix('}').unwrap_or(text);
    out.extend_from_slice(own.as_bytes());
    let has_fields = own.trim_ascii() != "{";
    field(out, has_fields, &into.0, &Names(expanded))?;
    if !expanded.unknown.is_empty() || !no_ids.is_empty() {
        field(out, true, UNKNOWN, &Unknown(&expanded.unknown, no_ids))?;
    }
    if let Some(version) = expanded.version {
        field(out, true, VERSION, &version)?;
    }
    out.extend_from_slice(b"}\n");
    Ok(())
}

fn field(out: &mut Vec<u8>, has_fields: bool, name: &str, value: &impl Serialize) -> io::Result<()> {
    if has_fields {
        out.push(b',');
    }
    serde_json::to_writer(&mut *out, name)?;
    out.write_all(b":")?;
    Ok(serde_json::to_writer(out, value)?)
}

/// The names of a metric, written without a list of references: there may be 320,000 of them.
struct Names<'e>(&'e Expanded<MetricLine>);

impl Serialize for Names<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.names.iter().map(|name| &**name))
    }
}

/// The ids without a term, and behind them what is no id, as it is in the metric.
struct Unknown<'e>(&'e [TermId], &'e [Box<RawValue>]);

impl Serialize for Unknown<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        self.0.iter().try_for_each(|id| list.serialize_element(id))?;
        self.1
            .iter()
            .try_for_each(|value| list.serialize_element(value))?;
        list.end()
    }
}
