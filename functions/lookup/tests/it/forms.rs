//! Compressed answers: which form is sent, under which tag, and who has it already.

use serde_json::json;

use crate::stack::Stack;

/// Four terms with all they have are more than a kilobyte.
const LONG: &str = "/v1/tenants/acme/terms?ids=100,101,102,0";
const SHORT: &str = "/v1/tenants/acme/terms/0";

fn accept(coding: &str) -> [(&str, &str); 1] {
    [("accept-encoding", coding)]
}

#[tokio::test]
async fn a_long_answer_is_compressed_as_the_request_accepts_it() {
    let stack = Stack::new().await;
    let plain = stack.get(LONG).await;
    assert!(!plain.headers.contains_key("content-encoding"));
    for (header, expect) in [
        ("gzip", Some("gzip")),
        ("gzip, deflate, br, zstd", Some("br")),
        ("br;q=0.5,gzip;q=0.8", Some("gzip")),
        ("*", Some("br")),
        ("identity;q=0, gzip", Some("gzip")),
        ("identity", None),
        ("deflate", None),
        ("gzip;q=0", None),
        ("identity;q=0", None),
        ("gzip;q=nonsense", None),
    ] {
        let got = stack.get_with(LONG, &accept(header)).await;
        assert_eq!(
            got.headers.get("content-encoding").map(String::as_str),
            expect,
            "{header}"
        );
        assert_eq!((got.status, &got.body), (200, &plain.body), "{header}");
        assert_eq!(got.headers["vary"], plain.headers["vary"]);
        assert!(got.headers["vary"].contains("Accept-Encoding"));
        assert_eq!(got.headers["content-type"], "application/json");
        let suffix = expect.map(|coding| format!("-{coding}")).unwrap_or_default();
        let tag = plain.headers["etag"].replace("-1\"", &format!("-1{suffix}\""));
        assert_eq!(got.headers["etag"], tag, "{header}");
    }
}

#[tokio::test]
async fn a_short_answer_and_a_problem_stay_as_they_are() {
    let stack = Stack::new().await;
    for target in [SHORT, "/v1/tenants/acme/terms/7", "/v1/health"] {
        let plain = stack.get(target).await;
        assert_eq!(
            stack.get_with(target, &accept("br, gzip")).await,
            plain,
            "{target}"
        );
    }
    let refused = stack.get_with(SHORT, &accept("gzip, identity;q=0")).await;
    assert_eq!(
        refused.headers["content-encoding"], "gzip",
        "where nothing else is accepted"
    );
}

#[tokio::test]
async fn what_is_posted_and_the_description_are_compressed_as_well() {
    let stack = Stack::new().await;
    let got = stack.get_with("/v1/openapi.json", &accept("gzip")).await;
    assert_eq!(got.headers["content-encoding"], "gzip");
    assert_eq!(got.found()["openapi"], "3.1.0");
    let body = r#"{"ids":[100,101,102,0]}"#;
    let mut event = stack.event_of("POST", "/v1/tenants/acme/terms:batchGet", None, Some(body));
    event["headers"]["accept-encoding"] = json!("gzip");
    let got = stack.send(event).await;
    assert_eq!(got.headers["content-encoding"], "gzip");
    assert_eq!(got.found(), stack.get(LONG).await.found());
}

#[tokio::test]
async fn who_has_any_form_that_it_accepts_is_told_so_by_the_head_alone() {
    let stack = Stack::new().await;
    let mut tags = Vec::new();
    for coding in ["identity", "gzip", "br"] {
        tags.push(stack.get_with(LONG, &accept(coding)).await.headers["etag"].clone());
    }
    stack.requests();
    for (has, accepts, expect) in [
        (0, "gzip", 304),
        (1, "gzip", 304),
        (1, "br, gzip", 304),
        (2, "br, gzip", 304),
        (2, "*", 304),
    ] {
        let headers = [("accept-encoding", accepts), ("if-none-match", &*tags[has])];
        let got = stack.get_with(LONG, &headers).await;
        assert_eq!(
            (got.status, &got.headers["etag"]),
            (expect, &tags[has]),
            "{headers:?}"
        );
        assert!(!got.headers.contains_key("content-encoding"));
        assert!(got.headers["vary"].contains("Accept-Encoding"));
    }
    let silent = stack.get_unless(LONG, &tags[2]).await;
    assert_eq!((silent.status, &silent.headers["etag"]), (304, &tags[2]));
    assert_eq!(stack.requests(), [""; 0]);
    for (has, accepts) in [(1, "identity"), (2, "gzip"), (0, "gzip, identity;q=0")] {
        let headers = [("accept-encoding", accepts), ("if-none-match", &*tags[has])];
        let got = stack.get_with(LONG, &headers).await;
        assert_eq!(
            got.status, 200,
            "a stored form that is not accepted is no use: {headers:?}"
        );
    }
}
