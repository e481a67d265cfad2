//! Tests of the largest responses of the lookup, and of the largest entries of its caches.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use lookup::cache::{CachedEntries, SecondTier, VersionKey};
use taxonomy_tests::prelude::*;

use super::Asking;
use super::largest::{at_most, category, chain, file, full, id, names, tag, tenant, world};

/// The largest response of the lookup, in bytes; Lambda passes on 6 MB.
const ANSWER: usize = 5_000_000;

/// Returns a world with the largest term, 32 levels below the largest category.
async fn one() -> World {
    world(&file(&[category(1, &[chain(vec![full(32, &names())])])])).await
}

#[tokio::test]
async fn every_answer_about_one_thing_has_room() {
    let asking = Asking::of(&one().await);
    let (tenant, further) = (format!("/v1/tenants/{}", tenant()), tag(1));
    let (term, category) = (id(32), id(1));
    for (target, stated) in [
        (format!("{tenant}/terms/{term}"), 541_000),
        (format!("{tenant}/terms/{term}?culture={further}"), 310_000),
        (format!("{tenant}/categories/{category}"), 216_000),
        (format!("{tenant}/categories"), 5_100),
        (tenant, 20_000),
    ] {
        let answer = asking.get(&target).await;
        assert_eq!(answer.status_code, 200, "{target}");
        at_most(&target, answer.body.len(), stated, ANSWER);
    }
}

/// A batch may name a term up to a hundred times, and each occurrence is answered.
#[tokio::test]
async fn a_batch_that_does_not_fit_is_a_problem_of_the_caller() {
    let world = one().await;
    let (asking, target) = (
        Asking::of(&world),
        format!("/v1/tenants/{}/terms:batchGet", tenant()),
    );
    let problem = |body: &str| serde_json::from_str::<Value>(body).unwrap()["type"].take();
    let (mut fits, mut refused) = (0, 101);
    while refused - fits > 1 {
        let count = usize::midpoint(fits, refused);
        let answer = asking.batch(&target, &vec![id(32); count]).await;
        match answer.status_code {
            200 => fits = count,
            status => {
                assert_eq!(
                    (status, problem(&answer.body)),
                    (400, json!("/problems/answer-too-large"))
                );
                refused = count;
            }
        }
    }
    assert!(
        (8..15).contains(&fits),
        "{fits} of the largest terms fit into an answer"
    );
}

/// Their items exceed the 16 MB of one BatchGetItem response, so a second request reads the rest.
#[tokio::test]
#[ignore = "minutes without optimisation: make prove NAMES=memory"]
async fn a_hundred_large_terms_are_read_in_two_requests_and_their_replacements_in_a_third() {
    let terms: Vec<Value> = (200..300).map(|n| full(n, &names()[..1])).collect();
    let world = world(&file(&[json!({"id": 1, "names": names(), "terms": terms})])).await;
    world.exchanges().clear();
    let target = format!("/v1/tenants/{}/terms:batchGet", tenant());
    let ids: Vec<u64> = (200..300).map(id).collect();
    let answer = Asking::of(&world).batch(&target, &ids).await;
    assert_eq!(answer.status_code, 400, "{}", answer.body);
    assert!(answer.body.contains("answer-too-large"), "{}", answer.body);
    // The 50 terms that replace them never existed, so they have no items.
    assert_eq!(world.exchanges().items_of("BatchGetItem"), 100);
    assert_eq!(world.exchanges().count("BatchGetItem"), 3);
}

/// The largest categories that there can be, in one page.
#[tokio::test]
async fn a_page_of_large_categories_has_room() {
    let categories: Vec<Value> = (0..6).map(|n| category(n, &[])).collect();
    let world = world(&file(&categories)).await;
    let (asking, tenant) = (Asking::of(&world), tenant());
    let page = asking
        .found(&format!("/v1/tenants/{tenant}/categories?limit=100"))
        .await;
    let items = page["items"].as_array().unwrap().iter();
    let mut listed: Vec<u64> = items.map(|item| item["id"].as_u64().unwrap()).collect();
    listed.sort_unstable();
    let mut expect: Vec<u64> = (0..6).map(id).collect();
    expect.sort_unstable();
    assert_eq!(listed, expect);
}

/// A cache that stores only the size of the largest value.
#[derive(Debug, Default)]
struct Measuring(Mutex<usize>);

impl SecondTier for Measuring {
    fn get<'a>(&'a self, _: &'a VersionKey, _: &'a [String]) -> BoxFuture<'a, CachedEntries> {
        ready(CachedEntries::default()).boxed()
    }

    fn put<'a>(&'a self, _: &'a VersionKey, entries: Vec<(String, Vec<u8>)>) -> BoxFuture<'a, ()> {
        let mut most = self.0.lock().unwrap();
        *most = entries
            .iter()
            .map(|(_, value)| value.len())
            .fold(*most, usize::max);
        ready(()).boxed()
    }
}

#[tokio::test]
async fn the_largest_entries_of_the_caches_are_kept() {
    /// The largest value of Valkey (`proto-max-bulk-len`), in bytes.
    const SECOND_TIER: usize = 512 << 20;
    let world = one().await;
    let tier = Arc::new(Measuring::default());
    let asking = Asking::over(&world, |reader| reader.with_second_tier(tier.clone()));
    let sent = || std::mem::take(&mut *tier.0.lock().unwrap());
    for (target, stated) in [
        (format!("terms/{}", id(32)), 541_000),
        (format!("categories/{}", id(1)), 216_000),
    ] {
        let target = format!("/v1/tenants/{}/{target}", tenant());
        let first = asking.found(&target).await;
        at_most(&target, sent(), stated, SECOND_TIER);
        world.exchanges().clear();
        assert_eq!(asking.found(&target).await, first);
        assert_eq!(world.exchanges().len(), 0, "{target}: it is in the process");
    }
}
