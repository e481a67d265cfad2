//! The stored form of the ancestors of a term: one string. A list of maps takes 17 bytes more for each ancestor, and more work to parse
//! (docs/decisions/0006-layout.md).

use std::fmt::Write as _;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use taxonomy_keys::{Culture, TermId};

use crate::items::stored_path::StoredPath;

/// The ancestors of a term, nearest first.
///
/// Stored as a string, and absent for a top term: a line for each ancestor, with TABs between its id, its name and, if present, its path and its
/// culture. Names and paths contain neither. A path is marked by `=` if it is whole, by `+` if it continues the path of the next node
/// upwards: `"151\tNursing\t+/nursing\n150\tHealthcare\t=healthcare\ten-GB"`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lineage(pub(crate) Vec<LineageEntry>);

/// An ancestor in a term's lineage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineageEntry {
    /// The ancestor.
    pub id: TermId,
    /// Its name.
    pub name: String,
    /// Its path.
    pub path: Option<StoredPath>,
    /// The culture of its name, if it differs from that of the item.
    pub culture: Option<Culture>,
}

impl Deref for Lineage {
    type Target = [LineageEntry];

    fn deref(&self) -> &[LineageEntry] {
        &self.0
    }
}

impl Serialize for Lineage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_empty() {
            return serializer.serialize_none();
        }
        let mut text = String::new();
        for entry in &self.0 {
            if !text.is_empty() {
                text.push('\n');
            }
            entry.write(&mut text);
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Lineage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let entries: Option<_> = text.split('\n').map(LineageEntry::read).collect();
        let malformed = || D::Error::custom("no lines of id, name, path and culture");
        entries.map(Self).ok_or_else(malformed)
    }
}

impl LineageEntry {
    fn write(&self, text: &mut String) {
        // Writing to a string does not fail.
        let _ = write!(text, "{}\t{}", self.id, self.name);
        if self.path.is_some() || self.culture.is_some() {
            text.push('\t');
        }
        match &self.path {
            Some(StoredPath::Whole(path)) => text.extend(["=", path]),
            Some(StoredPath::Below(rest)) => text.extend(["+", rest]),
            None => {}
        }
        if let Some(culture) = &self.culture {
            text.extend(["\t", culture.as_str()]);
        }
    }

    fn read(line: &str) -> Option<Self> {
        let mut fields = line.split('\t');
        let id = fields.next()?.parse().ok()?;
        let name = fields.next()?.to_owned();
        let path = match fields.next() {
            None | Some("") => None,
            Some(path) => Some(read_path(path)?),
        };
        let culture = fields.next().map(str::parse).transpose().ok()?;
        let entry = Self {
            id,
            name,
            path,
            culture,
        };
        fields.next().is_none().then_some(entry)
    }
}

fn read_path(marked: &str) -> Option<StoredPath> {
    match marked.strip_prefix('=') {
        Some(path) => Some(StoredPath::Whole(path.to_owned())),
        None => Some(StoredPath::Below(marked.strip_prefix('+')?.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_lineage_is_a_text_with_as_much_of_each_ancestor_as_there_is() {
        let whole = || StoredPath::Whole("x/a".to_owned());
        let below = || StoredPath::Below("/a".to_owned());
        for (text, path, culture) in [
            ("1\tA", None, None),
            ("1\tA\t+/a", Some(below()), None),
            ("1\tA\t=x/a", Some(whole()), None),
            ("1\tA\t=x/a\ten-GB", Some(whole()), Some("en-GB")),
            ("1\tA\t\ten-GB", None, Some("en-GB")),
        ] {
            let text = [text, "9007199254740991\t"].join("\n");
            let lineage: Lineage = serde_json::from_value(json!(text)).unwrap();
            assert_eq!((lineage[0].id.get(), lineage[0].name.as_str()), (1, "A"));
            assert_eq!(lineage[0].path, path, "{text:?}");
            let found = lineage[0].culture.as_ref();
            assert_eq!(found.map(Culture::as_str), culture, "{text:?}");
            assert_eq!((lineage.len(), lineage[1].name.as_str()), (2, ""));
            assert_eq!(serde_json::to_value(&lineage).unwrap(), json!(text));
        }
        assert_eq!(serde_json::to_value(Lineage::default()).unwrap(), json!(null));
    }

    #[test]
    fn a_text_that_is_no_lineage_is_refused() {
        let texts = "|1|A\tA|-1\tA|9007199254740992\tA|1\tA\n|1\tA\ta|1\tA\té|1\tA\t\ten_GB|1\tA\t\ten-GB\t";
        for text in texts.split('|') {
            let error = serde_json::from_value::<Lineage>(json!(text)).unwrap_err();
            let expect = "no lines of id, name, path and culture";
            assert_eq!(error.to_string(), expect, "{text:?}");
        }
        let error = serde_json::from_value::<Lineage>(json!([])).unwrap_err();
        assert_eq!(error.to_string(), "invalid type: sequence, expected a string");
    }
}
