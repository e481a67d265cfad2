//! Tests of heads, and of what is asked for beside them.

use std::time::Duration;

use taxonomy_testkit::fixtures::NEW_YEAR_MS;
use taxonomy_testkit::{Fault, When};

use super::world::{World, file, named};

#[tokio::test]
async fn a_batch_asks_only_for_what_is_not_kept() {
    let world = World::old("old").await;
    let process = world.process();
    world.read_head(&process).await;
    world.requests();
    world.get(&process, "/terms?ids=1,7").await.found();
    assert_eq!(world.requests(), ["BatchGetItem 1", "GetObject"]);
    world.get(&process, "/terms?ids=7,3,1,3").await.found();
    assert_eq!(world.requests(), ["GetItem 0.5"]);
    world.get(&process, "/terms?ids=7,3,1,3").await.found();
    assert_eq!(world.requests(), [""; 0], "what is missing is known as well");
}

/// A read of a head that began more than two seconds ago does not count as a head of two seconds ago.
#[tokio::test(start_paused = true)]
async fn a_head_that_was_asked_for_long_ago_is_not_waited_for() {
    let world = World::old("old").await;
    let process = world.process();
    let slow = Fault::SlowAnswer(Duration::from_secs(7));
    let transport = world.stack.db.transport();
    transport.inject(When::nth(1).containing("HEAD"), slow);
    let late = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        world.publish(&file("new"), NEW_YEAR_MS).await;
        world.wait_ms(5_000);
        world.term(&process, 1).await
    };
    let (first, second) = tokio::join!(world.term(&process, 1), late);
    assert_eq!((first, second), (named(1, "old one"), named(2, "new one")));
}

/// A clock that is set back would otherwise keep a head for as long as it was set back.
#[tokio::test]
async fn a_head_is_fresh_for_two_seconds_either_way() {
    for (clock, reads) in [
        (0, 0),
        (1_999, 0),
        (2_000, 1),
        (-1_999, 0),
        (-2_000, 1),
        (-3_600_000, 1),
    ] {
        let world = World::old("old").await;
        let process = world.process();
        for tenant in [&world, &world.other("nobody")] {
            world.stack.set_ms(NEW_YEAR_MS);
            tenant.get(&process, "").await;
            world.requests();
            world.stack.set_ms(NEW_YEAR_MS.saturating_add_signed(clock));
            tenant.get(&process, "").await;
            assert_eq!(world.requests().len(), reads, "{clock}");
        }
    }
}
