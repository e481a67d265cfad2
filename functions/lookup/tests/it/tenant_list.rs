//! The tenants that a caller may read: all, or those that its token names.

use lookup::Auth;
use serde_json::{Value, json};

use crate::gateway::event;
use crate::stack::{SMALL, Stack, signed};

const TENANTS: [&str; 5] = ["acme", "acme2", "globex", "initech", "umbrella"];

async fn stack(auth: Auth) -> Stack {
    let stack = Stack::empty(auth);
    for tenant in TENANTS {
        stack.publish(tenant, &[SMALL]).await;
    }
    stack
}

fn jwt() -> Auth {
    Auth::Jwt {
        all_tenants_scope: Some("taxonomy:all".to_owned()),
    }
}

fn token(claims: &Value) -> Value {
    json!({"jwt": {"claims": claims, "scopes": null}})
}

/// The tenants of all pages.
async fn listed(stack: &Stack, limit: usize) -> Vec<String> {
    let (mut all, mut target) = (Vec::new(), format!("/v1/tenants?limit={limit}"));
    for _ in 0..20 {
        let page = stack.get(&target).await.found();
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= limit);
        all.extend(items.iter().map(|item| item["id"].as_str().unwrap().to_owned()));
        match page["nextCursor"].as_str() {
            None => return all,
            Some(cursor) => target = format!("/v1/tenants?limit={limit}&cursor={cursor}"),
        }
    }
    unreachable!("the list does not end")
}

#[tokio::test]
async fn a_caller_who_may_read_all_tenants_gets_all() {
    let stack = stack(Auth::Iam).await;
    for limit in [1, 2, 5, 100] {
        assert_eq!(listed(&stack, limit).await, TENANTS, "{limit}");
    }
    let got = stack.get("/v1/tenants").await;
    assert_eq!(got.headers.get("etag"), None);
}

#[tokio::test]
async fn a_token_gets_its_own_tenants_alone() {
    let mut stack = stack(jwt()).await;
    for (claims, expected) in [
        (json!({"tenants": "globex"}), &["globex"][..]),
        (
            json!({"tenants": "[umbrella acme nobody globex acme]"}),
            &["acme", "globex", "umbrella"],
        ),
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
}

#[tokio::test]
async fn without_authentication_and_by_another_route_nothing_is_listed() {
    let mut stack = stack(Auth::Iam).await;
    stack.authorizer = Value::Null;
    assert_eq!(stack.get("/v1/tenants").await.refused(), "401 not-authenticated");
    for (path, key) in [
        // sent as /v1/tenants%2Facme%2F.., authorised as a tenant
        ("/v1/tenants", "GET /v1/tenants/{tenant}"),
        ("/v1/tenants", "$default"),
        ("/v1/tenants", "HEAD /v1/tenants"),
    ] {
        let got = stack.send(event("GET", path, "", key, &signed())).await;
        assert_eq!(got.refused(), "404 route-not-found", "{key}");
    }
    let mut odd = event("GET", "/v1/tenants", "", "GET /v1/tenants", &signed());
    odd["pathParameters"] = json!({"tenant": "acme"});
    assert_eq!(stack.send(odd).await.refused(), "404 route-not-found");
}

#[tokio::test]
async fn a_cursor_of_another_list_is_refused() {
    let stack = stack(Auth::Iam).await;
    let page = stack.get("/v1/tenants/acme/categories?limit=1").await.found();
    let cursor = page["nextCursor"].as_str().unwrap();
    for cursor in [cursor, "x", &cursor[1..]] {
        let got = stack.get(&format!("/v1/tenants?cursor={cursor}")).await;
        assert_eq!(got.refused(), "400 invalid-parameter /query/cursor", "{cursor}");
    }
    let own = stack.get("/v1/tenants?limit=1").await;
    assert_eq!(
        own.headers["link"],
        format!(
            "<?limit=1&cursor={}>; rel=\"next\"",
            own.body["nextCursor"].as_str().unwrap()
        )
    );
}

/// A token's tenants are read by one request, and shown as those of everybody are.
#[tokio::test]
async fn the_tenants_of_a_token_are_one_request() {
    let mut stack = stack(jwt()).await;
    stack.authorizer = token(&json!({"tenants": "acme", "scope": "taxonomy:all"}));
    let all = stack.get("/v1/tenants").await.found();
    assert_eq!(all["items"][0]["newest"]["version"], 1);
    stack.authorizer = token(&json!({"tenants": TENANTS.join(" ")}));
    let got = stack.get("/v1/tenants").await.found();
    assert_eq!(got, all);
    let asked = stack.db.exchanges();
    asked.clear();
    stack.get("/v1/tenants?limit=3").await.found();
    assert_eq!(
        (asked.len(), asked.count("BatchGetItem")),
        (1, 1),
        "{:?}",
        asked.lines()
    );
}
