//! Tests of heads: their content, the number of reads, and responses before the first served version.

use serde_json::json;
use taxonomy_testkit::fixtures::{ACME, GLOBEX};

use crate::stack::{SMALL, Stack, smaller, taxonomy};

#[tokio::test]
async fn a_head_says_what_is_served() {
    let stack = Stack::empty(lookup::Auth::Iam);
    stack.publish(ACME, &[SMALL, &smaller()]).await;
    assert_eq!(
        stack.get("/v1/tenants/acme").await.found(),
        json!({
            "tenant": "acme", "version": 2, "committedAt": "2026-01-01T00:00:00.002Z",
            "provenance": {"release": "2026.1"},
            "defaultCulture": "en-GB", "fallbackChain": [], "cultures": ["en-GB", "fr-FR"],
            "totals": {"categories": 1, "terms": 1},
        })
    );
}

#[tokio::test]
async fn a_head_is_read_at_most_once_in_two_seconds_and_for_each_tenant_by_itself() {
    let stack = Stack::new().await;
    stack.publish(GLOBEX, &[SMALL]).await;
    let heads_read = || {
        let exchanges = stack.db.exchanges().all();
        exchanges
            .iter()
            .filter(|exchange| exchange.target.contains("HEAD"))
            .count()
    };
    stack.get("/v1/tenants/acme/terms/100").await.found();
    stack.wait_ms(1_999);
    stack.get("/v1/tenants/acme/terms/100?culture=fr").await.found();
    stack.get("/v1/tenants/acme").await.found();
    assert_eq!(heads_read(), 1);
    stack.get("/v1/tenants/globex/terms/100").await.found();
    assert_eq!(heads_read(), 2);
    stack.wait_ms(1);
    stack.get("/v1/tenants/acme/terms/100").await.found();
    stack.get("/v1/tenants/acme/terms/100").await.found();
    assert_eq!(heads_read(), 3);
}

#[tokio::test]
async fn a_new_version_is_seen_after_two_seconds() {
    let stack = Stack::empty(lookup::Auth::Iam);
    let first = stack.commit(ACME, None, &taxonomy(SMALL)).await;
    assert_eq!(stack.get("/v1/tenants/acme").await.found()["version"], 1);
    stack.commit(ACME, Some(&first), &taxonomy(&smaller())).await;
    assert_eq!(stack.get("/v1/tenants/acme").await.found()["version"], 1);
    stack.wait_ms(2_000);
    assert_eq!(stack.get("/v1/tenants/acme").await.found()["version"], 2);
}

#[tokio::test]
async fn a_tenant_that_is_not_there_is_remembered_too() {
    let stack = Stack::new().await;
    stack.requests();
    for _ in 0..3 {
        assert_eq!(
            stack.get("/v1/tenants/nobody/terms/1").await.refused(),
            "404 tenant-not-found"
        );
    }
    assert_eq!(
        stack.requests(),
        [
            "DynamoDB.Query taxonomy :from=CHANGESET#000000000001 :pk=TAXONOMY#nobody :to=HEAD -> 200, 0 items, 1 units"
        ]
    );
}
