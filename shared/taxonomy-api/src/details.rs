//! The optional fields that categories and terms share.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::Ancestor;

/// The members that a list omits and the operation by id returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Details<'a> {
    /// For a term the terms above it, nearest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ancestors: Option<Vec<Ancestor<'a>>>,
    /// Other names in the same culture.
    pub alt_names: Cow<'a, [String]>,
    /// Definition and scope note in the same culture, if the file has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub notes: Option<Notes<'a>>,
    /// The text that it is sorted by among its siblings, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sort_key: Option<Cow<'a, str>>,
    /// The metadata of the file's author.
    #[schema(value_type = Object)]
    pub metadata: Metadata<'a>,
    /// The reason and date of the deprecation, if the file has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub deprecation: Option<Deprecation<'a>>,
    /// The terms or categories that replace it.
    pub replaced_by: Cow<'a, [u64]>,
    /// Relations to concepts of other schemes and to terms of the tenant.
    pub relations: Vec<Relation<'a>>,
}

/// Definition and scope note.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Notes<'a> {
    /// The meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub definition: Option<Cow<'a, str>>,
    /// The intended use, and its limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub scope_note: Option<Cow<'a, str>>,
}

/// The reason and date of a deprecation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Deprecation<'a> {
    /// The reason, in the author's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<Cow<'a, str>>,
    /// The first day of the deprecation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = Date, example = "2026-01-31")]
    pub since: Option<Cow<'a, str>>,
}

/// A relation to a concept of another scheme or to a term of the tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Relation<'a> {
    /// Its type: the mapping properties of SKOS.
    #[serde(rename = "type")]
    pub kind: RelationType,
    /// The other scheme; absent for a term of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub scheme: Option<Cow<'a, str>>,
    /// The concept in that scheme, or the number of the term.
    pub id: RelatedId<'a>,
}

impl Relation<'_> {
    /// Returns the same with texts of its own.
    pub fn into_owned(self) -> Relation<'static> {
        Relation {
            kind: self.kind,
            scheme: self.scheme.map(|scheme| scheme.into_owned().into()),
            id: match self.id {
                RelatedId::Term(id) => RelatedId::Term(id),
                RelatedId::Concept(concept) => RelatedId::Concept(concept.into_owned().into()),
            },
        }
    }
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

impl RelationType {
    /// Returns the name of the type.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Exact => "exact",
            Self::Close => "close",
            Self::Broad => "broad",
            Self::Narrow => "narrow",
            Self::Related => "related",
            Self::Other(name) => name,
        }
    }
}

/// Without the types of later versions.
impl PartialSchema for RelationType {
    fn schema() -> RefOr<Schema> {
        let types = ["exact", "close", "broad", "narrow", "related"];
        let schema = ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("The mapping properties of SKOS."))
            .enum_values(Some(types));
        schema.into()
    }
}

impl ToSchema for RelationType {}

/// A text in another scheme, a number for a term of the tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum RelatedId<'a> {
    /// A term of the tenant.
    Term(u64),
    /// A concept of another scheme, often a URI.
    Concept(Cow<'a, str>),
}

/// The metadata that the file's author wrote: a JSON object, digit by digit.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metadata<'a>(Cow<'a, RawValue>);

impl Metadata<'_> {
    /// The JSON text.
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

impl<'a> From<&'a RawValue> for Metadata<'a> {
    fn from(json: &'a RawValue) -> Self {
        Self(Cow::Borrowed(json))
    }
}

/// Equal where the texts are.
impl PartialEq for Metadata<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Metadata<'_> {}
