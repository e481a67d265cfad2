//! Tests of the network access of the template: the gateway's routes, and the network of the second cache tier.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_yaml_ng::Value;
use taxonomy_valkey::{Valkey, ValkeyConfig};

use crate::template::{TAGGED, of_type, pattern_of, properties, resources_of, template, texts};

/// Returns the keys of the routes that lead to an integration.
pub(crate) fn routes_to(integration: &str) -> BTreeSet<String> {
    let target = format!("integrations/${{{integration}}}");
    let routes = resources_of("AWS::ApiGatewayV2::Route").map(|(_, route)| route);
    let routes = routes.filter(|route| route["Target"].as_str() == Some(&*target));
    routes
        .map(|route| route["RouteKey"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_gateway_has_the_routes_that_the_function_answers() {
    // `pages_template` checks the routes of the pages.
    let declared = routes_to("HttpIntegration");
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
fn refusing(account: &str, parameters: &BTreeMap<&str, &str>) -> Vec<&'static str> {
    let template = &*TAGGED;
    let named = |name: &str| {
        let default = || match &template["Parameters"][name]["Default"] {
            Value::Number(number) => number.to_string(),
            text => text.as_str().unwrap().to_owned(),
        };
        match parameters.get(name) {
            _ if name == "AWS::AccountId" => account.to_owned(),
            Some(given) => (*given).to_owned(),
            None => default(),
        }
    };
    let rules = template["Rules"].as_mapping().unwrap().iter();
    let refuses = |rule: &Value| {
        let mut assertions = rule["Assertions"].as_sequence().unwrap().iter();
        holds(&rule["RuleCondition"], &named) && !assertions.all(|each| holds(&each["Assert"], &named))
    };
    rules
        .filter(|(_, rule)| refuses(rule))
        .map(|(name, _)| name.as_str().unwrap())
        .collect()
}

/// Parameters, and the rule that refuses a stack with them in an account of AWS.
const ON_AWS: &str = "
    Stage=prod                                                           -
    Stage=local                                                          LocalIsTheEmulator
    AuthMode=none                                                        NoneOnlyLocally
    Stage=local AuthMode=none Pages=true                                 LocalIsTheEmulator
    AuthMode=jwt JwtIssuer=i JwtAudience=a                               -
    AuthMode=jwt JwtIssuer=i                                             JwtIsComplete
    AuthMode=jwt JwtAudience=a                                           JwtIsComplete
    ExistingSourceBucket=b ExistingSourceTopicArn=t                      -
    ExistingSourceBucket=b                                               ExistingSourceIsComplete
    ExistingSourceTopicArn=t                                             ExistingSourceIsComplete
    ExistingSourceKeyArn=k                                               ExistingSourceIsComplete
    RestoredTable=t RestoredTableStreamArn=s                             -
    RestoredTable=t                                                      RestoredTableIsComplete
    RestoredTableStreamArn=s                                             RestoredTableIsComplete
    CacheUrl=u CacheSubnetIds=s CacheSecurityGroupIds=g                  -
    CacheUrl=u CacheSubnetIds=s                                          CacheIsInANetwork
    CacheUrl=u CacheSecurityGroupIds=g                                   CacheIsInANetwork
    DomainName=d DomainCertificateArn=c                                  -
    DomainName=d DomainCertificateArn=c ExecuteApiEndpoint=disabled      -
    DomainName=d                                                         DomainIsComplete
    DomainCertificateArn=c                                               DomainIsComplete
    ExecuteApiEndpoint=disabled                                          DomainIsComplete
    DomainName=d ExecuteApiEndpoint=disabled                             DomainIsComplete
    Pages=true                                                           PagesAreForBrowsers
    Pages=true AuthMode=jwt JwtIssuer=i JwtAudience=a                    PagesHaveAClient
    Pages=true AuthMode=jwt JwtIssuer=i JwtAudience=a PagesClientId=c    -
    PagesAuthorizationEndpoint=a PagesTokenEndpoint=t                    -
    PagesAuthorizationEndpoint=a                                         PagesEndpointsAreComplete
    PagesTokenEndpoint=t                                                 PagesEndpointsAreComplete
    PagesEndSessionEndpoint=e                                            PagesEndpointsAreComplete
    TableCapacity=provisioned TableMaxReadUnits=1 TableMaxWriteUnits=1   -
    TableCapacity=provisioned TableMaxReadUnits=1                        ProvisionedCapacityHasMaximums
    TableCapacity=provisioned TableMaxWriteUnits=1                       ProvisionedCapacityHasMaximums
";

/// The same for the emulator.
const ON_THE_EMULATOR: &str = "
    Stage=local AuthMode=none Pages=true   -
    Stage=local CacheUrl=u                 -
    AuthMode=none                          NoneOnlyLocally
";

#[test]
fn parameters_that_others_must_go_with_are_refused_without_them() {
    let mut refused = BTreeSet::new();
    // No account of AWS has the number of the emulator's.
    for (account, table) in [("123456789012", ON_AWS), ("000000000000", ON_THE_EMULATOR)] {
        for line in table.trim().lines() {
            let (parameters, expect) = line.rsplit_once(' ').unwrap();
            let parameters = parameters
                .split_whitespace()
                .map(|each| each.split_once('=').unwrap());
            let found = refusing(account, &parameters.collect());
            let expect: Vec<&str> = Some(expect).into_iter().filter(|rule| *rule != "-").collect();
            assert_eq!(found, expect, "{line}");
            refused.extend(found);
        }
    }
    let rules = template()["Rules"].as_mapping().unwrap().keys();
    assert_eq!(refused, rules.map(|name| name.as_str().unwrap()).collect());
}

#[test]
fn the_password_of_the_second_tier_is_no_parameter() {
    for function in ["Lookup", "Caches"] {
        let variables = &properties(function)["Environment"]["Variables"];
        let password = serde_yaml_ng::to_string(&variables["CACHE_PASSWORD"]).unwrap();
        let resolved = "{{resolve:secretsmanager:${CachePasswordSecret}:SecretString:password}}";
        assert!(password.contains(resolved), "{function}: {password}");
    }
}

/// With a mapping key the paths of requests begin with it, and the lookup knows none of them.
#[test]
fn a_domain_is_mapped_at_its_root() {
    let mapping = properties("HttpDomainMapping");
    assert_eq!(mapping["ApiId"], properties("HttpStage")["ApiId"]);
    assert_eq!(mapping.get("ApiMappingKey"), None);
}

/// A browser sends a preflight without credentials. API Gateway answers it where no route matches `OPTIONS`, and hands it to the authorizer
/// of one that does, such as `ANY`.
#[test]
fn no_route_with_authorization_matches_a_preflight() {
    let routes = resources_of("AWS::ApiGatewayV2::Route").map(|(_, route)| route);
    let routes = routes.filter(|route| route["AuthorizationType"].as_str() != Some("NONE"));
    let routes: Vec<&Value> = routes.collect();
    assert!(routes.len() > 40, "{}", routes.len());
    for route in routes {
        let method = route["RouteKey"].as_str().unwrap().split(' ').next();
        assert!(["GET", "HEAD", "POST"].map(Some).contains(&method), "{route:?}");
    }
}

/// A number that means "no limit" is written in one way alone: with "00" the conditions would see a limit.
#[test]
fn a_limit_has_no_second_way_to_write_none() {
    for name in [
        "TableMaxReadUnits",
        "TableMaxWriteUnits",
        "LookupConcurrency",
        "ProjectorConcurrency",
    ] {
        assert_eq!(
            template()["Parameters"][name]["Type"].as_str(),
            Some("String"),
            "{name}"
        );
        let allowed = pattern_of(name);
        for none in ["0", "00", "0.0", "+0", "-0", "", "0500"] {
            assert_eq!(allowed.is_match(none), none == "0", "{name} {none:?}");
        }
        assert!(allowed.is_match("500"), "{name}");
    }
}

#[test]
fn only_what_talks_to_the_second_cache_tier_is_in_a_network() {
    let network = |resource: &str| !properties(resource)["VpcConfig"].is_null();
    let policy = |role: &str| {
        let policies = properties(role)["ManagedPolicyArns"].clone();
        serde_yaml_ng::to_string(&policies)
            .unwrap()
            .contains("CacheNetworkPolicy")
    };
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
    let policy = properties("CacheNetworkPolicy");
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
    let allowed = pattern_of("CacheUrl");
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

/// SQS keeps one policy a queue: a second one would take the place of the first. It may refuse a policy that names another queue.
#[test]
fn each_queue_has_one_policy_that_refuses_plain_http() {
    let mut queues = Vec::new();
    for (_, policy) in resources_of("AWS::SQS::QueuePolicy") {
        let these = texts(&policy["Queues"]);
        let statements = policy["PolicyDocument"]["Statement"].as_sequence().unwrap();
        let denies = statements.iter().any(|statement| {
            statement["Effect"].as_str() == Some("Deny")
                && statement["Condition"]["Bool"]["aws:SecureTransport"].as_str() == Some("false")
        });
        assert!(denies, "{these:?}");
        for statement in statements {
            let own = these.iter().map(|queue| format!("{queue}.Arn")).collect();
            let named = texts(&statement["Resource"]);
            let is_own = these.len() == 1 && named == own;
            assert!(named == BTreeSet::from(["*".to_owned()]) || is_own, "{named:?}");
            assert!(
                is_own || statement["Effect"].as_str() == Some("Deny"),
                "{these:?}"
            );
        }
        queues.extend(these);
    }
    queues.sort();
    assert_eq!(queues, of_type("AWS::SQS::Queue").into_iter().collect::<Vec<_>>());
}
