//! Tests of the purge of a damaged chain: it deletes all data named by the rest of the chain, the head's content and the index, and reports
//! the damage.

use std::time::Duration;

use taxonomy_testkit::dynamodb::{Item, n, s};
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, TABLE};
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::world::{TENANT, World};

use super::support::{all_but, everything_happened, left_of, purge};

const QUIET: Duration = Duration::from_secs(2);

async fn two_tenants() -> World {
    let world = World::in_tokios_time();
    for tenant in [TENANT, "acme2"] {
        everything_happened(&world, tenant).await;
    }
    world
}

/// Returns the key of a tenant's object with this prefix.
fn key(world: &World, prefix: &str) -> String {
    let keys = world.s3.keys(CHANGESETS_BUCKET);
    keys.into_iter().find(|key| key.starts_with(prefix)).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_damaged_changeset_is_passed_over_and_reported() {
    let world = two_tenants().await;
    let others = all_but(&world, TENANT);
    let damaged = key(&world, &format!("changesets/{TENANT}/000000000002-"));
    world.s3.put(CHANGESETS_BUCKET, &damaged, "no changeset");
    let purged = purge(&world, QUIET).await.unwrap();
    let damage = purged.damage.unwrap();
    assert!(damage.contains(&damaged), "{damage}");
    assert_eq!(
        left_of(&world, TENANT),
        Vec::<String>::new(),
        "every id is in another changeset"
    );
    assert_eq!(all_but(&world, TENANT), others);
}

#[tokio::test(start_paused = true)]
async fn a_repetition_still_reports_the_damage() {
    let world = two_tenants().await;
    let missing = key(&world, &format!("changesets/{TENANT}/000000000001-"));
    world.s3.delete(CHANGESETS_BUCKET, &missing);
    // Dies when only the bodies and the later steps remain.
    let dies = When::nth(1)
        .operation("DeleteObjects")
        .containing(CHANGESETS_BUCKET);
    world.transport.inject(dies, Fault::Crash);
    assert!(world.transport.until_crash(purge(&world, QUIET)).await.is_none());
    world.transport.reset_faults();
    let purged = purge(&world, QUIET).await.unwrap();
    assert!(purged.damage.is_some());
    assert_eq!(purged.items, 0, "they were gone");
}

/// The chain and the content are lost: only the index lists the items.
#[tokio::test(start_paused = true)]
async fn without_chain_and_content_the_index_names_what_is_live() {
    let world = two_tenants().await;
    for kind in ["changesets", "snapshots"] {
        let prefix = format!("{kind}/{TENANT}/");
        let keys = world.s3.keys(CHANGESETS_BUCKET).into_iter();
        for key in keys.filter(|key| key.starts_with(&prefix)) {
            world.s3.delete(CHANGESETS_BUCKET, &key);
        }
    }
    let live = world.live(TENANT).len();
    assert!(live >= 3, "{live}");
    // Interrupted in the middle of the items: the rest must still be found.
    world
        .transport
        .inject(When::nth(2).operation("DeleteItem"), Fault::CrashAfterApply);
    assert!(world.transport.until_crash(purge(&world, QUIET)).await.is_none());
    world.transport.reset_faults();
    let purged = purge(&world, QUIET).await.unwrap();
    assert!(purged.damage.is_some());
    assert_eq!(world.live(TENANT).len(), 0);
    // Only tombstones remain, which no index lists and no other item names any more.
    let left = left_of(&world, TENANT);
    assert!(left.iter().all(|line| line.contains("Removed")), "{left:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_damaged_head_and_a_hole_in_the_log_do_not_stop_it() {
    let world = two_tenants().await;
    let others = all_but(&world, TENANT);
    let partition = format!("TAXONOMY#{TENANT}");
    let hole = world
        .db
        .item(TABLE, &partition, "CHANGESET#000000000002")
        .unwrap();
    world.delete_by_hand(&hole).await;
    let damaged: Item = {
        let mut head = world.db.item(TABLE, &partition, "HEAD").unwrap();
        head.insert("StateHash".to_owned(), n(7));
        head
    };
    world.put_by_hand(damaged).await;
    let purged = purge(&world, QUIET).await.unwrap();
    assert!(purged.damage.unwrap().contains("damaged"));
    assert_eq!(world.live(TENANT).len(), 0);
    assert_eq!(world.db.item(TABLE, &partition, "HEAD"), None);
    assert_eq!(all_but(&world, TENANT), others);
}

/// An entry of the tenant's list that belongs to another tenant is damage as well; the other tenant's item remains.
#[tokio::test(start_paused = true)]
async fn an_item_of_another_tenant_in_the_tenants_list_is_left_alone() {
    let world = two_tenants().await;
    let mut foreign = world
        .db
        .item(TABLE, "CATEGORY#acme2#1", "CATEGORY#acme2#1")
        .unwrap();
    foreign.insert("GSI1PK".to_owned(), s(&format!("CATEGORIES#{TENANT}")));
    world.put_by_hand(foreign).await;
    let others = all_but(&world, TENANT);
    purge(&world, QUIET).await.unwrap();
    assert_eq!(left_of(&world, TENANT), Vec::<String>::new());
    assert_eq!(all_but(&world, TENANT), others);
}

/// A term without a fact in the chain is listed below another term.
#[tokio::test(start_paused = true)]
async fn strays_that_the_index_lists_are_deleted() {
    let world = two_tenants().await;
    for (id, below) in [(900, "CATEGORY#1"), (901, "TERM#900"), (902, "TERM#901")] {
        let key = format!("TERM#{TENANT}#{id}");
        world
            .put_by_hand(
                [
                    ("PK", s(&key)),
                    ("SK", s(&key)),
                    ("EntityType", s("Term")),
                    ("V", n(1)),
                    ("GSI1PK", s(&format!("CHILDREN#{TENANT}#{below}"))),
                    ("GSI1SK", s("stray")),
                ]
                .map(|(name, value)| (name.to_owned(), value))
                .into(),
            )
            .await;
    }
    for dies_at in 1..=3 {
        world
            .transport
            .inject(When::nth(dies_at).operation("DeleteItem"), Fault::CrashAfterApply);
        assert!(world.transport.until_crash(purge(&world, QUIET)).await.is_none());
        world.transport.reset_faults();
    }
    purge(&world, QUIET).await.unwrap();
    assert_eq!(left_of(&world, TENANT), Vec::<String>::new());
}
