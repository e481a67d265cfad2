//! Tests of heads, of what is asked for beside them, and of the bounds of the cache.

use std::time::Duration;

use taxonomy_testkit::fixtures::GLOBEX;
use taxonomy_testkit::{Fault, When};

use super::{file, named, old, publish, term};

#[tokio::test]
async fn what_is_larger_than_all_of_the_cache_is_answered_and_not_kept() {
    let world = old("old").await;
    for entry_bytes in [0, 100] {
        let process = world.with_cache(entry_bytes);
        for _ in 0..2 {
            assert_eq!(term(&process, 1).await, named(1, "old one"));
            assert!(world.costs().contains(&"GetItem 0.5".to_owned()), "{entry_bytes}");
        }
    }
}

#[tokio::test]
async fn a_batch_asks_only_for_what_is_not_kept() {
    let process = old("old").await;
    process.found("terms?ids=1,7").await;
    assert_eq!(process.costs(), ["Head 1", "BatchGetItem 1", "GetObject"]);
    process.found("terms?ids=7,3,1,3").await;
    assert_eq!(process.costs(), ["GetItem 0.5"]);
    process.found("terms?ids=7,3,1,3").await;
    process.refused("terms/7").await;
    assert_eq!(process.costs(), [""; 0], "what is missing is known as well");
    for _ in 0..2 {
        process.refused("categories/7").await;
    }
    // The end of the file has the ids.
    assert_eq!(process.costs(), ["GetItem 0.5"]);
}

/// A read of a head that began more than two seconds ago does not count as a head of two seconds ago.
#[tokio::test(start_paused = true)]
async fn a_head_that_was_asked_for_long_ago_is_not_waited_for() {
    let world = old("old").await;
    let slow = Fault::SlowAnswer(Duration::from_secs(7));
    let first = When::nth(1).containing("HEAD");
    world.world.transport.inject(first, slow);
    let late = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        publish(&world, "new").await;
        world.world.pass(5);
        term(&world, 1).await
    };
    let both = tokio::join!(term(&world, 1), late);
    assert_eq!(both, (named(1, "old one"), named(2, "new one")));
}

/// A clock that is set back would otherwise keep a head for as long as it was set back. A tenant that is not there is remembered as well.
#[tokio::test]
async fn a_head_is_fresh_for_two_seconds_either_way_and_for_its_tenant() {
    for (passed, set_back, reads) in [
        (0, 0, 0),
        (1_999, 0, 0),
        (2_000, 0, 1),
        (1, 2, 0),
        (0, 2, 1),
        (0, 3_600, 1),
    ] {
        let process = old("old").await;
        process.publish(GLOBEX, &[&file("old")]).await;
        for tenant in ["acme", "nobody", GLOBEX] {
            let head = format!("/v1/tenants/{tenant}");
            process.get(&head).await;
            assert_eq!(process.costs(), ["Head 1"], "{tenant}");
            process.world.pass_ms(passed);
            process.world.turn_back(set_back);
            process.get(&head).await;
            assert_eq!(process.costs().len(), reads, "{tenant}: {passed} {set_back}");
        }
    }
}
