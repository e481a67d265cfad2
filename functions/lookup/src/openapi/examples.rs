//! An example of each operation for the description: a request about a tenant that has `samples/job-board-v2.json`, and its response.
//! A journey sends each request and compares the responses (tests/integration/examples.rs).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{OpenApi, RefOr};

use crate::request::parameters::Parameters;

#[derive(Deserialize)]
struct Example {
    /// Path and query below `/v1/tenants`, starting with the tenant.
    request: String,
    #[serde(default)]
    body: Option<Value>,
    answer: Value,
}

/// The examples by operation id.
const EXAMPLES: &str = include_str!("examples.json");

pub(crate) struct Examples;

impl utoipa::Modify for Examples {
    fn modify(&self, document: &mut OpenApi) {
        // The file is part of the program, and a test parses it.
        let examples: BTreeMap<String, Example> = serde_json::from_str(EXAMPLES).unwrap_or_default();
        for (path, item) in &mut document.paths.paths {
            for operation in [&mut item.get, &mut item.post].into_iter().flatten() {
                let id = operation.operation_id.as_deref().unwrap_or_default();
                if let Some(example) = examples.get(id) {
                    add(operation, path, example);
                }
            }
        }
    }
}

fn add(operation: &mut Operation, path: &str, example: &Example) {
    if let Some(RefOr::T(found)) = operation.responses.responses.get_mut("200")
        && let Some(RefOr::T(content)) = found.content.get_mut("application/json")
    {
        content.example = Some(example.answer.clone());
    }
    if let Some(RefOr::T(body)) = &mut operation.request_body
        && let Some(RefOr::T(content)) = body.content.get_mut("application/json")
    {
        content.example.clone_from(&example.body);
    }
    let (request, query) = example.request.split_once('?').unwrap_or((&example.request, ""));
    let mut segments = path.split('/').zip(request.split('/'));
    let id = segments.find(|(place, _)| *place == "{id}").map(|(_, id)| id);
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter {
            let example = value(parameter, id, query);
            *parameter = ParameterBuilder::from(parameter.clone()).example(example).build();
        }
    }
}

/// Returns the value of a parameter in the request of an example.
fn value(parameter: &Parameter, id: Option<&str>, query: &str) -> Option<Value> {
    let text = match parameter.parameter_in {
        ParameterIn::Path => id?.to_owned(),
        ParameterIn::Query => Parameters::parse(query)
            .ok()?
            .text(&parameter.name)
            .ok()??
            .to_owned(),
        _ => return None,
    };
    if parameter.name == "ids" {
        let ids = text.split(',').map(|id| id.parse().ok().map(Value::Number));
        return ids.collect::<Option<Vec<Value>>>().map(Value::Array);
    }
    let number = text.parse().ok().map(Value::Number);
    Some(number.unwrap_or(Value::String(text)))
}
