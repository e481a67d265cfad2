//! The second tier: what it saves, what it must not spoil, and hints.

use std::time::Duration;

use taxonomy_cache::{CachedReader, ReadError};
use taxonomy_testkit::fixtures::NEW_YEAR_MS;

use crate::tier::{Mood, Tier};
use crate::world::{Answered, World, by_file, file, firm, term};

/// One of everything, what is missing included.
async fn everything(world: &World, reader: &CachedReader) -> Vec<Answered> {
    vec![
        world.term(reader, 2).await,
        world.term(reader, 7).await,
        world.term_in(reader, 2, Some("fr-FR")).await,
        world.term_in(reader, 3, Some("fr-FR")).await,
        world.category(reader, 1).await,
        world.category(reader, 7).await,
    ]
}

#[tokio::test]
async fn what_one_process_has_read_no_other_reads_again() {
    let (world, tier) = (World::old("old").await, Tier::new());
    let alone = everything(&world, &world.reader()).await;
    let first = everything(&world, &world.reader_with(tier.clone())).await;
    world.requests();
    let second = world.reader_with(tier.clone());
    let answered = everything(&world, &second).await;
    assert_eq!((&first, &answered), (&alone, &alone));
    assert_eq!(world.requests(), ["Head 1"], "the head alone");
    tier.asked();
    assert_eq!(everything(&world, &second).await, alone);
    assert_eq!(tier.asked(), [""; 0], "what is in the process is not asked for");
}

#[tokio::test]
async fn it_is_asked_for_what_is_missing_in_one_request() {
    let (world, tier) = (World::old("old").await, Tier::new());
    let reader = world.reader_with(tier.clone());
    world.term_in(&reader, 2, Some("fr-FR")).await;
    assert_eq!(tier.asked(), ["term:2:fr-FR"]);
    let view = world.view(&reader).await;
    let (ids, french) = ([3, 2, 1].map(term), "fr-FR".parse().unwrap());
    reader.terms(&view, &ids, Some(&french)).await.unwrap();
    assert_eq!(tier.asked(), ["term:1:fr-FR term:3:fr-FR"]);
}

#[tokio::test(start_paused = true)]
async fn without_it_everything_is_as_it_is_alone() {
    let slow = Mood::Slow(Duration::from_millis(20));
    for mood in [Mood::Down, slow, Mood::Denying] {
        let (world, tier) = (World::old("old").await, Tier::new());
        everything(&world, &world.reader_with(tier.clone())).await;
        tier.is(mood);
        let alone = everything(&world, &world.reader()).await;
        world.requests();
        let reader = world.reader_with(tier.clone());
        assert_eq!(everything(&world, &reader).await, alone, "{mood:?}");
        assert_eq!(world.requests().len(), 7, "{mood:?}");
        assert_eq!(everything(&world, &reader).await, alone, "{mood:?}");
        assert_eq!(world.requests(), [""; 0], "{mood:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_a_miss_and_is_replaced() {
    type Damage = fn(&str, &[u8]) -> Vec<u8>;
    let damages: [Damage; 6] = [
        |_, _| Vec::new(),
        |_, _| b"{".to_vec(),
        |_, _| b"[]".to_vec(),
        |_, _| br#"{"entry":"term:2","found":{"V":1,"item":{}}}"#.to_vec(),
        |_, kept| kept[..kept.len() - 1].to_vec(),
        |_, _| vec![0xff; 10],
    ];
    for damage in damages {
        let (world, tier) = (World::old("old").await, Tier::new());
        let alone = everything(&world, &world.reader_with(tier.clone())).await;
        let kept = tier.lines();
        tier.overwrite(damage);
        assert_eq!(everything(&world, &world.reader_with(tier.clone())).await, alone);
        assert_eq!(tier.lines(), kept);
    }
}

/// Rule 5, for entries of a build that did not apply it: every item exists under the view and records a newer version.
#[tokio::test]
async fn what_is_newer_than_its_view_is_a_miss_and_is_replaced() {
    let (world, tier) = (World::old("old").await, Tier::new());
    let alone = everything(&world, &world.reader_with(tier.clone())).await;
    let kept = tier.lines();
    tier.overwrite(|_, kept| {
        let text = String::from_utf8_lossy(kept);
        match text.split_once(r#""V":1,"#) {
            Some((before, behind)) => format!(r#"{before}"V":2,{behind}"#)
                .replace("old", "new")
                .into_bytes(),
            None => kept.to_vec(),
        }
    });
    assert_eq!(everything(&world, &world.reader_with(tier.clone())).await, alone);
    assert_eq!(tier.lines(), kept);
}

#[tokio::test]
async fn the_answer_to_another_question_is_a_miss() {
    let (world, tier) = (World::old("old").await, Tier::new());
    let alone = everything(&world, &world.reader_with(tier.clone())).await;
    let lines = tier.lines();
    let of_term_2 = lines.iter().find(|line| line.contains(" term:2 = ")).unwrap();
    let value = of_term_2.split_once(" = ").unwrap().1.as_bytes().to_vec();
    tier.overwrite(|name, kept| if name.ends_with(" term:2") { kept } else { &value }.to_vec());
    assert_eq!(everything(&world, &world.reader_with(tier.clone())).await, alone);
}

#[tokio::test]
async fn what_may_not_be_kept_is_not_kept_there_either() {
    let (world, tier) = (World::old("old").await, Tier::new());
    let reader = world.reader_with(tier.clone());
    world.view(&reader).await;
    world.commit(&file("new")).await;
    world.write().await;
    assert_eq!(world.term(&reader, 1).await, by_file(), "newer than the view");
    world.wait_ms(2_000);
    assert_eq!(world.term(&reader, 1).await, by_file(), "unsettled");
    assert_eq!(tier.names(), [""; 0]);
    world.settle(NEW_YEAR_MS).await;
    world.wait_ms(2_000);
    assert_eq!(world.term(&reader, 1).await, firm(2, "new one"));
    assert_eq!(tier.names().len(), 1);
}

#[tokio::test]
async fn nothing_is_taken_from_it_while_a_version_is_written() {
    let (world, tier) = (World::old("old").await, Tier::new());
    everything(&world, &world.reader_with(tier.clone())).await;
    world.commit(&file("new")).await;
    world.write().await;
    tier.asked();
    let reader = world.reader_with(tier.clone());
    assert_eq!(world.term(&reader, 1).await, by_file());
    assert_eq!(tier.asked(), [""; 0]);
}

#[tokio::test]
async fn a_hint_has_the_head_read_again_before_anything_is_answered() {
    let (world, tier) = (World::old("old").await, Tier::new());
    let reader = world.reader_with(tier.clone());
    let view = world.view(&reader).await;
    tier.hint(1);
    assert!(reader.terms(&view, &[term(1)], None).await.is_ok());
    world.publish(&file("new"), NEW_YEAR_MS).await;
    tier.hint(2);
    world.requests();
    let moved = reader.terms(&view, &[term(3)], None).await;
    assert!(matches!(moved, Err(ReadError::Moved)), "{moved:?}");
    assert_eq!(world.requests(), ["Head 1"]);
    // Without any time having passed.
    assert_eq!(world.term(&reader, 3).await, firm(2, "new three"));
    assert_eq!(world.requests(), ["GetItem 1"], "the head has been read");
}

/// As after a restore, when what was seen once is higher than what there is.
#[tokio::test]
async fn a_hint_that_is_wrong_costs_a_head_every_two_seconds_and_no_answer() {
    let (world, tier) = (World::old("old").await, Tier::new());
    let reader = world.reader_with(tier.clone());
    tier.hint(9);
    assert_eq!(world.term(&reader, 1).await, firm(1, "old one"));
    assert_eq!(world.requests(), ["Head 1", "Head 1", "GetItem 0.5"]);
    assert_eq!(world.term(&reader, 2).await, firm(1, "old two"));
    assert_eq!(world.requests(), ["GetItem 0.5"]);
    tier.hint(10);
    assert_eq!(world.category(&reader, 1).await, firm(1, "old sector"));
    assert_eq!(world.requests(), ["Head 1", "GetItem 0.5"]);
    world.wait_ms(2_000);
    assert_eq!(world.term(&reader, 3).await, firm(1, "old three"));
    assert_eq!(world.requests(), ["Head 1", "GetItem 0.5"]);
}

/// Others who wait for the same entry begin again as well.
#[tokio::test]
async fn a_hint_leaves_nobody_waiting() {
    let (world, tier) = (World::old("old").await, Tier::new());
    let reader = world.reader_with(tier.clone());
    let view = world.view(&reader).await;
    world.publish(&file("new"), NEW_YEAR_MS).await;
    tier.hint(2);
    let ids = [term(1)];
    let asked = (0..5).map(|_| reader.terms(&view, &ids, None));
    let answered = futures_util::future::join_all(asked).await;
    let all_moved = answered
        .iter()
        .all(|answered| matches!(answered, Err(ReadError::Moved)));
    assert!(all_moved, "{answered:?}");
}
