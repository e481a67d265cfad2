//! The progress of a projection. A projection consists of *stretches* of writes, one after the other, which are counted as one sequence.

use taxonomy_keys::Version;
use taxonomy_runtime::Clock;
use taxonomy_store::{Stopped, WriteOutcomes, WriteProgress};

use crate::deadline::Deadline;
use crate::load::heartbeat::Signs;

/// The progress of a projection.
#[derive(Debug)]
pub(crate) struct ProjectionProgress<'a> {
    pub(crate) version: Version,
    pub(crate) deadline: Deadline,
    signs: &'a Signs,
    /// The writes of the next stretch that are complete already.
    pub(crate) to_skip: u64,
    /// The outcomes of the writes.
    pub(crate) written: WriteOutcomes,
    /// The writes of the completed stretches, and the completed ones of the last stretch.
    completed: u64,
}

impl<'a> ProjectionProgress<'a> {
    /// Begins with the completed writes that `signs` contains.
    pub(crate) fn new(version: Version, deadline: Deadline, signs: &'a Signs) -> Self {
        Self {
            version,
            deadline,
            signs,
            to_skip: signs.done.get(),
            written: WriteOutcomes::default(),
            completed: 0,
        }
    }

    /// Ends a stretch of `length` writes, the skipped ones included.
    pub(crate) fn advance(&mut self, length: u64, stretch: WriteProgress) -> Option<Stopped> {
        self.written = std::mem::take(&mut self.written).plus(stretch.written);
        let completed = match stretch.stopped {
            Some(_) => self.to_skip + stretch.done,
            None => length,
        };
        self.completed += completed;
        self.to_skip = self.to_skip.saturating_sub(completed);
        self.signs.done.set(self.done());
        stretch.stopped
    }

    /// Whether the next write may begin, when `done` writes of this stretch beyond the skipped ones are complete. Publishes the progress to the
    /// heartbeat.
    pub(crate) fn goes_on(&self, done: u64, clock: &dyn Clock) -> bool {
        self.signs.done.set(self.done() + done);
        let goes_on = !self.signs.lost.get() && !self.deadline.is_over(clock);
        self.signs.stopping.set(!goes_on);
        goes_on
    }

    /// Returns the number of leading writes that are complete.
    pub(crate) fn done(&self) -> u64 {
        self.completed + self.to_skip
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(done: u64, is_stopped: bool) -> WriteProgress {
        WriteProgress {
            written: WriteOutcomes::default(),
            done,
            stopped: is_stopped.then_some(Stopped::Ended),
        }
    }

    fn signs(done: u64) -> Signs {
        let signs = Signs::default();
        signs.done.set(done);
        signs
    }

    #[test]
    fn the_heartbeat_says_what_is_done_in_the_middle_of_a_stretch() {
        let signs = signs(12);
        let mut progress = ProjectionProgress::new(Version::FIRST, Deadline::NONE, &signs);
        assert!(progress.advance(10, stretch(0, false)).is_none());
        assert!(progress.goes_on(3, &|| 0));
        assert_eq!(signs.done.get(), 15);
        signs.lost.set(true);
        assert!(!progress.goes_on(4, &|| 0));
    }

    #[test]
    fn stretches_add_up_to_where_it_stopped() {
        let signs = signs(0);
        let mut progress = ProjectionProgress::new(Version::FIRST, Deadline::NONE, &signs);
        assert!(progress.advance(10, stretch(10, false)).is_none());
        assert!(progress.advance(5, stretch(2, true)).is_some());
        assert_eq!(progress.done(), 12);
    }

    #[test]
    fn what_is_done_is_skipped_over_stretches() {
        let signs = signs(12);
        let mut progress = ProjectionProgress::new(Version::FIRST, Deadline::NONE, &signs);
        assert_eq!((progress.to_skip, progress.done()), (12, 12));
        assert!(progress.advance(10, stretch(0, false)).is_none());
        assert_eq!((progress.to_skip, progress.done()), (2, 12));
        assert!(progress.advance(5, stretch(1, true)).is_some());
        assert_eq!(progress.done(), 13);
    }

    #[test]
    fn a_stretch_that_is_stopped_at_once_loses_nothing() {
        let signs = signs(12);
        let mut progress = ProjectionProgress::new(Version::FIRST, Deadline::NONE, &signs);
        assert!(progress.advance(12, stretch(0, true)).is_some());
        assert_eq!(progress.done(), 12);
    }
}
