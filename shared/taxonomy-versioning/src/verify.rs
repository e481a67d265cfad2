//! Verification of a tenant: every link and hash of the chain, every file, every item of the table, every aggregate. What it finds, a repair mends
//! (docs/decisions/0035-losses.md).

pub(crate) mod aggregates;
pub(crate) mod audit;
pub(crate) mod checkpoint;
pub(crate) mod count_items;
pub(crate) mod difference;
pub(crate) mod head;
pub(crate) mod items;
pub(crate) mod log;
pub(crate) mod mend;
pub(crate) mod partitions;
pub(crate) mod walk;
mod walk_files;

use std::collections::BTreeSet;

use serde::Serialize;
use taxonomy_keys::{TenantId, pattern};
use taxonomy_model::Taxonomy;
use taxonomy_store::{Committed, UnlessLost as _};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::requests::repair::Progress;
use crate::service::Service;
use crate::verify::count_items::ItemCounter;
use crate::verify::difference::{Difference, Findings, Found};
use crate::verify::items::ItemComparison;
use crate::verify::mend::Mender;
use crate::verify::partitions::{nodes_of, partition};
use crate::verify::walk::{Walk, Walker};

/// The result of a verification. `taxonomy verify --output json` writes it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// The verified version; 0 only before the first.
    pub version: u64,
    /// The checkpoint behind which the chain was walked; 0 for the whole chain.
    #[serde(skip)]
    pub since: u64,
    /// Changesets that were read, hashed, linked and followed.
    pub changesets: u64,
    /// Index files that were built again from the chain and are as they were.
    pub indexes: u64,
    /// Search objects that were built again from the chain and are as they were.
    pub search_objects: u64,
    /// Whether the table is at the head; otherwise its items are not compared.
    pub settled: bool,
    /// Live items that are as they should be.
    pub items: u64,
    /// Tombstones that are as they should be.
    pub tombstones: u64,
    /// The version at which the aggregates were compared; `None` if they were not: the aggregator has not counted the version, or the content is lost.
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
        let examination = Examination {
            service: self,
            tenant,
            head: &head,
            mends: Mends::Nothing,
            deadline: Deadline::NONE,
            progress: None,
        };
        examination.run(&mut Walk::default(), scanned).await
    }

    /// Returns the partitions of categories and terms that the table has of a tenant, whether a version names them or not. Scans the whole table.
    ///
    /// # Errors
    /// [`VersioningError::Store`] if a request failed.
    pub async fn scanned(&self, tenant: &TenantId) -> Result<BTreeSet<String>, VersioningError> {
        Ok(self.reader.scanned(tenant).await?)
    }
}

impl Examination<'_> {
    /// Examines files, head and table, from the last version of `walk`, with further `partitions`. In every outcome `walk` contains the verified part of the
    /// chain.
    pub(crate) async fn run(
        &self,
        walk: &mut Walk,
        partitions: BTreeSet<String>,
    ) -> Result<Verdict, VersioningError> {
        let mut verdict = Verdict {
            version: self.head.version.get(),
            since: walk.stands_at(),
            settled: self.head.is_settled(),
            ..Verdict::default()
        };
        self.walk(walk).await?;
        (verdict.changesets, verdict.indexes) = (walk.changesets, walk.indexes);
        verdict.search_objects = walk.search_objects;
        verdict.findings = std::mem::take(&mut walk.findings);
        let content = self.content(walk, &mut verdict).await?;
        if let Some(content) = &content {
            self.compare_head(content, &mut verdict.findings).await?;
            if self.head.is_settled() {
                self.compare_table(content, partitions, &mut verdict).await?;
            }
        }
        if let Some(above) = self.above_head().await? {
            verdict.findings.note(Difference::item(above.key, Found::Foreign));
        }
        let items = self.service.heads.items(self.tenant).await?;
        if items.configuration.is_none() {
            let key = pattern::configuration(self.tenant);
            verdict.findings.note(Difference::item(key, Found::Missing));
        }
        let now = items.parsed()?.0.committed;
        let id = |head: &Committed| (head.version, head.projected);
        match now.as_ref().map(id) == Some(id(self.head)) {
            true => Ok(verdict),
            false => Err(VersioningError::Overtaken),
        }
    }

    /// Walks over the versions up to the head.
    pub(crate) async fn walk(&self, walk: &mut Walk) -> Result<(), VersioningError> {
        let walker = Walker {
            service: self.service,
            tenant: self.tenant,
            head: self.head,
            mends: self.mends == Mends::Everything,
            deadline: self.deadline,
            progress: self.progress,
        };
        walker.walk(walk).await
    }

    /// Returns the content of the head, from the walk or, where nothing was walked, from its snapshot. `None` where it is lost, which is noted.
    async fn content(
        &self,
        walk: &mut Walk,
        verdict: &mut Verdict,
    ) -> Result<Option<Taxonomy>, VersioningError> {
        if walk.has_progressed() {
            return Ok(walk.last.as_mut().and_then(|last| last.content.take()));
        }
        let archive = &self.service.archive;
        let (key, state) = (&self.head.snapshot_key, &self.head.state);
        match archive.snapshot(key, state).await.unless_lost()? {
            Ok(content) => Ok(Some(content)),
            Err(lost) => {
                verdict
                    .findings
                    .note(Difference::lost(archive.object(key), &lost));
                let of = self.head.into();
                self.service
                    .derived_content(self.tenant, &of, self.deadline)
                    .await
            }
        }
    }

    /// Compares the items of the table, then the aggregates.
    pub(crate) async fn compare_table(
        &self,
        content: &Taxonomy,
        mut partitions: BTreeSet<String>,
        verdict: &mut Verdict,
    ) -> Result<(), VersioningError> {
        let Self {
            service,
            tenant,
            head,
            ..
        } = *self;
        // Those of the content as well, where its index file cannot be read.
        partitions.extend(nodes_of(content).filter_map(|node| partition(tenant, node)));
        self.deadline.in_time(&*service.clock)?;
        let index = service.whole_index(tenant, &head.into()).await.unless_lost()?;
        match &index {
            Ok(index) => partitions.extend(service.partitions_of(tenant, index)?),
            Err(lost) => self.note_lost_index(&head.index_key, lost, &mut verdict.findings),
        }
        self.deadline.in_time(&*service.clock)?;
        let mends_items = self.mends == Mends::Everything;
        let mut comparison = ItemComparison {
            tenant,
            head,
            content,
            index: index.as_ref().ok(),
            deadline: self.deadline,
            mender: Mender::new(service, tenant, head, mends_items),
            counter: ItemCounter::default(),
            progress: self.progress,
            done: 0,
            of: 0,
        };
        comparison.compare(partitions, verdict).await?;
        if let Some(counted) = comparison.counter.census() {
            let mends = mends_items || (self.mends == Mends::Counts && verdict.is_clean());
            let mut mender = Mender::new(service, tenant, head, mends);
            let compared = service.compare_aggregates(&mut mender, &mut verdict.findings, &counted);
            verdict.counted = compared.await?.then_some(head.version.get());
        }
        Ok(())
    }

    /// Notes an index file that is lost, unless the walk has noted it.
    fn note_lost_index(&self, key: &str, lost: &taxonomy_store::StoreError, findings: &mut Findings) {
        let difference = Difference::lost(self.service.archive.object(key), lost);
        let is_noted = findings
            .listed
            .iter()
            .any(|noted| noted.place == difference.place);
        if !is_noted {
            findings.note(difference);
        }
    }
}
