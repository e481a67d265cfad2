//! Tests of `template.yaml` for the lookup: its alarms, its concurrency, and the stage that callers' policies name.

use std::collections::{BTreeMap, BTreeSet};

use lookup::routes::ROUTES;

use crate::access_rules::routes_to;
use crate::template::{pattern_of, properties, read, resources, resources_of, template, texts, yaml};

/// Reserved concurrency is an upper limit as well, so it is off by default.
#[test]
fn the_lookup_reserves_concurrency_only_where_it_is_asked_to() {
    let template = template();
    let parameter = &template["Parameters"]["LookupConcurrency"];
    assert_eq!(parameter["Default"].as_str(), Some("0"));
    let description = parameter["Description"].as_str().unwrap();
    assert!(description.contains("ceiling"), "{description}");
    let reserve = &properties("Lookup")["ReservedConcurrentExecutions"];
    let expect = yaml("[LimitsLookup, LookupConcurrency, AWS::NoValue]");
    assert_eq!(*reserve, expect);
    assert_eq!(
        template["Conditions"]["LimitsLookup"],
        yaml("[[LookupConcurrency, '0']]")
    );
}

/// The gateway answers requests above the limit with its 429 (docs/problems.md).
#[test]
fn the_stage_takes_as_many_requests_as_its_parameters_say() {
    let template = template();
    let settings = &properties("HttpStage")["DefaultRouteSettings"];
    for (setting, parameter, default) in [
        ("ThrottlingRateLimit", "ApiRateLimit", 1000),
        ("ThrottlingBurstLimit", "ApiBurstLimit", 500),
    ] {
        assert_eq!(settings[setting].as_str(), Some(parameter));
        let definition = &template["Parameters"][parameter];
        let bounds = (definition["Default"].as_u64(), definition["MinValue"].as_u64());
        assert_eq!(bounds, (Some(default), Some(1)), "{parameter}");
    }
}

/// A caller writes its path, query and headers itself, and could end a field with them.
#[test]
fn the_access_log_says_who_called_and_nothing_that_a_caller_writes() {
    let stage = properties("HttpStage");
    let format = stage["AccessLogSettings"]["Format"].as_str().unwrap();
    let line: BTreeMap<String, String> = serde_json::from_str(format).unwrap();
    for (field, variable) in [
        ("requestId", "$context.requestId"),
        ("caller", "$context.identity.userArn"),
        ("subject", "$context.authorizer.claims.sub"),
        ("sourceIp", "$context.identity.sourceIp"),
    ] {
        assert_eq!(line[field], variable);
    }
    for written in ["path", "query", "header", "userAgent"] {
        let forged = line.values().any(|variable| variable.contains(written));
        assert!(!forged, "{written}: {line:?}");
    }
}

/// Without the parameter the API has no CORS configuration, so no page of another origin may read a response.
#[test]
fn browsers_are_let_in_from_the_origins_of_the_parameter_alone() {
    let template = template();
    let cors = &properties("HttpApi")["CorsConfiguration"];
    let (condition, configuration, otherwise) = (&cors[0], &cors[1], &cors[2]);
    assert_eq!(
        (condition.as_str(), otherwise.as_str()),
        (Some("HasCors"), Some("AWS::NoValue"))
    );
    assert_eq!(
        template["Conditions"]["HasCors"],
        yaml("[[CorsAllowOrigins, '']]")
    );
    assert_eq!(configuration["AllowOrigins"], yaml("[',', CorsAllowOrigins]"));
    // Callers sign or send a token.
    assert!(configuration["AllowCredentials"].is_null());
    let methods: BTreeSet<&str> = ROUTES.iter().flat_map(|route| route.methods()).copied().collect();
    let allowed = texts(&configuration["AllowMethods"]);
    assert_eq!(
        allowed.iter().map(String::as_str).collect::<BTreeSet<_>>(),
        methods
    );
    let exposed = texts(&configuration["ExposeHeaders"]);
    for header in [
        "ETag",
        "Link",
        "X-Request-Id",
        "Retry-After",
        "Taxonomy-Version",
        "Taxonomy-Debug",
    ] {
        assert!(exposed.iter().any(|name| name == header), "{header}");
    }
}

#[test]
fn an_origin_is_one_of_a_browser() {
    let template = template();
    assert_eq!(
        template["Parameters"]["CorsAllowOrigins"]["Default"].as_str(),
        Some("")
    );
    let allowed = pattern_of("CorsAllowOrigins");
    for origins in [
        "",
        "*",
        "https://a.example",
        "https://a.example,http://localhost:3000",
    ] {
        assert!(allowed.is_match(origins), "{origins}");
    }
    for origins in [
        "a.example",
        "https://a.example/",
        "https://a.example, https://b.example",
        ",",
        "*,https://a.example",
    ] {
        assert!(!allowed.is_match(origins), "{origins}");
    }
}

/// HTTP APIs have 300 routes by default ("Routes per API", a quota that AWS raises), stacks 500 resources, which AWS does not raise.
#[test]
fn routes_and_resources_stay_well_below_what_aws_allows() {
    let routes = resources_of("AWS::ApiGatewayV2::Route").count();
    let resources = resources().count();
    let answered: usize = ROUTES.iter().map(|route| route.methods().len()).sum();
    let pages = routes_to("PagesIntegration").len();
    assert_eq!(routes, answered + pages);
    assert!(routes <= 200, "{routes} routes");
    assert!(resources <= 350, "{resources} resources");
    let bytes = read("template.yaml").len();
    assert!(
        bytes <= 500_000,
        "{bytes} of the 1,000,000 bytes of a template in S3"
    );
}
