//! The file of `taxonomy plan --out`, for `taxonomy push --plan`: the base of the plan, and the hash of the file.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Hash;
use taxonomy_store::Head;

use crate::failure::Failure;
use crate::file;
use crate::output::FORMAT_VERSION;

/// A plan as it is kept.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlanFile {
    format_version: u32,
    /// The tenant.
    pub(crate) tenant: TenantId,
    /// The head; none where the tenant had no version.
    pub(crate) base: Option<Base>,
    /// The revision of the tenant's configuration.
    pub(crate) revision: u64,
    /// The version id of the tenant's object; none where there was none.
    pub(crate) object: Option<String>,
    /// The hash of the file as stored.
    pub(crate) sha256: Hash,
}

/// A head.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Base {
    /// Its version.
    pub(crate) version: Version,
    /// The id of its changeset.
    changeset: Hash,
}

impl Base {
    /// Returns the base that a plan on this head has.
    pub(crate) fn of(head: &Head) -> Option<Self> {
        head.committed.as_ref().map(|head| Self {
            version: head.version,
            changeset: head.changeset.clone(),
        })
    }
}

impl PlanFile {
    /// A plan for a tenant.
    pub(crate) fn new(
        tenant: TenantId,
        head: &Head,
        revision: u64,
        object: Option<String>,
        sha256: Hash,
    ) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            tenant,
            base: Base::of(head),
            revision,
            object,
            sha256,
        }
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// [`Failure::Read`], or [`Failure::Configuration`] for something else than a plan of this format.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text = file::text(path)?;
        let malformed = |cause: Box<dyn std::error::Error + Send + Sync>| Failure::Configuration {
            path: path.to_owned(),
            cause,
        };
        let plan: Self = serde_json::from_str(&text).map_err(|error| malformed(error.into()))?;
        if plan.format_version == FORMAT_VERSION {
            Ok(plan)
        } else {
            Err(malformed(
                format!("it has formatVersion {}", plan.format_version).into(),
            ))
        }
    }

    /// Writes a plan.
    ///
    /// # Errors
    /// [`Failure::WriteTo`].
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        let failed = |cause| Failure::WriteTo {
            path: path.to_owned(),
            cause,
        };
        let text = serde_json::to_vec_pretty(self).map_err(|error| failed(error.into()))?;
        fs::write(path, text).map_err(failed)
    }
}
