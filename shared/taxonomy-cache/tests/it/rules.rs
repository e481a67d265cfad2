//! Rules 1 to 5. Each rule has a mutant that its test kills (tests/mutants).

use std::time::Duration;

use serde_json::Value;
use taxonomy_testkit::Fault;
use taxonomy_testkit::dynamodb::{Lag, key, s};
use taxonomy_testkit::fixtures::{NEW_YEAR_MS, TABLE};

use crate::world::{Answered, World, by_file, file, firm};

/// The actual and the expected results.
type Outcome = (Vec<Answered>, Vec<Answered>);

fn check((answered, expect): Outcome) {
    assert_eq!(answered, expect);
}

/// The file with something done to its parts.
fn changed(change: impl Fn(&mut Value)) -> String {
    let mut file: Value = serde_json::from_str(&file("old")).unwrap();
    change(&mut file);
    file.to_string()
}

fn without_french(file: &mut Value) {
    let child = &mut file["categories"][0]["terms"][0]["children"][0];
    child["names"].as_array_mut().unwrap().pop();
}

#[tokio::test(start_paused = true)]
async fn rule_1_an_entry_belongs_to_the_head_before_it() {
    check({
        let world = World::old("old").await;
        let reader = world.reader();
        world.db.transport().close_gate();
        let (first, ()) = tokio::join!(world.term(&reader, 1), async {
            let head = world.arrived("HEAD").await;
            world.db.transport().release(head, None);
            // The table has answered when the version changes, and nobody has heard it yet.
            let items = world.arrived("TERM#").await;
            let slow = Fault::SlowAnswer(Duration::from_secs(1));
            world.db.transport().release(items, Some(slow));
            world.db.transport().open_gate();
            world.publish(&file("new"), NEW_YEAR_MS).await;
        });
        world.wait_ms(2_000);
        let second = world.term(&reader, 1).await;
        (vec![first, second], vec![firm(1, "old one"), firm(2, "new one")])
    });
}

#[tokio::test]
async fn rule_2_an_entry_belongs_to_a_version() {
    check({
        let world = World::old("old").await;
        let reader = world.reader();
        let first = world.term(&reader, 1).await;
        world.publish(&file("new"), NEW_YEAR_MS).await;
        world.wait_ms(1_999);
        let second = world.term(&reader, 1).await;
        world.wait_ms(1);
        let third = world.term(&reader, 1).await;
        (
            vec![first, second, third],
            vec![firm(1, "old one"), firm(1, "old one"), firm(2, "new one")],
        )
    });
}

#[tokio::test]
async fn rule_2_an_entry_belongs_to_a_tenant() {
    let acme = World::old("acme").await;
    let globex = acme.other("globex");
    globex.publish(&file("globex"), NEW_YEAR_MS - 60_000).await;
    let reader = acme.reader();
    for _ in 0..2 {
        assert_eq!(acme.term(&reader, 1).await, firm(1, "acme one"));
        assert_eq!(globex.term(&reader, 1).await, firm(1, "globex one"));
    }
}

/// As after a restore to a point in time: the version's number is given a second time, to something else.
#[tokio::test]
async fn rule_2_an_entry_belongs_to_a_changeset() {
    let world = World::old("old").await;
    let reader = world.reader();
    assert_eq!(world.term(&reader, 1).await, firm(1, "old one"));
    for (pk, sk, attribute, value) in [
        ("TERM#acme#1", "TERM#acme#1", "Name", "restored one"),
        ("TAXONOMY#acme", "HEAD", "ChangesetId", &"ab".repeat(32)),
    ] {
        let update = world.db.client().update_item().table_name(TABLE);
        let update = update.set_key(Some(key(pk, sk))).update_expression("SET #a = :v");
        let update = update.expression_attribute_names("#a", attribute);
        let update = update.expression_attribute_values(":v", s(value));
        update.send().await.unwrap();
    }
    world.wait_ms(2_000);
    assert_eq!(world.term(&reader, 1).await, firm(1, "restored one"));
    assert_eq!(world.view(&reader).await.tag(), "1-abababababababab");
}

#[tokio::test]
async fn rule_3_while_a_version_is_written_nothing_is_put_into_the_cache() {
    check({
        let world = World::old("old").await;
        world.commit(&file("new")).await;
        let reader = world.reader();
        let first = world.term(&reader, 1).await;
        world.write().await;
        world.settle(NEW_YEAR_MS).await;
        world.wait_ms(2_000);
        let second = world.term(&reader, 1).await;
        (vec![first, second], vec![by_file(), firm(2, "new one")])
    });
}

#[tokio::test]
async fn rule_3_while_a_version_is_written_nothing_is_taken_from_the_cache() {
    let world = World::old("old").await;
    let reader = world.reader();
    assert_eq!(world.term(&reader, 1).await, firm(1, "old one"));
    world.commit(&file("new")).await;
    world.write().await;
    world.wait_ms(2_000);
    assert_eq!(world.term(&reader, 1).await, by_file());
    world.requests();
    assert_eq!(world.term(&reader, 1).await, by_file());
    assert_eq!(world.requests(), [""; 0]);
    world.settle(NEW_YEAR_MS).await;
    world.wait_ms(2_000);
    assert_eq!(world.term(&reader, 1).await, firm(2, "new one"));
}

#[tokio::test]
async fn rule_4_young_entries_are_filled_by_consistent_reads() {
    for (answered, expect) in [
        // The clock, beside the time at which the version was projected: behind, right, and ahead.
        (-3_600_000, true),
        (-1, true),
        (0, true),
        (59_999, true),
        (60_000, false),
    ] {
        check_young(answered, expect).await;
    }
    check(young(NEW_YEAR_MS + 2_000).await);
}

async fn check_young(clock: i64, expect: bool) {
    let (answered, right) = young(NEW_YEAR_MS.saturating_add_signed(clock)).await;
    assert_eq!(answered == right, expect, "{clock}: {answered:?}");
}

/// Everything lags; the version was projected at new year.
async fn young(clock: u64) -> Outcome {
    let world = World::old("old").await;
    world.db.lag(Lag::Everything);
    world.publish(&file("new"), NEW_YEAR_MS).await;
    world.set_ms(clock);
    let reader = world.reader();
    let ask = async || {
        vec![
            world.term(&reader, 1).await,
            world.term_in(&reader, 2, Some("fr-FR")).await,
            world.category(&reader, 1).await,
        ]
    };
    let mut answered = ask().await;
    world.db.drop_replica();
    world.set_ms(NEW_YEAR_MS + 120_000);
    answered.extend(ask().await);
    let right = [firm(2, "new one"), firm(2, "new deux"), firm(2, "new sector")];
    (answered, right.iter().chain(&right).cloned().collect())
}

#[tokio::test]
async fn rule_5_what_is_newer_than_the_view_is_neither_kept_nor_answered() {
    check({
        let world = World::old("old").await;
        let reader = world.reader();
        world.view(&reader).await;
        world.commit(&file("new")).await;
        world.write().await;
        let mut answered = Vec::new();
        for _ in 0..2 {
            answered.push(world.term(&reader, 1).await);
            answered.push(world.term_in(&reader, 1, Some("fr-FR")).await);
            answered.push(world.category(&reader, 1).await);
        }
        (answered, vec![by_file(); 6])
    });
}

/// The item of the term itself is unchanged; only a tombstone records that its French name was removed.
#[tokio::test]
async fn rule_5_counts_what_is_left_out_of_the_answer() {
    check({
        let world = World::old("old").await;
        let reader = world.reader();
        world.view(&reader).await;
        world.commit(&changed(without_french)).await;
        world.write().await;
        let answered = world.term_in(&reader, 2, Some("fr-FR")).await;
        (vec![answered], vec![by_file()])
    });
}
