//! Repair: everything that is stored of a tenant is examined and put right, in as many invocations as it takes (docs/decisions/0035-losses.md).

use std::cell::Cell;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{TenantId, Version};
use taxonomy_store::{
    Answer, Asked, Committed, RepairNote, RepairStep, StoreError, UnlessLost as _, is_of_nodes,
};
use tracing::{info, warn};

use crate::error::VersioningError;
use crate::load::VALID_MS;
use crate::plan::TenantState;
use crate::reconcile::Round;
use crate::service::Service;
use crate::verify::compare::Comparison;
use crate::verify::difference::Findings;
use crate::verify::items::Newest;
use crate::verify::walk::{Walk, Walked};
use crate::verify::{Examination, Mends};

/// The interval in which a repair shows its progress, in milliseconds.
const SHOW_MS: u64 = VALID_MS / 3;

/// The most partitions of a request.
const PARTITIONS: usize = 100;

/// The format of a report.
const FORMAT_VERSION: u32 = 1;

/// The progress of a repair: its report, and the note in the head of its tenant, which is the heartbeat of its process as well.
pub(crate) struct Progress<'a> {
    service: &'a Service,
    asked: &'a Asked,
    /// What earlier steps and invocations found.
    report: RepairReport,
    /// The partitions whose items an earlier invocation compared at the same version, of how many.
    compared: (u64, u64),
    /// What this invocation stored last: how far the step is, and the time in epoch milliseconds.
    shown: Cell<(u64, u64)>,
}

impl Progress<'_> {
    /// Whether the progress is to be shown again.
    pub(crate) fn is_due(&self) -> bool {
        let ((_, at), now) = (self.shown.get(), self.service.clock.now_ms());
        now.abs_diff(at) >= SHOW_MS
    }

    /// Whether this invocation compared further partitions than the ones before it.
    fn is_further(&self) -> bool {
        self.shown.get().0 > self.compared.0
    }

    /// Returns the partitions that an earlier invocation compared of this many. Of another number it compared others.
    pub(crate) fn compared(&self, of: u64) -> u64 {
        let (compared, before) = self.compared;
        if before == of { compared } else { 0 }
    }

    /// Stores how far a step is, with what it found so far.
    ///
    /// # Errors
    /// [`VersioningError::Overtaken`] if the request is answered, or a purge has begun.
    pub(crate) async fn store(
        &self,
        step: RepairStep,
        done: u64,
        of: u64,
        findings: &Findings,
    ) -> Result<(), VersioningError> {
        let (service, tenant) = (self.service, &self.report.tenant);
        // Before the progress, behind which nothing is found again.
        let mut report = self.report.clone();
        report.findings.add(findings.clone());
        service
            .archive
            .put_report(tenant, &self.asked.id, &report)
            .await?;
        let at = service.clock.now_ms();
        self.shown.set((done, at));
        let note = RepairNote {
            id: self.asked.id.clone(),
            step,
            done,
            of,
            at,
            by: service.process.clone(),
        };
        match service.heads.show_repair(tenant, &note).await? {
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
        let (mut progress, examined) = self.repair_progress(tenant, head, asked, note).await?;
        let examination = Examination::new(self, tenant, head, Mends::Everything, state.deadline);
        if examination.above_head().await?.is_some() {
            return Err(VersioningError::HeadDisagrees);
        }
        // Those of versions that were committed since follow too.
        let is_in_files = note.is_none_or(|note| note.step == RepairStep::Files);
        if (is_in_files || examined < head.version.get())
            && let Some(ended) = self.repair_files(&mut progress, examination, examined).await?
        {
            return Ok(ended);
        }
        if !head.is_settled() {
            return Ok(Round::Done(true));
        }
        let shown = Examination {
            progress: Some(&progress),
            ..examination
        };
        match self.repair_items(&shown, partitions).await {
            Ok(findings) => self.end_repair(&progress, findings).await,
            Err(VersioningError::OutOfTime) => Ok(Round::OutOfTime(progress.is_further())),
            Err(error) => Err(error),
        }
    }

    /// Mends the log and the objects of the versions after `examined`. Returns the outcome of the round where the time is over before.
    async fn repair_files(
        &self,
        progress: &mut Progress<'_>,
        examination: Examination<'_>,
        examined: u64,
    ) -> Result<Option<Round>, VersioningError> {
        let Examination { tenant, head, .. } = examination;
        let mut walk = self.resumed(tenant, examined, &examination).await?;
        let of = head.version.get();
        progress
            .store(RepairStep::Files, walk.at, of, &walk.findings)
            .await?;
        let shown = Examination {
            progress: Some(progress),
            ..examination
        };
        let walked = shown.walk(&mut walk, head.version).await;
        let (step, done, of) = match walk.is_whole {
            true => (RepairStep::Items, 0, 0),
            false => (RepairStep::Files, walk.at, of),
        };
        progress.store(step, done, of, &walk.findings).await?;
        progress.report.findings.add(std::mem::take(&mut walk.findings));
        match walked {
            Ok(()) => Ok(None),
            Err(VersioningError::OutOfTime) => Ok(Some(Round::OutOfTime(walk.has_progressed()))),
            Err(error) => Err(error),
        }
    }

    /// Mends head, items and aggregates.
    async fn repair_items(
        &self,
        examination: &Examination<'_>,
        partitions: &[String],
    ) -> Result<Findings, VersioningError> {
        let (tenant, head) = (examination.tenant, examination.head);
        let mut comparison = Comparison::new(*examination, true);
        // What is lost of the version the walk has noted; without it nothing says how the items should be.
        let Some(entry) = self.heads.readable_entry(tenant, head.version).await? else {
            return Ok(comparison.findings);
        };
        let of = (&entry).into();
        let content = match self
            .content(tenant, &of, Mends::Everything, examination.deadline)
            .await
        {
            Err(error) if error.is_damage() => return Ok(comparison.findings),
            content => content?,
        };
        let index = self.whole_index(tenant, &of).await.unless_lost()?.ok();
        // A version whose stream record was lost is counted first.
        self.updater.advance(tenant, head.version).await?;
        // No others: a request names what it likes.
        let own = partitions
            .iter()
            .filter(|partition| is_of_nodes(partition, tenant));
        let newest = Newest {
            content: &content,
            index: index.as_ref(),
        };
        examination
            .compare_table(&mut comparison, &entry, newest, own.cloned().collect())
            .await?;
        Ok(comparison.findings)
    }

    /// Stores the report, and answers the request.
    async fn end_repair(
        &self,
        Progress { report, asked, .. }: &Progress<'_>,
        findings: Findings,
    ) -> Result<Round, VersioningError> {
        let (tenant, mut report) = (&report.tenant, report.clone());
        report.findings.add(findings);
        let key = self.archive.put_report(tenant, &asked.id, &report).await?;
        let (mended, left) = (report.findings.mended, report.findings.left());
        warn!(%tenant, request = asked.id, mended, left, "repaired");
        let answer = Answer::Repaired {
            mended,
            left,
            report: key,
        };
        self.answer_with(tenant, asked, answer).await.map(Round::Done)
    }

    /// Returns the walk of a repair behind the version up to which its files are done.
    async fn resumed(
        &self,
        tenant: &TenantId,
        done: u64,
        examination: &Examination<'_>,
    ) -> Result<Walk, VersioningError> {
        let done = Version::new(done.min(examination.head.version.get()));
        let entry = match done {
            Some(done) => self.heads.readable_entry(tenant, done).await?,
            None => None,
        };
        let Some(entry) = entry else {
            return Ok(Walk::default());
        };
        let of = (&entry).into();
        let content = self
            .content(tenant, &of, Mends::Nothing, examination.deadline)
            .await;
        match content {
            Err(error) if !error.is_damage() => Err(error),
            content => Ok(Walk::behind(Walked::new(entry, content.ok()))),
        }
    }

    /// Returns the progress of a repair, with the report of its earlier invocations, and the version up to which these examined log and objects.
    async fn repair_progress<'a>(
        &'a self,
        tenant: &TenantId,
        head: &Committed,
        asked: &'a Asked,
        note: Option<&RepairNote>,
    ) -> Result<(Progress<'a>, u64), VersioningError> {
        let key = self.archive.report_key(tenant, &asked.id);
        let version = head.version.get();
        let stored = match note {
            Some(_) => self.archive.report(&key).await.unless_lost()?.ok(),
            None => None,
        };
        let stored = stored.and_then(|bytes| serde_json::from_slice::<RepairReport>(&bytes).ok());
        let before = stored.as_ref().map_or(0, |report| report.version);
        let examined = note.map_or(0, |note| match note.step {
            RepairStep::Files => note.done,
            RepairStep::Items => before,
        });
        let compared = note.filter(|note| before == version && note.step == RepairStep::Items);
        let progress = Progress {
            service: self,
            asked,
            report: RepairReport {
                format_version: FORMAT_VERSION,
                tenant: tenant.clone(),
                version,
                findings: stored.map(|report| report.findings).unwrap_or_default(),
            },
            compared: compared.map_or((0, 0), |note| (note.done, note.of)),
            shown: Cell::new((0, 0)),
        };
        Ok((progress, examined))
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
}
