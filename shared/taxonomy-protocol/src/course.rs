//! How far a projection is: stretches of writes, one after the other, counted as if they were one.

use taxonomy_keys::Version;
use taxonomy_store::{Progress, Stopped, Written};

use crate::deadline::Deadline;

/// The way through all writes of a projection.
#[derive(Debug)]
pub(crate) struct Course {
    pub(crate) version: Version,
    pub(crate) deadline: Deadline,
    /// Writes of the stretch to come that are done already.
    pub(crate) to_skip: u64,
    /// What became of the writes that were made.
    pub(crate) written: Written,
    /// Writes of the stretches behind, and those done of the last.
    behind: u64,
}

impl Course {
    /// A course whose first `done` writes are done.
    pub(crate) fn new(version: Version, done: u64, deadline: Deadline) -> Self {
        Self {
            version,
            deadline,
            to_skip: done,
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
                Some(stopped)
            }
            None => {
                self.behind += length;
                self.to_skip = self.to_skip.saturating_sub(length);
                None
            }
        }
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

    #[test]
    fn stretches_add_up_to_where_it_stopped() {
        let mut course = Course::new(Version::FIRST, 0, Deadline::NONE);
        assert!(course.advance(10, progress(10, false)).is_none());
        assert!(course.advance(5, progress(2, true)).is_some());
        assert_eq!(course.done(), 12);
    }

    #[test]
    fn what_is_done_is_skipped_over_stretches() {
        let mut course = Course::new(Version::FIRST, 12, Deadline::NONE);
        assert_eq!((course.to_skip, course.done()), (12, 12));
        assert!(course.advance(10, progress(0, false)).is_none());
        assert_eq!((course.to_skip, course.done()), (2, 12));
        assert!(course.advance(5, progress(1, true)).is_some());
        assert_eq!(course.done(), 13);
    }

    #[test]
    fn a_stretch_that_is_stopped_at_once_loses_nothing() {
        let mut course = Course::new(Version::FIRST, 12, Deadline::NONE);
        assert!(course.advance(12, progress(0, true)).is_some());
        assert_eq!(course.done(), 12);
    }
}
