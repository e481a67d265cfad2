//! Compares the bytes that the cache counts with the bytes that it takes.
#![expect(
    clippy::unwrap_used,
    reason = "only tests run this; where something is missing they stop"
)]

#[path = "it/world.rs"]
#[allow(dead_code, reason = "shared with the other tests, which use all of it")]
mod world;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use peak_alloc::PeakAlloc;
use taxonomy_cache::{CachedEntries, SecondTier, ViewKey};
use taxonomy_keys::TermId;

use world::{BYTES, World, term};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Has every term, as like each other as those of a file are.
#[derive(Debug)]
struct Everything;

fn made_up(entry: &str) -> Vec<u8> {
    let id = entry.trim_start_matches("term:");
    let lineage = r"1\tSoftware\t+/software\n2\tInformation technology\t+/information-technology";
    let item = format!(
        r#"{{"CategoryId":1,"CategoryPath":"industry","Culture":"en-GB","Name":"Term {id}","FinalName":"Industry:Term {id}","Path":["/term-{id}"],"Lineage":"{lineage}","Notation":"{id}","SortKey":"010","Metadata":"{{\"visible\":true}}"}}"#
    );
    format!(r#"{{"entry":"{entry}","found":{{"V":1,"item":{item}}}}}"#).into_bytes()
}

impl SecondTier for Everything {
    fn get<'a>(&'a self, _: &'a ViewKey, entries: &'a [String]) -> BoxFuture<'a, CachedEntries> {
        async move {
            CachedEntries {
                newest_version: None,
                values: entries.iter().map(|entry| Some(made_up(entry))).collect(),
            }
        }
        .boxed()
    }

    fn put<'a>(&'a self, _: &'a ViewKey, _: Vec<(String, Vec<u8>)>) -> BoxFuture<'a, ()> {
        async {}.boxed()
    }
}

#[tokio::test]
async fn a_full_cache_takes_about_what_is_counted() {
    const ROOM: u64 = 16 * BYTES;
    let world = World::old("old").await;
    let reader = world.reader_of(ROOM).with_second_tier(Arc::new(Everything));
    let view = world.view(&reader).await;
    let ids: Vec<TermId> = (1..=60_000).map(term).collect();
    let before = MEMORY.current_usage();
    for batch in ids.chunks(100) {
        let found = reader.terms(&view, batch, None).await;
        assert_eq!(found.unwrap().len(), 100);
    }
    let taken = u64::try_from(MEMORY.current_usage() - before).unwrap();
    assert!(reader.bytes() > ROOM * 9 / 10, "{} of {ROOM}", reader.bytes());
    let percent = taken * 100 / ROOM;
    assert!((70..=115).contains(&percent), "{percent} % of what is counted");
}
