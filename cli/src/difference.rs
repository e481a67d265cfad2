//! The difference between two taxonomies, as `plan` and `diff` show it. Its JSON form: docs/decisions/0013-command-line.md.

mod human;

use serde::Serialize;
use taxonomy_keys::TenantId;
use taxonomy_model::operations::{self, Operation};
use taxonomy_model::units::{self, Cost};
use taxonomy_model::{Changes, Taxonomy};
use taxonomy_store::RemovalLimit;

use crate::failure::Failure;
pub(crate) use human::write as write_human;

/// A tenant id for estimates where none is given: a GUID, the length that most tenant ids have.
const ANY_TENANT: &str = "00000000-0000-0000-0000-000000000000";

/// Returns `tenant`, or a placeholder id where it is `None`.
///
/// # Errors
/// Never: the placeholder is a valid id.
pub(crate) fn tenant_or_any(tenant: Option<&TenantId>) -> Result<TenantId, Failure> {
    match tenant {
        Some(tenant) => Ok(tenant.clone()),
        None => ANY_TENANT
            .parse()
            .map_err(|error| Failure::Usage(format!("{ANY_TENANT}: {error}"))),
    }
}

/// The difference between two taxonomies.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaxonomyDifference {
    /// Every operation; destructive operations come last.
    operations: Vec<Operation>,
    terms: ChangedTerms,
    /// The number of terms in both taxonomies whose FinalName differs in any culture.
    changed_final_names: u64,
    /// The writes of the projection.
    writes: Cost,
    /// Whether the service would refuse the removals.
    pub(crate) exceeds_removal_limit: bool,
}

/// The number of terms by kind of change.
#[derive(Debug, Serialize)]
struct ChangedTerms {
    added: u64,
    /// Terms that are renamed, moved, deprecated or reinstated, or have another changed field.
    changed: u64,
    renamed: u64,
    moved: u64,
    deprecated: u64,
    reinstated: u64,
    removed: u64,
}

impl TaxonomyDifference {
    /// Compares two taxonomies. `tenant` is part of each item whose size is estimated; `limit` is the removal limit of an upload.
    pub(crate) fn between(
        old: Option<&Taxonomy>,
        new: &Taxonomy,
        tenant: &TenantId,
        limit: Option<RemovalLimit>,
    ) -> Self {
        let changes = Changes::between(old, new);
        let terms = ChangedTerms {
            added: changes.added,
            changed: changes.changed,
            renamed: changes.renamed,
            moved: changes.moved,
            deprecated: changes.deprecated,
            reinstated: changes.restored,
            removed: changes.removed,
        };
        let had = old.map_or(0, |old| old.terms().len() as u64);
        Self {
            operations: operations::between(old, new),
            terms,
            changed_final_names: old.map_or(0, |old| operations::changed_final_names(old, new)),
            writes: units::cost(tenant, old, new, 1),
            exceeds_removal_limit: limit.is_some_and(|limit| limit.is_exceeded(had, &changes)),
        }
    }

    /// Returns whether the difference has no operation.
    pub(crate) fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }
}
