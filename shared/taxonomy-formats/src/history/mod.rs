//! The history of names for analysts: a row for each term and culture and each run of versions in which its FinalName, its category, its
//! lineage and its deprecation stayed the same. CSV, since every warehouse and every spreadsheet reads it.
//!
//! Versions and times are half-open: a row is valid from `valid_from`, inclusive, to `valid_to`, exclusive; an empty end means that it is still
//! valid. For any term, culture and time at most one row is valid. A removed term has rows that state the removal, with its last names, in
//! each of its last cultures; so a look-up by time gives the answer of the service with `asOf`.
//!
//! Rows are written when they end, in the order of the versions that ended them and then by id and culture; rows that are still valid come
//! last, live terms before removed ones.

mod row;
mod time;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::io::{self, Write};

use taxonomy_keys::{TermId, Version};
use taxonomy_model::{Name, Taxonomy, Term};

use crate::csv::{CsvWriter, Dialect};
use crate::fields::category_name;
use row::{Moment, RowContent, RowSpan};

pub use row::COLUMNS;

/// A version cannot follow, or the rows cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// An I/O error of the output.
    #[error("the rows cannot be written")]
    Io(#[from] io::Error),
    /// Versions and commit times ascend.
    #[error("version {0} is not later than the one before it")]
    Order(Version),
    /// RFC 3339 ends with the year 9999.
    #[error("the commit time of version {0} lies after the year 9999")]
    Time(Version),
    /// The older taxonomy is not the one of the last step.
    #[error("the taxonomy before version {0} is not the one of the last step")]
    OtherVersion(Version),
}

/// Writes the history of a tenant, version by version.
///
/// Between two steps it keeps four bytes a live row, 16 bytes a version, and the contents of removed terms. A row's content is taken from
/// the older taxonomy when the row ends. After an error it is of no further use.
#[derive(Debug, Default)]
pub struct HistoryWriter {
    dialect: Dialect,
    moments: Vec<Moment>,
    /// For each name of each term of the last version, in ascending order, the position of the moment since which its row counts.
    since: Vec<u32>,
    /// By the ids of removed terms.
    removed: BTreeMap<TermId, RemovedTerm>,
}

#[derive(Debug)]
struct RemovedTerm {
    since: u32,
    contents: Vec<RowContent>,
}

impl HistoryWriter {
    /// A writer before the first version.
    pub fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            ..Self::default()
        }
    }

    /// Adds a version: writes the rows that it ends. `old` is the taxonomy of the step before, none in the first step. A removed tenant is
    /// a taxonomy without content.
    ///
    /// # Errors
    /// [`HistoryError`].
    pub fn step(
        &mut self,
        version: Version,
        committed_at_ms: u64,
        old: Option<&Taxonomy>,
        new: &Taxonomy,
        out: &mut impl Write,
    ) -> Result<(), HistoryError> {
        self.check(version, committed_at_ms, old)?;
        let mut rows = self.rows(out)?;
        let moment = u32::try_from(self.moments.len()).map_err(io::Error::other)?;
        self.moments.push(Moment {
            version,
            committed_at_ms,
        });
        let mut step = Step {
            moments: &self.moments,
            now: moment,
            removed: &mut self.removed,
            since: self.since.iter(),
            next: Vec::with_capacity(pairs(new)),
            rows: &mut rows,
        };
        step.run(old, new)?;
        self.since = step.next;
        rows.finish()?;
        Ok(())
    }

    /// Writes the rows that still count. `newest` is the taxonomy of the last step, none where there was no step.
    ///
    /// # Errors
    /// [`HistoryError`].
    pub fn finish(self, newest: Option<&Taxonomy>, out: &mut impl Write) -> Result<(), HistoryError> {
        if newest.map_or(0, pairs) != self.since.len() {
            let last = self
                .moments
                .last()
                .map_or(Version::FIRST, |moment| moment.version);
            return Err(HistoryError::OtherVersion(last));
        }
        let mut rows = self.rows(out)?;
        let names = newest.into_iter().flat_map(Taxonomy::terms);
        let names = names.flat_map(|term| term.node.names().map(move |name| (term, name)));
        for ((term, name), since) in names.zip(&self.since) {
            let content = RowContent::new(term, name)?;
            row(&self.moments, *since, None, false).write(&content, term.id(), &mut rows)?;
        }
        for (id, removed) in &self.removed {
            for content in &removed.contents {
                row(&self.moments, removed.since, None, true).write(content, *id, &mut rows)?;
            }
        }
        rows.finish()?;
        Ok(())
    }

    /// Rows with a header, unless a step wrote it.
    fn rows<W: Write>(&self, out: W) -> io::Result<CsvWriter<W>> {
        let mut rows = CsvWriter::new(self.dialect, out);
        if self.moments.is_empty() {
            rows.header(&COLUMNS)?;
        }
        Ok(rows)
    }

    fn check(&self, version: Version, at: u64, old: Option<&Taxonomy>) -> Result<(), HistoryError> {
        if at > time::LAST_MS {
            return Err(HistoryError::Time(version));
        }
        if let Some(last) = self.moments.last()
            && (last.version >= version || last.committed_at_ms >= at)
        {
            return Err(HistoryError::Order(version));
        }
        if old.is_some() == self.moments.is_empty() || old.map_or(0, pairs) != self.since.len() {
            return Err(HistoryError::OtherVersion(version));
        }
        Ok(())
    }
}

/// The number of rows that count at once: one for each name of each term.
fn pairs(taxonomy: &Taxonomy) -> usize {
    taxonomy.terms().map(|term| term.node.names().count()).sum()
}

fn row(moments: &[Moment], since: u32, until: Option<u32>, removed: bool) -> RowSpan {
    let moment = |position: u32| moments.get(position as usize).copied();
    RowSpan {
        from: moment(since),
        to: until.and_then(moment),
        removed,
    }
}

/// One version after another: both taxonomies are walked by id, and the names of a term by culture.
struct Step<'s, W: Write> {
    moments: &'s [Moment],
    now: u32,
    removed: &'s mut BTreeMap<TermId, RemovedTerm>,
    /// Of the older version, in the order of its names.
    since: std::slice::Iter<'s, u32>,
    /// Of the newer one.
    next: Vec<u32>,
    rows: &'s mut CsvWriter<W>,
}

impl<W: Write> Step<'_, W> {
    fn run(&mut self, old: Option<&Taxonomy>, new: &Taxonomy) -> io::Result<()> {
        let mut before = old.into_iter().flat_map(Taxonomy::terms).peekable();
        let mut after = new.terms().peekable();
        loop {
            // By id: the lesser of the two comes first.
            let order = match (before.peek(), after.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(old), Some(new)) => old.id().cmp(&new.id()),
            };
            let old = if order.is_le() { before.next() } else { None };
            let new = if order.is_ge() { after.next() } else { None };
            match (old, new) {
                (Some(old), Some(new)) => self.kept(old, new)?,
                (Some(old), None) => self.removed(old)?,
                (None, Some(new)) => self.added(new)?,
                (None, None) => {}
            }
        }
    }

    fn kept(&mut self, old: Term<'_>, new: Term<'_>) -> io::Result<()> {
        let mut before = old.node.names().peekable();
        for name in new.node.names() {
            while let Some(gone) = before.next_if(|old| old.culture < name.culture) {
                self.end(old, gone)?;
            }
            let same_culture = before.next_if(|old| old.culture == name.culture);
            let since = match same_culture {
                Some(old_name) if is_same(old, old_name, new, name) => self.take(),
                Some(old_name) => {
                    self.end(old, old_name)?;
                    self.now
                }
                None => self.now,
            };
            self.next.push(since);
        }
        before.try_for_each(|gone| self.end(old, gone))
    }

    fn removed(&mut self, term: Term<'_>) -> io::Result<()> {
        let mut contents = Vec::new();
        for name in term.node.names() {
            self.end(term, name)?;
            contents.push(RowContent::new(term, name)?);
        }
        let since = self.now;
        self.removed.insert(term.id(), RemovedTerm { since, contents });
        Ok(())
    }

    /// A new term, or one that was removed and is back.
    fn added(&mut self, term: Term<'_>) -> io::Result<()> {
        if let Some(RemovedTerm { since, contents }) = self.removed.remove(&term.id()) {
            let row = row(self.moments, since, Some(self.now), true);
            for content in &contents {
                row.write(content, term.id(), self.rows)?;
            }
        }
        self.next.extend(term.node.names().map(|_| self.now));
        Ok(())
    }

    /// Writes the row of a name that ends.
    fn end(&mut self, term: Term<'_>, name: Name<'_>) -> io::Result<()> {
        let since = self.take();
        row(self.moments, since, Some(self.now), false).write(
            &RowContent::new(term, name)?,
            term.id(),
            self.rows,
        )
    }

    /// The moment of the next name of the older version; the caller checked their number.
    fn take(&mut self) -> u32 {
        self.since.next().copied().unwrap_or(self.now)
    }
}

/// Returns whether a row continues: none of its columns changed.
fn is_same(old: Term<'_>, old_name: Name<'_>, new: Term<'_>, new_name: Name<'_>) -> bool {
    let culture = new_name.culture;
    let same_above = || {
        let mut after = new.ancestors();
        let same = |old: Term<'_>| {
            let is_called =
                |new: Term<'_>| old.node.best_name(culture).name == new.node.best_name(culture).name;
            after
                .next()
                .is_some_and(|new| old.id() == new.id() && is_called(new))
        };
        old.ancestors().all(same) && after.next().is_none()
    };
    old_name.name == new_name.name
        && old.category().id() == new.category().id()
        && category_name(old, culture) == category_name(new, culture)
        && old.node.details().deprecated == new.node.details().deprecated
        && same_above()
}
