//! Answers against the description that the function serves.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use jsonschema::Validator;
use lookup::openapi::Description;
use lookup::{ProblemCode, gateway, routes};
use serde_json::{Map, Value, json};
use utoipa::OpenApi;

use crate::stack::{Got, SMALL, Stack, smaller};

/// The description, made strict: an answer may not hold what no schema names.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let mut document = serde_json::to_value(Description::openapi()).unwrap();
    visit(&mut document["components"]["schemas"], &|fields| {
        if fields.get("properties").is_some_and(Value::is_object) {
            fields.insert("additionalProperties".to_owned(), json!(false));
        }
    });
    document
});

static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// Changes every object of a schema.
fn visit(schema: &mut Value, change: &impl Fn(&mut Map<String, Value>)) {
    match schema {
        Value::Object(fields) => {
            change(fields);
            fields.values_mut().for_each(|below| visit(below, change));
        }
        Value::Array(values) => values.iter_mut().for_each(|below| visit(below, change)),
        _ => {}
    }
}

/// Holds an answer against the schema of its route and status.
#[track_caller]
pub(crate) fn check(method: &str, path: &str, query: &str, got: &Got) {
    let route = routes::find(method, path).ok();
    let responses = route.map(|found| {
        let operation = &DOCUMENT["paths"][found.route.path][method.to_lowercase()];
        operation["responses"].as_object().unwrap()
    });
    let range = format!("{}XX", got.status / 100);
    let described = responses.and_then(|all| all.get(&got.status.to_string()).or(all.get(&range)));
    let described = described.map(resolved);
    check_headers(method, path, described, got);
    if got.status == 304 {
        assert_eq!((&got.body, got.headers.get("content-type")), (&json!(""), None));
        return;
    }
    if method == "HEAD" {
        assert_eq!(got.body, "");
        return;
    }
    let content_type = got.headers["content-type"].as_str();
    let schema = match described {
        Some(response) => response["content"][content_type]["schema"].clone(),
        // What no route describes is a problem all the same.
        None => json!({"$ref": "#/components/schemas/Problem"}),
    };
    assert!(
        schema.is_object(),
        "{method} {path}: {} as {content_type} is not described",
        got.status
    );
    let is_partial = query.contains("fields=") && got.status == 200;
    let validator = validator(&schema, is_partial);
    let errors: Vec<String> = validator
        .iter_errors(&got.body)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{method} {path}: {errors:?}\n{}", got.body);
}

/// Every header of this API is described, except where a response of the gateway has the same status.
#[track_caller]
fn check_headers(method: &str, path: &str, described: Option<&Value>, got: &Got) {
    let own = [
        "etag",
        "link",
        "taxonomy-version",
        "taxonomy-debug",
        "x-request-id",
    ];
    let Some(headers) = described
        .filter(|response| response["content"].get("application/json").is_none() || got.status == 200)
    else {
        return;
    };
    let names = headers["headers"].as_object().into_iter().flatten();
    let names: Vec<String> = names.map(|(name, _)| name.to_lowercase()).collect();
    for name in own.into_iter().filter(|name| got.headers.contains_key(name)) {
        assert!(
            names.iter().any(|known| known == name),
            "{method} {path}: {name} is not described"
        );
    }
}

/// A response, or the one that it refers to.
fn resolved(response: &Value) -> &Value {
    match response["$ref"].as_str() {
        Some(reference) => DOCUMENT.pointer(reference.trim_start_matches('#')).unwrap(),
        None => response,
    }
}

/// With `fields=` nothing is required.
fn validator(schema: &Value, is_partial: bool) -> Arc<Validator> {
    let mut validators = VALIDATORS.lock().unwrap();
    let built = validators
        .entry(format!("{schema} {is_partial}"))
        .or_insert_with(|| {
            let mut root = schema.clone();
            root["components"] = DOCUMENT["components"].clone();
            if is_partial {
                visit(&mut root, &|fields| {
                    if fields.get("required").is_some_and(Value::is_array) {
                        fields.remove("required");
                    }
                });
            }
            Arc::new(jsonschema::draft202012::new(&root).unwrap())
        });
    built.clone()
}

/// The texts are those of docs/problems.md.
#[test]
fn the_answers_of_the_gateway_are_described_on_every_operation() {
    let page = include_str!("../../../../docs/problems.md");
    let (_, section) = page.split_once("\n## Answers of API Gateway\n").unwrap();
    let rows = section.split("\n## ").next().unwrap().lines();
    let rows = rows.filter_map(|line| line.strip_prefix("| `")).map(|row| {
        let (status, rest) = row.split_once("` | `").unwrap();
        let body: Value = serde_json::from_str(rest.split('`').next().unwrap()).unwrap();
        (status.to_owned(), body)
    });
    let rows: Vec<(String, Value)> = rows.collect();
    assert_eq!(rows.len(), gateway::ANSWERS.len());
    for route in routes::ROUTES {
        let operation = &DOCUMENT["paths"][route.path][route.method.to_lowercase()];
        for (status, body) in &rows {
            let response = &operation["responses"][status];
            if response.is_null() {
                assert!(!operation["security"].is_null(), "{} {status}", route.path);
                continue;
            }
            let content = &resolved(response)["content"];
            let validator = validator(&content["application/json"]["schema"], false);
            assert!(validator.is_valid(body), "{} {status} {body}", route.path);
            assert!(!validator.is_valid(&json!({"type": "/problems/x"})));
            // A status that the function has too keeps its problem.
            let is_own = ProblemCode::ALL
                .iter()
                .any(|code| code.status().to_string() == *status);
            let has_problem = content["application/problem+json"].is_object();
            assert_eq!(has_problem, is_own, "{status}");
        }
    }
}

/// Every kind of change of both sides, another default culture, and the history of each term.
#[tokio::test]
async fn differences_and_histories_are_as_they_are_described() {
    let file = |default: &str, name: &str| {
        let names = json!([{"culture": "en-GB", "name": name}, {"culture": "fr-FR", "name": "Droit"}]);
        let category = json!({"id": 2, "names": names, "terms": [{"id": 100, "names": names}]});
        json!({"defaultCulture": default, "categories": [category]}).to_string()
    };
    let stack = Stack::of(&[
        SMALL,
        &smaller(),
        SMALL,
        &file("en-GB", "Law"),
        &file("fr-FR", "Laws"),
    ])
    .await;
    for (from, to) in (1..=5).flat_map(|from| (1..=5).map(move |to| (from, to))) {
        stack.found(&format!("versions/{to}/changes?limit=100")).await;
        stack.found(&format!("diff?from={from}&to={to}")).await;
        stack
            .found(&format!("diff?from={from}&to={to}&include=places&culture=fr"))
            .await;
    }
    for id in [0, 100, 101, 102] {
        stack.found(&format!("terms/{id}/history")).await;
    }
}

/// Where an operation has a limit of its own, the description has that one.
#[tokio::test]
async fn each_limit_is_the_one_that_is_described() {
    let (stack, mut checked) = (Stack::new().await, 0);
    for (path, operations) in DOCUMENT["paths"].as_object().unwrap() {
        let parameters = operations["get"]["parameters"].as_array();
        let mut parameters = parameters.into_iter().flatten().map(resolved);
        let Some(limit) = parameters.find(|parameter| parameter["name"] == "limit") else {
            continue;
        };
        let most = limit["schema"]["maximum"].as_u64().unwrap();
        for (limit, is_refused) in [(1, false), (0, true), (most, false), (most + 1, true)] {
            let target = path.replace("{tenant}", "acme").replace("{id}", "1");
            // What some of them require, and the others take for parameters of another operation.
            let target = format!("{target}?q=a&culture=fr&from=1&to=1&after=0&limit={limit}");
            let got = stack.get(&target).await;
            assert_eq!(
                got.body["pointer"] == "/query/limit",
                is_refused,
                "{target} {limit}: {}",
                got.body
            );
        }
        checked += 1;
    }
    assert!(checked > 10, "{checked}");
}

#[tokio::test]
async fn the_description_is_served_to_everybody_from_no_table() {
    let mut stack = Stack::new().await;
    stack.authorizer = Value::Null;
    let document = stack.found("/v1/openapi.json").await;
    assert_eq!(document, serde_json::to_value(Description::openapi()).unwrap());
    assert_eq!(stack.found("/v1/health").await, json!({"status": "ok"}));
    assert_eq!(stack.requests(), [""; 0]);
}
