//! The file of `taxonomy plan --out` and `taxonomy push --plan`: the base of a plan, and the hash of the file.

use std::path::Path;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Hash;
use taxonomy_store::Head;

use crate::failure::Failure;
use crate::file::{self, Target};
use crate::output::{FORMAT_VERSION, pretty};
use crate::upstream::tenant_state::TenantState;

/// A stored plan.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlanFile {
    format_version: u32,
    /// The tenant.
    pub(crate) tenant: TenantId,
    /// The head; `None` if the tenant had no version.
    pub(crate) base: Option<PlannedHead>,
    /// The revision of the tenant's configuration.
    pub(crate) revision: u64,
    /// The version id of the tenant's source object; `None` if there was none.
    pub(crate) object: Option<String>,
    /// The SHA-256 of the file as stored.
    pub(crate) sha256: Hash,
}

/// The part of a head that identifies it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlannedHead {
    /// Its version.
    pub(crate) version: Version,
    /// The id of its changeset.
    changeset: Hash,
}

impl PlannedHead {
    /// Returns the base for a plan on this head.
    pub(crate) fn new(head: &Head) -> Option<Self> {
        head.committed.as_ref().map(|head| Self {
            version: head.version,
            changeset: head.changeset.clone(),
        })
    }
}

impl PlanFile {
    /// Creates a plan for a tenant.
    pub(crate) fn new(tenant: TenantId, state: &TenantState, sha256: Hash) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            tenant,
            base: PlannedHead::new(&state.head),
            revision: state.configuration.revision,
            object: state.object_version().map(str::to_owned),
            sha256,
        }
    }

    /// Reads a plan file.
    ///
    /// # Errors
    /// [`Failure::Read`], or [`Failure::Configuration`] when the file is not a plan of this format.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text = file::text(path)?;
        let plan: Self = serde_json::from_str(&text).map_err(|error| Failure::configuration(path, error))?;
        if plan.format_version == FORMAT_VERSION {
            return Ok(plan);
        }
        let other = format!("it has formatVersion {}", plan.format_version);
        Err(Failure::configuration(path, other))
    }

    /// Writes a plan file.
    ///
    /// # Errors
    /// [`Failure::WriteTo`].
    pub(crate) fn write(&self, target: &Target) -> Result<(), Failure> {
        target.written(|out| pretty(out, self))?.close()
    }
}
