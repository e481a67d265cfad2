//! The description of the API, generated from the handlers and the shapes of their responses.
//!
//! The function contains the finished document (`openapi.json` of this package), not the code that generates it: a test compares the two.

pub(crate) mod examples;
pub(crate) mod field_names;
pub mod gateway;
mod problems;
pub(crate) mod shared_parts;

use std::sync::LazyLock;

use serde_json::Value;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};

use crate::openapi::examples::Examples;
use crate::openapi::shared_parts::{HeadOperations, SharedParts};
use crate::response::fields::Selection;
use crate::response::problem::Problem;
use crate::routes::route::Route;
use gateway::GatewayMessage;

/// Registers each route, with the handler whose `utoipa::path` describes it.
macro_rules! routes {
    ($($module:ident::{$route:ident, $handler:ident}),* $(,)?) => {
        /// All routes (docs/decisions/0005-http.md).
        pub const ROUTES: &[Route] = &[$(crate::routes::$module::$route),*];

        /// The OpenAPI document.
        #[derive(Debug, OpenApi)]
        #[openapi(
            info(
                title = "Taxonomy lookup",
                version = "1",
                description = "Terms with all their ancestors, categories and heads of the tenants of a taxonomy service. \
                    Errors of the service are `application/problem+json`; the examples of the document have each code, with its meaning and the remedy. \
                    API Gateway answers some requests itself, with `{\"message\": ..}` as `application/json`: those that it does not let through, \
                    and every method and path that is not listed here. \
                    Answers over 1 KB are compressed as `Accept-Encoding` asks (`br`, `gzip`). Every answer of the service has `X-Request-Id`.",
                license(name = "Apache-2.0", identifier = "Apache-2.0"),
            ),
            // Relative to the document, `v1/openapi.json`: a prefix before that, of a stage or a proxy, is before every path.
            servers((url = "..")),
            tags(
                (name = "tenants", description = "Tenants and their heads"),
                (name = "terms", description = "Terms, with their ancestors and by what names them"),
                (name = "categories", description = "Categories, and all terms of one"),
                (name = "versions", description = "The versions of a tenant's taxonomy"),
                (name = "stats", description = "Counts of tenants and categories"),
                (name = "about", description = "The service itself"),
            ),
            paths($(crate::routes::$module::$handler),*),
            security(("iam" = []), ("jwt" = [])),
            components(schemas(GatewayMessage)),
            modifiers(&SecuritySchemes, &SharedParts, &Examples, &HeadOperations),
        )]
        pub struct Description;
    };
}

routes! {
    tenant_list::{TENANTS, tenants},
    tenants::{TENANT, tenant},
    terms::{TERM, term},
    terms::{TERMS, terms},
    terms::{BATCH_GET, batch_get},
    terms::{ANCESTORS, above},
    children::{CHILDREN, children},
    tree::{DESCENDANTS, descendants},
    tree::{OF_CATEGORY, of_category},
    resolve::{RESOLVE, resolve},
    resolve::{RESOLVE_ALL, resolve_all},
    suggest::{SUGGEST, suggest},
    gaps::{GAPS, gaps},
    extract::{EXTRACT, extract},
    categories::{CATEGORIES, categories},
    categories::{CATEGORY, category},
    versions::{VERSIONS, versions},
    versions::{VERSION, version},
    changes::{OF_VERSION, of_version},
    changes::{SINCE, since},
    changes::{BETWEEN, between},
    term_history::{HISTORY, history},
    download::{DOWNLOAD, download},
    stats::{TENANT, tenant},
    stats::{CATEGORY, category},
    about::{DESCRIPTION, description},
    about::{HEALTH, health},
}

/// The finished document. A static, since each part of the build that reads a constant would hold a copy.
pub(crate) static WRITTEN: &str = include_str!("../openapi.json");

/// The document, in which `fields=` finds its names.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(WRITTEN).unwrap_or_default());

/// Parses `fields=` by the description of a route.
///
/// # Errors
/// Those of [`Selection::parse`].
pub(crate) fn selection(route: &Route, fields: &str) -> Result<Selection, Problem> {
    let is_of_items = field_names::are_of_items(&DOCUMENT, route.path, &route.method.to_ascii_lowercase());
    Selection::parse(&field_names(route), is_of_items, fields)
}

/// The longest name of a parameter that a problem repeats.
const MAX_NAME: usize = 64;

/// Returns the problem of a parameter that no operation has, with those that the route has.
pub(crate) fn unknown_parameter(route: &Route, name: &str) -> Problem {
    let name = &name[..name.floor_char_boundary(MAX_NAME)];
    let mut names: Vec<&str> = query_parameters(route)
        .filter_map(|known| known["name"].as_str())
        .collect();
    names.sort_unstable();
    let detail = format!(
        "There is no parameter {name}. The operation has {}.",
        names.join(", ")
    );
    let token = name.replace('~', "~0").replace('/', "~1");
    Problem::invalid_parameter(detail, format!("/query/{token}"))
}

/// Returns the parameters that the query of a route can have.
fn query_parameters(route: &Route) -> impl Iterator<Item = &'static Value> {
    let operation = &DOCUMENT["paths"][route.path][route.method.to_ascii_lowercase()];
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let parameters = parameters.map(|parameter| match parameter["$ref"].as_str() {
        Some(reference) => DOCUMENT
            .pointer(reference.trim_start_matches('#'))
            .unwrap_or(parameter),
        None => parameter,
    });
    parameters.filter(|parameter| parameter["in"] == "query")
}

/// Returns the names of the parameter `fields` of a route.
pub(crate) fn field_names(route: &Route) -> Vec<&'static str> {
    let fields = query_parameters(route).filter(|parameter| parameter["name"] == "fields");
    let names = fields.filter_map(|fields| fields["schema"]["items"]["enum"].as_array());
    names.flatten().filter_map(Value::as_str).collect()
}

impl Description {
    /// Generates the document as JSON.
    ///
    /// # Errors
    /// [`serde_json::Error`] if it cannot be serialised.
    pub fn json() -> Result<String, serde_json::Error> {
        Self::openapi().to_pretty_json()
    }
}

struct SecuritySchemes;

impl Modify for SecuritySchemes {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let signed = ApiKeyValue::with_description(
            "Authorization",
            "AWS Signature Version 4; the caller's policy names the tenants. Where the stack is deployed with it.",
        );
        let mut token = Http::new(HttpAuthScheme::Bearer);
        token.description = Some(
            "A token whose claim `tenants` names the tenants. Where the stack is deployed with it."
                .to_owned(),
        );
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("iam", SecurityScheme::ApiKey(ApiKey::Header(signed)));
        components.add_security_scheme("jwt", SecurityScheme::Http(token));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;
    use crate::request::parameters::NAMES;

    fn document() -> Value {
        serde_json::to_value(Description::openapi()).unwrap()
    }

    #[test]
    fn the_document_in_the_function_is_the_generated_one() {
        assert!(
            WRITTEN.trim_end() == Description::json().unwrap(),
            "openapi.json is not of these routes: cargo run -p lookup --example openapi > openapi.json writes it anew"
        );
    }

    /// The operation of a route.
    fn operation(document: &Value, route: &Route) -> Value {
        document["paths"][route.path][route.method.to_lowercase()].clone()
    }

    #[test]
    fn it_describes_exactly_the_routes_there_are() {
        let document = document();
        let paths = document["paths"].as_object().unwrap().iter();
        let described = paths.flat_map(|(path, operations)| {
            let methods = operations.as_object().unwrap().keys();
            methods.map(move |method| format!("{} {path}", method.to_uppercase()))
        });
        let routes = ROUTES.iter().flat_map(|route| {
            let methods = route.methods().iter();
            methods.map(|method| format!("{method} {}", route.path))
        });
        assert_eq!(described.collect::<BTreeSet<_>>(), routes.collect());
    }

    #[test]
    fn everything_but_the_public_routes_needs_authentication() {
        let document = document();
        assert_eq!(document["security"], json!([{"iam": []}, {"jwt": []}]));
        for route in ROUTES {
            let security = &operation(&document, route)["security"];
            let expect = if route.is_public() {
                json!([{}])
            } else {
                Value::Null
            };
            assert_eq!(*security, expect, "{}", route.path);
        }
        let schemes = document["components"]["securitySchemes"].as_object();
        assert_eq!(schemes.unwrap().len(), 2);
    }

    #[test]
    fn head_is_described_as_get_without_a_body() {
        let document = document();
        let gets = ROUTES.iter().filter(|route| route.method == "GET");
        for route in gets {
            let operations = &document["paths"][route.path];
            let (get, head) = (&operations["get"], &operations["head"]);
            for part in ["parameters", "security", "tags"] {
                assert_eq!(get[part], head[part], "{} {part}", route.path);
            }
            let mut expect = get["responses"].clone();
            for status in ["200", "202"]
                .into_iter()
                .filter(|status| !get["responses"][status].is_null())
            {
                expect[status].as_object_mut().unwrap().remove("content").unwrap();
            }
            assert_eq!(expect, head["responses"], "{}", route.path);
        }
    }

    #[test]
    fn every_operation_has_an_example_and_a_description() {
        let document = document();
        for route in ROUTES {
            let operation = operation(&document, route);
            assert!(operation["description"].is_string(), "{route:?}");
            let content = &operation["responses"]["200"]["content"]["application/json"];
            let is_itself = route.path == "/v1/openapi.json";
            assert_eq!(content["example"].is_object(), !is_itself, "{route:?}");
            let body = &operation["requestBody"]["content"]["application/json"];
            assert_eq!(body["example"].is_object(), route.method == "POST", "{route:?}");
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            for parameter in parameters.filter(|parameter| parameter["in"] == "path") {
                assert!(!parameter["example"].is_null(), "{route:?}");
            }
        }
    }

    #[test]
    fn every_parameter_of_a_query_is_known() {
        let routes = ROUTES.iter().flat_map(query_parameters);
        let described: BTreeSet<&str> = routes
            .filter_map(|parameter| parameter["name"].as_str())
            .collect();
        assert_eq!(described.into_iter().collect::<Vec<_>>(), NAMES);
    }
}
