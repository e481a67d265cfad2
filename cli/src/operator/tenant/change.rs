//! A change of a tenant's configuration: read, changed, and written on condition that it was not changed meanwhile.

use std::io::Write as _;

use taxonomy_keys::TenantId;
use taxonomy_model::Provenance;
use taxonomy_protocol::{ProtocolError, Taxonomies};
use taxonomy_runtime::SystemClock;
use taxonomy_store::Configuration;

use crate::failure::Failure;
use crate::output::stderr;

/// The most tries against others who configure the same tenant.
const TRIES: u32 = 5;

/// A change that is to be made.
pub(crate) struct Change<'a> {
    taxonomies: &'a Taxonomies<SystemClock>,
    tenant: &'a TenantId,
    provenance: &'a Provenance,
}

/// A change that was made, or was not needed.
#[derive(Debug)]
pub(crate) struct Changed {
    /// The configuration before.
    pub(crate) before: Configuration,
    /// The configuration now.
    pub(crate) after: Configuration,
}

impl Changed {
    /// Returns whether anything is other than before.
    pub(crate) fn is_change(&self) -> bool {
        self.before.revision != self.after.revision
    }
}

impl<'a> Change<'a> {
    /// A change by this operator.
    pub(crate) fn new(
        taxonomies: &'a Taxonomies<SystemClock>,
        tenant: &'a TenantId,
        provenance: &'a Provenance,
    ) -> Self {
        Self {
            taxonomies,
            tenant,
            provenance,
        }
    }

    /// Applies `change` to the configuration as it is now. A configuration that has it already is left alone.
    ///
    /// # Errors
    /// [`Failure::Protocol`]: the content cannot follow, or others kept configuring the tenant.
    pub(crate) async fn apply(&self, change: impl Fn(&mut Configuration)) -> Result<Changed, Failure> {
        for _ in 0..TRIES {
            let (head, before) = self.taxonomies.heads().read(self.tenant).await?;
            if head.committed.is_none() && before.revision == 0 {
                writeln!(stderr(), "warning: the tenant {} has no version", self.tenant)?;
            }
            let mut after = before.clone();
            change(&mut after);
            if after == before {
                return Ok(Changed { before, after });
            }
            after.provenance = self.provenance.clone();
            match self.taxonomies.configure(self.tenant, &after).await {
                Ok(revision) => {
                    after.revision = revision;
                    return Ok(Changed { before, after });
                }
                Err(ProtocolError::Overtaken) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(ProtocolError::Overtaken.into())
    }
}
