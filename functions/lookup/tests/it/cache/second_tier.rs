//! The second tier: what it saves, what it must not spoil, and hints.

use std::time::Duration;

use lookup::Lookup;
use taxonomy_testkit::fixtures::NEW_YEAR_MS;

use super::tier::{Mood, Tier};
use super::world::{Answered, World, file, named};

/// One of everything, what is missing included.
async fn everything(world: &World, process: &Lookup) -> Vec<Answered> {
    vec![
        world.term(process, 2).await,
        world.term(process, 7).await,
        world.term_in_french(process, 2).await,
        world.term_in_french(process, 3).await,
        world.category(process, 1).await,
        world.category(process, 7).await,
    ]
}

#[tokio::test]
async fn what_one_process_has_read_no_other_reads_again() {
    let (world, tier) = (World::old("old").await, Tier::new());
    let alone = everything(&world, &world.process()).await;
    let first = everything(&world, &world.process_with(tier.clone())).await;
    world.requests();
    let second = world.process_with(tier.clone());
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
    let process = world.process_with(tier.clone());
    world.term_in_french(&process, 2).await;
    assert_eq!(tier.asked(), ["term:2:fr-FR"]);
    world
        .get(&process, "/terms?ids=3,2,1&culture=fr-FR")
        .await
        .found();
    assert_eq!(tier.asked(), ["term:1:fr-FR term:3:fr-FR"]);
}

#[tokio::test(start_paused = true)]
async fn without_it_everything_is_as_it_is_alone() {
    let slow = Mood::Slow(Duration::from_millis(20));
    for mood in [Mood::Down, slow, Mood::Denying] {
        let (world, tier) = (World::old("old").await, Tier::new());
        everything(&world, &world.process_with(tier.clone())).await;
        tier.is(mood);
        let alone = everything(&world, &world.process()).await;
        world.requests();
        let process = world.process_with(tier.clone());
        assert_eq!(everything(&world, &process).await, alone, "{mood:?}");
        let requests = world.requests();
        let objects = requests.iter().filter(|request| *request == "GetObject").count();
        assert_eq!(
            (requests.len() - objects, objects),
            (7, 1),
            "{mood:?}: the head, six items, and the file, which has all ids"
        );
        assert_eq!(everything(&world, &process).await, alone, "{mood:?}");
        assert_eq!(world.requests(), [""; 0], "{mood:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_a_miss_and_is_replaced() {
    type Damage = fn(&str, &[u8]) -> Vec<u8>;
    let damages: [Damage; 7] = [
        |_, _| Vec::new(),
        |_, _| b"{".to_vec(),
        |_, _| b"[]".to_vec(),
        |_, _| br#"{"entry":"term:2","answer":{}}"#.to_vec(),
        |_, _| br#"{"entry":"term:2"}"#.to_vec(),
        |_, kept| kept[..kept.len() - 1].to_vec(),
        |_, _| vec![0xff; 10],
    ];
    for damage in damages {
        let (world, tier) = (World::old("old").await, Tier::new());
        let alone = everything(&world, &world.process_with(tier.clone())).await;
        let kept = tier.lines();
        tier.overwrite(damage);
        assert_eq!(everything(&world, &world.process_with(tier.clone())).await, alone);
        assert_eq!(tier.lines(), kept);
    }
}

/// Entries that say that they are of another version.
#[tokio::test]
async fn what_is_of_another_version_is_a_miss_and_is_replaced() {
    let (world, tier) = (World::old("old").await, Tier::new());
    let alone = everything(&world, &world.process_with(tier.clone())).await;
    let kept = tier.lines();
    tier.overwrite(|_, kept| {
        let text = String::from_utf8_lossy(kept);
        let newer = text.replace(r#""version":1,"#, r#""version":2,"#);
        newer.replace("old", "new").into_bytes()
    });
    assert_eq!(everything(&world, &world.process_with(tier.clone())).await, alone);
    assert_eq!(tier.lines(), kept);
}

#[tokio::test]
async fn the_answer_to_another_question_is_a_miss() {
    let (world, tier) = (World::old("old").await, Tier::new());
    let alone = everything(&world, &world.process_with(tier.clone())).await;
    let lines = tier.lines();
    let of_term_2 = lines.iter().find(|line| line.contains(" term:2 = ")).unwrap();
    let value = of_term_2.split_once(" = ").unwrap().1.as_bytes().to_vec();
    tier.overwrite(|name, kept| if name.ends_with(" term:2") { kept } else { &value }.to_vec());
    assert_eq!(everything(&world, &world.process_with(tier.clone())).await, alone);
}

/// While the next version is committed, written and settled, each entry is that of its version.
#[tokio::test]
async fn what_is_kept_there_is_the_answer_of_its_version() {
    let (world, tier) = (World::old("old").await, Tier::new());
    let process = world.process_with(tier.clone());
    world.read_head(&process).await;
    world.commit(&file("new")).await;
    world.write().await;
    assert_eq!(
        world.term(&process, 1).await,
        named(1, "old one"),
        "its item is newer"
    );
    world.wait_ms(2_000);
    assert_eq!(world.term(&process, 1).await, named(2, "new one"), "not settled");
    world.settle(NEW_YEAR_MS).await;
    world.wait_ms(2_000);
    tier.asked();
    let other = world.process_with(tier.clone());
    assert_eq!(world.term(&other, 1).await, named(2, "new one"));
    assert_eq!(tier.asked(), ["term:1"]);
    let lines = tier.lines();
    assert_eq!(lines.len(), 2);
    for (line, (version, name)) in lines.iter().zip([(1, "old one"), (2, "new one")]) {
        assert!(line.starts_with(&format!("acme {version}-")), "{line}");
        assert!(line.contains(&format!("\"name\":\"{name}\"")), "{line}");
    }
}

#[tokio::test]
async fn a_hint_has_the_head_read_again_before_anything_is_answered() {
    let (world, tier) = (World::old("old").await, Tier::new());
    let process = world.process_with(tier.clone());
    tier.hint(1);
    assert_eq!(world.term(&process, 1).await, named(1, "old one"));
    world.publish(&file("new"), NEW_YEAR_MS).await;
    tier.hint(2);
    world.requests();
    // Without any time having passed.
    assert_eq!(world.term(&process, 3).await, named(2, "new three"));
    assert_eq!(world.requests(), ["Head 1", "GetItem 1"]);
}

/// As after a restore, when what was seen once is higher than what there is.
#[tokio::test]
async fn a_hint_that_is_wrong_costs_a_head_every_two_seconds_and_no_answer() {
    let (world, tier) = (World::old("old").await, Tier::new());
    let process = world.process_with(tier.clone());
    tier.hint(9);
    assert_eq!(world.term(&process, 1).await, named(1, "old one"));
    assert_eq!(world.requests(), ["Head 1", "Head 1", "GetItem 0.5"]);
    assert_eq!(world.term(&process, 2).await, named(1, "old two"));
    assert_eq!(world.requests(), ["GetItem 0.5"]);
    tier.hint(10);
    assert_eq!(world.category(&process, 1).await, named(1, "old sector"));
    assert_eq!(world.requests(), ["Head 1", "GetItem 0.5"]);
    world.wait_ms(2_000);
    assert_eq!(world.term(&process, 3).await, named(1, "old three"));
    assert_eq!(world.requests(), ["Head 1", "GetItem 0.5"]);
}
