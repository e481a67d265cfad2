//! Tests of the network access of the template: the gateway's routes, and the network of the second cache tier.

use std::collections::BTreeSet;
use std::sync::Arc;

use regex_lite::Regex;
use serde_yaml_ng::Value;
use taxonomy_valkey::{Valkey, ValkeyConfig};

use crate::template::{TAGGED, properties, template, texts};

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

/// The value of a part of a rule, as CloudFormation evaluates it.
fn text(value: &Value, named: &dyn Fn(&str) -> String) -> String {
    match value {
        Value::Tagged(tagged) if tagged.tag == "!Ref" => named(tagged.value.as_str().unwrap()),
        value => value.as_str().unwrap().to_owned(),
    }
}

/// Whether a condition or an assertion of a rule is true.
fn holds(value: &Value, named: &dyn Fn(&str) -> String) -> bool {
    let Value::Tagged(tagged) = value else {
        panic!("{value:?}")
    };
    let parts = tagged.value.as_sequence().unwrap();
    match tagged.tag.to_string().as_str() {
        "!Equals" => text(&parts[0], named) == text(&parts[1], named),
        "!Not" => !holds(&parts[0], named),
        "!And" => parts.iter().all(|part| holds(part, named)),
        "!Or" => parts.iter().any(|part| holds(part, named)),
        other => panic!("no rule used {other} before"),
    }
}

/// Returns the rules that refuse a stack with these parameters in an account.
fn refusing(account: &str, parameters: &[(&str, &str)]) -> Vec<String> {
    let template = &*TAGGED;
    let named = |name: &str| {
        if name == "AWS::AccountId" {
            return account.to_owned();
        }
        let given = parameters.iter().find(|(parameter, _)| *parameter == name);
        let default = &template["Parameters"][name]["Default"];
        given.map_or_else(
            || {
                default
                    .as_str()
                    .map_or_else(|| default.as_u64().unwrap().to_string(), str::to_owned)
            },
            |(_, value)| (*value).to_owned(),
        )
    };
    let rules = template["Rules"].as_mapping().unwrap().iter();
    let refuses = |rule: &Value| {
        let mut assertions = rule["Assertions"].as_sequence().unwrap().iter();
        holds(&rule["RuleCondition"], &named) && !assertions.all(|each| holds(&each["Assert"], &named))
    };
    rules
        .filter(|(_, rule)| refuses(rule))
        .map(|(name, _)| name.as_str().unwrap().to_owned())
        .collect()
}

/// The account of the emulator, which no account of AWS has.
const EMULATOR: &str = "000000000000";
const ACCOUNT: &str = "123456789012";

#[test]
fn a_stack_without_authentication_or_protection_is_the_emulators() {
    let local = ("Stage", "local");
    let open = [local, ("AuthMode", "none"), ("Pages", "true")];
    for (account, parameters, expect) in [
        (EMULATOR, &open[..], &[][..]),
        (ACCOUNT, &open, &["LocalIsTheEmulator"]),
        (ACCOUNT, &open[..1], &["LocalIsTheEmulator"]),
        (ACCOUNT, &open[1..], &["NoneOnlyLocally"]),
        (EMULATOR, &open[1..2], &["NoneOnlyLocally"]),
        (ACCOUNT, &[], &[]),
    ] {
        assert_eq!(refusing(account, parameters), expect, "{account} {parameters:?}");
    }
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
