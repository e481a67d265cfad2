//! Tests of the sweeps, which find tenants whose upload event was lost or whose projection is incomplete.

use std::collections::BTreeSet;

use taxonomy_keys::Attention;
use taxonomy_testkit::dynamodb::key;
use taxonomy_tests::prelude::*;

fn it() -> Vec<u8> {
    small(&[(1, "IT")])
}

#[tokio::test]
async fn a_later_upload_whose_event_was_lost_is_found_too() {
    let world = World::of(&[&it()]).await;
    world.push(GLOBEX, &it()).await;
    let changed = small(&[(1, "Computing")]);
    world.upload(TENANT, &changed);
    world.exchanges().clear();
    world.deliver(scheduled("sweep-sources")).await.unwrap();
    assert_eq!(world.live(TENANT), expected(TENANT, &changed));
    // Its file, its old version to compare with and the index file of that, and both versions to project; nothing of the other tenant.
    assert_eq!(world.exchanges().count("GetObject"), 5);
}

#[tokio::test]
async fn a_day_without_changes_costs_reads_only() {
    let world = World::of(&[&it()]).await;
    world.push(GLOBEX, b"{").await;
    world.exchanges().clear();
    world.deliver(scheduled("sweep-sources")).await.unwrap();
    let operations: BTreeSet<String> = world.operations().into_iter().collect();
    assert!(
        operations.iter().eq(["HeadObject", "ListObjectsV2", "Query"]),
        "{operations:?}"
    );
}

#[tokio::test]
async fn objects_that_are_no_tenants_are_passed_over() {
    let world = World::new();
    for key in [
        "taxonomies/readme.txt",
        "taxonomies/a b.json",
        "taxonomies/x/y.json",
    ] {
        world.s3.put(SOURCE_BUCKET, key, it());
    }
    world.upload(TENANT, &it());
    world.deliver(scheduled("sweep-sources")).await.unwrap();
    assert!(world.committed(TENANT).await.is_settled());
}

#[tokio::test]
async fn a_sweep_that_takes_many_invocations_sees_everyone() {
    let world = World::new();
    let tenants: Vec<String> = (10..40).map(|number| format!("tenant-{number}")).collect();
    for tenant in &tenants {
        world.upload(tenant, &it());
    }
    let sweep = scheduled("sweep-sources");
    world.deliver_within(sweep, 50).await.unwrap();
    let further = world.drain_retries(50).await.len();
    assert!(further > 3, "{further}");
    for tenant in &tenants {
        assert!(world.committed(tenant).await.is_settled(), "{tenant}");
    }
}

/// There is more than a page of tenants, and some of them fail every time.
#[tokio::test(start_paused = true)]
async fn every_tenant_that_is_behind_is_finished_however_many_there_are() {
    let world = World::new();
    let tenants: Vec<String> = (0..120).map(|number| format!("t{number:03}")).collect();
    world.inject(When::always().operation("PutItem"), Fault::DropBeforeSend);
    for tenant in &tenants {
        let event = world.upload(tenant, &it());
        assert!(world.deliver(event).await.is_err());
    }
    world.transport.reset_faults();
    // One tenant whose items still cannot be written, and one whose head cannot be read.
    let stuck = When::always().operation("PutItem").containing("TERM#t003#");
    world.inject(stuck, Fault::DropBeforeSend);
    let broken = ("TAXONOMY#t005", "HEAD");
    world.alter(broken, "StateHash", None).await;
    world.pass(1200);
    world.deliver(scheduled("sweep")).await.unwrap();
    for tenant in &tenants {
        if tenant != "t005" {
            let settled = world.committed(tenant).await.is_settled();
            assert_eq!(settled, tenant != "t003", "{tenant}");
        }
    }
    // The next sweep is their retry.
    assert!(world.sqs.messages(RETRIES).is_empty());
}

/// The tenant was configured without a message to the projector: the change itself lists it.
#[tokio::test]
async fn settings_are_found_by_the_next_sweep() {
    let world = World::of(&[&it()]).await;
    let (service, tenant) = (world.service(), TENANT.parse().unwrap());
    let mut wanted = service.configuration(&tenant).await.unwrap();
    wanted.fallback_chain = vec!["de-DE".parse().unwrap()];
    service.configure(&tenant, &wanted).await.unwrap();
    world.deliver(scheduled("sweep")).await.unwrap();
    let head = world.committed(TENANT).await;
    assert_eq!(
        (head.version.get(), head.settings.fallback_chain),
        (2, wanted.fallback_chain)
    );
    assert_eq!(world.head(TENANT).await.attention, None);
}

/// The file was refused before the tenant had a version: the tenant is in no list, and its object is the only trace of it.
#[tokio::test]
async fn a_first_upload_that_was_refused_is_looked_at_again_when_the_reason_is_gone() {
    let mut world = World::new();
    world.max_file_bytes = 10;
    world.push(TENANT, &it()).await;
    assert_eq!(world.head(TENANT).await.refused.unwrap().code, "file-too-large");
    world.deliver(scheduled("sweep-sources")).await.unwrap();
    world.max_file_bytes = 1000;
    world.deliver(scheduled("sweep-sources")).await.unwrap();
    assert_eq!(world.live(TENANT), expected(TENANT, &it()));
}

/// S3 may answer a listing with an empty page although more pages follow.
#[tokio::test]
async fn empty_pages_of_a_listing_do_not_end_a_sweep() {
    let world = World::new();
    world.upload(TENANT, &it());
    world.upload(GLOBEX, &it());
    world.s3.list_empty_pages(SOURCE_BUCKET, 3);
    world.deliver(scheduled("sweep-sources")).await.unwrap();
    assert_eq!(world.exchanges().count("ListObjectsV2"), 4);
    for tenant in [TENANT, GLOBEX] {
        assert_eq!(world.live(tenant), expected(tenant, &it()), "{tenant}");
    }
}

/// There are more than a thousand objects: the second page is that of the continuation token.
#[tokio::test]
async fn a_listing_of_several_pages_is_seen_to_its_end() {
    let world = World::new();
    for number in 0..1000 {
        world
            .s3
            .put(SOURCE_BUCKET, &format!("taxonomies/{number:04}.txt"), it());
    }
    world.upload(TENANT, &it());
    world.deliver(scheduled("sweep-sources")).await.unwrap();
    assert_eq!(world.exchanges().count("ListObjectsV2"), 2);
    assert!(world.committed(TENANT).await.is_settled());
}

/// Returns an entry in a list of the index that belongs to no tenant.
pub(crate) fn stray(list: &str, place: &str) -> Item {
    let mut item = key(&format!("SOMETHING#{place}"), "ELSE");
    item.insert("GSI1PK".to_owned(), s(list));
    item.insert("GSI1SK".to_owned(), s(place));
    item
}

/// More damaged entries than a page holds precede the only tenant: they end neither of the sweeps, and are counted once each.
#[tokio::test(start_paused = true)]
async fn damaged_entries_of_the_index_are_passed_over_and_counted() {
    for (list, prefix, event) in [
        ("ATTENTION", "behind#", scheduled("sweep")),
        ("TENANTS", "", scheduled("sweep-sources")),
    ] {
        let world = World::new();
        let upload = world.upload(TENANT, &it());
        world.dies_at(upload, 1, "PutItem").await;
        // The object is deleted, so that the daily sweep finds the tenant only in the list.
        world.delete_upload(TENANT);
        for number in 0..130 {
            world
                .put_by_hand(stray(list, &format!("{prefix}a{number:03}")))
                .await;
        }
        world.put_by_hand(stray(list, &format!("{prefix}zzz"))).await;
        world.pass(1200);
        world.deliver(event).await.unwrap();
        assert_eq!(world.live(TENANT), expected(TENANT, &it()), "{list}");
        let heads = world.heads();
        let page = match list {
            "ATTENTION" => heads.attention(Attention::Behind, None, 100).await.unwrap(),
            _ => heads.tenants(None, 100).await.unwrap(),
        };
        let all = page.damaged.len() + usize::from(!page.tenants.is_empty());
        assert_eq!(all, 131, "{list}: {page:?}");
    }
}

/// An entry in the place of another tenant would lead a sweep back to an earlier page, forever.
#[tokio::test]
async fn an_entry_in_the_place_of_another_tenant_is_damaged() {
    let world = World::new();
    for tenant in ["a", "b"] {
        world.push(tenant, &it()).await;
    }
    let moved = ("TAXONOMY#a", "TENANT");
    world.alter(moved, "GSI1SK", Some(s("c"))).await;
    let page = world.heads().tenants(None, 100).await.unwrap();
    assert_eq!(page.tenants, ["b".parse().unwrap()]);
    let last = world.heads().tenants(page.tenants.last(), 100).await.unwrap();
    assert!(last.tenants.is_empty());
    assert_eq!(last.damaged, ["TAXONOMY#a TENANT c"]);
    world.deliver(scheduled("sweep-sources")).await.unwrap();
}

/// Head or configuration of one tenant are damaged, and nothing is left to restore them from: its own sweep fails, and no other.
#[tokio::test]
async fn a_tenant_whose_items_are_damaged_does_not_keep_a_sweep_from_the_others() {
    for (sort, attribute) in [("HEAD", "StateHash"), ("TENANT", "FallbackChain")] {
        let world = World::new();
        for tenant in ["a", "b", "c"] {
            world.push(tenant, &it()).await;
        }
        let damaged = ("TAXONOMY#b", sort);
        world.alter(damaged, attribute, Some(n(7))).await;
        world.lose_all(|key| key.contains("/b/"));
        let changed = small(&[(1, "Computing")]);
        for tenant in ["a", "b", "c"] {
            world.upload(tenant, &changed);
        }
        world.deliver(scheduled("sweep-sources")).await.unwrap();
        for tenant in ["a", "c"] {
            assert_eq!(world.live(tenant), expected(tenant, &changed), "{sort} {tenant}");
        }
        let asked = world.sqs.messages(RETRIES);
        assert!(
            asked.iter().all(|message| message.body == r#"{"tenant":"b"}"#),
            "{asked:?}"
        );
        assert!(!asked.is_empty());
    }
}
