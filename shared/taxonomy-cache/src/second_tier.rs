//! The port to a cache that processes share. What stands behind it is somebody else's room; without one, the process's own memory
//! is all there is.

use std::fmt::Debug;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};

use crate::view::ViewKey;

/// A cache outside the process. It answers or it does not; what goes wrong is its own business, to count and to leave alone for a
/// while, and is nobody's error. It has a time-out of its own, after which a `get` has found nothing and a `put` is over.
pub trait SecondTier: Debug + Send + Sync {
    /// What is there under `view` for each of `entries`, and what is known of the tenant, in one request. Names of entries are
    /// visible ASCII without blanks, of at most 128 bytes.
    fn get<'a>(&'a self, view: &'a ViewKey, entries: &'a [String]) -> BoxFuture<'a, Kept>;

    /// Keeps entries under `view`.
    fn put<'a>(&'a self, view: &'a ViewKey, entries: Vec<(String, Vec<u8>)>) -> BoxFuture<'a, ()>;

    /// Opens a connection before anybody waits for it.
    fn warm_up(&self) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }

    /// What went wrong since this was asked last.
    fn take_trouble(&self) -> Trouble {
        Trouble::default()
    }
}

/// What went wrong with a second tier, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Trouble {
    /// Requests that failed or took too long.
    pub failed: u64,
    /// Requests that were not made, since too many before had failed.
    pub skipped: u64,
}

/// What a second tier found. The default is nothing at all, as when it is down.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// The highest version of the tenant that anybody saw projected: a hint to look at the head again, never an answer.
    pub newest_version: Option<u64>,
    /// The values, in the order asked; what is missing or left out at the end is not there.
    pub values: Vec<Option<Vec<u8>>>,
}
