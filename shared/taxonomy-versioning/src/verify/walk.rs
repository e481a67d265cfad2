//! The walk over the versions of a tenant: for each its log entry, changeset, snapshot, search objects and index file, compared with what they follow
//! from, and mended where the walk may. It goes on behind a difference, as far as something is left to go by.

use taxonomy_keys::{ItemKey, TenantId, Version};
use taxonomy_model::changeset::{Changeset, Header};
use taxonomy_model::{Census, Fact, Taxonomy, apply, diff, snapshot};
use taxonomy_store::{
    Archive, Committed, LogEntry, RepairStep, Replacement, StoreError, UnlessLost as _, extra_time,
};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::ingest::files::{StoredIndex, StoredVersion};
use crate::requests::repair::Progress;
use crate::restore::changeset::Pair;
use crate::service::Service;
use crate::verify::difference::{Difference, Findings, Found, Mending};
use crate::verify::log::{LogReader, LoggedEntry};
use crate::verify::mend::Mender;
use crate::verify::walk_files::FilesToCompare;

/// How far a walk came. The default is before the first version.
#[derive(Default)]
pub(crate) struct Walk {
    /// The version behind which it began; `None` for the first version.
    begun: Option<Version>,
    /// The last version that it left behind.
    pub(crate) last: Option<Walked>,
    /// The number of changesets that were read and followed.
    pub(crate) changesets: u64,
    /// The number of index files that were built again and are as they were.
    pub(crate) indexes: u64,
    /// The same of search objects.
    pub(crate) search_objects: u64,
    /// The size of the search objects of the last version, in bytes.
    pub(super) search_bytes: u64,
    /// What it found.
    pub(crate) findings: Findings,
    /// Whether it came to the head.
    pub(crate) is_whole: bool,
    /// Whether a link of the chain is broken and was not mended: a log entry, a changeset or a snapshot. Another walk begins at the first version.
    pub(crate) is_broken: bool,
}

/// A version that a walk left behind.
pub(crate) struct Walked {
    pub(crate) of: StoredVersion,
    /// `None` where it is lost, and where nothing is left to walk.
    pub(crate) content: Option<Taxonomy>,
    /// Its index file, as built again; `None` where it could not be built.
    pub(super) index: Option<StoredIndex>,
}

impl Walk {
    /// Returns a walk that begins behind a version, given its content.
    pub(crate) fn behind(of: StoredVersion, content: Option<Taxonomy>) -> Self {
        Self {
            begun: Some(of.version),
            last: Some(Walked {
                of,
                content,
                index: None,
            }),
            ..Self::default()
        }
    }

    /// Returns the version that it left behind last; 0 before the first.
    pub(crate) fn stands_at(&self) -> u64 {
        self.last.as_ref().map_or(0, |last| last.of.version.get())
    }

    /// Whether it left a version behind.
    pub(crate) fn has_progressed(&self) -> bool {
        self.stands_at() > self.begun.map_or(0, Version::get)
    }

    fn next(&self) -> Version {
        self.last
            .as_ref()
            .map_or(Version::FIRST, |last| last.of.version.next())
    }
}

/// One walk: what it goes by, and what it may do.
pub(crate) struct Walker<'a> {
    pub(crate) service: &'a Service,
    pub(crate) tenant: &'a TenantId,
    pub(crate) head: &'a Committed,
    pub(crate) mends: bool,
    pub(crate) deadline: Deadline,
    pub(crate) progress: Option<&'a Progress<'a>>,
}

/// A version under way: what is known of it so far.
struct Step<'w> {
    entry: LogEntry,
    before: Option<&'w Walked>,
    changeset: Result<Changeset, StoreError>,
}

impl Walker<'_> {
    /// Walks from the last version to the head.
    ///
    /// # Errors
    /// [`VersioningError::OutOfTime`], [`VersioningError::Store`]; another walk goes on at the last version.
    pub(crate) async fn walk(&self, walk: &mut Walk) -> Result<(), VersioningError> {
        if walk.stands_at() >= self.head.version.get() {
            walk.is_whole = true;
            return Ok(());
        }
        let mut log = LogReader::new(self.service, self.tenant, self.head).await?;
        while walk.stands_at() < self.head.version.get() {
            self.deadline.in_time(&*self.service.clock)?;
            // A started version is completed, so that another walk can begin behind it; the next version takes about as long.
            self.deadline
                .in_time_for(extra_time(walk.search_bytes), &*self.service.clock)?;
            if let Some(progress) = self.progress {
                progress
                    .show(RepairStep::Files, walk.stands_at(), self.head.version.get())
                    .await?;
            }
            let version = walk.next();
            // Of a version that fails nothing is noted: another walk notes it.
            let (mut findings, last) = (Findings::default(), walk.last.take());
            let stepped = Box::pin(self.step(walk, &mut findings, &mut log, version, last.as_ref())).await;
            match stepped {
                Ok(walked) => {
                    walk.findings.add(findings);
                    walk.last = Some(walked);
                }
                Err(failure) => {
                    walk.last = last;
                    return Err(failure);
                }
            }
        }
        walk.is_whole = true;
        Ok(())
    }

    /// Compares one version with what it follows from.
    async fn step(
        &self,
        walk: &mut Walk,
        findings: &mut Findings,
        log: &mut LogReader<'_>,
        version: Version,
        last: Option<&Walked>,
    ) -> Result<Walked, VersioningError> {
        let before = last.filter(|last| last.of.version.next() == version);
        let logged = log.entry(version).await?;
        let Some(id) = log.changeset_id(version).await? else {
            return self.lose(walk, findings, &logged, version);
        };
        let archive = &self.service.archive;
        let changeset = archive.changeset(self.tenant, version, &id).await.unless_lost()?;
        let entry = match (&changeset, logged.entry()) {
            (Ok(changeset), stored) => log.expected(changeset, &id, stored, before.map(|last| &last.of)),
            (Err(_), Some(stored)) if stored.changeset == id => stored.clone(),
            (Err(lost), _) => {
                let object = archive.object(&Archive::changeset_key(self.tenant, version, &id));
                let why = "the log entry, from which it follows, is lost too";
                findings.note(self.left(Difference::lost(object, lost), why));
                return self.lose(walk, findings, &logged, version);
            }
        };
        let step = Step {
            entry,
            before,
            changeset,
        };
        let content = self.compare_content(walk, findings, &step).await?;
        let header = self
            .compare_changeset(walk, findings, &step, content.as_ref())
            .await?;
        let Step { mut entry, .. } = step;
        let index = match (&content, &header) {
            (Some(content), Some((header, facts))) => {
                let files = FilesToCompare {
                    entry: &entry,
                    content,
                    header,
                    facts,
                };
                self.compare_files(walk, findings, files, before).await?
            }
            _ => {
                self.compare_index_alone(findings, &entry).await?;
                None
            }
        };
        if let Some(index) = &index {
            entry.index_key = index.of.index_key.clone();
        }
        if header.is_some() {
            let noted = findings.left();
            self.compare_entry(findings, &logged, &entry).await?;
            walk.is_broken |= findings.left() > noted;
        }
        Ok(Walked {
            of: (&entry).into(),
            content,
            index,
        })
    }

    /// Goes on behind a version of which too little is left.
    fn lose(
        &self,
        walk: &mut Walk,
        findings: &mut Findings,
        logged: &LoggedEntry,
        version: Version,
    ) -> Result<Walked, VersioningError> {
        walk.is_broken = true;
        let stored = logged.entry().cloned();
        if let Some(difference) = logged.difference() {
            let why = "its changeset, from which it follows, is lost too";
            findings.note(self.left(difference, why));
        }
        let of = match stored {
            Some(entry) => (&entry).into(),
            None => StoredVersion::unknown(version),
        };
        Ok(Walked {
            of,
            content: None,
            index: None,
        })
    }

    /// Returns the content of a version, by its changeset if that can be followed; compares its snapshot.
    async fn compare_content(
        &self,
        walk: &mut Walk,
        findings: &mut Findings,
        step: &Step<'_>,
    ) -> Result<Option<Taxonomy>, VersioningError> {
        let (entry, archive) = (&step.entry, &self.service.archive);
        let applied = self.apply(walk, findings, step);
        let of = StoredVersion::from(entry);
        let is_checked = |last: &Walked| last.of.snapshot_key == of.snapshot_key && last.content.is_some();
        let (content, lost) = match applied {
            // A rebuild shares the snapshot of the version before.
            Some(content) if step.before.is_some_and(is_checked) => (Some(content), None),
            Some(content) => {
                let compared = archive.compare_body(&of.snapshot_key, &of.state).await;
                (Some(content), compared.unless_lost()?.err())
            }
            None => match archive
                .snapshot(&of.snapshot_key, &of.state)
                .await
                .unless_lost()?
            {
                Ok(content) => (Some(content), None),
                Err(lost) => (self.service.content_of_index(self.tenant, &of).await?, Some(lost)),
            },
        };
        walk.is_broken |= content.is_none() || (lost.is_some() && !self.mends);
        if let Some(lost) = lost {
            let difference = Difference::lost(archive.object(&of.snapshot_key), &lost);
            let mending = match &content {
                None => "neither its index file nor the changesets lead to it",
                Some(_) if !self.mends => "",
                Some(content) => {
                    self.service.restore_snapshot(&of, content).await?;
                    findings.note(difference.with(Mending::Mended));
                    return Ok(Some(content.clone()));
                }
            };
            findings.note(self.left(difference, mending));
        }
        Ok(content)
    }

    /// Applies the changeset of a version to the content before; `None` where that cannot be done.
    fn apply(&self, walk: &mut Walk, findings: &mut Findings, step: &Step<'_>) -> Option<Taxonomy> {
        let Changeset { header, facts } = step.changeset.as_ref().ok()?;
        let old = match step.before {
            Some(before) => Some(before.content.as_ref()?),
            None if header.version == Version::FIRST => None,
            None => return None,
        };
        let wrong = match apply(old, facts) {
            Err(error) => error.to_string(),
            Ok(next) if snapshot::hash_as(&next, header.projection_format) != header.after => {
                "its facts lead to another state".to_owned()
            }
            Ok(next) if Census::new(&next) != header.census => {
                "it counts otherwise than its facts".to_owned()
            }
            Ok(next) => {
                walk.changesets += 1;
                return Some(next);
            }
        };
        walk.is_broken = true;
        let object = self.service.archive.object(&step.entry.changeset_key);
        let difference = Difference::object(object, Found::Altered, wrong);
        findings.note(self.left(difference, "its id names it as it is"));
        None
    }

    /// Compares the changeset of a version, and returns its header and its facts; `None` where they are lost.
    async fn compare_changeset(
        &self,
        walk: &mut Walk,
        findings: &mut Findings,
        step: &Step<'_>,
        content: Option<&Taxonomy>,
    ) -> Result<Option<(Header, Vec<Fact>)>, VersioningError> {
        let Step {
            entry,
            before,
            changeset,
        } = step;
        let lost = match changeset {
            Ok(Changeset { header, facts }) => return Ok(Some((header.clone(), facts.clone()))),
            Err(lost) => lost,
        };
        let object = self.service.archive.object(&entry.changeset_key);
        let difference = Difference::lost(object, lost);
        let old = before.and_then(|last| Some((&last.of, last.content.as_ref()?)));
        let is_known = old.is_some() || entry.version == Version::FIRST;
        let Some(content) = content.filter(|_| is_known) else {
            walk.is_broken = true;
            findings.note(self.left(
                difference,
                "the content of the version or of the one before is lost too",
            ));
            return Ok(None);
        };
        let pair = Pair {
            entry,
            content,
            before: old,
        };
        let header = match self.mends {
            true => self.service.restore_changeset(self.tenant, pair).await?,
            false => self.service.derive_changeset(self.tenant, pair)?,
        };
        match &header {
            Some(_) if self.mends => findings.note(difference.with(Mending::Mended)),
            Some(_) => {
                walk.is_broken = true;
                findings.note(difference);
            }
            None => {
                walk.is_broken = true;
                findings.note(self.left(difference, "the contents lead to another id"));
            }
        }
        let facts = || diff(old.map(|(_, old)| old), content);
        Ok(header.map(|header| (header, facts())))
    }

    /// Compares the log entry of a version with its changeset.
    async fn compare_entry(
        &self,
        findings: &mut Findings,
        logged: &LoggedEntry,
        expected: &LogEntry,
    ) -> Result<(), VersioningError> {
        let Some(difference) = logged.difference_from(expected) else {
            return Ok(());
        };
        let key = ItemKey::Changeset {
            tenant: self.tenant.clone(),
            version: expected.version,
        };
        let attributes = LoggedEntry::attributes(expected);
        let replacement = Replacement::item(&key, expected.version.get(), attributes, logged.item.as_ref());
        let mut mender = Mender::new(self.service, self.tenant, self.head, self.mends);
        mender.take(findings, difference, replacement).await?;
        mender.flush(findings).await
    }

    /// Notes a difference that this walk cannot mend, for a reason that matters if it tried.
    pub(super) fn left(&self, difference: Difference, why: &str) -> Difference {
        match self.mends {
            true => difference.with(Mending::Left(why.to_owned())),
            false => difference,
        }
    }
}
