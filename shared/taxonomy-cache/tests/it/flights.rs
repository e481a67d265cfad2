//! Tests of concurrent requests: equal ones are coalesced, and the failure of one does not affect the others.

use std::time::Duration;

use futures_util::future::join_all;
use taxonomy_cache::{CachedReader, View};
use taxonomy_keys::TermId;
use taxonomy_testkit::fixtures::NEW_YEAR_MS;
use taxonomy_testkit::{Fault, When};

use crate::world::{World, by_file, file, firm, term};

#[tokio::test]
async fn those_who_want_the_same_ask_once() {
    let world = World::old("old").await;
    let reader = world.reader();
    let answered = join_all((0..20).map(|_| world.term(&reader, 1))).await;
    assert!(answered.iter().all(|answered| *answered == firm(1, "old one")));
    assert_eq!(world.requests(), ["Head 1", "GetItem 0.5"]);
    let answered = join_all((0..20).map(|_| world.term_in(&reader, 2, Some("fr-FR")))).await;
    assert!(answered.iter().all(|answered| *answered == firm(1, "old deux")));
    assert_eq!(world.requests(), ["GetItem 0.5"]);
    join_all((0..20).map(|_| world.category(&reader, 1))).await;
    assert_eq!(world.requests(), ["GetItem 0.5"]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_one_requests_own() {
    let world = World::old("old").await;
    for key in ["HEAD", "TERM#"] {
        let reader = world.reader();
        // Every try of the first who asks.
        let when = When::nth(1).times(5).containing(key);
        world.db.transport().inject(when, Fault::Throttle);
        let ask = async || {
            let view = reader.view(&world.tenant).await.ok()??;
            reader
                .terms(&view, &[term(1)], None)
                .await
                .ok()?
                .remove(&term(1))?
                .ok()?
        };
        let answered = join_all((0..4).map(|_| ask())).await;
        let answered = answered.iter().filter(|answered| answered.is_some()).count();
        assert_eq!(answered, 3, "{key}");
        world.db.transport().reset_faults();
    }
}

/// The first caller is cancelled before the response, as at its timeout.
#[tokio::test(start_paused = true)]
async fn who_is_gone_leaves_the_others_to_ask() {
    let world = World::old("old").await;
    for key in ["HEAD", "TERM#"] {
        let reader = world.reader();
        let slow = Fault::SlowAnswer(Duration::from_secs(3_600));
        world.db.transport().inject(When::nth(1).containing(key), slow);
        let first = tokio::time::timeout(Duration::from_secs(8), world.term(&reader, 1));
        let (first, others) = tokio::join!(first, join_all((0..3).map(|_| world.term(&reader, 1))));
        assert!(first.is_err(), "{key}");
        assert!(others.iter().all(|answered| *answered == firm(1, "old one")));
        world.db.transport().reset_faults();
    }
}

async fn names(reader: &CachedReader, view: &View, ids: &[TermId]) -> usize {
    let found = reader.terms(view, ids, None).await.unwrap();
    found
        .values()
        .filter(|found| matches!(found, Ok(Some(_))))
        .count()
}

/// While the third is being read, one batch has the first and requests the second after the third, and another one the reverse.
#[tokio::test]
async fn batches_that_overlap_the_other_way_round_do_not_wait_for_each_other_for_ever() {
    let world = World::old("old").await;
    for [first, second, third] in [[1, 2, 3], [1, 3, 2], [2, 3, 1]].map(|ids| ids.map(term)) {
        let reader = world.reader();
        let view = world.view(&reader).await;
        let (one, other) = ([first, third, second], [second, third, first]);
        let (alone, twice) = ([third, third], [third, third, first, first]);
        let all = async {
            tokio::join!(
                names(&reader, &view, &alone),
                names(&reader, &view, &one),
                names(&reader, &view, &other),
                names(&reader, &view, &twice),
            )
        };
        let answered = tokio::time::timeout(Duration::from_secs(20), all).await;
        assert_eq!(answered, Ok((1, 3, 3, 2)));
    }
}

#[tokio::test]
async fn a_batch_asks_only_for_what_nobody_has() {
    let world = World::old("old").await;
    let reader = world.reader();
    let view = world.view(&reader).await;
    assert_eq!(names(&reader, &view, &[term(1), term(7)]).await, 1);
    assert_eq!(world.requests(), ["Head 1", "BatchGetItem 1"]);
    let both = [term(7), term(3), term(1), term(3)];
    assert_eq!(names(&reader, &view, &both).await, 2);
    assert_eq!(world.requests(), ["GetItem 0.5"]);
    assert_eq!(names(&reader, &view, &both).await, 2);
    assert_eq!(world.requests(), [""; 0], "what is missing is known as well");
}

/// A read of a head that began more than two seconds ago does not count as a head of two seconds ago.
#[tokio::test(start_paused = true)]
async fn a_head_that_was_asked_for_long_ago_is_not_waited_for() {
    let world = World::old("old").await;
    let reader = world.reader();
    let slow = Fault::SlowAnswer(Duration::from_secs(10));
    world.db.transport().inject(When::nth(1).containing("HEAD"), slow);
    let late = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        world.publish(&file("new"), NEW_YEAR_MS).await;
        world.wait_ms(5_000);
        world.term(&reader, 1).await
    };
    let (first, second) = tokio::join!(world.term(&reader, 1), late);
    assert_eq!((first, second), (by_file(), firm(2, "new one")));
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
        let reader = world.reader();
        for tenant in [&world.tenant, &"nobody".parse().unwrap()] {
            world.set_ms(NEW_YEAR_MS);
            reader.view(tenant).await.unwrap();
            world.requests();
            world.set_ms(NEW_YEAR_MS.saturating_add_signed(clock));
            reader.view(tenant).await.unwrap();
            assert_eq!(world.requests().len(), reads, "{clock}");
        }
    }
}
