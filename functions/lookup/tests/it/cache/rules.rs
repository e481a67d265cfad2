//! Rules 1 to 5, a test for each.

use std::time::Duration;

use taxonomy_testkit::Fault;
use taxonomy_testkit::dynamodb::{Lag, s};
use taxonomy_testkit::fixtures::{ACME, GLOBEX};

use super::{Answered, category, file, name, named, old, publish, term, term_in_french};
use crate::stack::Stack;

/// Waits until a request about a key like this is at the gate, and returns its number.
async fn arrived(stack: &Stack, key: &str) -> u64 {
    for _ in 0..1_000 {
        let mut pending = stack.world.transport.pending().into_iter();
        if let Some(found) = pending.find(|pending| pending.target.contains(key)) {
            return found.id;
        }
        tokio::task::yield_now().await;
    }
    unreachable!("no request about {key}")
}

#[tokio::test(start_paused = true)]
async fn rule_1_an_entry_belongs_to_the_head_before_it() {
    let world = old("old").await;
    let transport = &world.world.transport;
    transport.close_gate();
    let (first, ()) = tokio::join!(term(&world, 1), async {
        transport.release(arrived(&world, "HEAD").await, None);
        // The table has answered when the version changes, and nobody has heard it yet.
        let slow = Fault::SlowAnswer(Duration::from_secs(1));
        transport.release(arrived(&world, "TERM#").await, Some(slow));
        transport.open_gate();
        publish(&world, "new").await;
    });
    world.world.pass(2);
    let both = (first, term(&world, 1).await);
    assert_eq!(both, (named(1, "old one"), named(2, "new one")));
}

#[tokio::test]
async fn rule_2_an_entry_belongs_to_a_version() {
    let world = old("old").await;
    assert_eq!(term(&world, 1).await, named(1, "old one"));
    publish(&world, "new").await;
    world.world.pass_ms(1_999);
    assert_eq!(term(&world, 1).await, named(1, "old one"));
    world.world.pass_ms(1);
    assert_eq!(term(&world, 1).await, named(2, "new one"));
}

/// Gives the version at a tenant's head another changeset.
async fn set_changeset(world: &Stack, tenant: &str, id: &str) {
    let head = Box::pin(world.writers().committed(tenant)).await;
    let index_key = head.index_key.replace(head.changeset.as_str(), id);
    let partition = format!("TAXONOMY#{tenant}");
    for (attribute, value) in [("ChangesetId", id), ("IndexKey", &index_key)] {
        world.set((&partition, "HEAD"), attribute, s(value)).await;
    }
}

/// Nothing else sets the versions of the two apart.
#[tokio::test]
async fn rule_2_an_entry_belongs_to_a_tenant() {
    let (world, id) = (old("acme").await, "ab".repeat(32));
    world.publish(GLOBEX, &[&file("globex")]).await;
    for tenant in [ACME, GLOBEX] {
        set_changeset(&world, tenant, &id).await;
    }
    for _ in 0..2 {
        assert_eq!(term(&world, 1).await, named(1, "acme one"));
        let other = name(&world, "/v1/tenants/globex/terms/1").await;
        assert_eq!(other, named(1, "globex one"));
    }
}

/// As after a restore to a point in time: the version's number is given a second time, to something else.
#[tokio::test]
async fn rule_2_an_entry_belongs_to_a_changeset() {
    let world = old("old").await;
    assert_eq!(term(&world, 1).await, named(1, "old one"));
    let item = ("TERM#acme#1", "TERM#acme#1");
    world.set(item, "Name", s("restored one")).await;
    set_changeset(&world, ACME, &"ab".repeat(32)).await;
    world.world.pass(2);
    assert_eq!(term(&world, 1).await, named(1, "restored one"));
    let tag = world.tag("terms/1").await;
    assert!(tag.starts_with("\"1-abababababababab-"), "{tag}");
}

#[tokio::test]
async fn rule_3_while_a_version_is_written_the_table_is_not_read() {
    let world = old("old").await;
    world.commit(&file("new")).await;
    assert_eq!(term(&world, 1).await, named(2, "new one"));
    let costs = world.costs();
    assert_eq!(costs[0], "Head 1");
    assert!(costs[1..].iter().all(|cost| cost == "GetObject"), "{costs:?}");
    // Another process takes the load over.
    world.world.pass(91);
    publish(&world, "new").await;
    world.world.pass(2);
    assert_eq!(term(&world, 1).await, named(2, "new one"));
    assert_eq!(world.costs(), ["Head 1"], "the answer of the file is kept");
}

#[tokio::test]
async fn rule_3_while_a_version_is_written_nothing_of_the_one_before_is_sent() {
    let world = old("old").await;
    assert_eq!(term(&world, 1).await, named(1, "old one"));
    world.commit(&file("new")).await;
    world.world.pass(2);
    assert_eq!(term(&world, 1).await, named(2, "new one"));
    world.costs();
    assert_eq!(term(&world, 1).await, named(2, "new one"));
    assert_eq!(world.costs(), [""; 0]);
}

async fn all_kinds(process: &Stack) -> [Answered; 3] {
    [
        term(process, 1).await,
        term_in_french(process, 2).await,
        category(process, 1).await,
    ]
}

/// Everything lags, for processes whose clock is behind the time at which the version was projected, right, and ahead.
#[tokio::test]
async fn rule_4_young_entries_are_filled_by_consistent_reads() {
    let right = [named(2, "new one"), named(2, "new deux"), named(2, "new sector")];
    for (skew_ms, expect) in [
        (-3_600_000, true),
        (-1, true),
        (0, true),
        (2_000, true),
        (59_999, true),
        (60_000, false),
    ] {
        let world = old("old").await;
        world.world.db.lag(Lag::Everything);
        publish(&world, "new").await;
        let process = world.skewed(skew_ms);
        let young = all_kinds(&process).await;
        world.world.db.drop_replica();
        world.world.pass(120);
        let both = [young, all_kinds(&process).await];
        let are_right = both.iter().all(|all| *all == right);
        assert_eq!(are_right, expect, "{skew_ms}: {both:?}");
    }
}

#[tokio::test]
async fn rule_5_what_is_newer_than_the_version_is_neither_kept_nor_answered() {
    let world = old("old").await;
    world.found("").await;
    world.write(&file("new")).await;
    let expect = [named(1, "old one"), named(1, "old deux"), named(1, "old sector")];
    for _ in 0..2 {
        assert_eq!(all_kinds(&world).await, expect);
    }
}
