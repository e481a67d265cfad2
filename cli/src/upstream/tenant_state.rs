//! The state of a tenant before an upload, for which a plan is valid.

use taxonomy_keys::{Culture, TenantId};
use taxonomy_model::Defaults;
use taxonomy_store::{Configuration, Head, Heads, SourceObject, Sources};

use crate::failure::Failure;

/// The state of a tenant before an upload.
pub(crate) struct TenantState {
    pub(crate) head: Head,
    pub(crate) configuration: Configuration,
    pub(crate) object: Option<SourceObject>,
}

impl TenantState {
    /// Reads the state.
    ///
    /// # Errors
    /// [`Failure`] when the stack cannot be read.
    pub(crate) async fn read(heads: &Heads, sources: &Sources, tenant: &TenantId) -> Result<Self, Failure> {
        // The order of the projector, head before source object: an object that the head does not contain is then newer than the head.
        let (head, configuration) = heads.read(tenant).await?;
        Ok(Self {
            head,
            configuration,
            object: sources.find(tenant).await?,
        })
    }

    /// The version of the head; 0 if there is none.
    pub(crate) fn version(&self) -> u64 {
        let head = self.head.committed.as_ref();
        head.map_or(0, |head| head.version.get())
    }

    /// The version id of the source object.
    pub(crate) fn object_version(&self) -> Option<&str> {
        self.object.as_ref().map(|object| object.version_id.as_str())
    }
}

/// The settings under which a file of a tenant is read.
pub(crate) fn defaults(configuration: &Configuration, stack_culture: Culture) -> Defaults {
    Defaults {
        tenant_culture: configuration.default_culture.clone(),
        stack_culture,
        fallback_chain: configuration.fallback_chain.clone(),
    }
}
