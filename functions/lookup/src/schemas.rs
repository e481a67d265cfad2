//! The schemas of values that responses contain in their stored form.

use serde::Serialize;
use utoipa::ToSchema;

/// Definition and scope note.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes a stored value and is never built")]
pub(crate) struct Notes {
    /// The meaning.
    #[schema(nullable = false)]
    definition: Option<String>,
    /// The intended use, and its limits.
    #[schema(nullable = false)]
    scope_note: Option<String>,
}

/// The reason and date of a deprecation.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a stored value and is never built")]
pub(crate) struct Deprecation {
    /// The reason, in the author's words.
    #[schema(nullable = false)]
    reason: Option<String>,
    /// The first day of the deprecation.
    #[schema(nullable = false, format = Date, example = "2026-01-31")]
    since: Option<String>,
}

/// The provenance of a version, in the words of its uploader or operator.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a stored value and is never built")]
pub(crate) struct Provenance {
    /// The upstream's release.
    #[schema(nullable = false)]
    release: Option<String>,
    /// The person or system that made the version.
    #[schema(nullable = false)]
    author: Option<String>,
    /// The reason for it.
    #[schema(nullable = false)]
    reason: Option<String>,
}

/// A relation to a concept of another scheme or to a term of the tenant.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a stored value and is never built")]
pub(crate) struct Relation {
    /// Its type: the mapping properties of SKOS.
    #[schema(rename = "type")]
    kind: RelationType,
    /// The other scheme; absent for a term of the tenant.
    #[schema(nullable = false)]
    scheme: Option<String>,
    /// The concept in that scheme, or the number of the term.
    id: RelatedId,
}

/// The mapping properties of SKOS.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a stored value and is never built")]
pub(crate) enum RelationType {
    Exact,
    Close,
    Broad,
    Narrow,
    Related,
}

/// A text in another scheme, a number for a term of the tenant.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes a stored value and is never built")]
pub(crate) enum RelatedId {
    Term(u64),
    Concept(String),
}

/// The id of a term.
#[derive(Debug, Serialize, ToSchema)]
#[schema(minimum = 0, maximum = 9007199254740991u64)]
pub(crate) struct Id(u64);
