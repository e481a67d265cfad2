//! The walk over the versions of a tenant: for each its log entry, changeset, snapshot, search objects and index file, compared with what they follow
//! from, and put right where the examination may. It goes on behind a difference, as far as something is left to go by.

use taxonomy_keys::{Version, pattern};
use taxonomy_model::Taxonomy;
use taxonomy_store::{Archive, LogEntry, RepairStep, StoredItem, extra_time};

use crate::error::VersioningError;
use crate::ingest::files::StoredIndex;
use crate::service::boxed;
use crate::verify::Examination;
use crate::verify::compare::Comparison;
use crate::verify::difference::{Difference, Findings, Found};
use crate::verify::log::{LogReader, Read, entry_of, item_of, stated_by};

/// How far a walk came. The default is before the first version.
#[derive(Default)]
pub(crate) struct Walk {
    /// The version behind which it began, and the last one that it left behind; 0 before the first.
    begun: u64,
    pub(crate) at: u64,
    /// That version; `None` where nothing of it is left.
    pub(crate) last: Option<Walked>,
    pub(crate) findings: Findings,
    /// Whether it came to its end.
    pub(crate) is_whole: bool,
    /// Whether a link of the chain is not as it should be by now: a log entry, a changeset or a snapshot. Another walk begins at the first version.
    pub(crate) is_broken: bool,
}

/// A version that a walk left behind.
pub(crate) struct Walked {
    pub(crate) entry: LogEntry,
    /// `None` where it is lost.
    pub(crate) content: Option<Taxonomy>,
    /// Its index file, as it should be; `None` where it is not known.
    pub(crate) index: Option<StoredIndex>,
}

impl Walk {
    /// Returns a walk that begins behind a version.
    pub(crate) fn behind(last: Walked) -> Self {
        let at = last.entry.version.get();
        Self {
            begun: at,
            at,
            last: Some(last),
            ..Self::default()
        }
    }

    /// Whether it left a version behind.
    pub(crate) fn has_progressed(&self) -> bool {
        self.at > self.begun
    }
}

impl Walked {
    /// Returns a version with its content; its index file is read when it is needed.
    pub(crate) fn new(entry: LogEntry, content: Option<Taxonomy>) -> Self {
        Self {
            entry,
            content,
            index: None,
        }
    }
}

/// A version under way: its entry, and the version before it, unless nothing of that is left.
#[derive(Clone, Copy)]
pub(super) struct Step<'w> {
    pub(super) entry: &'w LogEntry,
    pub(super) before: Option<&'w Walked>,
}

impl<'w> Step<'w> {
    /// Returns the content of the version before, which the first one has not; `None` where it is lost.
    pub(super) fn old(self) -> Option<Option<&'w Taxonomy>> {
        match self.before {
            Some(before) => before.content.as_ref().map(Some),
            None => (self.entry.version == Version::FIRST).then_some(None),
        }
    }
}

impl Examination<'_> {
    /// Walks up to a version.
    ///
    /// # Errors
    /// [`VersioningError::OutOfTime`], [`VersioningError::Store`]; another walk goes on where this one stands.
    pub(crate) async fn walk(&self, walk: &mut Walk, to: Version) -> Result<(), VersioningError> {
        if walk.at >= to.get() {
            walk.is_whole = true;
            return Ok(());
        }
        let mut log = LogReader::new(self.service, self.tenant, self.head).await?;
        while let Some(version) = Version::new(walk.at + 1).filter(|version| *version <= to) {
            let clock = &*self.service.clock;
            self.deadline.in_time(clock)?;
            // A started version is completed, so that another walk can begin behind it; the next version takes about as long.
            let index = walk.last.as_ref().and_then(|last| last.index.as_ref());
            let bytes = index.map_or(0, |index| index.body.len() as u64);
            self.deadline.in_time_for(extra_time(bytes), clock)?;
            if let Some(progress) = self.progress.filter(|progress| progress.is_due()) {
                progress
                    .store(RepairStep::Files, walk.at, to.get(), &walk.findings)
                    .await?;
            }
            let new = || Comparison::new(*self, self.mends_everything());
            let (mut chain, mut files) = (new(), new());
            let before = walk.last.as_ref();
            let walked = boxed(|| self.step(&mut chain, &mut files, &mut log, (version, before))).await?;
            // Of a version that fails nothing is noted: another walk notes it.
            walk.is_broken |= chain.findings.left() > 0;
            walk.findings.add(chain.findings);
            walk.findings.add(files.findings);
            walk.findings.versions += 1;
            (walk.last, walk.at) = (walked, version.get());
        }
        walk.is_whole = true;
        Ok(())
    }

    /// Compares one version with what it follows from: the links of the chain, and the files. Returns `None` where nothing of it is left.
    async fn step(
        &self,
        chain: &mut Comparison<'_>,
        files: &mut Comparison<'_>,
        log: &mut LogReader<'_>,
        (version, before): (Version, Option<&Walked>),
    ) -> Result<Option<Walked>, VersioningError> {
        let seen = log.item(version).await?;
        let read = log.changeset(version).await?;
        let entry = match &read {
            Some((id, Ok(changeset))) => {
                let before = before.map(|before| &before.entry);
                let stored = seen.as_ref().and_then(stated_by);
                Some(log.expected(changeset, id, stored.as_ref(), before))
            }
            Some((id, Err(_))) => {
                let stored = seen.as_ref().and_then(|item| entry_of(item).ok());
                stored.filter(|entry| entry.changeset == *id)
            }
            None => None,
        };
        let (Some(entry), Some((_, read))) = (entry, &read) else {
            self.leave_version(chain, version, seen.as_ref(), &read);
            return Ok(None);
        };
        let step = Step {
            entry: &entry,
            before,
        };
        let content = self.content(chain, step, read.as_ref().ok()).await?;
        let content = self.compare_snapshot(chain, step, content).await?;
        let derived = match read {
            Ok(_) => None,
            Err(lost) => {
                self.compare_changeset(chain, step, content.as_ref(), lost)
                    .await?
            }
        };
        chain.findings.objects += u64::from(read.is_ok());
        let changeset = read.as_ref().ok().or(derived.as_ref());
        let content = content.map(|(content, _)| content);
        let index = self
            .compare_files(files, step, content.as_ref(), changeset)
            .await?;
        let entry = match changeset {
            Some(_) => {
                self.compare_entry(chain, seen.as_ref(), entry, index.as_ref())
                    .await?
            }
            None => entry,
        };
        Ok(Some(Walked {
            entry,
            content,
            index,
        }))
    }

    /// Compares a log entry with the expected one, and lets it name the index file that its version has by now. Returns what it says then.
    async fn compare_entry(
        &self,
        chain: &mut Comparison<'_>,
        seen: Option<&StoredItem>,
        entry: LogEntry,
        index: Option<&StoredIndex>,
    ) -> Result<LogEntry, VersioningError> {
        let key = index.map_or(&entry.index_key, |index| &index.of.index_key);
        let named = LogEntry {
            index_key: key.clone(),
            ..entry.clone()
        };
        let stated = seen.and_then(stated_by);
        let is_renamed = named != entry && stated.is_some_and(|stated| stated.index_key == entry.index_key);
        let expected = item_of(self.tenant, if is_renamed { &entry } else { &named });
        chain.item(seen, Some(&expected)).await?;
        chain.flush().await?;
        if is_renamed {
            self.rename_index(&entry, &named.index_key).await?;
        }
        Ok(named)
    }

    /// Notes a version of which too little is left to go by.
    fn leave_version(
        &self,
        comparison: &mut Comparison<'_>,
        version: Version,
        seen: Option<&StoredItem>,
        read: &Read,
    ) {
        if let Some((id, Err(lost))) = read {
            let key = Archive::changeset_key(self.tenant, version, id);
            let difference = Difference::lost(self.service.archive.object(&key), lost);
            comparison.leave(difference, "the log entry, from which it follows, is lost too");
        }
        let key = pattern::changeset(self.tenant, version);
        let difference = match seen.map(entry_of) {
            Some(Err(malformed)) => Difference::malformed(key, &malformed),
            _ => Difference::item(key, Found::Missing),
        };
        comparison.leave(difference, "its changeset, from which it follows, is lost too");
    }
}
