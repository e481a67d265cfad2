//! The optional fields that categories and terms share.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use taxonomy_keys::TermId;

/// Definition and scope note in the culture of the answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Notes {
    /// The meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The intended use, and its limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_note: Option<String>,
}

/// Why and since when something is deprecated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deprecation {
    /// The reason, in the author's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The first day, such as `2026-01-31`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// A relation to a concept of another scheme, or to a term of the tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relation {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: RelationType,
    /// The other scheme; none for a term of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// The concept there, or the term.
    pub id: RelatedId,
}

/// The mapping properties of SKOS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RelationType {
    /// The same meaning.
    Exact,
    /// Nearly the same meaning.
    Close,
    /// The other one is broader.
    Broad,
    /// The other one is narrower.
    Narrow,
    /// Associated with it.
    Related,
    /// A type of a later version of the service.
    #[serde(untagged)]
    Other(String),
}

/// A number for a term of the tenant, a text for a concept of another scheme.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RelatedId {
    /// A term of the tenant.
    Term(TermId),
    /// A concept of another scheme, often a URI.
    Concept(String),
}

/// The metadata that the file's author wrote: a JSON object, digit by digit as the service sent it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metadata(Box<RawValue>);

impl Metadata {
    /// The JSON text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// The object as a type of the caller's.
    ///
    /// # Errors
    /// The parser's, where it is not of that type.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }
}

/// Equal where the texts are.
impl PartialEq for Metadata {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Metadata {}
