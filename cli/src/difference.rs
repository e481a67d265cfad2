//! The difference between two taxonomies, as `plan` and `diff` show it. Its JSON form: docs/decisions/0013-command-line.md.

mod human;

use std::io;

use serde::Serialize;
use taxonomy_keys::TenantId;
use taxonomy_model::operations::{self, Operation};
use taxonomy_model::units::{self, Cost};
use taxonomy_model::{Changes, Taxonomy};
use taxonomy_store::Fuse;

use crate::arguments::Output;
use crate::failure::Failure;
use crate::output::{FORMAT_VERSION, document, stdout};

/// The tenant whose id counts where none is named: a GUID, as most are.
const ANY_TENANT: &str = "00000000-0000-0000-0000-000000000000";

/// Returns the tenant, or one that stands in for any.
///
/// # Errors
/// Never, as the stand-in is a valid id.
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
pub(crate) struct Difference {
    format_version: u32,
    /// Every operation; what destroys something comes last.
    operations: Vec<Operation>,
    terms: Terms,
    /// Terms of both whose FinalName is another in some culture.
    changed_final_names: u64,
    /// Writes of the projection.
    writes: Cost,
    /// True if the service would refuse the removals.
    exceeds_removal_limit: bool,
}

/// Terms, by what happened to them.
#[derive(Debug, Serialize)]
struct Terms {
    added: u64,
    /// Renamed, moved, deprecated, reinstated, or with another field.
    changed: u64,
    renamed: u64,
    moved: u64,
    deprecated: u64,
    reinstated: u64,
    removed: u64,
}

impl Difference {
    /// Compares two taxonomies. The tenant's id is part of each item that is counted; `limit` is that of an upload.
    pub(crate) fn between(
        old: Option<&Taxonomy>,
        new: &Taxonomy,
        tenant: &TenantId,
        limit: Option<Fuse>,
    ) -> Self {
        let changes = Changes::between(old, new);
        let terms = Terms {
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
            format_version: FORMAT_VERSION,
            operations: operations::between(old, new),
            terms,
            changed_final_names: old.map_or(0, |old| operations::changed_final_names(old, new)),
            writes: units::cost(tenant, old, new, 1),
            exceeds_removal_limit: limit.is_some_and(|limit| limit.blows(had, changes.removed)),
        }
    }

    /// Returns whether the service would refuse the removals.
    pub(crate) fn exceeds_removal_limit(&self) -> bool {
        self.exceeds_removal_limit
    }

    /// Returns whether there is no operation.
    pub(crate) fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Writes the difference to standard output; the human form shows the first operations of each kind, or all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write(&self, output: Output, is_full: bool) -> io::Result<()> {
        match output {
            Output::Human => human::write(&mut stdout(), self, is_full),
            Output::Json => document(&mut io::stdout().lock(), self),
        }
    }
}
