//! Tests of the bounds of the cache.

use crate::world::{World, file, firm, term};
use taxonomy_keys::TermId;
use taxonomy_testkit::fixtures::NEW_YEAR_MS;

/// A thousand terms with a path of half a kilobyte each.
fn large() -> String {
    let path = "x".repeat(500);
    let terms: Vec<String> = (1..=1_000)
        .map(|id| {
            format!(r#"{{"id":{id},"names":[{{"culture":"en-GB","name":"Term {id}","path":"{path}{id}"}}]}}"#)
        })
        .collect();
    format!(
        r#"{{"defaultCulture":"en-GB","categories":[{{"id":1,"names":[{{"culture":"en-GB","name":"Many"}}],"terms":[{}]}}]}}"#,
        terms.join(",")
    )
}

#[tokio::test]
async fn entries_take_so_many_bytes_and_no_more() {
    const BYTES: u64 = 100_000;
    let world = World::new();
    world.publish(&large(), NEW_YEAR_MS - 60_000).await;
    let reader = world.reader_of(BYTES);
    let view = world.view(&reader).await;
    let mut most = 0;
    for round in 0..3 {
        for batch in (1..=1_000).map(term).collect::<Vec<TermId>>().chunks(100) {
            let found = reader.terms(&view, batch, None).await.unwrap();
            assert_eq!(found.len(), 100, "{round}");
            most = reader.bytes().max(most);
        }
    }
    assert!(most <= BYTES && most > BYTES / 2, "{most}");
    // Each has more than its path.
    assert!(world.db.exchanges().count("BatchGetItem") >= 25);
}

#[tokio::test]
async fn what_is_larger_than_all_of_it_is_answered_and_not_kept() {
    let world = World::old("old").await;
    for bytes in [0, 100] {
        let reader = world.reader_of(bytes);
        for _ in 0..2 {
            world.requests();
            assert_eq!(world.term(&reader, 1).await, firm(1, "old one"));
            assert!(world.requests().contains(&"GetItem 0.5".to_owned()), "{bytes}");
        }
        assert_eq!(reader.bytes(), 0);
    }
}

#[tokio::test]
async fn old_versions_make_room_for_new_ones() {
    let world = World::new();
    let reader = world.reader_of(5_000);
    for version in 1..=20 {
        world
            .publish(&file(&format!("v{version}")), NEW_YEAR_MS - 60_000)
            .await;
        world.wait_ms(2_000);
        for id in 1..=3 {
            assert_eq!(world.term(&reader, id).await.firm, Some(version));
        }
        assert!(reader.bytes() <= 5_000);
    }
}
