//! Tests of requests for a version that only another process serves yet: a process caches a head for two seconds, and reads it again before
//! it answers that the version does not exist.

use lookup::Lookup;
use taxonomy_tests::prelude::*;

use crate::downloads::process;

/// Returns a process that has cached version 1, in a world where version 2 is served.
async fn behind() -> (World, Lookup) {
    let world = World::new();
    world.replace(TENANT, &small(&[(1, "One"), (2, "Two")])).await;
    let behind = process(&world);
    assert_eq!(version_of(&behind, "categories").await, Some(1));
    world
        .replace(TENANT, &small(&[(1, "First"), (2, "Second")]))
        .await;
    assert_eq!(version_of(&behind, "categories").await, Some(1), "it remembers");
    (world, behind)
}

/// Returns the version of a successful response.
async fn version_of(lookup: &Lookup, target: &str) -> Option<u64> {
    let answer = ask(lookup, "GET", target, None).await;
    assert!(
        matches!(answer.status_code, 200 | 202),
        "{target}: {}",
        answer.body
    );
    answer.headers.get("taxonomy-version")?.parse().ok()
}

#[tokio::test]
async fn a_named_version_is_found() {
    for target in [
        "terms/1?version=2",
        "categories?version=2",
        "/v1/tenants/acme?version=2",
        "stats?version=2",
        "suggest?q=first&version=2",
        "versions/2",
        "versions/2/changes",
        "versions/2/download?format=json",
        "changes?after=2",
        "changes?after=1&version=2",
        "diff?from=1&to=2",
        "diff?from=2&to=1",
    ] {
        let (_world, behind) = behind().await;
        assert_eq!(version_of(&behind, target).await, Some(2), "{target}");
    }
}

#[tokio::test]
async fn a_later_page_is_of_the_version_of_the_first() {
    for target in [
        "categories/1/terms?limit=1",
        "versions?limit=1",
        "changes?after=0&limit=1",
    ] {
        let (world, behind) = behind().await;
        let (_, first) = get(&process(&world), target).await;
        let cursor = first["nextCursor"].as_str().unwrap();
        let second = format!("{target}&cursor={cursor}");
        assert_eq!(version_of(&behind, &second).await, Some(2), "{target}");
    }
}

/// The head is read again once for each such request, and not if the same request has already read it.
#[tokio::test]
async fn a_version_that_is_nowhere_costs_one_look() {
    let (world, behind) = behind().await;
    for _ in 0..2 {
        world.exchanges().clear();
        let (status, problem) = get(&behind, "terms/1?version=3").await;
        assert_eq!((status, code(&problem)), (404, "version-not-found"));
        assert_eq!(world.exchanges().len(), 1);
    }
    world.exchanges().clear();
    let (status, _) = get(&process(&world), "terms/1?version=3").await;
    assert_eq!((status, world.exchanges().len()), (404, 1));
}

#[tokio::test]
async fn a_tenant_that_was_not_there_a_moment_ago_is_found_by_its_version() {
    let world = World::new();
    let behind = process(&world);
    assert_eq!(get(&behind, "categories").await.0, 404);
    world.replace(TENANT, &small(&[(1, "One")])).await;
    assert_eq!(get(&behind, "categories").await.0, 404, "it remembers");
    assert_eq!(version_of(&behind, "categories?version=1").await, Some(1));
}

fn code(problem: &Value) -> &str {
    let code = problem["type"].as_str().unwrap();
    code.rsplit('/').next().unwrap()
}
