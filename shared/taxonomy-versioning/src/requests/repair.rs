//! Repair: everything that is stored of a tenant is examined and put right, in as many invocations as it takes (docs/decisions/0035-losses.md).

use std::cell::Cell;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{TenantId, Version};
use taxonomy_store::{Answer, Asked, Committed, RepairNote, RepairStep, StoreError};
use tracing::{info, warn};

use crate::error::VersioningError;
use crate::load::VALID_MS;
use crate::plan::TenantState;
use crate::reconcile::Round;
use crate::service::Service;
use crate::verify::difference::Findings;
use crate::verify::walk::Walk;
use crate::verify::{Examination, Mends, Verdict};

/// The interval in which a repair shows its progress, in milliseconds.
const SHOW_MS: u64 = VALID_MS / 3;

/// The most partitions of a request.
const PARTITIONS: usize = 100;

/// The format of a report.
const FORMAT_VERSION: u32 = 1;

/// The progress of a repair, in the head of its tenant. It is the heartbeat of its process as well.
pub(crate) struct Progress<'a> {
    service: &'a Service,
    tenant: &'a TenantId,
    id: &'a str,
    shown_at: Cell<u64>,
}

impl Progress<'_> {
    /// Shows how far a step is, at most every 30 s.
    ///
    /// # Errors
    /// [`VersioningError::Overtaken`] if the request is answered, or a purge has begun.
    pub(crate) async fn show(&self, step: RepairStep, done: u64, of: u64) -> Result<(), VersioningError> {
        let now = self.service.clock.now_ms();
        match now.abs_diff(self.shown_at.get()) < SHOW_MS {
            true => Ok(()),
            false => self.store(step, done, of).await,
        }
    }

    /// Shows how far a walk came.
    async fn walked(&self, walk: &Walk, version: Version) -> Result<(), VersioningError> {
        match walk.is_whole {
            true => self.store(RepairStep::Items, 0, 0).await,
            false => {
                self.store(RepairStep::Files, walk.stands_at(), version.get())
                    .await
            }
        }
    }

    /// Shows it now.
    async fn store(&self, step: RepairStep, done: u64, of: u64) -> Result<(), VersioningError> {
        let at = self.service.clock.now_ms();
        self.shown_at.set(at);
        let note = RepairNote {
            id: self.id.to_owned(),
            step,
            done,
            of,
            at,
            by: self.service.process.clone(),
        };
        match self.service.heads.show_repair(self.tenant, &note).await? {
            true => Ok(()),
            false => Err(VersioningError::Overtaken),
        }
    }
}

/// What a repair found and mended, over all of its invocations: the object `reports/{tenant}/{id}.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RepairReport {
    /// 1.
    pub format_version: u32,
    /// The tenant.
    pub tenant: TenantId,
    /// The version up to which it was examined.
    pub version: u64,
    /// What was found.
    #[serde(flatten)]
    pub findings: Findings,
}

impl Service {
    /// Goes on with a repair. Files come first, whatever a load does; items only once the load has ended.
    pub(crate) async fn repair(
        &self,
        state: TenantState<'_>,
        head: &Committed,
        asked: &Asked,
        partitions: &[String],
    ) -> Result<Round, VersioningError> {
        let tenant = state.tenant;
        let note = state.head.repair.as_ref().filter(|note| note.id == asked.id);
        let is_theirs =
            |note: &RepairNote| note.by != self.process && self.clock.now_ms().abs_diff(note.at) < VALID_MS;
        if note.is_some_and(is_theirs) {
            info!(%tenant, request = asked.id, "another process repairs the tenant");
            return Ok(Round::Others);
        }
        let progress = Progress {
            service: self,
            tenant,
            id: &asked.id,
            shown_at: Cell::new(0),
        };
        let examination = Examination {
            service: self,
            tenant,
            head,
            mends: Mends::Everything,
            deadline: state.deadline,
            progress: Some(&progress),
        };
        if examination.above_head().await?.is_some() {
            return Err(VersioningError::HeadDisagrees);
        }
        let mut report = self.repair_report(examination, asked, note.is_some()).await?;
        if note.is_none_or(|note| note.step != RepairStep::Items) {
            let mut walk = self.resumed(tenant, note, &examination).await?;
            progress.walked(&walk, head.version).await?;
            let walked = examination.walk(&mut walk).await;
            report.findings.add(std::mem::take(&mut walk.findings));
            // Before the progress, behind which nothing is found again.
            self.keep_report(tenant, asked, &report).await?;
            match walked {
                Ok(()) | Err(VersioningError::OutOfTime) => {}
                Err(error) => return Err(error),
            }
            progress.walked(&walk, head.version).await?;
            if !walk.is_whole {
                return Ok(Round::OutOfTime(walk.has_progressed()));
            }
        }
        if !head.is_settled() {
            return Ok(Round::Done(true));
        }
        report
            .findings
            .add(self.repair_items(&examination, partitions).await?);
        self.keep_report(tenant, asked, &report).await?;
        let (mended, left) = (report.findings.mended, report.findings.left());
        warn!(%tenant, request = asked.id, mended, left, "repaired");
        let answer = Answer::Repaired {
            mended,
            left,
            report: self.archive.report_key(tenant, &asked.id),
        };
        self.answer_with(tenant, asked, answer).await.map(Round::Done)
    }

    /// Mends head, items and aggregates.
    async fn repair_items(
        &self,
        examination: &Examination<'_>,
        partitions: &[String],
    ) -> Result<Findings, VersioningError> {
        let (tenant, head) = (examination.tenant, examination.head);
        let mut verdict = Verdict::default();
        let of = head.into();
        let content = match self.restored_content(tenant, &of, examination.deadline).await {
            // The walk has noted it; without it nothing says how the items should be.
            Err(error) if error.is_damage() => return Ok(verdict.findings),
            content => content?,
        };
        examination.compare_head(&content, &mut verdict.findings).await?;
        // A version whose stream record was lost is counted first.
        self.updater.advance(tenant, head.version).await?;
        let partitions: BTreeSet<String> = partitions.iter().cloned().collect();
        examination
            .compare_table(&content, partitions, &mut verdict)
            .await?;
        Ok(verdict.findings)
    }

    /// Returns the walk of a repair behind the version up to which its files are done.
    async fn resumed(
        &self,
        tenant: &TenantId,
        note: Option<&RepairNote>,
        examination: &Examination<'_>,
    ) -> Result<Walk, VersioningError> {
        let done = note.map_or(0, |note| note.done.min(examination.head.version.get()));
        let Some(done) = Version::new(done) else {
            return Ok(Walk::default());
        };
        let Some(entry) = self.heads.readable_entry(tenant, done).await? else {
            return Ok(Walk::default());
        };
        let of = (&entry).into();
        let content = self.content(tenant, &of, examination.deadline).await;
        let content = match content {
            Ok(content) => Some(content),
            Err(error) if error.is_damage() => None,
            Err(error) => return Err(error),
        };
        Ok(Walk::behind(of, content))
    }

    /// Returns the report of the earlier invocations of a repair.
    async fn repair_report(
        &self,
        examination: Examination<'_>,
        asked: &Asked,
        has_begun: bool,
    ) -> Result<RepairReport, VersioningError> {
        let Examination { tenant, head, .. } = examination;
        let new = RepairReport {
            format_version: FORMAT_VERSION,
            tenant: tenant.clone(),
            version: head.version.get(),
            findings: Findings::default(),
        };
        if !has_begun {
            return Ok(new);
        }
        let key = self.archive.report_key(tenant, &asked.id);
        let version = new.version;
        let report = match self.archive.report(&key).await {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or(new),
            Err(error) if error.is_missing() => new,
            Err(error) => return Err(error.into()),
        };
        Ok(RepairReport { version, ..report })
    }

    /// Returns the report of a repair that is answered.
    ///
    /// # Errors
    /// [`VersioningError::Store`] if it cannot be read.
    pub async fn report_of_repair(&self, key: &str) -> Result<RepairReport, VersioningError> {
        let bytes = self.archive.report(key).await?;
        let report = serde_json::from_slice(&bytes);
        Ok(report.map_err(|error| StoreError::damaged(self.archive.object(key), error))?)
    }

    /// Returns the partitions among `scanned` that no version names: at most a hundred, which one repair takes.
    ///
    /// # Errors
    /// [`VersioningError::Store`] if the newest index file, which names all others, is lost: a repair without them restores it.
    pub async fn unnamed_partitions(
        &self,
        tenant: &TenantId,
        scanned: BTreeSet<String>,
    ) -> Result<Vec<String>, VersioningError> {
        let head = self.committed(tenant).await?;
        let index = self.whole_index(tenant, &(&head).into()).await?;
        let named = self.partitions_of(tenant, &index)?;
        Ok(scanned
            .into_iter()
            .filter(|found| !named.contains(found))
            .take(PARTITIONS)
            .collect())
    }

    async fn keep_report(
        &self,
        tenant: &TenantId,
        asked: &Asked,
        report: &RepairReport,
    ) -> Result<(), VersioningError> {
        let stored = self.archive.put_report(tenant, &asked.id, report).await;
        Ok(stored.map(drop)?)
    }
}
