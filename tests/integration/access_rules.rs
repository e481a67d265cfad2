//! Tests of the network access of the template: the gateway's routes, and the network of the second cache tier.

use std::collections::BTreeSet;
use std::sync::Arc;

use regex_lite::Regex;
use serde_yaml_ng::Value;
use taxonomy_valkey::{Valkey, ValkeyConfig};

use crate::template::{properties, template, texts};

/// Returns the keys of the routes that lead to an integration.
pub(crate) fn routes_to(template: &Value, integration: &str) -> BTreeSet<String> {
    let resources = template["Resources"].as_mapping().unwrap().values();
    let target = format!("integrations/${{{integration}}}");
    let routes = resources
        .filter(|resource| resource["Type"].as_str() == Some("AWS::ApiGatewayV2::Route"))
        .map(|route| &route["Properties"])
        .filter(|route| route["Target"].as_str() == Some(&*target));
    routes
        .map(|route| route["RouteKey"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_gateway_has_the_routes_that_the_function_answers() {
    // `pages_template` checks the routes of the pages.
    let declared = routes_to(&template(), "HttpIntegration");
    assert_eq!(
        declared,
        lookup::routes::ROUTES
            .iter()
            .flat_map(|route| {
                let methods = route.methods().iter();
                methods.map(|method| format!("{method} {}", route.path))
            })
            .collect()
    );
    assert!(
        !declared
            .iter()
            .any(|route| route.contains('+') || route.contains("$default")),
        "explicit routes only"
    );
}

#[test]
fn nobody_is_let_in_unasked_but_on_the_local_stage() {
    let rules = template()["Rules"].clone();
    let text = serde_yaml_ng::to_string(&rules).unwrap();
    assert!(
        text.contains("AuthMode") && text.contains("none") && text.contains("local"),
        "{text}"
    );
}

#[test]
fn only_what_talks_to_the_second_cache_tier_is_in_a_network() {
    let template = template();
    let network = |resource: &str| !properties(&template, resource)["VpcConfig"].is_null();
    let policy = |role: &str| !properties(&template, role)["ManagedPolicyArns"].is_null();
    for (resource, expect) in [
        ("Projector", false),
        ("Aggregator", false),
        ("Caches", true),
        ("Lookup", true),
        ("PagesFunction", false),
    ] {
        assert_eq!(network(resource), expect, "{resource}");
        let role = format!("{}Role", resource.trim_end_matches("Function"));
        assert_eq!(policy(&role), expect, "{resource}");
    }
}

#[test]
fn the_network_is_lambdas_and_not_the_functions() {
    let policy = properties(&template(), "CacheNetworkPolicy");
    let statements = policy["PolicyDocument"]["Statement"].as_sequence().unwrap();
    let [allowed, denied] = statements.as_slice() else {
        panic!("two statements: {statements:?}");
    };
    assert_eq!(
        (allowed["Effect"].as_str(), denied["Effect"].as_str()),
        (Some("Allow"), Some("Deny"))
    );
    assert_eq!(texts(&allowed["Action"]), texts(&denied["Action"]));
    assert!(
        texts(&allowed["Action"])
            .iter()
            .all(|action| action.starts_with("ec2:"))
    );
}

/// The template and the function accept every existing port and no other.
#[test]
fn an_address_of_the_second_cache_tier_is_one_that_functions_take() {
    let template = template();
    let pattern = template["Parameters"]["CacheUrl"]["AllowedPattern"].as_str();
    // CloudFormation matches the pattern against the whole value.
    let allowed = Regex::new(&format!("^(?:{})$", pattern.unwrap())).unwrap();
    assert!(allowed.is_match(""), "none");
    let check = |url: &str, expect: bool| {
        let taken = Valkey::new(&ValkeyConfig::new(url), Arc::new(|| 0)).is_ok();
        assert_eq!((allowed.is_match(url), taken), (expect, expect), "{url}");
    };
    for port in 0..=100_000 {
        check(
            &format!("redis://cache.example:{port}"),
            (1..=65_535).contains(&port),
        );
    }
    for url in [
        "rediss://cache.example",
        "rediss://taxonomy@cache.example:60000",
        "redis://127.0.0.1:7000",
    ] {
        check(url, true);
    }
    for url in [
        "cache.example:6379",
        "https://cache.example",
        "rediss://user:word@cache.example",
        "rediss://cache.example/3",
        "rediss://cache.example?db=3",
        "rediss://cache.example:",
        "rediss://cache.example:06379",
        "rediss://cache.example:+6379",
        "rediss://:6379",
        "rediss://[cache.example",
        "rediss://",
    ] {
        check(url, false);
    }
}
