//! Tests of authorisation, and of unusual paths.

use lookup::Auth;
use serde_json::{Value, json};
use taxonomy_testkit::fixtures::{ACME, GLOBEX};

use crate::stack::{SMALL, Stack};

const TENANT_ROUTES: [&str; 6] = [
    "",
    "/terms/100",
    "/terms/100/children",
    "/terms?ids=100",
    "/categories",
    "/categories/1",
];

#[tokio::test]
async fn without_the_context_of_an_authorizer_nothing_is_read() {
    for (auth, challenge) in [
        (Auth::Iam, "AWS4-HMAC-SHA256"),
        (
            Auth::Jwt {
                all_tenants_scope: Some("all".to_owned()),
            },
            "Bearer",
        ),
    ] {
        let mut stack = Stack::empty(auth);
        stack.publish(ACME, &[SMALL]).await;
        for authorizer in [
            Value::Null,
            json!({}),
            json!({"lambda": {"tenant": "acme"}}),
            json!([1]),
        ] {
            stack.authorizer = authorizer;
            for path in TENANT_ROUTES {
                let got = stack.get(&format!("/v1/tenants/acme{path}")).await;
                assert_eq!(got.refused(), "401 not-authenticated", "{path}");
                assert_eq!(got.headers["www-authenticate"], challenge);
            }
            let got = stack
                .post("/v1/tenants/acme/terms:batchGet", r#"{"ids":[1]}"#)
                .await;
            assert_eq!(got.refused(), "401 not-authenticated");
        }
        assert_eq!(stack.requests(), [""; 0]);
    }
}

#[tokio::test]
async fn a_tenant_of_others_and_no_tenant_are_the_same_answer() {
    let mut stack = Stack::empty(Auth::Jwt {
        all_tenants_scope: None,
    });
    stack.publish(ACME, &[SMALL]).await;
    stack.publish(GLOBEX, &[SMALL]).await;
    stack.authorizer = json!({"jwt": {"claims": {"tenants": "[acme initech]"}, "scopes": null}});
    for path in TENANT_ROUTES {
        let own = stack.get(&format!("/v1/tenants/acme{path}")).await;
        let of_others = stack.get(&format!("/v1/tenants/globex{path}")).await;
        let of_nobody = stack.get(&format!("/v1/tenants/nobody{path}")).await;
        let allowed_but_missing = stack.get(&format!("/v1/tenants/initech{path}")).await;
        assert_eq!(own.status, 200, "{path}");
        assert_eq!(of_others.refused(), "404 tenant-not-found", "{path}");
        assert_eq!(of_others, of_nobody, "{path}");
        assert_eq!(of_others, allowed_but_missing, "{path}");
    }
    assert!(stack.requests().iter().all(|line| !line.contains("globex")));
}

#[tokio::test]
async fn an_unknown_route_and_another_method_are_problems() {
    let stack = Stack::new().await;
    assert_eq!(
        stack.get("/v2/tenants/acme").await.refused(),
        "404 route-not-found"
    );
    let got = stack.post("/v1/tenants/acme/terms", "{}").await;
    assert_eq!(got.refused(), "405 method-not-allowed");
    assert_eq!(got.headers["allow"], "GET, HEAD");
    let got = stack.get("/v1/tenants/acme/terms:batchGet").await;
    assert_eq!(
        (got.refused().as_str(), got.headers["allow"].as_str()),
        ("405 method-not-allowed", "POST")
    );
}

#[tokio::test]
async fn on_ones_own_machine_nothing_is_asked_for() {
    let mut stack = Stack::empty(Auth::None);
    stack.publish(ACME, &[SMALL]).await;
    stack.authorizer = Value::Null;
    stack.get("/v1/tenants/acme/terms/100").await.found();
}
