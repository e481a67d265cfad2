//! Tests of the purge of a damaged tenant: the newest index file names its items; without it, a scan of the table finds them.

use std::time::Duration;

use taxonomy_tests::prelude::*;

use super::support::{all_but, assert_gone, everything_happened, left_of, options, purge, purge_scanning};

const QUIET: Duration = Duration::from_secs(2);

async fn two_tenants() -> World {
    let world = World::in_tokios_time();
    for tenant in [TENANT, "acme2"] {
        everything_happened(&world, tenant).await;
    }
    world
}

/// Deletes all objects of the tenant of these kinds.
fn lose(world: &World, kinds: &[&str]) {
    for kind in kinds {
        world.lose_all(|key| key.starts_with(&format!("{kind}/{TENANT}/")));
    }
}

/// Stores an item that no version names.
async fn stray(world: &World, partition: &str, sort: &str) {
    let item: [(&str, _); 4] = [
        ("PK", s(partition)),
        ("SK", s(sort)),
        ("EntityType", s("Term")),
        ("V", n(1)),
    ];
    world
        .put_by_hand(item.map(|(name, value)| (name.to_owned(), value)).into())
        .await;
}

#[tokio::test(start_paused = true)]
async fn neither_chain_nor_snapshots_are_needed() {
    let world = two_tenants().await;
    let others = all_but(&world, TENANT);
    lose(&world, &["changesets", "snapshots"]);
    purge(&world, QUIET).await.unwrap();
    assert_gone(&world, "");
    assert_eq!(all_but(&world, TENANT), others);
}

/// The tenant's ids are lost with its newest index file or its head: nothing is half purged, and a scan completes it.
#[tokio::test(start_paused = true)]
async fn without_the_ids_every_item_stays_until_the_table_is_scanned() {
    for loses_the_file in [true, false] {
        let world = two_tenants().await;
        let (others, live) = (all_but(&world, TENANT), world.live(TENANT));
        match loses_the_file {
            true => lose(&world, &["indexes"]),
            false => damage_head(&world).await,
        }
        let refused = purge(&world, QUIET).await;
        assert!(matches!(refused, Err(VersioningError::Unnamed(_))), "{refused:?}");
        assert_eq!(world.live(TENANT), live);
        // Dies in the middle of the items, and where only the bodies remain.
        for (operation, at) in [("DeleteItem", 2), ("DeleteObjects", 3)] {
            world.inject(When::nth(at).operation(operation), Fault::CrashAfterApply);
            assert!(
                world
                    .transport
                    .until_crash(purge_scanning(&world))
                    .await
                    .is_none()
            );
            world.transport.reset_faults();
        }
        purge_scanning(&world).await.unwrap();
        assert_gone(&world, "");
        assert_eq!(all_but(&world, TENANT), others);
    }
}

async fn damage_head(world: &World) {
    let mut head: Item = world.item(&format!("TAXONOMY#{TENANT}"), "HEAD");
    head.insert("StateHash".to_owned(), n(7));
    world.put_by_hand(head).await;
}

#[tokio::test(start_paused = true)]
async fn a_hole_in_the_log_does_not_stop_it() {
    let world = two_tenants().await;
    let hole = world.item(&format!("TAXONOMY#{TENANT}"), "CHANGESET#000000000002");
    world.delete_by_hand(&hole).await;
    purge(&world, QUIET).await.unwrap();
    assert_gone(&world, "");
}

/// Items that no version names: of an id that never was, below a term that was, of a partition key in another spelling, and of a tenant whose id begins alike.
#[tokio::test(start_paused = true)]
async fn strays_are_found_by_a_scan_before_and_after_the_purge() {
    let world = two_tenants().await;
    let (never, odd) = (format!("TERM#{TENANT}#900"), format!("TERM#{TENANT}#0900"));
    stray(&world, &never, &never).await;
    stray(&world, &odd, &odd).await;
    stray(&world, &format!("TERM#{TENANT}#1"), "CULTURE#xx").await;
    stray(&world, &format!("TERM#{TENANT}-2#900"), "CULTURE#xx").await;
    let others = all_but(&world, TENANT);
    purge(&world, QUIET).await.unwrap();
    assert_eq!(left_of(&world, TENANT).len(), 2, "of ids that no version had");
    purge_scanning(&world).await.unwrap();
    assert_gone(&world, "");
    assert_eq!(all_but(&world, TENANT), others);
    let plan = world
        .service()
        .plan_purge(&TENANT.parse().unwrap(), &options(QUIET))
        .await;
    assert!(plan.unwrap().is_empty());
}

/// A process that read the tenant before the purge writes an item while it waits.
#[tokio::test(start_paused = true)]
async fn a_late_write_is_found_by_a_scan() {
    let world = two_tenants().await;
    let late = format!("TERM#{TENANT}#901");
    let purged = purge_scanning(&world);
    let (purged, ()) = tokio::join!(purged, async {
        tokio::time::sleep(QUIET / 2).await;
        stray(&world, &late, &late).await;
    });
    purged.unwrap();
    assert_gone(&world, "");
}
