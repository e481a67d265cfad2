//! Rules 1 to 5. Each rule has a mutant that its test kills (tests/mutants).

use std::time::Duration;

use taxonomy_testkit::Fault;
use taxonomy_testkit::dynamodb::{Lag, key, s};
use taxonomy_testkit::fixtures::{ACME, NEW_YEAR_MS, TABLE};

use super::world::{Answered, World, file, named};

/// The actual and the expected results.
type Outcome = (Vec<Answered>, Vec<Answered>);

fn check((answered, expect): Outcome) {
    assert_eq!(answered, expect);
}

#[tokio::test(start_paused = true)]
async fn rule_1_an_entry_belongs_to_the_head_before_it() {
    check({
        let world = World::old("old").await;
        let process = world.process();
        world.stack.db.transport().close_gate();
        let (first, ()) = tokio::join!(world.term(&process, 1), async {
            let head = world.arrived("HEAD").await;
            world.stack.db.transport().release(head, None);
            // The table has answered when the version changes, and nobody has heard it yet.
            let items = world.arrived("TERM#").await;
            let slow = Fault::SlowAnswer(Duration::from_secs(1));
            world.stack.db.transport().release(items, Some(slow));
            world.stack.db.transport().open_gate();
            world.publish(&file("new"), NEW_YEAR_MS).await;
        });
        world.wait_ms(2_000);
        let second = world.term(&process, 1).await;
        (
            vec![first, second],
            vec![named(1, "old one"), named(2, "new one")],
        )
    });
}

#[tokio::test]
async fn rule_2_an_entry_belongs_to_a_version() {
    check({
        let world = World::old("old").await;
        let process = world.process();
        let first = world.term(&process, 1).await;
        world.publish(&file("new"), NEW_YEAR_MS).await;
        world.wait_ms(1_999);
        let second = world.term(&process, 1).await;
        world.wait_ms(1);
        let third = world.term(&process, 1).await;
        (
            vec![first, second, third],
            vec![named(1, "old one"), named(1, "old one"), named(2, "new one")],
        )
    });
}

#[tokio::test]
async fn rule_2_an_entry_belongs_to_a_tenant() {
    let acme = World::old("acme").await;
    let globex = acme.other("globex");
    globex.publish(&file("globex"), NEW_YEAR_MS - 60_000).await;
    let process = acme.process();
    for _ in 0..2 {
        assert_eq!(acme.term(&process, 1).await, named(1, "acme one"));
        assert_eq!(globex.term(&process, 1).await, named(1, "globex one"));
    }
}

/// As after a restore to a point in time: the version's number is given a second time, to something else.
#[tokio::test]
async fn rule_2_an_entry_belongs_to_a_changeset() {
    let world = World::old("old").await;
    let process = world.process();
    assert_eq!(world.term(&process, 1).await, named(1, "old one"));
    let (head, id) = (world.stack.committed(ACME).await, "ab".repeat(32));
    let index_key = head.index_key.replace(head.changeset.as_str(), &id);
    for (pk, sk, attribute, value) in [
        ("TERM#acme#1", "TERM#acme#1", "Name", "restored one"),
        ("TAXONOMY#acme", "HEAD", "ChangesetId", &id),
        ("TAXONOMY#acme", "HEAD", "IndexKey", &index_key),
    ] {
        let update = world.stack.writer().update_item().table_name(TABLE);
        let update = update.set_key(Some(key(pk, sk))).update_expression("SET #a = :v");
        let update = update.expression_attribute_names("#a", attribute);
        let update = update.expression_attribute_values(":v", s(value));
        update.send().await.unwrap();
    }
    world.wait_ms(2_000);
    assert_eq!(world.term(&process, 1).await, named(1, "restored one"));
    let tag = world.get(&process, "/terms/1").await.headers["etag"].clone();
    assert!(tag.starts_with("\"1-abababababababab-"), "{tag}");
}

#[tokio::test]
async fn rule_3_while_a_version_is_written_the_table_is_not_read() {
    let world = World::old("old").await;
    world.commit(&file("new")).await;
    let process = world.process();
    world.requests();
    assert_eq!(world.term(&process, 1).await, named(2, "new one"));
    let requests = world.requests();
    assert_eq!(requests[0], "Head 1");
    assert!(
        requests[1..].iter().all(|request| request == "GetObject"),
        "{requests:?}"
    );
    world.write().await;
    world.settle(NEW_YEAR_MS).await;
    world.wait_ms(2_000);
    world.requests();
    assert_eq!(world.term(&process, 1).await, named(2, "new one"));
    assert_eq!(world.requests(), ["Head 1"], "the answer of the file is kept");
}

#[tokio::test]
async fn rule_3_while_a_version_is_written_nothing_of_the_one_before_is_sent() {
    let world = World::old("old").await;
    let process = world.process();
    assert_eq!(world.term(&process, 1).await, named(1, "old one"));
    world.commit(&file("new")).await;
    world.wait_ms(2_000);
    assert_eq!(world.term(&process, 1).await, named(2, "new one"));
    world.requests();
    assert_eq!(world.term(&process, 1).await, named(2, "new one"));
    assert_eq!(world.requests(), [""; 0]);
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
    world.stack.db.lag(Lag::Everything);
    world.publish(&file("new"), NEW_YEAR_MS).await;
    world.stack.set_ms(clock);
    let process = world.process();
    let ask = async || {
        vec![
            world.term(&process, 1).await,
            world.term_in_french(&process, 2).await,
            world.category(&process, 1).await,
        ]
    };
    let mut answered = ask().await;
    world.stack.db.drop_replica();
    world.stack.set_ms(NEW_YEAR_MS + 120_000);
    answered.extend(ask().await);
    let right = [named(2, "new one"), named(2, "new deux"), named(2, "new sector")];
    (answered, right.iter().chain(&right).cloned().collect())
}

#[tokio::test]
async fn rule_5_what_is_newer_than_the_version_is_neither_kept_nor_answered() {
    let world = World::old("old").await;
    let process = world.process();
    world.read_head(&process).await;
    world.commit(&file("new")).await;
    world.write().await;
    for _ in 0..2 {
        assert_eq!(world.term(&process, 1).await, named(1, "old one"));
        assert_eq!(world.term_in_french(&process, 1).await, named(1, "old un"));
        assert_eq!(world.category(&process, 1).await, named(1, "old sector"));
    }
}
