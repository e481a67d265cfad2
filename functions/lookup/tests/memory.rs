//! Compares the bytes that the cache counts with the bytes that it takes.
#![expect(
    clippy::unwrap_used,
    reason = "only tests run this; where something is missing they stop"
)]

#[path = "it/gateway.rs"]
#[allow(dead_code, reason = "shared with the other tests, which use all of it")]
mod gateway;
#[path = "it/schema.rs"]
mod schema;
#[path = "it/stack.rs"]
#[allow(dead_code, reason = "shared with the other tests, which use all of it")]
mod stack;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lookup::cache::{CachedEntries, SecondTier, VersionKey};
use lookup::{Auth, CachedReader};
use peak_alloc::PeakAlloc;
use taxonomy_store::{Reader, Table};
use taxonomy_testkit::fixtures::{ACME, NEW_YEAR_MS, TABLE};

use stack::{SMALL, Stack};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Has every term, as like each other as those of a file are.
#[derive(Debug)]
struct Everything;

fn made_up(version: &VersionKey, entry: &str) -> Vec<u8> {
    let (id, number) = (entry.trim_start_matches("term:"), version.version);
    let ancestors = r#"[{"id":1,"name":"Software","finalName":"Industry:Software","culture":"en-GB"}]"#;
    format!(
        r#"{{"entry":"{entry}","answer":{{"tenant":"acme","version":{number},"id":{id},"name":"Term {id}","culture":"en-GB","finalName":"Industry:Term {id}","category":{{"id":1,"name":"Industry","culture":"en-GB"}},"depth":2,"ancestors":{ancestors},"altNames":[],"metadata":{{"visible":true}},"deprecated":false,"replacedBy":[],"relations":[],"removed":false}}}}"#
    )
    .into_bytes()
}

impl SecondTier for Everything {
    fn get<'a>(&'a self, version: &'a VersionKey, entries: &'a [String]) -> BoxFuture<'a, CachedEntries> {
        async move {
            CachedEntries {
                newest_version: None,
                values: entries
                    .iter()
                    .map(|entry| Some(made_up(version, entry)))
                    .collect(),
            }
        }
        .boxed()
    }

    fn put<'a>(&'a self, _: &'a VersionKey, _: Vec<(String, Vec<u8>)>) -> BoxFuture<'a, ()> {
        async {}.boxed()
    }
}

#[tokio::test]
async fn a_full_cache_takes_about_what_is_counted() {
    const ROOM: u64 = 8 << 20;
    let stack = Stack::empty(Auth::Iam);
    stack.publish(ACME, &[SMALL]).await;
    let table = Table::new(stack.db.client(), TABLE);
    let process = stack.process(|_| {
        let reader = CachedReader::new(Reader::new(table), Arc::new(|| NEW_YEAR_MS), ROOM);
        reader.with_second_tier(Arc::new(Everything))
    });
    let ids: Vec<u64> = (1..=20_000).collect();
    let before = MEMORY.current_usage();
    for batch in ids.chunks(100) {
        let batch: Vec<String> = batch.iter().map(u64::to_string).collect();
        let target = format!("/v1/tenants/acme/terms?ids={}", batch.join(","));
        let event = stack.event_of("GET", &target, None, None);
        let event = serde_json::from_value(event).unwrap();
        assert_eq!(process.answer(&event).await.status_code, 200);
    }
    let taken = u64::try_from(MEMORY.current_usage() - before).unwrap();
    let percent = taken * 100 / ROOM;
    assert!((70..=115).contains(&percent), "{percent} % of what is counted");
}
