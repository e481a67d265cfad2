//! Tests of taxonomies at the limits of the format (docs/decisions/0003-input-file.md): uploaded to the real projector, read through the real
//! lookup, with a measurement of everything that AWS limits.

mod answers;
mod largest;
pub(crate) mod samples;

use std::sync::Arc;

use lookup::CachedReader;
use lookup::{Lookup, Response};
use taxonomy_tests::asking::process_over;
use taxonomy_tests::prelude::*;

/// `CACHE_BYTES` of the lookup.
const FIRST_TIER: u64 = 64 << 20;

/// A lookup over the table of a stack, an hour after all its writes.
struct Asking(Lookup);

impl Asking {
    fn of(world: &World) -> Self {
        Self::over(world, |reader| reader)
    }

    /// The same over a reader that something is added to.
    fn over(world: &World, add: impl FnOnce(CachedReader) -> CachedReader) -> Self {
        let clock = Arc::new(|| NEW_YEAR_MS + 3_600_000);
        Self(process_over(world, clock, [FIRST_TIER; 2], add, |context| {
            context
        }))
    }

    async fn get(&self, target: &str) -> Response {
        ask(&self.0, "GET", target, None).await
    }

    /// Returns the body of a successful GET.
    async fn found(&self, target: &str) -> Value {
        body(target, &self.get(target).await)
    }

    /// Returns the response to a batch of terms, in the order of the ids.
    async fn batch(&self, target: &str, ids: &[u64]) -> Response {
        ask(&self.0, "POST", target, Some(&json!({ "ids": ids }))).await
    }
}

fn body(target: &str, answer: &Response) -> Value {
    assert_eq!(answer.status_code, 200, "{target}: {}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}
