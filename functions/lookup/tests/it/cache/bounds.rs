//! Tests of the bounds of the cache.

use lookup::CachedReader;
use taxonomy_store::{Reader, Table};
use taxonomy_testkit::fixtures::{NEW_YEAR_MS, TABLE};

use super::world::{World, named};

#[tokio::test]
async fn what_is_larger_than_all_of_it_is_answered_and_not_kept() {
    let world = World::old("old").await;
    for bytes in [0, 100] {
        let table = Table::new(world.stack.db.client(), TABLE);
        let clock = std::sync::Arc::new(|| NEW_YEAR_MS);
        let process = world
            .stack
            .process(|_| CachedReader::new(Reader::new(table), clock, bytes));
        for _ in 0..2 {
            world.requests();
            assert_eq!(world.term(&process, 1).await, named(1, "old one"));
            assert!(world.requests().contains(&"GetItem 0.5".to_owned()), "{bytes}");
        }
    }
}
