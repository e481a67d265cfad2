//! Ingesting a source object: it is committed, refused, or found to be unchanged.

pub(crate) mod commit;
pub(crate) mod files;
pub(crate) mod settings;
pub(crate) mod store_files;
pub(crate) mod version;

use std::sync::Arc;

use taxonomy_keys::TenantId;
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Code, Limits, Parsed, Provenance, Report, Taxonomy, parse};
use taxonomy_runtime::Metric;
use taxonomy_store::{
    Committed, Configuration, Packed, Refusal, SourceBody, SourceError, SourceObject, SourceStamp, extra_time,
};
use tracing::{info, warn};

use crate::error::VersioningError;
use crate::ingest::commit::{Content, NewVersion};
use crate::ingest::settings::{defaults, judged_under};
use crate::plan::{TenantState, VALIDATOR, is_source_of};
use crate::service::Service;
use crate::verify::Mends;

impl Service {
    /// Ingests an object: commits it, refuses it, or finds its content unchanged. Returns whether the head changed.
    pub(crate) async fn ingest(
        &self,
        state: TenantState<'_>,
        object: &SourceObject,
    ) -> Result<bool, VersioningError> {
        let TenantState {
            tenant,
            configuration,
            ..
        } = state;
        state
            .deadline
            .in_time_for(extra_time(object.size), &*self.clock)?;
        let refuse = async |report: &Report| self.refuse(state, object, report).await;
        let (mut stamp, bytes) = match self.sources.read(tenant, object).await {
            Ok(SourceBody { stamp, bytes }) => (stamp, bytes),
            // The next round reads the object that replaced it.
            Err(SourceError::Replaced) => return Ok(false),
            Err(SourceError::Store(error)) => return Err(error.into()),
            Err(error) => return refuse(&unreadable(&error)).await,
        };
        let defaults = defaults(configuration, &self.config.default_culture);
        let parsed = parse(&bytes, &defaults, Limits::default());
        drop(bytes);
        let Parsed {
            taxonomy,
            report,
            default_culture,
        } = match parsed {
            Ok(parsed) => parsed,
            Err(report) => return refuse(&report).await,
        };
        stamp.culture = default_culture;
        self.keep_warnings(tenant, object, &report).await?;
        let packed = Packed::snapshot(&taxonomy, self.config.projection_format)?;
        let onto = state.committed();
        if let Some(head) = onto.filter(|head| head.state == packed.hash) {
            return self.same_content(state, head, &stamp).await;
        }
        let old = self.content_of_head(state).await?;
        let changes = Changes::between(old.as_ref(), &taxonomy);
        if let Some(report) = mass_removal(onto, configuration, object, &changes) {
            return refuse(&report).await;
        }
        let (cause, provenance) = origin(onto, configuration, object, &stamp);
        let committed = self.commit(NewVersion {
            state,
            old: old.map(Arc::new),
            new: Arc::new(taxonomy),
            content: Content::New(packed),
            changes,
            cause,
            provenance,
            asked: None,
            uploaded: Some(stamp),
            detached: false,
        });
        match committed.await {
            Err(VersioningError::Unbuildable(why)) => refuse(&Report::refusal(Code::FileTooLarge, why)).await,
            committed => committed,
        }
    }

    /// Returns the content of the head, restored where its snapshot is lost; `None` before the first version.
    async fn content_of_head(&self, state: TenantState<'_>) -> Result<Option<Taxonomy>, VersioningError> {
        let Some(head) = state.committed() else {
            return Ok(None);
        };
        let content = self
            .content(state.tenant, &head.into(), Mends::Everything, state.deadline)
            .await?;
        Ok(Some(content))
    }

    /// Records another source object with the head's content. Returns false if the head moved meanwhile: the next round plans again.
    async fn same_content(
        &self,
        TenantState {
            tenant, head: read, ..
        }: TenantState<'_>,
        head: &Committed,
        stamp: &SourceStamp,
    ) -> Result<bool, VersioningError> {
        let read = (head, read.refused.as_ref());
        let noted = self.heads.update_source(tenant, read, stamp).await?;
        if noted {
            info!(%tenant, version = head.version.get(), "uploaded again, the content is the same");
        }
        Ok(noted)
    }

    /// Stores the report of a valid file with warnings.
    async fn keep_warnings(
        &self,
        tenant: &TenantId,
        object: &SourceObject,
        report: &Report,
    ) -> Result<(), VersioningError> {
        if report.warnings > 0 {
            let key = self.archive.put_report(tenant, &object.etag, report).await?;
            warn!(%tenant, warnings = report.warnings, report = key, "taken with warnings");
        }
        Ok(())
    }

    /// Records a refused object; the last good version stays. A refusal is no failure: a retry would end the same way.
    async fn refuse(
        &self,
        state: TenantState<'_>,
        object: &SourceObject,
        report: &Report,
    ) -> Result<bool, VersioningError> {
        let tenant = state.tenant;
        let report_key = self.archive.put_report(tenant, &object.etag, report).await?;
        let code = report.first_error().map_or("", |issue| issue.code.as_str());
        let refusal = Refusal {
            etag: object.etag.clone(),
            version_id: object.version_id.clone(),
            validator: VALIDATOR,
            defaults: judged_under(state.configuration, state.config),
            code: code.to_owned(),
            report_key,
            at: self.clock.now_ms(),
        };
        let read = (state.committed(), state.head.refused.as_ref());
        let noted = self.heads.refuse(tenant, read, &refusal).await?;
        if noted {
            self.metrics.count(Metric::Rejected, 1);
            warn!(%tenant, code, errors = report.errors, report = refusal.report_key, "refused");
        }
        Ok(noted)
    }
}

/// Returns the refusal of an object that removes more than an upload may do unasked.
fn mass_removal(
    onto: Option<&Committed>,
    configuration: &Configuration,
    object: &SourceObject,
    changes: &Changes,
) -> Option<Report> {
    let terms = onto.map_or(0, |onto| onto.terms);
    let is_refused = !object.allows_removals && configuration.removal_limit.is_exceeded(terms, changes);
    let message = format!("{} of {terms} terms would be removed", changes.removed);
    is_refused.then(|| Report::refusal(Code::MassRemoval, message))
}

/// Returns the cause of a version from an object, and its provenance.
fn origin(
    onto: Option<&Committed>,
    configuration: &Configuration,
    object: &SourceObject,
    stamp: &SourceStamp,
) -> (Cause, Provenance) {
    match onto.filter(|head| is_source_of(head, object)) {
        // The same file under another configuration.
        Some(_) => (Cause::Configuration, configuration.provenance.clone()),
        None => {
            let sha256 = stamp.sha256.clone();
            (Cause::Upload { sha256 }, object.provenance.clone())
        }
    }
}

/// Returns the refusal of an object whose content is too large, or in another encoding.
pub(crate) fn unreadable(error: &SourceError) -> Report {
    let code = match error {
        SourceError::TooLarge(_) => Code::FileTooLarge,
        _ => Code::InvalidEncoding,
    };
    Report::refusal(code, error.to_string())
}
