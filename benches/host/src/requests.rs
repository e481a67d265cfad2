//! The requests to table and buckets, by kind.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use crate::functions::lock;

/// Counts of requests.
pub(crate) struct Requests {
    began: Instant,
    kinds: Mutex<BTreeMap<String, Kind>>,
}

/// The requests of a kind.
#[derive(Default, Serialize)]
struct Kind {
    count: u64,
    sent: u64,
    received: u64,
    units: f64,
    /// Microseconds from the start of this program to the first request, and to the last answer.
    first: u64,
    last: u64,
}

impl Default for Requests {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            kinds: Mutex::default(),
        }
    }
}

impl Requests {
    /// Counts a request, with the sizes of its body and of the answer's, and the capacity units that it took.
    pub(crate) fn count(&self, kind: String, arrived: Instant, sent: usize, received: usize, units: f64) {
        let mut kinds = lock(&self.kinds);
        let first = micros(arrived.duration_since(self.began));
        let kind = kinds.entry(kind).or_insert_with(|| Kind {
            first,
            ..Kind::default()
        });
        kind.count += 1;
        kind.sent += sent as u64;
        kind.received += received as u64;
        kind.units += units;
        kind.last = micros(self.began.elapsed());
    }

    /// Returns the counts, with the present time, and begins anew.
    pub(crate) fn take(&self) -> Value {
        let kinds = std::mem::take(&mut *lock(&self.kinds));
        json!({"now": micros(self.began.elapsed()), "kinds": kinds})
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
