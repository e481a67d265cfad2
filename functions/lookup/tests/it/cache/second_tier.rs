//! The second tier: what it saves, what it must not spoil, its names and values, and hints.

use std::time::Duration;

use super::tier::{Mood, Tier};
use super::{Answered, category, file, named, old, publish, term, term_in_french};
use crate::stack::Stack;

/// One of everything, what is missing included.
async fn everything(process: &Stack) -> [Answered; 6] {
    [
        term(process, 2).await,
        term(process, 7).await,
        term_in_french(process, 2).await,
        term_in_french(process, 3).await,
        category(process, 1).await,
        category(process, 7).await,
    ]
}

#[tokio::test]
async fn what_one_process_has_read_no_other_reads_again() {
    let (world, tier) = (old("old").await, Tier::new());
    let alone = everything(&world).await;
    assert_eq!(everything(&world.with_tier(tier.clone())).await, alone);
    world.costs();
    let second = world.with_tier(tier.clone());
    assert_eq!(everything(&second).await, alone);
    assert_eq!(world.costs(), ["Head 1"], "the head alone");
    tier.asked();
    assert_eq!(everything(&second).await, alone);
    assert_eq!(tier.asked(), [""; 0], "what is in the process is not asked for");
}

#[tokio::test]
async fn it_is_asked_for_what_is_missing_in_one_request() {
    let tier = Tier::new();
    let process = old("old").await.with_tier(tier.clone());
    term_in_french(&process, 2).await;
    assert_eq!(tier.asked(), ["term:2:fr-FR"]);
    process.found("terms?ids=3,2,1&culture=fr-FR").await;
    assert_eq!(tier.asked(), ["term:1:fr-FR term:3:fr-FR"]);
}

#[tokio::test(start_paused = true)]
async fn without_it_everything_is_as_it_is_alone() {
    let slow = Mood::Slow(Duration::from_millis(20));
    for mood in [Mood::Down, slow, Mood::Denying] {
        let (world, tier) = (old("old").await, Tier::new());
        everything(&world.with_tier(tier.clone())).await;
        tier.is(mood);
        let alone = everything(&world).await;
        world.costs();
        let process = world.with_tier(tier);
        assert_eq!(everything(&process).await, alone, "{mood:?}");
        let costs = world.costs();
        let objects = costs.iter().filter(|cost| *cost == "GetObject").count();
        // The head, six items, and the file, which has all ids.
        assert_eq!((costs.len(), objects), (8, 1), "{mood:?}");
        assert_eq!(everything(&process).await, alone, "{mood:?}");
        assert_eq!(world.costs(), [""; 0], "{mood:?}");
    }
}

/// Damaged entries, those that say that they are of another version, and the answer to another question.
#[tokio::test]
async fn what_is_no_entry_of_this_name_and_version_is_a_miss_and_is_replaced() {
    type Damage = fn(&str, &[u8]) -> Vec<u8>;
    let damages: [Damage; 9] = [
        |_, _| Vec::new(),
        |_, _| b"{".to_vec(),
        |_, _| b"[]".to_vec(),
        |_, _| br#"{"entry":"term:2","answer":{}}"#.to_vec(),
        |_, _| br#"{"entry":"term:2"}"#.to_vec(),
        |_, kept| kept[..kept.len() - 1].to_vec(),
        |_, _| vec![0xff; 10],
        |_, kept| {
            let text = String::from_utf8_lossy(kept);
            let newer = text.replace(r#""version":1,"#, r#""version":2,"#);
            newer.replace("old", "new").into_bytes()
        },
        |_, kept| {
            let text = String::from_utf8_lossy(kept);
            text.replace(r#""entry":""#, r#""entry":"another "#).into_bytes()
        },
    ];
    for (nth, damage) in damages.into_iter().enumerate() {
        let (world, tier) = (old("old").await, Tier::new());
        let alone = everything(&world.with_tier(tier.clone())).await;
        let kept = tier.lines();
        tier.overwrite(damage);
        assert_ne!(tier.lines(), kept, "{nth}");
        assert_eq!(everything(&world.with_tier(tier.clone())).await, alone, "{nth}");
        assert_eq!(tier.lines(), kept, "{nth}");
    }
}

/// While the next version is committed, written and settled, each entry is that of its version.
#[tokio::test]
async fn what_is_kept_there_is_the_answer_of_its_version() {
    let (world, tier) = (old("old").await, Tier::new());
    let process = world.with_tier(tier.clone());
    process.found("").await;
    world.write(&file("new")).await;
    assert_eq!(term(&process, 1).await, named(1, "old one"), "its item is newer");
    world.world.pass(2);
    assert_eq!(term(&process, 1).await, named(2, "new one"), "not settled");
    world.settle().await;
    world.world.pass(2);
    tier.asked();
    assert_eq!(term(&world.with_tier(tier.clone()), 1).await, named(2, "new one"));
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
    let (world, tier) = (old("old").await, Tier::new());
    let process = world.with_tier(tier.clone());
    tier.hint(1);
    assert_eq!(term(&process, 1).await, named(1, "old one"));
    publish(&world, "new").await;
    tier.hint(2);
    // Without any time having passed.
    assert_eq!(term(&process, 1).await, named(1, "old one"), "a hit asks nobody");
    assert_eq!(term(&process, 3).await, named(2, "new three"));
    assert_eq!(world.costs(), ["Head 1", "GetItem 1"]);
    assert_eq!(term(&process, 1).await, named(2, "new one"));
}

/// As after a restore, when what was seen once is higher than what there is.
#[tokio::test]
async fn a_hint_that_is_wrong_costs_a_head_every_two_seconds_and_no_answer() {
    let (world, tier) = (old("old").await, Tier::new());
    let process = world.with_tier(tier.clone());
    tier.hint(9);
    assert_eq!(term(&process, 1).await, named(1, "old one"));
    assert_eq!(world.costs(), ["Head 1", "Head 1", "GetItem 0.5"]);
    assert_eq!(term(&process, 2).await, named(1, "old two"));
    assert_eq!(world.costs(), ["GetItem 0.5"]);
    tier.hint(10);
    assert_eq!(category(&process, 1).await, named(1, "old sector"));
    assert_eq!(world.costs(), ["Head 1", "GetItem 0.5"]);
    world.world.pass(2);
    assert_eq!(term(&process, 3).await, named(1, "old three"));
    assert_eq!(world.costs(), ["Head 1", "GetItem 0.5"]);
}

/// They are a storage format: a change of it requires another prefix of the keys (decision page 10).
#[tokio::test]
async fn names_and_values_are_pinned() {
    let tier = Tier::new();
    let process = Stack::of(&[FILE]).await.with_tier(tier.clone());
    term(&process, 2).await;
    term(&process, 7).await;
    term_in_french(&process, 2).await;
    category(&process, 1).await;
    let tag = process.tag("").await;
    let tag = tag.trim_matches('"').trim_end_matches("-1");
    assert_eq!(tier.lines().join("\n").replace(tag, "TAG"), EXPECT.trim());
}

const FILE: &str = r#"{"defaultCulture":"en-GB","categories":[{"id":1,"names":[{"culture":"en-GB","name":"Sector","path":"s"},{"culture":"fr-FR","name":"Secteur"}],
  "altNames":[{"culture":"fr-FR","name":"Domaine"}],"metadata":{"a":1},
  "terms":[{"id":1,"names":[{"culture":"en-GB","name":"IT","path":"it"}],"children":[
    {"id":2,"names":[{"culture":"en-GB","name":"Rust"},{"culture":"fr-FR","name":"Rouille"}],"notation":"6201","deprecated":true,"replacedBy":[1]}]}]}]}"#;

const EXPECT: &str = r#"
acme TAG category:1 = {"entry":"category:1","answer":{"tenant":"acme","version":1,"id":1,"name":"Sector","culture":"en-GB","path":"s","altNames":[],"metadata":{"a":1},"deprecated":false,"replacedBy":[],"relations":[],"removed":false}}
acme TAG term:2 = {"entry":"term:2","answer":{"tenant":"acme","version":1,"id":2,"name":"Rust","culture":"en-GB","finalName":"Sector:Rust","category":{"id":1,"name":"Sector","culture":"en-GB","path":"s"},"depth":2,"ancestors":[{"id":1,"name":"IT","finalName":"Sector:IT","culture":"en-GB","path":"it"}],"notation":"6201","altNames":[],"metadata":{},"deprecated":true,"replacedBy":[1],"relations":[],"removed":false}}
acme TAG term:2:fr-FR = {"entry":"term:2:fr-FR","answer":{"tenant":"acme","version":1,"id":2,"name":"Rouille","culture":"fr-FR","finalName":"Secteur:Rouille","category":{"id":1,"name":"Secteur","culture":"fr-FR"},"depth":2,"ancestors":[{"id":1,"name":"IT","finalName":"Secteur:IT","culture":"en-GB","path":"it"}],"notation":"6201","altNames":[],"metadata":{},"deprecated":true,"replacedBy":[1],"relations":[],"removed":false}}
acme TAG term:7 = {"entry":"term:7","answer":null}
"#;
