//! Clients that are built by their first request.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

/// A client that may not exist yet. Building a client of the SDK takes 430,000 instructions, most of them to parse the partitions of AWS, so a
/// function does not start with those that most of its processes never use (docs/decisions/0004-lean-aws-stack.md).
pub struct OnFirstUse<C>(Arc<LazyLock<C, Box<dyn FnOnce() -> C + Send>>>);

impl<C> OnFirstUse<C> {
    /// Builds the client when it is used first.
    #[must_use]
    pub fn new(build: impl FnOnce() -> C + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(build))))
    }
}

/// A client that exists.
impl<C: Send + 'static> From<C> for OnFirstUse<C> {
    fn from(client: C) -> Self {
        Self::new(move || client)
    }
}

impl<C> Deref for OnFirstUse<C> {
    type Target = C;

    fn deref(&self) -> &C {
        &self.0
    }
}

impl<C> Clone for OnFirstUse<C> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<C> fmt::Debug for OnFirstUse<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnFirstUse").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_client_is_built_once_and_by_its_first_use() {
        let built = Arc::new(AtomicU32::new(0));
        let count = built.clone();
        let client = OnFirstUse::new(move || {
            count.fetch_add(1, Ordering::SeqCst);
            "client"
        });
        let clone = client.clone();
        assert_eq!(built.load(Ordering::SeqCst), 0);
        assert_eq!((client.len(), clone.len()), (6, 6));
        assert_eq!(built.load(Ordering::SeqCst), 1);
    }
}
