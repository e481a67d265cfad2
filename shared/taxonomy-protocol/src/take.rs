//! A file looked at: committed, refused, or found to be what is known.

use taxonomy_keys::TenantId;
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Code, Limits, Parsed, Report, parse};
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{Body, Configuration, Head, Object, Packed, Refusal, SourceError, extra_time};
use tracing::{info, warn};

use crate::deadline::Deadline;
use crate::due::is_source_of;
use crate::error::ProtocolError;
use crate::propose::{Content, Proposal};
use crate::settings::{defaults, judged_under};
use crate::taxonomies::Taxonomies;

/// Counts up when validation changes, so that files refused by an older validator are looked at again.
pub(crate) const VALIDATOR: u64 = 2;

impl<C: Clock> Taxonomies<C> {
    /// Takes an object: commits it, refuses it, or finds that its content is known. True when anything was noted.
    pub(crate) async fn take(
        &self,
        tenant: &TenantId,
        head: &Head,
        configuration: &Configuration,
        object: &Object,
        deadline: Deadline,
    ) -> Result<bool, ProtocolError> {
        deadline.in_time_for(extra_time(object.size), &self.clock)?;
        let refuse = async |report: &Report| self.refuse(tenant, head, configuration, object, report).await;
        let body = match self.sources.read(tenant, object).await {
            Ok(body) => body,
            // The next round finds what is there now.
            Err(SourceError::Replaced) => return Ok(false),
            Err(SourceError::Store(error)) => return Err(error.into()),
            Err(error @ SourceError::TooLarge(_)) => {
                return refuse(&Report::refusal(Code::FileTooLarge, error.to_string())).await;
            }
            Err(error @ SourceError::Encoding) => {
                return refuse(&Report::refusal(Code::InvalidEncoding, error.to_string())).await;
            }
        };
        let Body { mut stamp, bytes } = body;
        let defaults = defaults(configuration, &self.bounds.default_culture);
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
        if report.warnings > 0 {
            let key = self.archive.put_report(tenant, &object.etag, &report).await?;
            warn!(%tenant, warnings = report.warnings, report = key, "taken with warnings");
        }
        let packed = Packed::snapshot(&taxonomy, self.bounds.projection_format)?;
        let onto = head.committed.as_ref();
        if let Some(committed) = onto.filter(|head| head.state == packed.hash) {
            // Where the head moved meanwhile, the next round looks again.
            let noted = self.heads.restamp(tenant, committed, &stamp).await?;
            if noted {
                info!(%tenant, version = committed.version.get(), "uploaded again, the content is the same");
            }
            return Ok(noted);
        }
        let old = match onto {
            Some(onto) => Some(self.archive.snapshot(&onto.snapshot_key, &onto.state).await?),
            None => None,
        };
        let changes = Changes::between(old.as_ref(), &taxonomy);
        let terms = onto.map_or(0, |onto| onto.terms);
        if !object.allows_removals && configuration.fuse.blows(terms, changes.removed) {
            let message = format!("{} of {terms} terms would be removed", changes.removed);
            return refuse(&Report::refusal(Code::MassRemoval, message)).await;
        }
        let (cause, provenance) = match onto {
            // The same file, under other settings.
            Some(head) if is_source_of(head, object) => {
                (Cause::Configuration, configuration.provenance.clone())
            }
            _ => {
                let sha256 = stamp.sha256.clone();
                (Cause::Upload { sha256 }, object.provenance.clone())
            }
        };
        self.propose(Proposal {
            tenant,
            onto,
            old: old.as_ref(),
            new: &taxonomy,
            content: Content::New(packed),
            changes,
            cause,
            provenance,
            uploaded: Some(stamp),
            detached: false,
            deadline,
        })
        .await
    }

    /// Notes a refused object; the last good version stays. Being refused is no failure: trying again would not help.
    async fn refuse(
        &self,
        tenant: &TenantId,
        head: &Head,
        configuration: &Configuration,
        object: &Object,
        report: &Report,
    ) -> Result<bool, ProtocolError> {
        let report_key = self.archive.put_report(tenant, &object.etag, report).await?;
        let code = report.first_error().map_or("", |issue| issue.code.as_str());
        let refusal = Refusal {
            etag: object.etag.clone(),
            version_id: object.version_id.clone(),
            validator: VALIDATOR,
            defaults: judged_under(
                configuration,
                &self.bounds.default_culture,
                self.bounds.max_file_bytes,
            ),
            code: code.to_owned(),
            report_key,
            at: self.clock.now_ms(),
        };
        let noted = self
            .heads
            .refuse(tenant, head.committed.as_ref(), &refusal)
            .await?;
        if noted {
            self.count(Metric::Rejected, 1);
            warn!(%tenant, code, errors = report.errors, report = refusal.report_key, "refused");
        }
        Ok(noted)
    }
}
