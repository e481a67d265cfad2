//! Changes a tenant's configuration by compare and set: reads it, changes it, and writes it on condition that its revision is unchanged.

use std::io::Write as _;

use taxonomy_keys::TenantId;
use taxonomy_model::Provenance;
use taxonomy_store::Configuration;
use taxonomy_versioning::{Service, VersioningError};

use crate::failure::Failure;
use crate::output::stderr;

/// The largest number of attempts while other operators change the same configuration.
const TRIES: u32 = 5;

/// A pending change of the configuration of a tenant.
pub(crate) struct Change<'a> {
    service: &'a Service,
    tenant: &'a TenantId,
    provenance: &'a Provenance,
}

/// The result of a change.
#[derive(Debug)]
pub(crate) struct Changed {
    /// The configuration before the change.
    pub(crate) before: Configuration,
    /// The configuration after the change, which may be equal.
    pub(crate) after: Configuration,
}

impl Changed {
    /// Returns whether the configuration changed.
    pub(crate) fn is_change(&self) -> bool {
        self.before.revision != self.after.revision
    }
}

impl<'a> Change<'a> {
    /// Creates a change in the name of this operator.
    pub(crate) fn new(service: &'a Service, tenant: &'a TenantId, provenance: &'a Provenance) -> Self {
        Self {
            service,
            tenant,
            provenance,
        }
    }

    /// Applies `change` to the current configuration. Writes nothing if the result is equal.
    ///
    /// # Errors
    /// [`Failure::Protocol`] when the content does not fit the new configuration, or every attempt found a newer configuration.
    pub(crate) async fn apply(&self, change: impl Fn(&mut Configuration)) -> Result<Changed, Failure> {
        for _ in 0..TRIES {
            let (head, before) = self.service.heads().read(self.tenant).await?;
            if head.committed.is_none() && before.revision == 0 {
                writeln!(stderr(), "warning: the tenant {} has no version", self.tenant)?;
            }
            let mut after = before.clone();
            change(&mut after);
            if after == before {
                return Ok(Changed { before, after });
            }
            after.provenance = self.provenance.clone();
            match self.service.configure(self.tenant, &after).await {
                Ok(revision) => {
                    after.revision = revision;
                    return Ok(Changed { before, after });
                }
                Err(VersioningError::Overtaken) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(VersioningError::Overtaken.into())
    }
}
