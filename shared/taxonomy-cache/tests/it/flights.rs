//! Requests at once: of those who want the same, one asks, and nobody's misfortune is another's.

use std::time::Duration;

use futures_util::future::join_all;
use taxonomy_cache::{CachedReader, View};
use taxonomy_keys::TermId;
use taxonomy_testkit::fixtures::NEW_YEAR_MS;
use taxonomy_testkit::{Fault, When};

use crate::world::{World, cultures, file, firm, soft, term};

#[tokio::test]
async fn those_who_want_the_same_ask_once() {
    let world = World::old("old").await;
    let reader = world.reader();
    let told = join_all((0..20).map(|_| world.term(&reader, 1))).await;
    assert!(told.iter().all(|told| *told == firm(1, "old one")));
    assert_eq!(world.requests(), ["GetItem 1", "Query 0.5"]);
    let told = join_all((0..20).map(|_| world.item(&reader, 2, &["fr-FR", "en-GB"]))).await;
    assert!(told.iter().all(|told| *told == firm(1, "old deux")));
    assert_eq!(world.requests(), ["BatchGetItem 1"]);
    join_all((0..20).map(|_| world.categories(&reader))).await;
    assert_eq!(world.requests(), ["Query 0.5", "GetItem 1"]);
    join_all((0..20).map(|_| world.category(&reader, 1))).await;
    assert_eq!(world.requests(), ["GetItem 0.5"]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_one_requests_own() {
    let world = World::old("old").await;
    for operation in ["GetItem", "Query"] {
        let reader = world.reader();
        // Every try of the first who asks.
        let when = When::nth(1).times(5).operation(operation);
        world.db.wire().inject(when, Fault::Throttle);
        let ask = async || {
            let view = reader.view(&world.tenant).await.ok()??;
            reader.term(&view, term(1)).await.ok()?
        };
        let told = join_all((0..4).map(|_| ask())).await;
        let answered = told.iter().filter(|told| told.is_some()).count();
        assert_eq!(answered, 3, "{operation}");
        world.db.wire().reset_faults();
    }
}

/// The first who asks is gone before it is answered, as at the end of its time.
#[tokio::test(start_paused = true)]
async fn who_is_gone_leaves_the_others_to_ask() {
    let world = World::old("old").await;
    for operation in ["GetItem", "Query"] {
        let reader = world.reader();
        let slow = Fault::SlowAnswer(Duration::from_secs(3_600));
        world.db.wire().inject(When::nth(1).operation(operation), slow);
        let first = tokio::time::timeout(Duration::from_secs(8), world.term(&reader, 1));
        let (first, others) = tokio::join!(first, join_all((0..3).map(|_| world.term(&reader, 1))));
        assert!(first.is_err(), "{operation}");
        assert!(others.iter().all(|told| *told == firm(1, "old one")));
        world.db.wire().reset_faults();
    }
}

async fn names(reader: &CachedReader, view: &View, ids: &[TermId]) -> usize {
    let found = reader.terms(view, ids, &cultures(&["fr-FR", "en-GB"])).await;
    found.unwrap().len()
}

#[tokio::test]
async fn batches_that_overlap_the_other_way_round_do_not_wait_for_each_other_for_ever() {
    let ids = [1, 2, 3].map(term);
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let world = World::old("old").await;
    for _ in 0..20 {
        let reader = world.reader();
        let view = world.view(&reader).await;
        let batches = orders.map(|order| order.map(|place| ids[place]));
        let pairs = orders.map(|order| [ids[order[0]], ids[order[1]]]);
        let batches = join_all(batches.iter().map(|ids| names(&reader, &view, ids)));
        let pairs = join_all(pairs.iter().map(|ids| names(&reader, &view, ids)));
        let all = async { tokio::join!(batches, pairs) };
        let (batches, pairs) = tokio::time::timeout(Duration::from_secs(20), all).await.unwrap();
        assert_eq!((batches, pairs), (vec![3; 6], vec![2; 6]));
    }
}

#[tokio::test]
async fn a_batch_asks_only_for_what_nobody_has() {
    let world = World::old("old").await;
    let reader = world.reader();
    let view = world.view(&reader).await;
    assert_eq!(names(&reader, &view, &[term(1), term(7)]).await, 1);
    assert_eq!(world.requests(), ["GetItem 1", "BatchGetItem 2"]);
    let both = [term(7), term(3), term(1), term(3)];
    assert_eq!(names(&reader, &view, &both).await, 2);
    assert_eq!(world.requests(), ["BatchGetItem 1"], "one term in two cultures");
    assert_eq!(names(&reader, &view, &both).await, 2);
    assert_eq!(world.requests(), [""; 0], "what is missing is known as well");
}

/// A head that somebody began to read more than two seconds before is no head of two seconds ago.
#[tokio::test(start_paused = true)]
async fn a_head_that_was_asked_for_long_ago_is_not_waited_for() {
    let world = World::old("old").await;
    let reader = world.reader();
    let slow = Fault::SlowAnswer(Duration::from_secs(10));
    world.db.wire().inject(When::nth(1).operation("GetItem"), slow);
    let late = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        world.publish(&file("new"), NEW_YEAR_MS).await;
        world.wait_ms(5_000);
        world.term(&reader, 1).await
    };
    let (first, second) = tokio::join!(world.term(&reader, 1), late);
    assert_eq!((first, second), (soft("new one"), firm(2, "new one")));
}
