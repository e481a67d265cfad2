//! The answers of the service (docs/decisions/0005-http.md and 0009-aggregates.md). Fields that this version does not know are ignored;
//! serializing writes the names that the service uses.

mod category;
mod details;
mod head;
mod stats;
mod term;

pub use category::{Category, ListedCategory};
pub use details::{Deprecation, Metadata, Notes, RelatedId, Relation, RelationType};
pub use head::{Head, Provenance, Totals};
pub use stats::{CategoryStats, Counts, MonthActivity, TenantStats};
pub use term::{Ancestor, BatchItem, CategoryName, Child, Term, Terms};
pub(crate) use term::{FinalNames, OfBatch};

/// A tenant's id as a text.
pub(crate) mod tenant_id {
    use std::borrow::Cow;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};
    use taxonomy_keys::TenantId;

    pub(crate) fn serialize<S: Serializer>(tenant: &TenantId, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(tenant.as_str())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TenantId, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}
