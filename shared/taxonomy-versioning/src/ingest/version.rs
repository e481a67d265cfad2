//! The records of a version besides its content: the header of its changeset, its entry in the log, its head. Pure.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::{Cause, Header};
use taxonomy_model::{Census, Changes, Hash, Provenance, Taxonomy, Totals, touched};
use taxonomy_store::{Committed, LogEntry, SourceStamp};

use crate::error::VersioningError;

/// The most by which a commit time may be ahead of the clock, in milliseconds: a day. The clocks of functions differ by less than a second.
const AHEAD_MS: u64 = 86_400_000;

/// Whether a commit time is so far ahead of `now` that nothing is committed after it.
pub(crate) fn is_ahead(at: u64, now: u64) -> bool {
    at.saturating_sub(now) > AHEAD_MS
}

/// The cause of a version, and its effect.
pub(crate) struct Origin {
    pub(crate) cause: Cause,
    pub(crate) provenance: Provenance,
    pub(crate) full: bool,
    pub(crate) changes: Changes,
}

/// The stored bodies of a version.
pub(crate) struct StoredBodies {
    pub(crate) header: Header,
    /// The id of its changeset.
    pub(crate) changeset: Hash,
    /// The number of its facts.
    pub(crate) facts: u64,
    pub(crate) snapshot_key: String,
    pub(crate) changeset_key: String,
}

/// The step from the head of a tenant to the next version.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a> {
    pub(crate) tenant: &'a TenantId,
    /// `None` for the first version.
    pub(crate) onto: Option<&'a Committed>,
    /// The content of the version.
    pub(crate) new: &'a Taxonomy,
}

impl Step<'_> {
    /// Returns the number of the next version.
    pub(crate) fn version(&self) -> Version {
        self.onto.map_or(Version::FIRST, |onto| onto.version.next())
    }

    /// Returns a commit time for the version, later than that of the version before.
    pub(crate) fn committed_at(&self, now: u64) -> u64 {
        now.max(self.onto.map_or(0, |onto| onto.committed_at.saturating_add(1)))
    }

    /// The same, unless it is far ahead of `now`: every later version would move into the future with it.
    pub(crate) fn checked_time(&self, now: u64) -> Result<u64, VersioningError> {
        match self.committed_at(now) {
            at if is_ahead(at, now) => Err(VersioningError::AheadOfClock { at, now }),
            at => Ok(at),
        }
    }

    /// Returns the header of its changeset; `old` is the content of the head.
    pub(crate) fn header(
        &self,
        origin: Origin,
        old: Option<&Taxonomy>,
        state: &Hash,
        projection_format: u32,
    ) -> Header {
        let Origin {
            cause,
            provenance,
            full,
            changes,
        } = origin;
        Header {
            tenant: self.tenant.clone(),
            version: self.version(),
            parent: self.onto.map(|onto| onto.changeset.clone()),
            cause,
            provenance,
            full,
            before: self.onto.map(|onto| onto.state.clone()),
            after: state.clone(),
            projection_format,
            census: Census::new(self.new),
            changes,
            touched: Some(touched(old, self.new)),
        }
    }

    /// Returns the head of the version, before its projection.
    pub(crate) fn head(&self, entry: &LogEntry, projection_format: u32, source: SourceStamp) -> Committed {
        let settings = self.new.settings();
        Committed {
            version: entry.version,
            changeset: entry.changeset.clone(),
            state: entry.state.clone(),
            snapshot_key: entry.snapshot_key.clone(),
            index_key: entry.index_key.clone(),
            committed_at: entry.committed_at,
            format: projection_format.into(),
            settings: settings.clone(),
            cultures: self.new.cultures().to_vec(),
            categories: entry.totals.categories,
            terms: entry.totals.terms,
            provenance: entry.provenance.clone(),
            full: None,
            source,
            detached: false,
            projected: None,
            projected_at: 0,
            cursor: None,
        }
    }
}

/// Returns the log entry of a version, of the object `source` if it was uploaded.
pub(crate) fn entry(
    bodies: StoredBodies,
    index_key: String,
    committed_at: u64,
    source: Option<SourceStamp>,
) -> LogEntry {
    let header = bodies.header;
    LogEntry {
        version: header.version,
        changeset: bodies.changeset,
        parent: header.parent,
        state: header.after,
        snapshot_key: bodies.snapshot_key,
        index_key,
        changeset_key: bodies.changeset_key,
        cause: header.cause,
        provenance: header.provenance,
        full: header.full,
        facts: bodies.facts,
        source,
        committed_at,
        totals: Totals::from(&header.census.totals),
        changes: header.changes,
    }
}
