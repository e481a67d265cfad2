//! The stored shape of every item of the projection: one struct for each kind. Attribute names are the storage format
//! (docs/decisions/0001-table.md). Ids in the key are not stored a second time.

use std::collections::BTreeMap;

use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use taxonomy_keys::{CategoryId, Culture};

use crate::taxonomy::details::{Deprecation, Details, Notes, Relation};

pub use crate::items::stored_path::StoredPath;
pub use crate::taxonomy::derived::final_name;
pub use crate::taxonomy::lineage::{Lineage, LineageEntry};

/// A term in one culture, as a complete answer: items `Term` and `TermCulture`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct StoredTerm {
    /// Its category.
    pub category_id: CategoryId,
    /// The path of the category.
    pub category_path: Option<String>,
    /// The culture of the category's name, if it differs from `culture`.
    pub category_culture: Option<Culture>,
    /// The culture of the item.
    pub culture: Culture,
    /// The term's name.
    pub name: String,
    /// `{category name}:{term name}`, the only place of the category's name.
    pub final_name: String,
    /// The term's path.
    pub path: Option<StoredPath>,
    /// The ancestors, nearest first.
    #[serde(default)]
    pub lineage: Lineage,
    /// Code in a classification.
    pub notation: Option<String>,
    /// Alternative names in `culture`.
    #[serde(default)]
    pub alt_names: Vec<String>,
    /// Definition and scope note in `culture`.
    pub notes: Option<Notes>,
    /// The text that it is sorted by among its siblings.
    pub sort_key: Option<String>,
    /// Canonical JSON of an object.
    #[serde(default, deserialize_with = "json_text")]
    pub metadata: Option<String>,
    /// Whether it is deprecated: not for new use.
    #[serde(default)]
    pub deprecated: bool,
    /// The reason and date of the deprecation.
    pub deprecation: Option<Deprecation>,
    /// The ids of its replacements.
    #[serde(default)]
    pub replaced_by: Vec<u64>,
    /// Relations to other concepts.
    #[serde(default)]
    pub relations: Vec<Relation>,
    /// Whether it was removed from the taxonomy.
    #[serde(default)]
    pub removed: bool,
}

/// A category with its names in all cultures: item `Category`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct StoredCategory {
    /// The default culture.
    pub culture: Culture,
    /// The name in it.
    pub name: String,
    /// The path in it.
    pub path: Option<String>,
    /// Names and paths in the other cultures.
    #[serde(default)]
    pub names: BTreeMap<Culture, StoredName>,
    /// Code in a classification.
    pub notation: Option<String>,
    /// Alternative names by culture.
    #[serde(default)]
    pub alt_names: BTreeMap<Culture, Vec<String>>,
    /// Definitions and scope notes by culture.
    #[serde(default)]
    pub notes: BTreeMap<Culture, Notes>,
    /// The text that it is sorted by among the categories.
    pub sort_key: Option<String>,
    /// Canonical JSON of an object.
    #[serde(default, deserialize_with = "json_text")]
    pub metadata: Option<String>,
    /// Whether it is deprecated: not for new use.
    #[serde(default)]
    pub deprecated: bool,
    /// The reason and date of the deprecation.
    pub deprecation: Option<Deprecation>,
    /// The ids of its replacements.
    #[serde(default)]
    pub replaced_by: Vec<u64>,
    /// Relations to other concepts.
    #[serde(default)]
    pub relations: Vec<Relation>,
    /// Whether it was removed from the taxonomy.
    #[serde(default)]
    pub removed: bool,
}

impl StoredCategory {
    /// Creates a category with its name in the default culture and those in the other cultures.
    pub(crate) fn new(
        default: &Culture,
        own: StoredName,
        names: BTreeMap<Culture, StoredName>,
        details: &Details,
    ) -> Self {
        let mut alt_names: BTreeMap<Culture, Vec<String>> = BTreeMap::new();
        for (culture, name) in &details.alt_names {
            alt_names.entry(culture.clone()).or_default().push(name.clone());
        }
        Self {
            culture: default.clone(),
            name: own.name,
            path: own.path,
            names,
            notation: details.notation.clone(),
            alt_names,
            notes: details.notes.clone(),
            sort_key: details.sort_key.clone(),
            metadata: details
                .metadata
                .as_ref()
                .map(|metadata| metadata.as_str().to_owned()),
            deprecated: details.deprecated,
            deprecation: details.deprecation.clone(),
            replaced_by: details.replaced_by.clone(),
            relations: details.relations.clone(),
            removed: false,
        }
    }
}

/// The name of a category in a culture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct StoredName {
    /// The name.
    pub name: String,
    /// The path.
    pub path: Option<String>,
}

/// Reads a text that answers hold as JSON.
fn json_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    if let Some(text) = &text {
        serde_json::from_str::<IgnoredAny>(text).map_err(|_| D::Error::custom("no JSON"))?;
    }
    Ok(text)
}
