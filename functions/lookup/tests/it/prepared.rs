//! Responses that were sent before.

use lookup::Auth;
use taxonomy_testkit::fixtures::{ACME, NEW_YEAR_MS};

use crate::stack::{SMALL, Stack, smaller};

const TARGETS: [&str; 8] = [
    "",
    "/terms/102",
    "/terms/102?culture=fr",
    "/terms/102?fields=finalName",
    "/terms?ids=100,101,102,0",
    "/categories?limit=1&culture=fr",
    "/terms/100/children?limit=1",
    "/terms/100/ancestors",
];

fn path(target: &str) -> String {
    format!("/v1/tenants/acme{target}")
}

async fn stacks() -> [Stack; 2] {
    [Stack::new().await.preparing(), Stack::new().await]
}

/// The headers that choose a form are part of the request, so every form of every target is sent twice, in turn.
#[tokio::test]
async fn it_is_the_response_that_would_be_made_again() {
    let [preparing, plain] = stacks().await;
    let mut compared = 0;
    for _ in 0..3 {
        for target in TARGETS.map(path) {
            for headers in [
                &[][..],
                &[("accept-encoding", "gzip")],
                &[("accept-encoding", "br, gzip")],
                &[("accept-encoding", "")],
                &[("accept-language", "fr")],
                &[("accept-language", "de, fr;q=0.5"), ("accept-encoding", "gzip")],
            ] {
                let got = preparing.get_with(&target, headers).await;
                assert_eq!(
                    got,
                    plain.get_with(&target, headers).await,
                    "{target} {headers:?}"
                );
                assert_eq!(got.status, 200, "{target} {headers:?}");
                compared += 1;
            }
            let head = |stack: &Stack| stack.event_of("HEAD", &target, None, None);
            assert_eq!(
                preparing.send(head(&preparing)).await,
                plain.send(head(&plain)).await,
                "{target}"
            );
        }
    }
    assert_eq!(compared, 3 * 8 * 6);
}

#[tokio::test]
async fn a_request_keeps_its_own_id_and_usage() {
    let stack = Stack::new().await.preparing();
    let target = path("/terms/102");
    stack.get(&target).await;
    let mut event = stack.event_of("GET", &target, None, None);
    event["requestContext"]["requestId"] = "r-2".into();
    event["headers"]["taxonomy-debug"] = "1".into();
    let got = stack.send(event).await;
    assert_eq!(got.headers["x-request-id"], "r-2");
    assert!(got.headers.contains_key("taxonomy-debug"), "{got:?}");
    let next = stack.get(&target).await;
    assert_eq!(next.headers["x-request-id"], "r-1");
    assert!(!next.headers.contains_key("taxonomy-debug"), "{next:?}");
}

/// A caller is authorised before any response is looked for.
#[tokio::test]
async fn a_caller_without_the_right_gets_none() {
    let mut stack = Stack::empty(Auth::Jwt {
        all_tenants_scope: None,
    })
    .preparing();
    stack.publish(ACME, &[SMALL]).await;
    let claims = |tenant: &str| serde_json::json!({"jwt": {"claims": {"tenants": tenant}, "scopes": null}});
    for (tenant, status) in [("acme", 200), ("globex", 404), ("acme", 200), ("globex", 404)] {
        stack.authorizer = claims(tenant);
        assert_eq!(stack.get(&path("/terms/102")).await.status, status, "{tenant}");
    }
}

#[tokio::test]
async fn it_is_not_sent_under_another_version() {
    let stack = Stack::new().await.preparing();
    let target = path("/terms/102");
    let before = stack.get(&target).await;
    assert_eq!(stack.get(&target).await, before);
    let head = stack.committed(ACME).await;
    stack
        .commit(ACME, Some(&head), &crate::stack::taxonomy(&smaller()))
        .await;
    stack.wait_ms(2_000);
    let between = stack.get(&target).await;
    assert!(
        between.headers["etag"].starts_with("\"2-"),
        "{:?}",
        between.headers
    );
    assert_eq!(between.found()["removed"], true, "its items are not written yet");

    let stack = Stack::new().await.preparing();
    assert_eq!(stack.get(&target).await.found()["removed"], false);
    let head = stack.committed(ACME).await;
    stack.go_on(ACME, &head, SMALL, &smaller(), NEW_YEAR_MS).await;
    stack.wait_ms(2_000);
    for _ in 0..2 {
        let after = stack.get(&target).await.found();
        assert_eq!((&after["version"], &after["removed"]), (&2.into(), &true.into()));
    }
}
