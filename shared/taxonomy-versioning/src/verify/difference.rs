//! Differences between what is stored and what the versions of a tenant say (docs/decisions/0035-losses.md).

use std::fmt;

use serde::{Deserialize, Serialize};
use taxonomy_keys::Key;
use taxonomy_model::attribute::Malformed;
use taxonomy_runtime::causes;
use taxonomy_store::StoreError;

/// The maximum number of differences that are listed; all are counted.
const LISTED: usize = 1_000;

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// How it differs.
    pub found: Found,
    /// What differs.
    #[serde(flatten)]
    pub place: Place,
    /// The attributes of an item that differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<String>,
    /// What was noticed; `None` where [`Found`] says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// What became of it; `None` where nothing was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mending: Option<Mending>,
}

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Place {
    /// An object.
    Object {
        /// Bucket and key, as `s3://bucket/key`.
        object: String,
    },
    /// An item of the table.
    Item {
        /// Its partition key.
        pk: String,
        /// Its sort key.
        sk: String,
    },
}

/// How it differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// It does not exist.
    Missing,
    /// It has another content than the version.
    Altered,
    /// The version does not have it.
    Foreign,
    /// It is of a version that the tenant does not have.
    Future,
    /// This service never writes such a thing.
    Malformed,
}

/// What became of a difference that was to be mended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mending {
    /// It is as it should be.
    Mended,
    /// It could not be mended, for this reason.
    Left(String),
}

impl Found {
    /// Its stored name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Altered => "altered",
            Self::Foreign => "foreign",
            Self::Future => "future",
            Self::Malformed => "malformed",
        }
    }
}

impl Difference {
    fn new(found: Found, place: Place) -> Self {
        Self {
            found,
            place,
            attributes: Vec::new(),
            cause: None,
            mending: None,
        }
    }

    pub(crate) fn item(Key { pk, sk }: Key, found: Found) -> Self {
        Self::new(found, Place::Item { pk, sk })
    }

    /// Returns the difference of an item with an attribute that this service never writes.
    pub(crate) fn malformed(key: Key, Malformed(why, attribute): &Malformed) -> Self {
        Self {
            attributes: vec![attribute.clone()],
            cause: Some(why.clone()),
            ..Self::item(key, Found::Malformed)
        }
    }

    pub(crate) fn object(object: String, found: Found, cause: impl Into<String>) -> Self {
        Self::new(found, Place::Object { object }).because(cause)
    }

    /// Returns the difference of an object that is missing or damaged.
    pub(crate) fn lost(object: String, error: &StoreError) -> Self {
        match error.is_missing() {
            true => Self::new(Found::Missing, Place::Object { object }),
            false => Self::object(object, Found::Altered, causes(error)),
        }
    }

    #[must_use]
    pub(crate) fn because(self, cause: impl Into<String>) -> Self {
        Self {
            cause: Some(cause.into()),
            ..self
        }
    }

    #[must_use]
    pub(crate) fn of(self, attributes: Vec<String>) -> Self {
        Self { attributes, ..self }
    }

    #[must_use]
    pub(crate) fn with(self, mending: Mending) -> Self {
        Self {
            mending: Some(mending),
            ..self
        }
    }
}

/// One line: how it differs, what, and what was noticed.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<9} ", self.found.as_str())?;
        match &self.place {
            Place::Object { object } => write!(f, "{object}")?,
            Place::Item { pk, sk } => write!(f, "{pk} {sk}")?,
        }
        if !self.attributes.is_empty() {
            write!(f, " {}", self.attributes.join(", "))?;
        }
        if let Some(cause) = &self.cause {
            write!(f, ": {cause}")?;
        }
        match &self.mending {
            None => Ok(()),
            Some(Mending::Mended) => f.write_str(" (mended)"),
            Some(Mending::Left(why)) => write!(f, " (left: {why})"),
        }
    }
}

/// What an examination found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Findings {
    /// The number of versions that were walked over.
    pub versions: u64,
    /// The number of objects that are as they should be.
    pub objects: u64,
    /// The same of items.
    pub items: u64,
    /// The number of differences.
    #[serde(rename = "differences")]
    pub count: u64,
    /// The number of those that were mended.
    pub mended: u64,
    /// The first differences.
    pub listed: Vec<Difference>,
}

impl Findings {
    /// The number of differences that are as they were found.
    pub fn left(&self) -> u64 {
        self.count.saturating_sub(self.mended)
    }

    pub(crate) fn note(&mut self, difference: Difference) {
        self.count += 1;
        self.mended += u64::from(difference.mending == Some(Mending::Mended));
        if self.listed.len() < LISTED {
            self.listed.push(difference);
        }
    }

    /// Adds the findings of a later part.
    pub(crate) fn add(&mut self, later: Self) {
        self.versions += later.versions;
        self.objects += later.objects;
        self.items += later.items;
        self.count += later.count;
        self.mended += later.mended;
        let room = LISTED.saturating_sub(self.listed.len());
        self.listed.extend(later.listed.into_iter().take(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published form (docs/decisions/0035-losses.md).
    #[test]
    fn a_difference_has_this_form_and_reads_back() {
        let key = Key {
            pk: "TERM#acme#1".to_owned(),
            sk: "CULTURE#fr".to_owned(),
        };
        let object = "s3://changesets/snapshots/acme/1".to_owned();
        let left = Mending::Left("it changed".to_owned());
        for (difference, expect, line) in [
            (
                Difference::item(key.clone(), Found::Altered).of(vec!["Name".to_owned(), "V".to_owned()]),
                r#"{"found":"altered","pk":"TERM#acme#1","sk":"CULTURE#fr","attributes":["Name","V"]}"#,
                "altered   TERM#acme#1 CULTURE#fr Name, V",
            ),
            (
                Difference::malformed(key, &Malformed("a text".to_owned(), "V".to_owned())).with(left),
                r#"{"found":"malformed","pk":"TERM#acme#1","sk":"CULTURE#fr","attributes":["V"],"cause":"a text","mending":{"left":"it changed"}}"#,
                "malformed TERM#acme#1 CULTURE#fr V: a text (left: it changed)",
            ),
            (
                Difference::lost(object.clone(), &StoreError::Missing { object }).with(Mending::Mended),
                r#"{"found":"missing","object":"s3://changesets/snapshots/acme/1","mending":"mended"}"#,
                "missing   s3://changesets/snapshots/acme/1 (mended)",
            ),
        ] {
            assert_eq!(difference.to_string(), line);
            let json = serde_json::to_string(&difference).unwrap_or_default();
            assert_eq!(json, expect);
            assert_eq!(serde_json::from_str::<Difference>(&json).ok(), Some(difference));
        }
    }
}
