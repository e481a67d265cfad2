use serde_json::json;
use serde_json::value::to_raw_value;

use super::*;
use crate::request::event::Http;
use crate::routes::{self, ROUTES};

const HEAD: &str = "GET /v1/tenants/{tenant}";

fn context(route_key: Option<&str>, authorizer: &Value) -> RequestContext {
    RequestContext {
        route_key: route_key.map(str::to_owned),
        request_id: None,
        http: Http {
            method: "GET".to_owned(),
        },
        authorizer: Some(to_raw_value(authorizer).unwrap()),
    }
}

fn parameters(json: Value) -> PathParameters {
    serde_json::from_value(json).unwrap()
}

fn route_of_tenant() -> &'static routes::Route {
    let head = HEAD.trim_start_matches("GET ");
    ROUTES.iter().find(|route| route.path == head).unwrap()
}

fn decide(auth: &Auth, authorizer: &Value, tenant: &str) -> Result<String, ProblemCode> {
    let (route, id) = (route_of_tenant(), "");
    let decided = authorise(
        auth,
        &context(Some(HEAD), authorizer),
        &parameters(json!({ "tenant": tenant })),
        &Matched {
            route,
            tenant,
            id,
            method: "GET",
        },
    );
    decided
        .map(|tenant| tenant.id().to_string())
        .map_err(|problem| problem.code())
}

fn jwt(all: Option<&str>) -> Auth {
    Auth::Jwt {
        all_tenants_scope: all.map(str::to_owned),
    }
}

#[test]
fn iam_wants_the_arn_of_the_caller() {
    let arn = "arn:aws:sts::123456789012:assumed-role/expander/1";
    assert_eq!(
        decide(&Auth::Iam, &json!({"iam": {"userArn": arn}}), "acme"),
        Ok("acme".to_owned())
    );
    for authorizer in [
        Value::Null,
        json!({}),
        json!([]),
        json!("iam"),
        json!(true),
        json!({"iam": null}),
        json!({"iam": {}}),
        json!({"iam": []}),
        json!({"iam": arn}),
        json!({"iam": {"userArn": null}}),
        json!({"iam": {"userArn": ""}}),
        json!({"iam": {"userArn": " "}}),
        json!({"iam": {"userArn": [arn]}}),
        json!({"iam": {"userArn": 1}}),
        json!({"iam": {"userarn": arn}}),
        json!({"IAM": {"userArn": arn}}),
        json!({"lambda": {"iam": {"userArn": arn}}}),
        json!({"jwt": {"claims": {"tenants": "acme"}}}),
        json!({"userArn": arn}),
    ] {
        assert_eq!(
            decide(&Auth::Iam, &authorizer, "acme"),
            Err(ProblemCode::NotAuthenticated),
            "{authorizer}"
        );
    }
}

#[test]
fn a_token_names_its_tenants() {
    for claim in [
        "acme",
        "[acme]",
        "[globex acme]",
        "globex,acme",
        "globex, acme",
        "globex acme",
        " acme ",
        "[acme,globex]",
    ] {
        let authorizer = json!({"jwt": {"claims": {"tenants": claim}, "scopes": null}});
        assert_eq!(
            decide(&jwt(None), &authorizer, "acme"),
            Ok("acme".to_owned()),
            "{claim}"
        );
    }
    for claim in [
        "",
        "[]",
        "globex",
        "[globex]",
        "acmeglobex",
        "acme2",
        "ACME",
        "acm",
        "*",
        "[acme",
        "acme]",
        "[[acme]]",
        "\"acme\"",
        "[\"acme\"]",
        "acme;globex",
        "acme\tglobex",
    ] {
        let authorizer = json!({"jwt": {"claims": {"tenants": claim}, "scopes": null}});
        assert_eq!(
            decide(&jwt(None), &authorizer, "acme"),
            Err(ProblemCode::TenantNotFound),
            "{claim}"
        );
    }
}

#[test]
fn a_token_without_usable_tenants_sees_none() {
    for claims in [
        json!({"sub": "1"}),
        json!({"sub": "1", "tenants": null}),
        json!({"sub": "1", "tenants": ["acme"]}),
        json!({"sub": "1", "tenants": {"acme": true}}),
        json!({"sub": "1", "tenants": 1}),
        json!({"sub": "1", "tenant": "acme"}),
        json!({"sub": "1", "Tenants": "acme"}),
    ] {
        let authorizer = json!({"jwt": {"claims": claims}});
        assert_eq!(
            decide(&jwt(Some("all")), &authorizer, "acme"),
            Err(ProblemCode::TenantNotFound),
            "{authorizer}"
        );
    }
}

#[test]
fn a_scope_stands_for_all_tenants_where_one_is_configured() {
    let by_claim = json!({"jwt": {"claims": {"scope": "read taxonomy/all"}, "scopes": null}});
    let by_list = json!({"jwt": {"claims": {"sub": "1"}, "scopes": ["read", "taxonomy/all"]}});
    for authorizer in [by_claim, by_list] {
        assert_eq!(
            decide(&jwt(Some("taxonomy/all")), &authorizer, "acme"),
            Ok("acme".to_owned())
        );
        for other in [None, Some("taxonomy"), Some("all"), Some("read taxonomy/all")] {
            assert_eq!(
                decide(&jwt(other), &authorizer, "acme"),
                Err(ProblemCode::TenantNotFound),
                "{other:?}"
            );
        }
    }
    for odd in [
        json!({"jwt": {"claims": {"scope": ["taxonomy/all"]}}}),
        json!({"jwt": {"claims": {"sub": "1"}, "scopes": "taxonomy/all"}}),
        json!({"jwt": {"claims": {"sub": "1"}, "scopes": {"taxonomy/all": true}}}),
        json!({"jwt": {"claims": {"sub": "1"}}, "scopes": ["taxonomy/all"]}),
    ] {
        assert_eq!(
            decide(&jwt(Some("taxonomy/all")), &odd, "acme"),
            Err(ProblemCode::TenantNotFound),
            "{odd}"
        );
    }
}

#[test]
fn a_token_without_claims_is_none() {
    for authorizer in [
        Value::Null,
        json!({}),
        json!({"jwt": null}),
        json!({"jwt": {}}),
        json!({"jwt": {"claims": null}}),
        json!({"jwt": {"claims": {}}}),
        json!({"jwt": {"claims": []}}),
        json!({"jwt": {"claims": "tenants=acme"}}),
        json!({"jwt": {"scopes": ["taxonomy/all"]}}),
        json!({"claims": {"tenants": "acme"}}),
        json!({"lambda": {"tenants": "acme"}}),
        json!({"iam": {"userArn": "arn:aws:iam::123456789012:user/1"}}),
    ] {
        assert_eq!(
            decide(&jwt(Some("taxonomy/all")), &authorizer, "acme"),
            Err(ProblemCode::NotAuthenticated),
            "{authorizer}"
        );
    }
}

#[test]
fn nobody_gets_an_impossible_tenant() {
    let arn = json!({"iam": {"userArn": "arn"}});
    for tenant in [
        "a!b",
        "..",
        ".",
        "a/b",
        "a#b",
        "a%2Fb",
        "a b",
        "é",
        &"a".repeat(65),
    ] {
        assert_eq!(
            decide(&Auth::Iam, &arn, tenant),
            Err(ProblemCode::InvalidTenant),
            "{tenant}"
        );
        assert_eq!(
            decide(&Auth::None, &Value::Null, tenant),
            Err(ProblemCode::InvalidTenant),
            "{tenant}"
        );
    }
}

#[test]
fn the_gateway_must_have_authorised_this_very_route() {
    let arn = json!({"iam": {"userArn": "arn"}});
    let path = "/v1/tenants/acme/terms/1";
    let matched = routes::find("GET", path).unwrap();
    let decide = |auth: &Auth, key: Option<&str>| {
        let parameters = parameters(json!({"tenant": "acme", "id": "1"}));
        let decided = authorise(auth, &context(key, &arn), &parameters, &matched);
        decided.map(drop).map_err(|problem| problem.code())
    };
    assert_eq!(
        decide(&Auth::Iam, Some("GET /v1/tenants/{tenant}/terms/{id}")),
        Ok(())
    );
    for key in [
        None,
        Some(""),
        Some("$default"),
        Some(HEAD),
        Some("ANY /v1/tenants/{tenant}/terms/{id}"),
        Some("GET /{proxy+}"),
        Some("GET  /v1/tenants/{tenant}/terms/{id}"),
    ] {
        assert_eq!(
            decide(&Auth::Iam, key),
            Err(ProblemCode::RouteNotFound),
            "{key:?}"
        );
        assert_eq!(decide(&Auth::None, key), Ok(()), "{key:?}");
    }
}

#[test]
fn the_gateway_must_have_matched_these_very_parameters() {
    let path = "/v1/tenants/acme/terms/1";
    let matched = routes::find("GET", path).unwrap();
    let (key, claims) = (
        Some("GET /v1/tenants/{tenant}/terms/{id}"),
        json!({"claims": {"tenants": "acme"}}),
    );
    let authorizer = json!({"iam": {"userArn": "arn"}, "jwt": claims});
    let decide = |auth: &Auth, json: &Value| {
        let decided = authorise(
            auth,
            &context(key, &authorizer),
            &parameters(json.clone()),
            &matched,
        );
        decided.map(drop).map_err(|problem| problem.code())
    };
    let same = json!({"tenant": "acme", "id": "1"});
    assert_eq!(decide(&Auth::Iam, &same), Ok(()));
    assert_eq!(decide(&jwt(None), &same), Ok(()));
    for other in [
        Value::Null,
        json!({}),
        json!({"tenant": "acme"}),
        json!({"id": "1"}),
        json!({"tenant": "globex", "id": "1"}),
        json!({"tenant": "acme", "id": "1?/v1/tenants/acme/x"}),
        json!({"tenant": "acme", "id": "%31"}),
        json!({"tenant": "acme/../globex", "id": "1"}),
        json!({"tenant": "acme", "id": "1", "proxy": ""}),
    ] {
        for auth in [Auth::Iam, jwt(None), jwt(Some("all"))] {
            assert_eq!(
                decide(&auth, &other),
                Err(ProblemCode::RouteNotFound),
                "{auth:?} {other}"
            );
        }
        assert_eq!(decide(&Auth::None, &other), Ok(()), "{other}");
    }
}

#[test]
fn without_authentication_every_tenant_is_seen() {
    assert_eq!(decide(&Auth::None, &Value::Null, "acme"), Ok("acme".to_owned()));
}
