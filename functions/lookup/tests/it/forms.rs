//! Compressed answers: which form is sent, under which tag, and who has it already.

use crate::stack::{BATCH, Stack};

/// Four terms with all they have are more than a kilobyte.
const LONG: &str = "terms?ids=100,101,102,0";
const SHORT: &str = "terms/0";

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
        ("identity", None),
        ("gzip;q=nonsense", None),
    ] {
        let got = stack.get_with(LONG, &accept(header)).await;
        let coding = got.headers.get("content-encoding").map(String::as_str);
        assert_eq!(coding, expect, "{header}");
        assert_eq!((got.status, &got.body), (200, &plain.body), "{header}");
        assert_eq!(got.headers["vary"], plain.headers["vary"]);
        assert_eq!(got.headers["content-type"], "application/json");
        let suffix = expect.map(|coding| format!("-{coding}")).unwrap_or_default();
        let tag = plain.headers["etag"].replace("-1\"", &format!("-1{suffix}\""));
        assert_eq!(got.headers["etag"], tag, "{header}");
    }
    let body = r#"{"ids":[100,101,102,0]}"#;
    let posted = stack.post_with(BATCH, &accept("gzip"), body).await;
    let description = stack.get_with("/v1/openapi.json", &accept("gzip")).await;
    for got in [&posted, &description] {
        assert_eq!(got.headers["content-encoding"], "gzip");
    }
    assert_eq!(posted.found(), plain.found());
    assert_eq!(description.found()["openapi"], "3.1.0");
}

#[tokio::test]
async fn a_short_answer_and_a_problem_stay_as_they_are() {
    let stack = Stack::new().await;
    for target in [SHORT, "terms/7", "/v1/health"] {
        let got = stack.get_with(target, &accept("br, gzip")).await;
        assert_eq!(got, stack.get(target).await, "{target}");
    }
    let refused = stack.get_with(SHORT, &accept("gzip, identity;q=0")).await;
    // Nothing else is accepted.
    assert_eq!(refused.headers["content-encoding"], "gzip");
}

#[tokio::test]
async fn who_has_any_form_that_it_accepts_is_told_so_by_the_head_alone() {
    let stack = Stack::new().await;
    let mut tags = Vec::new();
    for coding in ["identity", "gzip", "br"] {
        tags.push(stack.get_with(LONG, &accept(coding)).await.headers["etag"].clone());
    }
    stack.requests();
    let [identity, gzip, br] = &tags[..] else {
        panic!("{tags:?}")
    };
    let all = tags.join(", ");
    for (has, accepts, known) in [
        (identity, "gzip", Some(identity)),
        (gzip, "br, gzip", Some(gzip)),
        (br, "*", Some(br)),
        (&all, "br, gzip", Some(identity)),
        (&all, "br, identity;q=0", Some(br)),
        // A stored form that is not accepted is no use.
        (gzip, "identity", None),
        (br, "gzip", None),
        (gzip, "br", None),
        (identity, "gzip, identity;q=0", None),
    ] {
        let headers = [("accept-encoding", accepts), ("if-none-match", has)];
        let got = stack.get_with(LONG, &headers).await;
        assert_eq!(got.status == 304, known.is_some(), "{headers:?}");
        assert!(known.is_none_or(|tag| got.headers["etag"] == *tag), "{headers:?}");
        assert!(got.headers["vary"].contains("Accept-Encoding"));
    }
    let silent = stack.get_unless(LONG, &tags[2]).await;
    assert_eq!((silent.status, &silent.headers["etag"]), (304, &tags[2]));
    assert_eq!(stack.requests(), [""; 0]);
}
