//! Changes a tenant's configuration by compare and set: reads it, changes it, and writes it on condition that its revision is unchanged.

use std::io::Write as _;

use taxonomy_keys::TenantId;
use taxonomy_model::Provenance;
use taxonomy_runtime::{Clock as _, SystemClock};
use taxonomy_store::{Configuration, Freeze};
use taxonomy_versioning::{Service, VersioningError};

use crate::failure::Failure;
use crate::output::stderr;
use crate::provenance;
use crate::time::rfc3339;

/// The largest number of attempts while other operators change the same configuration.
const TRIES: u32 = 5;

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

/// Returns the change that freezes a tenant now. One that is frozen stays so, since when and why it was.
pub(crate) fn freezes(provenance: &Provenance) -> impl Fn(&mut Configuration) {
    let at = SystemClock.now_ms();
    move |configuration| {
        let provenance = provenance.clone();
        configuration.frozen.get_or_insert(Freeze { at, provenance });
    }
}

/// Says since when, by whom and why a tenant is frozen.
pub(crate) fn described(freeze: &Freeze) -> String {
    let provenance = provenance::described(&freeze.provenance);
    format!("since {}{provenance}", rfc3339(freeze.at))
}

/// Changes the current configuration in the name of this operator. Writes nothing if the result is equal.
///
/// # Errors
/// [`Failure::Versioning`] when the content does not fit the new configuration, or every attempt found a newer configuration.
pub(crate) async fn apply(
    service: &Service,
    tenant: &TenantId,
    provenance: &Provenance,
    change: impl Fn(&mut Configuration),
) -> Result<Changed, Failure> {
    for _ in 0..TRIES {
        let (head, before) = service.heads.read(tenant).await?;
        if head.committed.is_none() && before.revision == 0 {
            writeln!(stderr(), "warning: the tenant {tenant} has no version")?;
        }
        let mut after = before.clone();
        change(&mut after);
        if after == before {
            return Ok(Changed { before, after });
        }
        after.provenance = provenance.clone();
        match service.configure(tenant, &after).await {
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
