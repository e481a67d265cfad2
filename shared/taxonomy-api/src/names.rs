//! The names of a category or a term in all cultures.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use taxonomy_keys::Culture;
use utoipa::ToSchema;

use crate::Notes;

/// The name of a category or a term in one culture, with what the file has beside it in that culture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CultureName<'a> {
    /// The culture.
    #[schema(value_type = String, example = "fr-FR")]
    pub culture: Culture,
    /// The name.
    pub name: Cow<'a, str>,
    /// The path, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<Cow<'a, str>>,
    /// Other names; absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alt_names: Vec<Cow<'a, str>>,
    /// Definition and scope note, if the file has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub notes: Option<Notes<'a>>,
}
