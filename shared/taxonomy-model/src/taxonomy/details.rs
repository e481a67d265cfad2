//! The optional fields of categories and terms, defined once: the tree contains them, snapshots and facts store them in this form
//! (docs/decisions/0002-stored-bodies.md).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use taxonomy_keys::Culture;

use crate::taxonomy::metadata::Metadata;

/// The optional fields of a category or term.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Details {
    /// The code in a classification, SKOS `notation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notation: Option<String>,
    /// Alternative names, ascending by culture, in the author's order inside a culture.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alt_names: Vec<(Culture, String)>,
    /// Definition and scope note by culture.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<Culture, Notes>,
    /// The text that the author sorts siblings by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort_key: Option<String>,
    /// The author's own object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
    /// Whether the node is deprecated: it exists, but is not for new use.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deprecated: bool,
    /// Reason and date of the deprecation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecation: Option<Deprecation>,
    /// The ids of the replacements, categories for a category, terms for a term.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaced_by: Vec<u64>,
    /// Relations to concepts of other schemes and to terms of the same tenant, ascending by type, scheme and id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<Relation>,
}

/// SKOS `definition` and `scopeNote` in one culture; at least one of them is present.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Notes {
    /// The meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The intended use, and its limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_note: Option<String>,
}

/// The reason and date of a deprecation; at least one of them is present.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Deprecation {
    /// The reason, in the author's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The first day, `2026-01-31`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// A relation to a concept of another scheme or to a term of the same tenant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: RelationType,
    /// The other scheme; none where the relation names a term of the same tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// The concept.
    pub id: RelatedId,
}

/// The mapping properties of SKOS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
}

/// The id of a related concept: a number for a term of the same tenant, a text for a concept of another scheme.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RelatedId {
    /// A term of the same tenant.
    Term(u64),
    /// A concept of another scheme, often a URI.
    Concept(String),
}

impl RelationType {
    /// Every type.
    pub const ALL: [Self; 5] = [Self::Exact, Self::Close, Self::Broad, Self::Narrow, Self::Related];

    /// Returns its name in files and responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Close => "close",
            Self::Broad => "broad",
            Self::Narrow => "narrow",
            Self::Related => "related",
        }
    }
}

impl fmt::Display for RelationType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The stored fields of some details, by name, each with its canonical JSON.
pub(crate) type Fields = BTreeMap<String, Box<RawValue>>;

impl Details {
    /// Returns the details of most nodes: none.
    pub(crate) fn none() -> &'static Self {
        static NONE: LazyLock<Details> = LazyLock::new(Details::default);
        &NONE
    }

    /// Returns the bytes of the metadata and of the texts in lists: other names, notes and relations.
    pub(crate) fn bytes(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let alt_names = self.alt_names.iter().map(|(_, name)| name.len());
        let notes = self
            .notes
            .values()
            .map(|notes| text(&notes.definition) + text(&notes.scope_note));
        let relations = self.relations.iter().map(|relation| match &relation.id {
            RelatedId::Term(_) => 0,
            RelatedId::Concept(id) => id.len() + text(&relation.scheme),
        });
        alt_names.chain(notes).chain(relations).sum::<usize>()
            + self
                .metadata
                .as_ref()
                .map_or(0, |metadata| metadata.as_str().len())
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        // Every field by name, so that a new one is not forgotten here. `bytes` counts the metadata and the texts in lists.
        let Self {
            notation,
            alt_names,
            notes,
            sort_key,
            metadata: _,
            deprecated: _,
            deprecation,
            replaced_by,
            relations,
        } = self;
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let since = deprecation.as_ref();
        let lists = alt_names.len() * size_of::<(Culture, String)>()
            + notes.len() * 2 * size_of::<(Culture, Notes)>()
            + replaced_by.len() * size_of::<u64>()
            + relations.len() * size_of::<Relation>();
        let tags = alt_names.iter().map(|(tag, _)| tag).chain(notes.keys());
        size_of::<Self>()
            + self.bytes()
            + text(notation)
            + text(sort_key)
            + since.map_or(0, |since| text(&since.reason) + text(&since.since))
            + lists
            // Counts each tag as a string of its own, with the two counters of its allocation.
            + tags.map(|tag| tag.as_str().len() + 16).sum::<usize>()
    }

    /// Returns the present fields.
    pub(crate) fn fields(&self) -> Fields {
        // Strings, numbers and flags always serialise, and the result is an object.
        let json = serde_json::to_string(self).unwrap_or_default();
        serde_json::from_str(&json).unwrap_or_default()
    }

    /// Parses details from these fields.
    ///
    /// # Errors
    /// Names the first invalid field.
    pub(crate) fn of_fields(fields: &Fields) -> Result<Self, serde_json::Error> {
        serde_json::from_str(&serde_json::to_string(fields)?)
    }
}
