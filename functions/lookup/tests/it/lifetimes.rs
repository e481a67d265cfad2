//! An id that a version lacks: from when to when it existed, against a plain reading of the files.

use serde_json::{Value, json};
use taxonomy_testkit::fixtures::CHANGESETS_BUCKET;

use crate::stack::{BATCH, Stack};

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
    Stack::of(&VERSIONS.map(file).each_ref().map(String::as_str)).await
}

/// The first version that has the id, and the one that removed it, if the last one lacks it.
fn lifetime(has: impl Fn(&[(u64, &[u64])]) -> bool) -> Option<(usize, Option<usize>)> {
    let having: Vec<bool> = VERSIONS.iter().map(|version| has(version)).collect();
    let first = having.iter().position(|has| *has)?;
    let last = having.iter().rposition(|has| *has)?;
    Some((first + 1, (last + 1 < VERSIONS.len()).then_some(last + 2)))
}

/// The stack commits a version a minute after the one before.
fn version(number: usize) -> Value {
    json!({"version": number, "committedAt": format!("2026-01-01T00:0{}:00Z", number - 1)})
}

fn existed(lifetime: Option<(usize, Option<usize>)>) -> Value {
    match lifetime {
        None => Value::Null,
        Some((from, None)) => json!({"from": version(from)}),
        Some((from, Some(until))) => json!({"from": version(from), "until": version(until)}),
    }
}

/// The categories of a version, or the terms.
fn has(version: &[(u64, &[u64])], kind: &str, id: u64) -> bool {
    let mut nodes = version.iter();
    nodes.any(|(category, terms)| match kind {
        "categories" => *category == id,
        _ => terms.contains(&id),
    })
}

#[tokio::test]
async fn a_404_says_from_when_to_when_the_id_existed() {
    let stack = stack().await;
    let (mut missing, mut before) = (0, 0);
    let terms = ["", "/children", "/descendants", "/ancestors", "/history"];
    for (kind, ids, lists, problem) in [
        (
            "terms",
            &[10, 11, 12, 20, 30, 10_000, 7][..],
            &terms[..],
            "404 term-not-found",
        ),
        (
            "categories",
            &[1, 2, 3, 7],
            &["", "/terms"],
            "404 category-not-found",
        ),
    ] {
        for (number, id) in (1..=VERSIONS.len()).flat_map(|number| ids.iter().map(move |id| (number, *id))) {
            let lifetime = lifetime(|version| has(version, kind, id));
            let is_known = lifetime.is_some_and(|(from, _)| from <= number);
            for list in lists {
                let target = format!("{kind}/{id}{list}?version={number}");
                let got = stack.get(&target).await;
                if is_known {
                    assert_eq!(got.status, 200, "{target}");
                    continue;
                }
                assert_eq!(got.refused(), problem, "{target}");
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
    let never = "No version of this taxonomy has had a term with this id.";
    for (target, detail) in [
        (
            "terms/30?version=1",
            "Version 1 has no term with this id; version 5 (2026-01-01T00:04:00Z) added it.",
        ),
        (
            "categories/2?version=1",
            "Version 1 has no category with this id; version 2 (2026-01-01T00:01:00Z) added it, and version 4 (2026-01-01T00:03:00Z) removed it.",
        ),
        ("terms/7", never),
        ("terms/7?version=1", never),
        ("terms/7?version=5", never),
    ] {
        assert_eq!(stack.get(target).await.body["detail"], detail, "{target}");
    }
}

/// What a problem says of the versions after a named one changes with them, so that no cache may keep it.
#[tokio::test]
async fn each_id_of_a_batch_has_its_own_lifetime_and_the_batch_no_tag() {
    let stack = stack().await;
    let got = stack.get("terms?ids=30,10,7,10000,30&version=1").await;
    assert!(!got.is_tagged());
    assert_eq!(got.headers["taxonomy-version"], "1");
    let body = got.found();
    let statuses = [0, 1, 2].map(|place| body["items"][place]["status"].clone());
    assert_eq!(statuses, [404, 200, 404]);
    let existed_of = [0, 2, 3, 4].map(|place| body["items"][place]["problem"]["existed"].clone());
    let latest = json!({"from": version(5)});
    let gone = json!({"from": version(2), "until": version(3)});
    assert_eq!(existed_of, [latest.clone(), Value::Null, gone, latest]);
    let posted = format!("{BATCH}?version=1");
    let posted = stack.post(&posted, r#"{"ids":[30,10,7,10000,30]}"#).await;
    assert_eq!(posted.found(), body);
    for tagged in ["terms?ids=10,11&version=1", "terms?ids=10,7"] {
        assert!(stack.get(tagged).await.is_tagged(), "{tagged}");
    }
}

/// The served version answers by itself; an older one by the file of the served version, which then is in memory.
#[tokio::test]
async fn a_lifetime_costs_one_file_at_most() {
    let stack = stack().await;
    stack.get("terms/7").await;
    assert_eq!(stack.costs(), ["Head 1", "GetItem 0.5", "GetObject"]);
    stack.get("terms/30?version=1").await;
    let other = stack.requests();
    assert_eq!(other.len(), 2, "the log and the file of version 1: {other:#?}");
    stack.get("terms?ids=30,10000&version=1").await;
    assert_eq!(stack.requests(), [""; 0]);
}

/// Nothing is said of an id that the service could not look for.
#[tokio::test]
async fn a_lost_file_of_the_served_version_is_no_404() {
    let stack = stack().await;
    let key = stack.committed().await.index_key;
    stack.world.s3.delete(CHANGESETS_BUCKET, &key);
    let refused = stack.refused("terms/30?version=1").await;
    assert_eq!(refused, "503 archive-unavailable");
    let got = stack.get("terms?ids=30,10&version=1").await;
    assert_eq!(got.headers["cache-control"], "no-store");
    let body = got.found();
    let statuses = [0, 1].map(|place| body["items"][place]["status"].clone());
    assert_eq!(statuses, [503, 200]);
}
