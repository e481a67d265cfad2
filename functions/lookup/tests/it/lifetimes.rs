//! An id that a version lacks: from when to when it existed, against a plain reading of the files.

use serde_json::{Value, json};
use taxonomy_testkit::fixtures::{ACME, CHANGESETS_BUCKET};

use crate::stack::Stack;

/// Versions as categories with their terms: some come, go, and come again.
const VERSIONS: [&[(u64, &[u64])]; 5] = [
    &[(1, &[10, 11])],
    &[(1, &[10]), (2, &[20, 10_000])],
    &[(1, &[10, 11, 12]), (2, &[20])],
    &[(1, &[10, 12])],
    &[(1, &[10, 12, 20]), (3, &[30])],
];

fn file(version: &[(u64, &[u64])]) -> String {
    let node = |id: u64| json!({"id": id, "names": [{"culture": "en-GB", "name": format!("Node {id}")}]});
    let categories = version.iter().map(|(id, terms)| {
        let mut category = node(*id);
        category["terms"] = terms.iter().map(|id| node(*id)).collect();
        category
    });
    json!({"defaultCulture": "en-GB", "categories": categories.collect::<Vec<_>>()}).to_string()
}

async fn stack() -> Stack {
    let stack = Stack::empty(lookup::Auth::Iam);
    let files = VERSIONS.map(file);
    stack.publish(ACME, &files.each_ref().map(String::as_str)).await;
    stack
}

/// The first version that has the id, and the one that removed it, if the last one lacks it.
fn lifetime(has: impl Fn(&[(u64, &[u64])]) -> bool) -> Option<(usize, Option<usize>)> {
    let having: Vec<bool> = VERSIONS.iter().map(|version| has(version)).collect();
    let first = having.iter().position(|has| *has)?;
    let last = having.iter().rposition(|has| *has)?;
    Some((first + 1, (last + 1 < VERSIONS.len()).then_some(last + 2)))
}

/// The stack commits a version as many milliseconds after the new year as its number.
fn version(number: usize) -> Value {
    json!({"version": number, "committedAt": format!("2026-01-01T00:00:00.00{number}Z")})
}

fn existed(lifetime: Option<(usize, Option<usize>)>) -> Value {
    match lifetime {
        None => Value::Null,
        Some((from, None)) => json!({"from": version(from)}),
        Some((from, Some(until))) => json!({"from": version(from), "until": version(until)}),
    }
}

#[tokio::test]
async fn a_404_says_from_when_to_when_the_id_existed() {
    let stack = stack().await;
    let (mut missing, mut before) = (0, 0);
    for number in 1..=VERSIONS.len() {
        for id in [10, 11, 12, 20, 30, 10_000, 7] {
            let lifetime = lifetime(|version| version.iter().any(|(_, terms)| terms.contains(&id)));
            let is_known = lifetime.is_some_and(|(from, _)| from <= number);
            for list in ["", "/children", "/descendants", "/ancestors", "/history"] {
                let target = format!("/v1/tenants/acme/terms/{id}{list}?version={number}");
                let got = stack.get(&target).await;
                if is_known {
                    assert_eq!(got.status, 200, "{target}");
                    continue;
                }
                assert_eq!(got.refused(), "404 term-not-found", "{target}");
                assert_eq!(got.body["existed"], existed(lifetime), "{target}");
                missing += 1;
                before += usize::from(lifetime.is_some());
            }
        }
        for id in [1, 2, 3, 7] {
            let lifetime = lifetime(|version| version.iter().any(|(category, _)| *category == id));
            let is_known = lifetime.is_some_and(|(from, _)| from <= number);
            for list in ["", "/terms"] {
                let target = format!("/v1/tenants/acme/categories/{id}{list}?version={number}");
                let got = stack.get(&target).await;
                if is_known {
                    assert_eq!(got.status, 200, "{target}");
                    continue;
                }
                assert_eq!(got.refused(), "404 category-not-found", "{target}");
                assert_eq!(got.body["existed"], existed(lifetime), "{target}");
                missing += 1;
                before += usize::from(lifetime.is_some());
            }
        }
    }
    assert!(before > 30 && missing > before, "{before} of {missing}");
}

#[tokio::test]
async fn the_detail_says_it_in_words() {
    let stack = stack().await;
    let detail = async |target: &str| {
        let got = stack.get(&format!("/v1/tenants/acme/{target}")).await;
        got.body["detail"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        detail("terms/30?version=1").await,
        "Version 1 has no term with this id; version 5 (2026-01-01T00:00:00.005Z) added it."
    );
    assert_eq!(
        detail("categories/2?version=1").await,
        "Version 1 has no category with this id; version 2 (2026-01-01T00:00:00.002Z) added it, and version 4 (2026-01-01T00:00:00.004Z) removed it."
    );
    for version in ["", "?version=1", "?version=5"] {
        assert_eq!(
            detail(&format!("terms/7{version}")).await,
            "No version of this taxonomy has had a term with this id."
        );
    }
}

/// What a problem says of the versions after a named one changes with them, so that no cache may keep it.
#[tokio::test]
async fn each_id_of_a_batch_has_its_own_lifetime_and_the_batch_no_tag() {
    let stack = stack().await;
    let got = stack
        .get("/v1/tenants/acme/terms?ids=30,10,7,10000,30&version=1")
        .await;
    assert_eq!(got.headers.get("etag"), None);
    assert_eq!(got.headers["taxonomy-version"], "1");
    let body = got.found();
    let existed_of = |place: usize| body["items"][place]["problem"]["existed"].clone();
    assert_eq!(existed_of(0), json!({"from": version(5)}));
    assert_eq!(body["items"][1]["status"], 200);
    assert_eq!(
        (existed_of(2), &body["items"][2]["status"]),
        (Value::Null, &json!(404))
    );
    assert_eq!(existed_of(3), json!({"from": version(2), "until": version(3)}));
    assert_eq!(existed_of(4), existed_of(0));
    let posted = stack
        .post(
            "/v1/tenants/acme/terms:batchGet?version=1",
            r#"{"ids":[30,10,7,10000,30]}"#,
        )
        .await;
    assert_eq!(posted.found(), body);
    for tagged in ["ids=10,11&version=1", "ids=10,7"] {
        let got = stack.get(&format!("/v1/tenants/acme/terms?{tagged}")).await;
        assert!(got.headers.contains_key("etag"), "{tagged}");
    }
}

/// The served version answers by itself; an older one by the file of the served version, which then is in memory.
#[tokio::test]
async fn a_lifetime_costs_one_file_at_most() {
    let stack = stack().await;
    stack.get("/v1/tenants/acme/terms/7").await;
    let first = stack.requests();
    assert_eq!(first.len(), 3, "the head, the item and the file: {first:#?}");
    stack.get("/v1/tenants/acme/terms/30?version=1").await;
    let other = stack.requests();
    assert_eq!(other.len(), 2, "the log and the file of version 1: {other:#?}");
    stack.get("/v1/tenants/acme/terms?ids=30,10000&version=1").await;
    assert_eq!(stack.requests(), [""; 0]);
}

/// Nothing is said of an id that the service could not look for.
#[tokio::test]
async fn a_lost_file_of_the_served_version_is_no_404() {
    let stack = stack().await;
    let key = stack.committed(ACME).await.index_key;
    stack.s3.delete(CHANGESETS_BUCKET, &key);
    let got = stack.get("/v1/tenants/acme/terms/30?version=1").await;
    assert_eq!(got.refused(), "503 archive-unavailable");
    let got = stack.get("/v1/tenants/acme/terms?ids=30,10&version=1").await;
    assert_eq!(got.headers["cache-control"], "no-store");
    let body = got.found();
    let statuses = [0, 1].map(|place| body["items"][place]["status"].clone());
    assert_eq!(statuses, [503, 200]);
}
