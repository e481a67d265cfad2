//! The configuration of a tenant, and the version that follows from a change.

use std::sync::Arc;

use taxonomy_keys::TenantId;
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Code, Limits, Report, parse};
use taxonomy_store::{Committed, Configuration, Head, Packed, SourceError};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::history::unless_purging;
use crate::ingest::commit::{Content, NewVersion};
use crate::ingest::settings::{defaults, effective};
use crate::ingest::unreadable;
use crate::plan::{TenantState, is_source_of};
use crate::service::Service;
use crate::verify::Mends;

/// The maximum number of cultures of a fallback chain. Each name of a node is sought in them one after the other, and the head, which every reader reads, lists them.
const MAX_FALLBACK_CHAIN: usize = 10;

impl Service {
    /// Returns the configuration of a tenant.
    ///
    /// # Errors
    /// [`VersioningError::Store`] if the table cannot be read.
    pub async fn configuration(&self, tenant: &TenantId) -> Result<Configuration, VersioningError> {
        Ok(self.heads.read(tenant).await?.1)
    }

    /// Replaces the configuration of a tenant and returns its new revision; `wanted.revision` is the one that was read. Refuses a configuration
    /// under which the head's content is invalid; concurrent uploads are validated under the configuration that they read. The version with
    /// the new settings is committed by the next [reconcile](Self::reconcile).
    ///
    /// # Errors
    /// [`VersioningError::Refused`] with every node that lacks a name in the new default culture, or if the fallback chain is too long;
    /// [`VersioningError::Overtaken`] if the configuration changed meanwhile.
    pub async fn configure(&self, tenant: &TenantId, wanted: &Configuration) -> Result<u64, VersioningError> {
        if wanted.fallback_chain.len() > MAX_FALLBACK_CHAIN {
            let message = format!("the fallback chain has more than {MAX_FALLBACK_CHAIN} cultures");
            let report = Report::refusal(Code::TooManyValues, message);
            return Err(VersioningError::Refused(Box::new(report)));
        }
        let (head, current) = self.heads.read(tenant).await?;
        unless_purging(&current)?;
        if current.revision != wanted.revision {
            return Err(VersioningError::Overtaken);
        }
        // A freeze or another removal limit must be possible under any content.
        let settings = |of: &Configuration| (of.default_culture.clone(), of.fallback_chain.clone());
        let is_other = settings(wanted) != settings(&current);
        if let Some(head) = head.committed.as_ref().filter(|_| is_other) {
            self.check_settings(tenant, head, wanted).await?;
        }
        let thaws = current.frozen.is_some() && wanted.frozen.is_none();
        // A tenant without a head is in no list. Its upload is found by the hint, or by the daily sweep.
        let calls_for_work = (is_other || thaws) && head != Head::default();
        let next = Configuration {
            revision: wanted.revision.saturating_add(1),
            ..wanted.clone()
        };
        let is_done = self.heads.configure(tenant, &next, calls_for_work).await?
            // It may have been this request, whose response was lost.
            || self.heads.read(tenant).await?.1 == next;
        is_done.then_some(next.revision).ok_or(VersioningError::Overtaken)
    }

    /// Whether the head's content is valid under a configuration: its source object if that still exists, else its snapshot.
    async fn check_settings(
        &self,
        tenant: &TenantId,
        head: &Committed,
        wanted: &Configuration,
    ) -> Result<(), VersioningError> {
        let settings = effective(head, wanted, &self.config.default_culture);
        if settings == head.settings {
            return Ok(());
        }
        let object = self.sources.find(tenant).await?;
        if let Some(object) = object.filter(|object| !head.detached && is_source_of(head, object)) {
            match self.sources.read(tenant, &object).await {
                Ok(body) => {
                    let defaults = defaults(wanted, &self.config.default_culture);
                    parse(&body.bytes, &defaults, Limits::default()).map_err(VersioningError::Refused)?;
                    return Ok(());
                }
                Err(SourceError::Replaced) => return Err(VersioningError::Overtaken),
                Err(SourceError::Store(error)) => return Err(error.into()),
                Err(error) => return Err(VersioningError::Refused(Box::new(unreadable(&error)))),
            }
        }
        let content = self
            .content(tenant, &head.into(), Mends::Nothing, Deadline::NONE)
            .await?;
        content
            .under(settings)
            .map(drop)
            .map_err(VersioningError::Refused)
    }

    /// Commits the head's content under other settings, where its source object is gone; the version has the provenance of the configuration.
    pub(crate) async fn reconfigure(
        &self,
        state: TenantState<'_>,
        head: &Committed,
    ) -> Result<bool, VersioningError> {
        let settings = effective(head, state.configuration, &self.config.default_culture);
        let old = self
            .content(state.tenant, &head.into(), Mends::Everything, state.deadline)
            .await?;
        let new = old.clone().under(settings).map_err(VersioningError::Refused)?;
        let packed = Packed::snapshot(&new, self.config.projection_format)?;
        self.commit(NewVersion {
            state,
            changes: Changes::between(Some(&old), &new),
            old: Some(Arc::new(old)),
            new: Arc::new(new),
            content: Content::New(packed),
            cause: Cause::Configuration,
            provenance: state.configuration.provenance.clone(),
            asked: None,
            uploaded: None,
            detached: head.detached,
        })
        .await
    }
}
