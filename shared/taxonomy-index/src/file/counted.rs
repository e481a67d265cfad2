//! The counts of categories: of each that ever was, the last version that touched it and, of a live one, its terms.

use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, Version};
use taxonomy_model::Counts;

use crate::damage::{Damaged, PartName};
use crate::file::footer::Footer;
use crate::file::part::Part;

/// The counts of a category in a version. These names are the storage format (docs/decisions/0018-version-index.md).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StoredCounts {
    /// The category.
    pub id: u64,
    /// The last version that touched it: the category itself, or a term that it has or had.
    pub touched_in: Version,
    /// The counts of its terms; none of a removed category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
}

/// The counts of some categories, ascending by id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedPart {
    pub(crate) categories: Vec<StoredCounts>,
    bytes: usize,
}

impl CountedPart {
    /// Decodes a part of counts, given its bytes.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are not those of the part, or if the content is not that of counts.
    pub fn open(packed: &[u8], part: &Part, footer: &Footer) -> Result<Self, Damaged> {
        let name = part.name;
        if !matches!(name, PartName::Counts(_)) {
            return Err(name.malformed("not counts"));
        }
        if footer.part(name) != Some(*part) {
            return Err(name.malformed("not counts of this file"));
        }
        let content = part.unpack(packed)?;
        let categories: Vec<StoredCounts> =
            serde_json::from_slice(&content).map_err(|error| name.malformed(error))?;
        if !categories.is_sorted_by(|one, next| one.id < next.id) {
            return Err(name.malformed("categories in another order than that of their ids"));
        }
        let newest = footer.identity().version;
        if categories.iter().any(|counted| counted.touched_in > newest) {
            return Err(name.malformed("a version after the file's"));
        }
        // Numbers and tags take no more in memory than twice what they take as text.
        let bytes = size_of::<Self>() + categories.len() * size_of::<StoredCounts>() + 2 * content.len();
        Ok(Self { categories, bytes })
    }

    /// The counts of a category; none if the part has none of it.
    pub fn get(&self, id: CategoryId) -> Option<&StoredCounts> {
        let found = self
            .categories
            .binary_search_by_key(&id.get(), |counted| counted.id);
        self.categories.get(found.ok()?)
    }

    /// The bytes that it takes in memory, about.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
