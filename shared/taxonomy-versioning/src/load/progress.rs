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

    /// What is done is skipped over stretches; one that is stopped at once loses nothing.
    #[test]
    fn stretches_add_up_to_where_it_stopped() {
        for (before, stretches) in [
            (0, [(10, 10, (0, 10)), (5, 2, (0, 12))].as_slice()),
            (12, &[(10, 0, (2, 12)), (5, 1, (0, 13))]),
            (12, &[(12, 0, (0, 12))]),
        ] {
            let signs = signs(before);
            let mut progress = ProjectionProgress::new(Version::FIRST, Deadline::NONE, &signs);
            assert_eq!((progress.to_skip, progress.done()), (before, before));
            for (number, (length, written, (to_skip, done))) in (1..).zip(stretches) {
                let is_stopped = number == stretches.len();
                let ended = progress.advance(*length, stretch(*written, is_stopped));
                assert_eq!(ended.is_some(), is_stopped);
                assert_eq!((progress.to_skip, progress.done()), (*to_skip, *done));
            }
        }
    }
}
