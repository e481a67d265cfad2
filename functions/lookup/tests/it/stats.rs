//! Tests of aggregates.

use serde_json::json;
use taxonomy_keys::{CategoryId, Month, TenantId, Version};
use taxonomy_model::stats::{Activity, CategoryStats, TenantStats};
use taxonomy_model::{Census, Changes, Counts};
use taxonomy_store::Aggregates;
use taxonomy_testkit::fixtures::{ACME, GLOBEX};

use crate::stack::{SMALL, Stack, taxonomy};

/// [`SMALL`] counted as version 1, as the aggregator does it; and a second version that took category 2 away.
async fn counted() -> Stack {
    let stack = Stack::new().await;
    let aggregates = Aggregates::new(stack.table());
    let tenant: TenantId = ACME.parse().unwrap();
    let Census { totals, categories } = Census::new(&taxonomy(SMALL));
    let (first, second) = (Version::FIRST, Version::FIRST.next());
    for category in categories {
        let (version, counts) = match category.id {
            2 => (second, Counts::default()),
            _ => (first, category.counts),
        };
        let stats = CategoryStats {
            id: CategoryId::new(category.id).unwrap(),
            counts,
            changed_at: 1_767_225_600_000,
            removed: category.id == 2,
        };
        assert!(aggregates.put_category(&tenant, version, &stats).await.unwrap());
    }
    let changes = Changes {
        added: 4,
        final_names: 2,
        ..Changes::default()
    };
    for (version, month) in [(first, (2025, 12)), (second, (2026, 1))] {
        let month = Month::new(month.0, month.1).unwrap();
        let counted = aggregates
            .count(&tenant, version, month, Activity::new(changes))
            .await;
        assert!(counted.unwrap());
    }
    let stats = TenantStats {
        counts: totals,
        changed_at: 1_767_225_600_000,
        added: 4,
        changed: 0,
        removed: 0,
    };
    aggregates.put_tenant(&tenant, second, &stats).await.unwrap();
    stack.db.exchanges().clear();
    stack
}

#[tokio::test]
async fn a_tenants_counts_and_its_months_are_one_query() {
    let stack = counted().await;
    let month = |month: &str, version: u64| {
        json!({"month": month, "version": version, "versions": 1, "added": 4, "changed": 0, "removed": 0, "renamed": 0, "moved": 0,
        "deprecated": 0, "restored": 0, "finalNames": 2})
    };
    assert_eq!(
        stack.get("/v1/tenants/acme/stats").await.found(),
        json!({
            "tenant": "acme", "version": 2, "changedAt": "2026-01-01T00:00:00Z", "categories": 2,
            "counts": {"terms": 4, "leaves": 2, "deprecated": 1, "depths": [2, 1, 1], "names": {"de-DE": 1, "en-GB": 4, "fr-FR": 2}},
            "added": 4, "changed": 0, "removed": 0, "months": [month("2025-12", 1), month("2026-01", 2)],
        })
    );
    assert_eq!(
        stack.requests()[1..],
        ["DynamoDB.Query taxonomy :from=MONTH :pk=STATS#acme :to=TENANT -> 200, 3 items, 0.5 units"]
    );
}

#[tokio::test]
async fn a_categorys_counts_are_one_get_and_say_their_version() {
    let stack = counted().await;
    assert_eq!(
        stack.get("/v1/tenants/acme/categories/1/stats").await.found(),
        json!({
            "tenant": "acme", "version": 1, "changedAt": "2026-01-01T00:00:00Z", "id": 1, "removed": false,
            "counts": {"terms": 3, "leaves": 1, "deprecated": 1, "depths": [1, 1, 1], "names": {"en-GB": 3, "fr-FR": 2}},
        })
    );
    assert_eq!(
        stack.requests()[1..],
        ["DynamoDB.GetItem taxonomy STATS#acme CATEGORY#1 -> 200, 1 item, 0.5 units"]
    );
    let gone = stack.get("/v1/tenants/acme/categories/2/stats").await.found();
    assert_eq!(
        (
            &gone["version"],
            &gone["removed"],
            &gone["counts"]["terms"],
            &gone["counts"]["names"]
        ),
        (&json!(2), &json!(true), &json!(0), &json!({}))
    );
}

#[tokio::test]
async fn they_carry_no_tag_and_depend_on_who_asks() {
    let stack = counted().await;
    for path in ["/v1/tenants/acme/stats", "/v1/tenants/acme/categories/1/stats"] {
        let got = stack.get(path).await;
        assert_eq!(got.headers["cache-control"], "no-cache");
        assert_eq!(got.headers["vary"], "Authorization, Accept-Encoding");
        assert!(!got.headers.contains_key("etag"), "{path}");
    }
}

#[tokio::test]
async fn what_is_not_counted_is_a_problem() {
    let stack = Stack::new().await;
    stack.publish(GLOBEX, &[SMALL]).await;
    for (path, refused) in [
        ("/v1/tenants/acme/stats", "404 stats-not-found"),
        ("/v1/tenants/acme/categories/1/stats", "404 stats-not-found"),
        ("/v1/tenants/initech/stats", "404 tenant-not-found"),
        ("/v1/tenants/acme/categories/x/stats", "400 invalid-id /path/id"),
    ] {
        assert_eq!(stack.get(path).await.refused(), refused, "{path}");
    }
}
