//! What operators configure for a tenant, and the version that follows from it.

use taxonomy_keys::TenantId;
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Code, Limits, Provenance, Report, Settings, parse};
use taxonomy_runtime::Clock;
use taxonomy_store::{Committed, Configuration, Packed, SourceError};

use crate::deadline::Deadline;
use crate::due::is_source_of;
use crate::error::ProtocolError;
use crate::history::unless_purging;
use crate::propose::{Content, Proposal};
use crate::settings::{defaults, effective};
use crate::taxonomies::Taxonomies;

/// A lookup reads an item for each term and each culture that it tries: with a hundred terms, ten cultures are ten BatchGetItem.
const MAX_FALLBACK_CHAIN: usize = 10;

impl<C: Clock> Taxonomies<C> {
    /// What is configured for a tenant.
    ///
    /// # Errors
    /// [`ProtocolError::Store`] when the table cannot be read.
    pub async fn configuration(&self, tenant: &TenantId) -> Result<Configuration, ProtocolError> {
        Ok(self.heads.read(tenant).await?.1)
    }

    /// Replaces a tenant's configuration; `wanted.revision` is the one it was read with, and the new one is returned. Nothing is configured that the content
    /// of the head cannot follow; what is uploaded meanwhile is judged under what it finds. The version that has the new settings is committed when the tenant is next [reconciled](Self::reconcile).
    ///
    /// # Errors
    /// [`ProtocolError::Refused`] with everything that lacks a name in the new default culture or when the fallback chain is too long,
    /// [`ProtocolError::Overtaken`] when somebody else configured
    /// the tenant meanwhile.
    pub async fn configure(&self, tenant: &TenantId, wanted: &Configuration) -> Result<u64, ProtocolError> {
        if wanted.fallback_chain.len() > MAX_FALLBACK_CHAIN {
            let message = format!("the fallback chain has more than {MAX_FALLBACK_CHAIN} cultures");
            let report = Report::refusal(Code::TooManyValues, message);
            return Err(ProtocolError::Refused(Box::new(report)));
        }
        let (head, current) = self.heads.read(tenant).await?;
        unless_purging(&current)?;
        if current.revision != wanted.revision {
            return Err(ProtocolError::Overtaken);
        }
        // A freeze or another fuse must be possible whatever the content is.
        let settings = |of: &Configuration| (of.default_culture.clone(), of.fallback_chain.clone());
        if let Some(head) = head.committed.filter(|_| settings(wanted) != settings(&current)) {
            self.check_settings(tenant, &head, wanted).await?;
        }
        let next = Configuration {
            revision: wanted.revision + 1,
            ..wanted.clone()
        };
        if self.heads.configure(tenant, wanted.revision, wanted).await?
            // It may have been this request, whose answer was lost.
            || self.heads.read(tenant).await?.1 == next
        {
            Ok(next.revision)
        } else {
            Err(ProtocolError::Overtaken)
        }
    }

    /// Whether the head's content can be had under a configuration: its file where that is still there, else its snapshot.
    async fn check_settings(
        &self,
        tenant: &TenantId,
        head: &Committed,
        wanted: &Configuration,
    ) -> Result<(), ProtocolError> {
        let settings = effective(head, wanted, &self.bounds.default_culture);
        if settings == head.settings {
            return Ok(());
        }
        let object = self.sources.find(tenant).await?;
        if let Some(object) = object.filter(|object| !head.detached && is_source_of(head, object)) {
            match self.sources.read(tenant, &object).await {
                Ok(body) => {
                    let defaults = defaults(wanted, &self.bounds.default_culture);
                    parse(&body.bytes, &defaults, Limits::default()).map_err(ProtocolError::Refused)?;
                    return Ok(());
                }
                Err(SourceError::Replaced) => return Err(ProtocolError::Overtaken),
                Err(SourceError::Store(error)) => return Err(error.into()),
                Err(error @ SourceError::TooLarge(_)) => return Err(refused(Code::FileTooLarge, &error)),
                Err(error @ SourceError::Encoding) => return Err(refused(Code::InvalidEncoding, &error)),
            }
        }
        let content = self.archive.snapshot(&head.snapshot_key, &head.state).await?;
        content.under(settings).map(drop).map_err(ProtocolError::Refused)
    }

    /// Commits the head's content under other settings, where its file cannot be asked; the version carries the provenance of the
    /// configuration.
    pub(crate) async fn reconfigure(
        &self,
        tenant: &TenantId,
        head: &Committed,
        (settings, provenance): (Settings, Provenance),
        deadline: Deadline,
    ) -> Result<bool, ProtocolError> {
        let old = self.archive.snapshot(&head.snapshot_key, &head.state).await?;
        let new = old.clone().under(settings).map_err(ProtocolError::Refused)?;
        let packed = Packed::snapshot(&new, self.bounds.projection_format)?;
        self.propose(Proposal {
            tenant,
            onto: Some(head),
            old: Some(&old),
            new: &new,
            content: Content::New(packed),
            changes: Changes::between(Some(&old), &new),
            cause: Cause::Configuration,
            provenance,
            uploaded: None,
            detached: head.detached,
            deadline,
        })
        .await
    }
}

fn refused(code: Code, error: &SourceError) -> ProtocolError {
    ProtocolError::Refused(Box::new(Report::refusal(code, error.to_string())))
}
