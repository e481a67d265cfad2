//! The shapes of the HTTP API (docs/decisions/0005-http.md and 0009-aggregates.md), for the service that writes them and for clients that
//! read them.
//!
//! The service borrows texts from what it read, so that each is copied once; a client owns them (`Term<'static>`). A reader ignores fields that
//! it does not know. An optional field is absent where it has no value.

mod category;
mod details;
mod problem;
mod stats;
mod tenant;
mod term;

pub use category::{Category, ListedCategory};
pub use details::{Deprecation, Details, Metadata, Notes, RelatedId, Relation, RelationType};
pub use problem::Problem;
pub use stats::{CategoryStats, Counts, Month, TenantStats};
pub use tenant::{Head, Provenance, Totals};
pub use term::{Ancestor, Ancestors, CategoryName, Child, Term};

/// A tenant's id as a text.
mod tenant_id {
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
