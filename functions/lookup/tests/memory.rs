//! Compares the bytes that the cache counts with the bytes that it takes.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use lookup::cache::{CachedEntries, SecondTier, VersionKey};
use peak_alloc::PeakAlloc;
use taxonomy_tests::asking::{get, process_over};
use taxonomy_tests::world::{TENANT, World, small};

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
        let values = entries.iter().map(|entry| Some(made_up(version, entry)));
        let entries = CachedEntries {
            newest_version: None,
            values: values.collect(),
        };
        ready(entries).boxed()
    }

    fn put<'a>(&'a self, _: &'a VersionKey, _: Vec<(String, Vec<u8>)>) -> BoxFuture<'a, ()> {
        ready(()).boxed()
    }
}

#[tokio::test]
async fn a_full_cache_takes_about_what_is_counted() {
    const ROOM: u64 = 8 << 20;
    let world = World::in_manual_time();
    world.push(TENANT, &small(&[(1, "One")])).await;
    let clock = Arc::new(world.clock(0));
    let tier = Arc::new(Everything);
    let add = |reader: lookup::CachedReader| reader.with_second_tier(tier);
    let process = process_over(&world, clock, [ROOM, 1 << 20], add, |context| context);
    let ids: Vec<u64> = (1..=20_000).collect();
    let before = MEMORY.current_usage();
    for batch in ids.chunks(100) {
        let batch: Vec<String> = batch.iter().map(u64::to_string).collect();
        let (status, _) = get(&process, &format!("terms?ids={}", batch.join(","))).await;
        assert_eq!(status, 200);
        world.exchanges().clear();
    }
    let taken = u64::try_from(MEMORY.current_usage() - before).unwrap();
    let percent = taken * 100 / ROOM;
    assert!((70..=115).contains(&percent), "{percent} % of what is counted");
}
