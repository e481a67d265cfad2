//! The term ids of a metric. They are read with `RawValue`, which keeps the position of each value and the text of each number.

use std::borrow::Cow;

use serde_json::value::RawValue;
use taxonomy_keys::TermId;
use taxonomy_model::syntax_error;

use super::path::{FieldPath, Step};
use super::render::NamesField;
use crate::members::Members;

/// The largest number of ids in a metric, so that the names of one metric fit into memory.
pub(super) const MAX_IDS: usize = 10_000;

const NO_ID: &str =
    "a term id is expected: a whole number from 0 to 9007199254740991, or a string of its digits";

/// A metric as it was read, blank where the line is.
#[derive(Debug, Default)]
pub(super) struct MetricLine {
    /// The line, without its end.
    pub(super) text: String,
    /// The numbers and texts at the path that are no ids, each once.
    pub(super) no_ids: Vec<Box<RawValue>>,
}

/// The term ids of a line in document order, and what is none of them.
#[derive(Debug, Default)]
pub(super) struct FoundIds {
    pub(super) ids: Vec<TermId>,
    pub(super) no_ids: Vec<Box<RawValue>>,
}

/// A rule that a line breaks, with the offset of the offending byte.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) offset: usize,
    pub(super) reason: String,
}

/// Returns the term ids of a line.
///
/// # Errors
/// [`Broken`] when the line is not a JSON object, already has a field that the output adds, or has neither numbers nor texts at the path.
pub(super) fn ids(line: &str, path: &FieldPath, into: &NamesField) -> Result<FoundIds, Broken> {
    let walk = Walk { line };
    let root: &RawValue = serde_json::from_str(line).map_err(|error| walk.syntax(line, &error))?;
    if !root.get().starts_with('{') {
        return Err(walk.broken(root.get(), "a metric is expected: a JSON object"));
    }
    let (mut ids, mut is_found) = (FoundIds::default(), false);
    for (key, value) in walk.fields(root)? {
        if into.adds(&key) {
            return Err(walk.broken(value.get(), format!("the metric has a field `{key}` already")));
        }
        if key == path.first.as_str() {
            walk.once(&mut is_found, &key, value)?;
            walk.collect(&path.rest, value, &mut ids)?;
        }
    }
    Ok(ids)
}

/// The reader of one line.
struct Walk<'t> {
    line: &'t str,
}

impl<'t> Walk<'t> {
    fn collect(&self, steps: &[Step], value: &'t RawValue, ids: &mut FoundIds) -> Result<(), Broken> {
        let text = value.get();
        if text == "null" {
            return Ok(());
        }
        match steps.split_first() {
            None if text.starts_with('[') => self
                .elements(value)?
                .into_iter()
                .try_for_each(|element| self.id(element, ids)),
            None => self.id(value, ids),
            Some((Step::Each, rest)) if text.starts_with('[') => self
                .elements(value)?
                .into_iter()
                .try_for_each(|element| self.collect(rest, element, ids)),
            Some((Step::Each, _)) => Err(self.broken(text, "an array is expected")),
            Some((Step::Key(wanted), rest)) if text.starts_with('{') => {
                let mut is_found = false;
                for (key, field) in self.fields(value)? {
                    if key == wanted.as_str() {
                        self.once(&mut is_found, &key, field)?;
                        self.collect(rest, field, ids)?;
                    }
                }
                Ok(())
            }
            Some((Step::Key(_), _)) => Err(self.broken(text, "an object is expected")),
        }
    }

    fn id(&self, value: &'t RawValue, found: &mut FoundIds) -> Result<(), Broken> {
        let FoundIds { ids, no_ids } = found;
        let text = value.get();
        if text == "null" {
            return Ok(());
        }
        if ids.len() + no_ids.len() == MAX_IDS {
            return Err(self.broken(text, format!("a metric has at most {MAX_IDS} term ids")));
        }
        let digits = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        if let Ok(id) = digits.unwrap_or(text).parse() {
            ids.push(id);
        } else if !text.starts_with(['"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
            return Err(self.broken(text, NO_ID));
        } else if no_ids.iter().all(|known| known.get() != text) {
            no_ids.push(value.to_owned());
        }
        Ok(())
    }

    fn once(&self, is_found: &mut bool, key: &str, value: &'t RawValue) -> Result<(), Broken> {
        if std::mem::replace(is_found, true) {
            return Err(self.broken(value.get(), format!("the field `{key}` is there twice")));
        }
        Ok(())
    }

    fn fields(&self, object: &'t RawValue) -> Result<Vec<(Cow<'t, str>, &'t RawValue)>, Broken> {
        let fields = serde_json::from_str(object.get());
        fields
            .map(|Members(fields)| fields)
            .map_err(|error| self.syntax(object.get(), &error))
    }

    fn elements(&self, array: &'t RawValue) -> Result<Vec<&'t RawValue>, Broken> {
        serde_json::from_str(array.get()).map_err(|error| self.syntax(array.get(), &error))
    }

    fn broken(&self, at: &'t str, reason: impl Into<String>) -> Broken {
        let offset = at.as_ptr().addr() - self.line.as_ptr().addr();
        Broken {
            offset,
            reason: reason.into(),
        }
    }

    fn syntax(&self, part: &'t str, error: &serde_json::Error) -> Broken {
        let mut broken = self.broken(part, format!("not JSON: {}", syntax_error(error)));
        broken.offset += error.column().saturating_sub(1);
        broken
    }
}
