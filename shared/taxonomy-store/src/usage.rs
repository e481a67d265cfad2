//! The consumption of one request: requests to the table and their units, cache hits, and reads of S3.
//!
//! The counts belong to the future that [`measured`] runs, not to the process: concurrent futures count for themselves, and nothing is counted
//! outside. A read that several requests share counts for the one that makes it.

use std::cell::Cell;
use std::fmt;

use aws_sdk_dynamodb::types::ConsumedCapacity;

/// The consumption of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Requests to the table that were answered; failed attempts are not counted.
    pub table_requests: u32,
    /// Read units, as DynamoDB reports them.
    pub read_units: f64,
    /// Entries and heads found in the memory of the process.
    pub cache_hits: u32,
    /// Entries found in the second cache tier.
    pub second_tier_hits: u32,
    /// Entries and heads that were read from the table.
    pub cache_misses: u32,
    /// Reads of objects, of ranges and of metadata in S3.
    pub object_requests: u32,
    /// Bytes of those reads.
    pub object_bytes: u64,
}

tokio::task_local! {
    static USAGE: Cell<Usage>;
}

/// Runs a future and counts its consumption, without that of tasks that it spawns.
pub async fn measured<F: Future>(future: F) -> (F::Output, Option<Usage>) {
    USAGE
        .scope(Cell::default(), async {
            let output = future.await;
            (output, USAGE.try_with(Cell::get).ok())
        })
        .await
}

/// Adds to the consumption of the current request, if it is measured.
pub fn note(change: impl FnOnce(&mut Usage)) {
    // An error means that nothing is measured here.
    let _ = USAGE.try_with(|usage| {
        let mut changed = usage.get();
        change(&mut changed);
        usage.set(changed);
    });
}

pub(crate) fn note_request<'a>(consumed: impl IntoIterator<Item = &'a ConsumedCapacity>) {
    note(|usage| {
        usage.table_requests += 1;
        let units = consumed
            .into_iter()
            .filter_map(|consumed| consumed.capacity_units);
        usage.read_units += units.sum::<f64>();
    });
}

pub(crate) fn note_object(bytes: u64) {
    note(|usage| {
        usage.object_requests += 1;
        usage.object_bytes += bytes;
    });
}

/// Formats a dictionary of structured fields (RFC 9651), as in the header `Taxonomy-Debug`.
impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            table_requests,
            read_units,
            cache_hits,
            second_tier_hits,
            cache_misses,
            object_requests,
            object_bytes,
        } = self;
        write!(
            f,
            "table-requests={table_requests}, read-units={read_units:.1}, cache-hits={cache_hits}, \
             second-tier-hits={second_tier_hits}, cache-misses={cache_misses}, \
             object-requests={object_requests}, object-bytes={object_bytes}"
        )
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join;

    use super::*;

    fn consumed(units: f64) -> ConsumedCapacity {
        ConsumedCapacity::builder().capacity_units(units).build()
    }

    #[tokio::test]
    async fn futures_beside_each_other_count_for_themselves() {
        let work = |requests: u32| {
            measured(async move {
                for _ in 0..requests {
                    note_request([&consumed(0.5)]);
                    tokio::task::yield_now().await;
                }
                note(|usage| usage.cache_hits += 1);
            })
        };
        note(|usage| usage.cache_hits += 100);
        let (first, second) = join(work(2), work(5)).await;
        let expect = |table_requests, read_units| Usage {
            table_requests,
            read_units,
            cache_hits: 1,
            ..Usage::default()
        };
        assert_eq!((first.1, second.1), (Some(expect(2, 1.0)), Some(expect(5, 2.5))));
    }
}
