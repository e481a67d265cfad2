//! The protocol for one tenant: read the head, then the source; commit what differs; bring the table to the head.
//!
//! The head is read before the source. The other way round, a slow invocation could commit an older file on top of a newer
//! one although its compare-and-set succeeds. And the table is always caught up, also when the source is unchanged:
//! an earlier invocation may have died between its commit and its last write.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::snapshot::changeset_id;
use taxonomy_model::{
    Changes, Code, Defaults, Limits, PROJECTION_FORMAT, Parsed, Report, Taxonomy, Totals, parse,
};
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{
    Body, Commit, CommitOutcome, Committed, Configuration, Head, LogEntry, Object, Packed, Refusal,
    SourceError,
};
use tracing::{info, warn};

use crate::error::ProjectorError;
use crate::handler::Projector;

/// Counts up when validation changes, so that files refused by an older validator are looked at again.
const VALIDATOR: u64 = 1;

/// A tenant whose file changes while it is looked at needs another round; one that still does after so many comes again
/// by the retry queue.
const ROUNDS: u32 = 10;

/// What the head says of an uploaded object.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// It is the one that the head's version came from, or there is none.
    Known,
    /// It was refused before, by this validator.
    Refused,
    /// Nobody has looked at it.
    New,
}

fn judge(head: &Head, object: Option<&Object>) -> Verdict {
    let Some(object) = object else {
        return Verdict::Known;
    };
    let same = |etag: &str, version_id: &str| etag == object.etag && version_id == object.version_id;
    if head
        .committed
        .as_ref()
        .is_some_and(|committed| same(&committed.source.etag, &committed.source.version_id))
    {
        return Verdict::Known;
    }
    match &head.refused {
        Some(refused) if refused.validator == VALIDATOR && same(&refused.etag, &refused.version_id) => {
            Verdict::Refused
        }
        _ => Verdict::New,
    }
}

impl<C: Clock> Projector<C> {
    /// Brings a tenant to rest: its newest valid file committed and the table at the head.
    ///
    /// A tenant at rest costs two reads and no write.
    pub(crate) async fn reconcile(&self, tenant: &TenantId) -> Result<(), ProjectorError> {
        for round in 0..ROUNDS {
            let (head, configuration) = self.heads.read(tenant).await?;
            let object = self.sources.find(tenant).await?;
            let verdict = judge(&head, object.as_ref());
            if verdict == Verdict::New
                && let Some(object) = object
            {
                self.take(tenant, &head, configuration, &object).await?;
            } else {
                let behind = head.committed.filter(|committed| !committed.is_settled());
                let Some(behind) = behind else {
                    if round == 0 {
                        self.count(Metric::Unchanged, 1);
                        info!(%tenant, refused = verdict == Verdict::Refused, "at rest");
                    }
                    return Ok(());
                };
                self.catch_up(tenant, &behind).await?;
            }
        }
        Err(ProjectorError::Restless(ROUNDS))
    }

    /// Takes an object that nobody has looked at: commits it, refuses it, or finds that its content is known.
    async fn take(
        &self,
        tenant: &TenantId,
        head: &Head,
        configuration: Configuration,
        object: &Object,
    ) -> Result<(), ProjectorError> {
        let body = match self.sources.read(tenant, object).await {
            Ok(body) => body,
            // The next round finds what is there now.
            Err(SourceError::Replaced) => return Ok(()),
            Err(SourceError::Store(error)) => return Err(error.into()),
            Err(error @ SourceError::TooLarge(_)) => {
                let report = Report::refusal(Code::FileTooLarge, error.to_string());
                return self.refuse(tenant, head, object, &report).await;
            }
            Err(error @ SourceError::Encoding) => {
                let report = Report::refusal(Code::InvalidEncoding, error.to_string());
                return self.refuse(tenant, head, object, &report).await;
            }
        };
        let Body { stamp, bytes } = body;
        let defaults = Defaults {
            tenant_culture: configuration.default_culture,
            stack_culture: self.config.default_culture.clone(),
            fallback_chain: configuration.fallback_chain,
        };
        let parsed = parse(&bytes, &defaults, Limits::default());
        drop(bytes);
        let Parsed { taxonomy, report } = match parsed {
            Ok(parsed) => parsed,
            Err(report) => return self.refuse(tenant, head, object, &report).await,
        };
        if report.warnings > 0 {
            let key = self.archive.put_report(tenant, &object.etag, &report).await?;
            warn!(%tenant, warnings = report.warnings, report = key, "taken with warnings");
        }
        let packed = Packed::new(&taxonomy)?;
        match &head.committed {
            Some(committed) if committed.state == packed.state => {
                // Where the head moved meanwhile, the next round looks again.
                if self.heads.restamp(tenant, committed, &stamp).await? {
                    info!(%tenant, version = committed.version.get(), "uploaded again, the content is the same");
                }
                Ok(())
            }
            onto => {
                self.commit(tenant, onto.as_ref(), &taxonomy, &packed, stamp)
                    .await
            }
        }
    }

    async fn commit(
        &self,
        tenant: &TenantId,
        onto: Option<&Committed>,
        taxonomy: &Taxonomy,
        packed: &Packed,
        source: taxonomy_store::SourceStamp,
    ) -> Result<(), ProjectorError> {
        let old = match onto {
            Some(onto) => Some(self.archive.snapshot(&onto.snapshot_key, &onto.state).await?),
            None => None,
        };
        let changes = Changes::between(old.as_ref(), taxonomy);
        drop(old);
        let version = onto.map_or(Version::FIRST, |onto| onto.version.next());
        let parent = onto.map(|onto| onto.changeset.clone());
        let changeset = changeset_id(tenant, version, parent.as_ref(), &packed.state);
        let snapshot_key = self.archive.put_snapshot(tenant, version, packed).await?;
        let committed_at = self
            .clock
            .now_ms()
            .max(onto.map_or(0, |onto| onto.committed_at + 1));
        let totals = Totals::of(taxonomy);
        let entry = LogEntry {
            version,
            changeset: changeset.clone(),
            parent,
            state: packed.state.clone(),
            snapshot_key: snapshot_key.clone(),
            committed_at,
            totals,
            changes,
        };
        let head = Committed {
            version,
            changeset,
            state: packed.state.clone(),
            snapshot_key,
            committed_at,
            format: u64::from(PROJECTION_FORMAT),
            settings: taxonomy.settings().clone(),
            cultures: taxonomy.cultures().to_vec(),
            categories: totals.categories,
            terms: totals.terms,
            source,
            projected: None,
            projected_at: 0,
        };
        match self
            .heads
            .commit(&Commit {
                tenant,
                onto,
                head: &head,
                entry: &entry,
            })
            .await?
        {
            CommitOutcome::Committed => {
                self.count(Metric::VersionCommitted, 1);
                let Changes {
                    added,
                    changed,
                    removed,
                } = changes;
                info!(%tenant, version = version.get(), added, changed, removed, terms = totals.terms, "committed");
            }
            CommitOutcome::Overtaken => {
                self.count(Metric::ConditionalRetry, 1);
                info!(%tenant, version = version.get(), "overtaken by another version");
            }
        }
        Ok(())
    }

    /// Notes a refused object; the last good version stays. Being refused is no failure: trying again would not help.
    async fn refuse(
        &self,
        tenant: &TenantId,
        head: &Head,
        object: &Object,
        report: &Report,
    ) -> Result<(), ProjectorError> {
        let report_key = self.archive.put_report(tenant, &object.etag, report).await?;
        let code = report.first_error().map_or("", |issue| issue.code.as_str());
        let refusal = Refusal {
            etag: object.etag.clone(),
            version_id: object.version_id.clone(),
            validator: VALIDATOR,
            code: code.to_owned(),
            report_key,
            at: self.clock.now_ms(),
        };
        if self
            .heads
            .refuse(tenant, head.committed.as_ref(), &refusal)
            .await?
        {
            self.count(Metric::Rejected, 1);
            warn!(%tenant, code, errors = report.errors, report = refusal.report_key, "refused");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_object_is_nothing_new() {
        assert_eq!(judge(&Head::default(), None), Verdict::Known);
    }
}
