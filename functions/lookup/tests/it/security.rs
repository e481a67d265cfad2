//! Tests of authorisation over the whole function.

use lookup::Auth;
use serde_json::{Value, json};
use taxonomy_testkit::fixtures::{ACME, GLOBEX};

use crate::gateway::event;
use crate::stack::{BATCH, SMALL, Stack, signed, token};

/// Below a tenant.
const ROUTES: [&str; 6] = [
    "",
    "/terms/100",
    "/terms/100/children",
    "/terms?ids=100",
    "/categories",
    "/categories/1",
];

async fn stack(auth: Auth, tenants: &[&str]) -> Stack {
    let stack = Stack::empty(auth);
    for tenant in tenants {
        stack.publish(tenant, &[SMALL]).await;
    }
    stack
}

fn jwt(all_tenants_scope: Option<&str>) -> Auth {
    Auth::Jwt {
        all_tenants_scope: all_tenants_scope.map(str::to_owned),
    }
}

#[tokio::test]
async fn without_the_context_of_an_authorizer_nothing_is_read() {
    let by_jwt = (jwt(Some("all")), "Bearer");
    for (auth, challenge) in [(Auth::Iam, "AWS4-HMAC-SHA256"), by_jwt] {
        let mut stack = stack(auth, &[ACME]).await;
        let foreign = json!({"lambda": {"tenant": "acme"}});
        for authorizer in [Value::Null, json!({}), foreign, json!([1])] {
            stack.authorizer = authorizer;
            for path in ROUTES {
                let got = stack.get(&format!("/v1/tenants/acme{path}")).await;
                assert_eq!(got.refused(), "401 not-authenticated", "{path}");
                assert_eq!(got.headers["www-authenticate"], challenge);
            }
            let got = stack.post(BATCH, r#"{"ids":[1]}"#).await;
            assert_eq!(got.refused(), "401 not-authenticated");
        }
        assert_eq!(stack.requests(), [""; 0]);
    }
    let mut local = stack(Auth::None, &[ACME]).await;
    local.authorizer = Value::Null;
    local.found("terms/100").await;
}

#[tokio::test]
async fn a_tenant_of_others_and_no_tenant_are_the_same_answer() {
    let mut stack = stack(jwt(None), &[ACME, GLOBEX]).await;
    stack.authorizer = token(&json!({"tenants": "[acme initech]"}));
    for path in ROUTES {
        let of = async |tenant: &str| stack.get(&format!("/v1/tenants/{tenant}{path}")).await;
        assert_eq!(of(ACME).await.status, 200, "{path}");
        let of_others = of(GLOBEX).await;
        assert_eq!(of_others.refused(), "404 tenant-not-found", "{path}");
        // Of nobody, and allowed but missing.
        for other in ["nobody", "initech"] {
            assert_eq!(of(other).await, of_others, "{path}");
        }
    }
    assert!(stack.requests().iter().all(|line| !line.contains("globex")));
}

const TENANTS: [&str; 5] = ["acme", "acme2", "globex", "initech", "umbrella"];

/// The tenants of all pages.
async fn listed(stack: &Stack, limit: usize) -> Vec<Value> {
    let pages = stack.pages(&format!("/v1/tenants?limit={limit}")).await;
    assert!(pages.iter().all(|page| page.len() <= limit));
    pages.concat()
}

#[tokio::test]
async fn a_caller_is_listed_the_tenants_that_it_may_read() {
    let everybody = stack(Auth::Iam, &TENANTS).await;
    for limit in [1, 2, 5, 100] {
        assert_eq!(listed(&everybody, limit).await, TENANTS, "{limit}");
    }
    let got = everybody.get("/v1/tenants?limit=1").await;
    let cursor = got.body["nextCursor"].as_str().unwrap();
    let link = format!("<?limit=1&cursor={cursor}>; rel=\"next\"");
    assert_eq!((got.is_tagged(), &got.headers["link"]), (false, &link));
    let mut stack = stack(jwt(Some("taxonomy:all")), &TENANTS).await;
    let many = "[umbrella acme nobody globex acme]";
    for (claims, expected) in [
        (json!({"tenants": "globex"}), &["globex"][..]),
        (json!({"tenants": many}), &["acme", "globex", "umbrella"]),
        (json!({"tenants": "not/a/tenant,acme2"}), &["acme2"]),
        (json!({"tenants": ""}), &[]),
        (json!({"sub": "x"}), &[]),
        (json!({"tenants": "acme", "scope": "x taxonomy:all"}), &TENANTS),
    ] {
        stack.authorizer = token(&claims);
        for limit in [1, 2, 100] {
            assert_eq!(listed(&stack, limit).await, expected, "{claims} {limit}");
        }
    }
    // A token's tenants are read by one request, and shown as those of everybody are.
    let all = stack.found("/v1/tenants").await;
    assert_eq!(all["items"][0]["newest"]["version"], 1);
    stack.authorizer = token(&json!({"tenants": TENANTS.join(" ")}));
    stack.costs();
    assert_eq!(stack.found("/v1/tenants").await, all);
    stack.found("/v1/tenants?limit=3").await;
    let costs = stack.costs();
    let is_batch = |cost: &String| cost.starts_with("BatchGetItem");
    assert!(costs.len() == 2 && costs.iter().all(is_batch), "{costs:?}");
}

#[tokio::test]
async fn without_authentication_and_by_another_route_no_tenant_is_listed() {
    let mut stack = stack(Auth::Iam, &[ACME]).await;
    stack.authorizer = Value::Null;
    assert_eq!(stack.refused("/v1/tenants").await, "401 not-authenticated");
    let path = "/v1/tenants";
    for key in [
        // sent as /v1/tenants%2Facme%2F.., authorised as a tenant
        "GET /v1/tenants/{tenant}",
        "$default",
        "HEAD /v1/tenants",
    ] {
        let got = stack.send(event("GET", path, "", key, &signed())).await;
        assert_eq!(got.refused(), "404 route-not-found", "{key}");
    }
    let mut odd = event("GET", path, "", "GET /v1/tenants", &signed());
    odd["pathParameters"] = json!({"tenant": "acme"});
    assert_eq!(stack.send(odd).await.refused(), "404 route-not-found");
}
