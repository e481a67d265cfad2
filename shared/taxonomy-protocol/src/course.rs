//! How far a projection is: stretches of writes, one after the other, counted as if they were one.

use taxonomy_keys::Version;
use taxonomy_runtime::Clock;
use taxonomy_store::{Progress, Stopped, Written};

use crate::deadline::Deadline;
use crate::heartbeat::Signs;

/// The way through all writes of a projection.
#[derive(Debug)]
pub(crate) struct Course<'a> {
    pub(crate) version: Version,
    pub(crate) deadline: Deadline,
    signs: &'a Signs,
    /// Writes of the stretch to come that are done already.
    pub(crate) to_skip: u64,
    /// What became of the writes that were made.
    pub(crate) written: Written,
    /// Writes of the stretches behind, and those done of the last.
    behind: u64,
}

impl<'a> Course<'a> {
    /// A course whose first writes are done, as many as `signs` says.
    pub(crate) fn new(version: Version, deadline: Deadline, signs: &'a Signs) -> Self {
        Self {
            version,
            deadline,
            signs,
            to_skip: signs.done.get(),
            written: Written::default(),
            behind: 0,
        }
    }

    /// Leaves a stretch of so many writes behind, the skipped ones among them.
    pub(crate) fn advance(&mut self, length: u64, progress: Progress) -> Option<Stopped> {
        self.written = self.written.plus(progress.written);
        match progress.stopped {
            Some(stopped) => {
                self.behind += self.to_skip + progress.done;
                self.to_skip = 0;
                self.signs.done.set(self.done());
                Some(stopped)
            }
            None => {
                self.behind += length;
                self.to_skip = self.to_skip.saturating_sub(length);
                self.signs.done.set(self.done());
                None
            }
        }
    }

    /// Whether the next write may begin, given how many of this stretch are done beyond the skipped ones; the heartbeat says how far
    /// the load is.
    pub(crate) fn goes_on(&self, done: u64, clock: &dyn Clock) -> bool {
        self.signs.done.set(self.done() + done);
        let goes_on = !self.signs.overtaken.get() && !self.deadline.is_over(clock);
        self.signs.stopping.set(!goes_on);
        goes_on
    }

    /// Writes that are done, from the first on.
    pub(crate) fn done(&self) -> u64 {
        self.behind + self.to_skip
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(done: u64, told: bool) -> Progress {
        Progress {
            written: Written::default(),
            done,
            stopped: told.then_some(Stopped::Told),
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
        let mut course = Course::new(Version::FIRST, Deadline::NONE, &signs);
        assert!(course.advance(10, progress(0, false)).is_none());
        assert!(course.goes_on(3, &|| 0));
        assert_eq!(signs.done.get(), 15);
        signs.overtaken.set(true);
        assert!(!course.goes_on(4, &|| 0));
    }

    #[test]
    fn stretches_add_up_to_where_it_stopped() {
        let signs = signs(0);
        let mut course = Course::new(Version::FIRST, Deadline::NONE, &signs);
        assert!(course.advance(10, progress(10, false)).is_none());
        assert!(course.advance(5, progress(2, true)).is_some());
        assert_eq!(course.done(), 12);
    }

    #[test]
    fn what_is_done_is_skipped_over_stretches() {
        let signs = signs(12);
        let mut course = Course::new(Version::FIRST, Deadline::NONE, &signs);
        assert_eq!((course.to_skip, course.done()), (12, 12));
        assert!(course.advance(10, progress(0, false)).is_none());
        assert_eq!((course.to_skip, course.done()), (2, 12));
        assert!(course.advance(5, progress(1, true)).is_some());
        assert_eq!(course.done(), 13);
    }

    #[test]
    fn a_stretch_that_is_stopped_at_once_loses_nothing() {
        let signs = signs(12);
        let mut course = Course::new(Version::FIRST, Deadline::NONE, &signs);
        assert!(course.advance(12, progress(0, true)).is_some());
        assert_eq!(course.done(), 12);
    }
}
