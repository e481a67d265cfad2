//! Verification of a tenant: every link and hash of the chain, every file, every item of the table, every aggregate. What it finds, a repair mends
//! (docs/decisions/0035-losses.md).

pub(crate) mod aggregates;
pub(crate) mod audit;
pub(crate) mod checkpoint;
pub(crate) mod compare;
pub(crate) mod difference;
pub(crate) mod head;
pub(crate) mod items;
pub(crate) mod log;
pub(crate) mod partitions;
pub(crate) mod walk;
mod walk_bodies;
mod walk_files;

use std::collections::BTreeSet;

use serde::Serialize;
use taxonomy_keys::TenantId;
use taxonomy_store::{Committed, LogEntry, UnlessLost as _};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::ingest::files::StoredIndex;
use crate::requests::repair::Progress;
use crate::service::{Service, boxed};
use crate::verify::compare::Comparison;
use crate::verify::difference::{Difference, Findings};
use crate::verify::items::Newest;
use crate::verify::partitions::{nodes_of, partition};
use crate::verify::walk::Walk;

/// The result of a verification. `taxonomy verify --output json` writes it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// The verified version; 0 only before the first.
    pub version: u64,
    /// The checkpoint behind which the chain was walked; 0 for the whole chain.
    #[serde(skip)]
    pub since: u64,
    /// Whether the table is at the head; otherwise its items are not compared.
    pub settled: bool,
    /// The version at which the aggregates were compared; `None` if they were not: the table is behind, the
    /// aggregator has not counted the version, or the content is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<u64>,
    /// The differences.
    #[serde(flatten)]
    pub findings: Findings,
}

impl Verdict {
    /// Whether there is no difference.
    pub fn is_clean(&self) -> bool {
        self.findings.count == 0
    }
}

/// What an examination may put right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mends {
    /// Nothing.
    Nothing,
    /// Aggregates, where nothing else differs: counts of a damaged table would be no more right.
    Counts,
    /// Everything.
    Everything,
}

/// An examination of a tenant at one version.
#[derive(Clone, Copy)]
pub(crate) struct Examination<'a> {
    pub(crate) service: &'a Service,
    pub(crate) tenant: &'a TenantId,
    pub(crate) head: &'a Committed,
    pub(crate) mends: Mends,
    pub(crate) deadline: Deadline,
    pub(crate) progress: Option<&'a Progress<'a>>,
}

impl Service {
    /// Verifies a tenant: every version with its files, the log, the head and the table. Reads every changeset from the first on, and the partition of
    /// every id that ever existed: one read unit for each; further partitions are those that [`Self::scanned`] found. Reads and writes no checkpoint.
    ///
    /// # Errors
    /// [`VersioningError::NoVersion`]; [`VersioningError::Overtaken`] if the tenant changed meanwhile; [`VersioningError::Store`] if a request failed.
    pub async fn verify(
        &self,
        tenant: &TenantId,
        scanned: BTreeSet<String>,
    ) -> Result<Verdict, VersioningError> {
        let head = self.committed(tenant).await?;
        let examination = Examination::new(self, tenant, &head, Mends::Nothing, Deadline::NONE);
        let mut walk = Walk::default();
        boxed(|| examination.run(&mut walk, scanned)).await
    }

    /// Returns the partitions of categories and terms that the table has of a tenant, whether a version names them or not. Scans the whole table.
    ///
    /// # Errors
    /// [`VersioningError::Store`] if a request failed.
    pub async fn scanned(&self, tenant: &TenantId) -> Result<BTreeSet<String>, VersioningError> {
        Ok(self.reader.scanned(tenant).await?)
    }
}

impl<'a> Examination<'a> {
    /// Returns an examination that shows no progress.
    pub(crate) fn new(
        service: &'a Service,
        tenant: &'a TenantId,
        head: &'a Committed,
        mends: Mends,
        deadline: Deadline,
    ) -> Self {
        Self {
            service,
            tenant,
            head,
            mends,
            deadline,
            progress: None,
        }
    }

    /// Whether it puts everything right.
    fn mends_everything(&self) -> bool {
        self.mends == Mends::Everything
    }

    /// Examines files, head and table, from the last version of `walk`, with further `partitions`. In every outcome `walk` contains the verified part of the
    /// chain.
    pub(crate) async fn run(
        &self,
        walk: &mut Walk,
        partitions: BTreeSet<String>,
    ) -> Result<Verdict, VersioningError> {
        let (since, head) = (walk.at, self.head);
        self.walk(walk, head.version).await?;
        let mut comparison = Comparison::new(*self, self.mends_everything());
        comparison.findings = walk.findings.clone();
        if !walk.has_progressed()
            && let Some(last) = &mut walk.last
        {
            last.index = self.index_of(&mut comparison, &last.entry).await?;
        }
        let counted = match walk
            .last
            .as_ref()
            .and_then(|last| Some((last, last.content.as_ref()?)))
        {
            Some((last, content)) => {
                let index = last.index.as_ref();
                let newest = Newest { content, index };
                self.compare_table(&mut comparison, &last.entry, newest, partitions)
                    .await?
            }
            None => false,
        };
        self.compare_beside(&mut comparison).await?;
        let now = self.service.committed(self.tenant).await?;
        if (now.version, now.projected) != (head.version, head.projected) {
            return Err(VersioningError::Overtaken);
        }
        Ok(Verdict {
            version: head.version.get(),
            since,
            settled: head.is_settled(),
            counted: counted.then_some(head.version.get()),
            findings: comparison.findings,
        })
    }

    /// Returns the index file of the head, which no walk has built again; one that is lost is noted.
    async fn index_of(
        &self,
        comparison: &mut Comparison<'_>,
        entry: &LogEntry,
    ) -> Result<Option<StoredIndex>, VersioningError> {
        let read = self.service.whole_index(self.tenant, &entry.into()).await;
        Ok(match read.unless_lost()? {
            Ok(index) => Some(index),
            Err(lost) => {
                let object = self.service.archive.object(&entry.index_key);
                comparison.findings.note(Difference::lost(object, &lost));
                None
            }
        })
    }

    /// Compares the head and, where the table is at it, its items and the aggregates. Returns whether these were compared.
    pub(crate) async fn compare_table(
        &self,
        comparison: &mut Comparison<'_>,
        entry: &LogEntry,
        newest: Newest<'_>,
        mut partitions: BTreeSet<String>,
    ) -> Result<bool, VersioningError> {
        self.compare_head(comparison, entry, newest.content).await?;
        if !self.head.is_settled() {
            return Ok(false);
        }
        // Those of the content as well, where its index file cannot be read.
        partitions.extend(nodes_of(newest.content).filter_map(|node| partition(self.tenant, node)));
        if let Some(index) = newest.index {
            partitions.extend(self.service.partitions_of(self.tenant, index)?);
        }
        self.deadline.in_time(&*self.service.clock)?;
        self.compare_items(comparison, newest, partitions).await?;
        comparison.mends |= self.mends == Mends::Counts && comparison.findings.count == 0;
        self.compare_aggregates(comparison, newest.content).await
    }
}
