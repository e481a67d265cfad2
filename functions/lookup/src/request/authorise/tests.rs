use serde_json::json;
use serde_json::value::to_raw_value;

use super::*;
use crate::request::event::Http;
use crate::routes;

const HEAD: &str = "GET /v1/tenants/{tenant}";
const TERM: &str = "GET /v1/tenants/{tenant}/terms/{id}";
const ARN: &str = "arn:aws:sts::123456789012:assumed-role/expander/1";

type Decided = Result<String, ProblemCode>;

/// Decides about a request.
fn decide(
    auth: &Auth,
    authorizer: &Value,
    path: &str,
    route_key: Option<&str>,
    parameters: &Value,
) -> Decided {
    let context = RequestContext {
        route_key: route_key.map(str::to_owned),
        request_id: None,
        http: Http {
            method: "GET".to_owned(),
        },
        authorizer: Some(to_raw_value(authorizer).unwrap()),
    };
    let parameters = serde_json::from_value(parameters.clone()).unwrap();
    let matched = routes::find("GET", path).unwrap();
    let decided = authorise(auth, &context, &parameters, &matched);
    let tenant = decided.map(|tenant| tenant.id().to_string());
    tenant.map_err(|problem| problem.code())
}

/// Decides about the head of a tenant.
fn decide_head(auth: &Auth, authorizer: &Value, tenant: &str) -> Decided {
    let (path, parameters) = (format!("/v1/tenants/{tenant}"), json!({ "tenant": tenant }));
    decide(auth, authorizer, &path, Some(HEAD), &parameters)
}

fn jwt(all: Option<&str>) -> Auth {
    Auth::Jwt {
        all_tenants_scope: all.map(str::to_owned),
    }
}

/// The authorizer's context of each of these claims of tenants.
fn claims(tenants: &[&str]) -> Vec<Value> {
    let context = |tenants| json!({"jwt": {"claims": {"tenants": tenants}, "scopes": null}});
    tenants.iter().map(context).collect()
}

/// Each of these contexts leads to the same decision about acme.
#[track_caller]
fn check(auth: &Auth, authorizers: Vec<Value>, expect: Result<(), ProblemCode>) {
    for authorizer in authorizers {
        let decided = decide_head(auth, &authorizer, "acme");
        assert_eq!(decided, expect.map(|()| "acme".to_owned()), "{authorizer}");
    }
}

#[test]
fn iam_wants_the_arn_of_the_caller() {
    check(&Auth::Iam, vec![json!({"iam": {"userArn": ARN}})], Ok(()));
    let authorizers = vec![
        Value::Null,
        json!({}),
        json!([]),
        json!("iam"),
        json!(true),
        json!({"iam": null}),
        json!({"iam": {}}),
        json!({"iam": []}),
        json!({"iam": ARN}),
        json!({"iam": {"userArn": null}}),
        json!({"iam": {"userArn": ""}}),
        json!({"iam": {"userArn": " "}}),
        json!({"iam": {"userArn": [ARN]}}),
        json!({"iam": {"userArn": 1}}),
        json!({"iam": {"userarn": ARN}}),
        json!({"IAM": {"userArn": ARN}}),
        json!({"lambda": {"iam": {"userArn": ARN}}}),
        json!({"jwt": {"claims": {"tenants": "acme"}}}),
        json!({"userArn": ARN}),
    ];
    check(&Auth::Iam, authorizers, Err(ProblemCode::NotAuthenticated));
    check(&Auth::None, vec![Value::Null], Ok(()));
}

#[test]
fn a_token_names_its_tenants() {
    let acme = ["acme", "[acme]", "[globex acme]", "globex,acme", "globex, acme"];
    check(&jwt(None), claims(&acme), Ok(()));
    check(
        &jwt(None),
        claims(&["globex acme", " acme ", "[acme,globex]"]),
        Ok(()),
    );
    let others = [
        &[
            "",
            "[]",
            "globex",
            "[globex]",
            "acmeglobex",
            "acme2",
            "ACME",
            "acm",
            "*",
        ][..],
        &[
            "[acme",
            "acme]",
            "[[acme]]",
            "\"acme\"",
            "[\"acme\"]",
            "acme;globex",
            "acme\tglobex",
        ],
    ];
    check(
        &jwt(None),
        claims(&others.concat()),
        Err(ProblemCode::TenantNotFound),
    );
    let odd = [
        json!({"sub": "1"}),
        json!({"sub": "1", "tenants": null}),
        json!({"sub": "1", "tenants": ["acme"]}),
        json!({"sub": "1", "tenants": {"acme": true}}),
        json!({"sub": "1", "tenants": 1}),
        json!({"sub": "1", "tenant": "acme"}),
        json!({"sub": "1", "Tenants": "acme"}),
    ];
    let odd = odd.map(|claims| json!({"jwt": {"claims": claims}}));
    check(&jwt(Some("all")), odd.into(), Err(ProblemCode::TenantNotFound));
}

#[test]
fn a_scope_stands_for_all_tenants_where_one_is_configured() {
    let by_claim = json!({"jwt": {"claims": {"scope": "read taxonomy/all"}, "scopes": null}});
    let by_list = json!({"jwt": {"claims": {"sub": "1"}, "scopes": ["read", "taxonomy/all"]}});
    let both = vec![by_claim, by_list];
    let all = jwt(Some("taxonomy/all"));
    check(&all, both.clone(), Ok(()));
    for other in [None, Some("taxonomy"), Some("all"), Some("read taxonomy/all")] {
        check(&jwt(other), both.clone(), Err(ProblemCode::TenantNotFound));
    }
    let odd = vec![
        json!({"jwt": {"claims": {"scope": ["taxonomy/all"]}}}),
        json!({"jwt": {"claims": {"sub": "1"}, "scopes": "taxonomy/all"}}),
        json!({"jwt": {"claims": {"sub": "1"}, "scopes": {"taxonomy/all": true}}}),
        json!({"jwt": {"claims": {"sub": "1"}}, "scopes": ["taxonomy/all"]}),
    ];
    check(&all, odd, Err(ProblemCode::TenantNotFound));
    let without_claims = vec![
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
        json!({"iam": {"userArn": ARN}}),
    ];
    check(&all, without_claims, Err(ProblemCode::NotAuthenticated));
}

#[test]
fn nobody_gets_an_impossible_tenant() {
    let arn = json!({"iam": {"userArn": ARN}});
    let long = "a".repeat(65);
    for tenant in ["a!b", "..", ".", "a#b", "a%2Fb", "a b", "é", &long] {
        for (auth, authorizer) in [(Auth::Iam, &arn), (Auth::None, &Value::Null)] {
            let decided = decide_head(&auth, authorizer, tenant);
            assert_eq!(decided, Err(ProblemCode::InvalidTenant), "{tenant}");
        }
    }
}

#[test]
fn the_gateway_must_have_authorised_this_very_route_and_matched_its_parameters() {
    let same = json!({"tenant": "acme", "id": "1"});
    let authorizer = json!({"iam": {"userArn": ARN}, "jwt": {"claims": {"tenants": "acme"}}});
    let decide_term = |auth: &Auth, key: Option<&str>, parameters: &Value| {
        decide(auth, &authorizer, "/v1/tenants/acme/terms/1", key, parameters)
    };
    let acme = || Ok("acme".to_owned());
    let authenticated = [Auth::Iam, jwt(None), jwt(Some("all"))];
    for auth in &authenticated {
        assert_eq!(decide_term(auth, Some(TERM), &same), acme(), "{auth:?}");
    }
    let keys = [
        None,
        Some(""),
        Some("$default"),
        Some(HEAD),
        Some("ANY /v1/tenants/{tenant}/terms/{id}"),
        Some("GET /{proxy+}"),
        Some("GET  /v1/tenants/{tenant}/terms/{id}"),
    ];
    let parameters = [
        Value::Null,
        json!({"tenant": "globex", "id": "1"}),
        json!({"tenant": "acme", "id": "1?/v1/tenants/acme/x"}),
        json!({"tenant": "acme", "id": "1", "proxy": ""}),
    ];
    let by_key = keys.into_iter().map(|key| (key, &same));
    let by_parameters = parameters.iter().map(|other| (Some(TERM), other));
    for (key, parameters) in by_key.chain(by_parameters) {
        for auth in &authenticated {
            let decided = decide_term(auth, key, parameters);
            let expect = Err(ProblemCode::RouteNotFound);
            assert_eq!(decided, expect, "{auth:?} {key:?} {parameters}");
        }
        assert_eq!(decide_term(&Auth::None, key, parameters), acme(), "{key:?}");
    }
}
