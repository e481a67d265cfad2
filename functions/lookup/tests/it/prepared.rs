//! Responses that were sent before.

use lookup::Auth;
use serde_json::json;
use taxonomy_testkit::fixtures::ACME;

use crate::stack::{SMALL, Stack, smaller, token};

/// The headers that choose a form are part of the request, so every form of every target is sent twice, in turn.
#[tokio::test]
async fn it_is_the_response_that_would_be_made_again() {
    let (preparing, plain) = (Stack::new().await.preparing(), Stack::new().await);
    for _ in 0..3 {
        for target in [
            "",
            "terms/102",
            "terms/102?culture=fr",
            "terms/102?fields=finalName",
            "terms?ids=100,101,102,0",
            "categories?limit=1&culture=fr",
            "terms/100/children?limit=1",
            "terms/100/ancestors",
        ] {
            for headers in [
                &[][..],
                &[("accept-encoding", "gzip")],
                &[("accept-encoding", "br, gzip")],
                &[("accept-encoding", "")],
                &[("accept-language", "fr")],
                &[("accept-language", "de, fr;q=0.5"), ("accept-encoding", "gzip")],
            ] {
                for method in ["GET", "HEAD"] {
                    let got = preparing.ask(method, target, headers).await;
                    let expect = plain.ask(method, target, headers).await;
                    assert_eq!(got, expect, "{target} {headers:?}");
                    assert_eq!(got.status, 200, "{target} {headers:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_request_keeps_its_own_id_and_usage() {
    let stack = Stack::new().await.preparing();
    stack.found("terms/102").await;
    let mut event = stack.event_of("GET", "terms/102");
    event["requestContext"]["requestId"] = "r-2".into();
    event["headers"]["taxonomy-debug"] = "1".into();
    let own = stack.send(event).await;
    let next = stack.get("terms/102").await;
    for (got, id, is_counted) in [(own, "r-2", true), (next, "r-1", false)] {
        assert_eq!(got.headers["x-request-id"], id);
        assert_eq!(got.headers.contains_key("taxonomy-debug"), is_counted, "{got:?}");
    }
}

/// A caller is authorised before any response is looked for.
#[tokio::test]
async fn a_caller_without_the_right_gets_none() {
    let auth = Auth::Jwt {
        all_tenants_scope: None,
    };
    let mut stack = Stack::empty(auth).preparing();
    stack.publish(ACME, &[SMALL]).await;
    for (tenant, status) in [("acme", 200), ("globex", 404), ("acme", 200), ("globex", 404)] {
        stack.authorizer = token(&json!({ "tenants": tenant }));
        assert_eq!(stack.get("terms/102").await.status, status, "{tenant}");
    }
}

#[tokio::test]
async fn it_is_not_sent_under_another_version() {
    for is_written in [false, true] {
        let stack = Stack::new().await.preparing();
        let before = stack.get("terms/102").await;
        assert_eq!(stack.get("terms/102").await, before);
        assert_eq!(before.found()["removed"], false);
        match is_written {
            true => stack.replace(ACME, &smaller()).await,
            false => stack.commit(&smaller()).await,
        }
        stack.world.pass(2);
        for _ in 0..2 {
            let after = stack.get("terms/102").await;
            assert!(after.headers["etag"].starts_with("\"2-"), "{after:?}");
            let after = after.found();
            assert_eq!((&after["version"], &after["removed"]), (&2.into(), &true.into()));
        }
    }
}
