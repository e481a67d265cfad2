//! The IAM policies that docs/operations.md gives to callers: each allows exactly one tenant, whatever a path looks like.

use lookup::routes::ROUTES;
use serde_json::Value;
use taxonomy_testkit::fixtures::{ACME, GLOBEX};
use taxonomy_testkit::iam::matches;

use crate::gateway::{Form, Gateway};
use crate::stack::{SMALL, Stack, signed};

const OPERATIONS: &str = include_str!("../../../../docs/operations.md");

/// The resources of the documented policy, for a tenant of the stack behind [`Gateway`].
fn documented(tenant: &str) -> Vec<String> {
    let (_, section) = OPERATIONS.split_once("**Who may call**").unwrap();
    let (_, block) = section.split_once("```json").unwrap();
    let policy: Value = serde_json::from_str(block.split("```").next().unwrap()).unwrap();
    let statements = policy["Statement"].as_array().unwrap();
    assert_eq!(statements.len(), 1);
    let statement = &statements[0];
    assert_eq!(statement["Effect"], "Allow");
    assert_eq!(statement["Action"], "execute-api:Invoke");
    let resources = statement["Resource"].as_array().unwrap().iter();
    let filled = resources.map(|resource| {
        let resource = resource.as_str().unwrap();
        assert!(resource.contains("/acme"), "{resource}");
        resource
            .replace("REGION", "eu-west-1")
            .replace("ACCOUNT", "123456789012")
            .replace("API", "a1b2c3d4e5")
            .replace("/acme", &format!("/{tenant}"))
    });
    filled.collect()
}

fn allows(policy: &[String], arn: &str) -> bool {
    policy.iter().any(|resource| matches(resource, arn))
}

const USUAL: Gateway = Gateway {
    matches: Form::Sent,
    evaluates: Form::Sent,
    hands_over: Form::Decoded,
};

#[tokio::test]
async fn the_policy_of_a_tenant_allows_all_its_routes_and_those_of_no_other() {
    let stack = Stack::new().await;
    let policy = documented(ACME);
    let routes = ROUTES.iter().filter(|route| route.path.contains("{tenant}"));
    for route in routes {
        let path = |tenant: &str| route.path.replace("{tenant}", tenant).replace("{id}", "1");
        let allowed = |method: &str, tenant: &str| allows(&policy, &USUAL.arn(method, &path(tenant)));
        for method in ["DELETE", "PUT", "PATCH", "OPTIONS", "ANY"] {
            assert!(!allowed(method, ACME), "{method} {route:?}");
        }
        for method in route.methods() {
            assert!(allowed(method, ACME), "{method} {route:?}");
            for other in ["acme2", "acm", "Acme", "x-acme", "globex", "acme.x", "~acme"] {
                assert!(!allowed(method, other), "{method} {route:?} {other}");
            }
            let event = USUAL.event(method, &path(ACME), &signed()).unwrap();
            let got = stack.send(event).await;
            assert_ne!(got.body["type"], "/problems/route-not-found", "{route:?}");
            assert_ne!(got.status, 405, "{method} {route:?}");
        }
    }
}

/// Paths that mean one tenant to one reader and another to the next.
const ODD_PATHS: [&str; 35] = [
    "/v1/tenants/globex/terms/100%3F%2Fv1%2Ftenants%2Facme%2Fx",
    "/v1/tenants/globex/terms/100%23%2Fv1%2Ftenants%2Facme%2Fx",
    "/v1/tenants/globex/terms/100%2Fv1%2Ftenants%2Facme%2Fx",
    "/v1/tenants/globex/terms/100%3F/v1/tenants/acme/x",
    "/v1/tenants/globex%3F%2Fv1%2Ftenants%2Facme",
    "/v1/tenants/globex%3F%2Fv1%2Ftenants%2Facme%2Fx",
    "/v1/tenants/globex%3F/v1/tenants/acme/terms/100",
    "/v1/tenants/globex%2Fterms%2F100%3F%2Fv1%2Ftenants%2Facme%2Fx",
    "/v1/tenants/globex%2F..%2Facme%2Fterms%2F100",
    "/v1/tenants/globex%2F..%2Facme/terms/100",
    "/v1/tenants/globex/..%2Facme/terms/100",
    "/v1/tenants/globex/terms/..%2F..%2F..%2Ftenants%2Facme%2Fx",
    "/v1/tenants/acme/../globex/terms/100",
    "/v1/tenants/acme/%2e%2e/globex/terms/100",
    "/v1/tenants/acme%2F..%2Fglobex",
    "/v1/tenants/acme%2F..%2Fglobex/terms/100",
    "/v1/tenants/acme%2F..%2Fglobex%2Fterms%2F100",
    "/v1/tenants/acme/terms/..%2F..%2Fglobex%2Fterms%2F100",
    "/v1/tenants/acme/terms/..%2F..%2Fglobex%2Fterms",
    "/v1/tenants/acme/terms/..%2F..%2F..%2Ftenants%2Fglobex%2Fterms%2F100",
    "/v1/tenants/acme/categories/..%2F..%2Fglobex%2Fcategories%2F1/stats",
    "/v1/tenants/acme%3F%2F..%2Fglobex/terms/100",
    "/v1/tenants/acme%2Fterms%2F100",
    "/v1/tenants/acme/terms%2F100",
    "/v1/tenants/acme/terms/%31%30%30",
    "/v1/tenants/%61cme/terms/100",
    "/v1/tenants/acme%252F..%252Fglobex/terms/100",
    "/v1/tenants/acme%23/terms/100",
    "/v1/tenants/acme%00/terms/100",
    "/v1/tenants/acme/terms/100/",
    "/v1/tenants/acme//terms/100",
    "//v1/tenants/acme/terms/100",
    "/V1/tenants/acme/terms/100",
    "/prod/v1/tenants/acme/terms/100",
    "/v1/tenants/acme/terms%3AbatchGet",
];

#[tokio::test]
async fn no_path_that_a_policy_allows_is_answered_with_another_tenant() {
    let stack = Stack::new().await;
    stack.publish(GLOBEX, &[SMALL]).await;
    let (mut served, mut refused) = (0, 0);
    for tenant in [ACME, GLOBEX] {
        let policy = documented(tenant);
        let ways = |sent| Gateway::all().map(move |gateway| (sent, gateway));
        for (sent, gateway) in ODD_PATHS.into_iter().flat_map(ways) {
            let event = gateway.event("GET", sent, &signed());
            let is_allowed = allows(&policy, &gateway.arn("GET", sent));
            let Some(event) = event.filter(|_| is_allowed) else {
                continue;
            };
            let got = stack.send(event).await;
            if got.status == 200 {
                assert_eq!(got.body["tenant"], tenant, "{sent} {gateway:?}");
                served += 1;
            } else {
                assert!([400, 404].contains(&got.status), "{sent} {gateway:?}: {got:?}");
                refused += 1;
            }
        }
    }
    assert!(served > 20 && refused > 200, "{served} served, {refused} refused");
}
