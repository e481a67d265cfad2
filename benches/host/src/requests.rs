//! The requests to table and buckets, by kind.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

use serde_json::{Value, json};

use crate::functions::lock;

/// Counts of requests.
pub(crate) struct Requests {
    began: Instant,
    kinds: Mutex<BTreeMap<String, Kind>>,
}

/// The requests of a kind.
#[derive(Default)]
struct Kind {
    count: u64,
    sent: u64,
    received: u64,
    units: f64,
    /// Microseconds from the start of this program to the first request, and to the last answer.
    first: u128,
    last: u128,
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
        let first = arrived.duration_since(self.began).as_micros();
        let kind = kinds.entry(kind).or_insert_with(|| Kind {
            first,
            ..Kind::default()
        });
        kind.count += 1;
        kind.sent += sent as u64;
        kind.received += received as u64;
        kind.units += units;
        kind.last = self.began.elapsed().as_micros();
    }

    /// Returns the counts, with the present time, and begins anew.
    pub(crate) fn take(&self) -> Value {
        let kinds = std::mem::take(&mut *lock(&self.kinds));
        let kinds = kinds.into_iter().map(|(name, kind)| {
            let Kind { count, sent, received, units, first, last } = kind;
            (name, json!({"count": count, "sent": sent, "received": received, "units": units, "first": number(first), "last": number(last)}))
        });
        json!({"now": number(self.began.elapsed().as_micros()), "kinds": kinds.collect::<serde_json::Map<_, _>>()})
    }
}

fn number(micros: u128) -> u64 {
    u64::try_from(micros).unwrap_or(u64::MAX)
}
