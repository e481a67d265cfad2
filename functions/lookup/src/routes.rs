//! The match of a request to one of the routes.
//!
//! A route is defined beside its handler: method, path and handler as a [`Route`], parameters and responses as the
//! handler's `utoipa::path`. [`ROUTES`], in `openapi.rs`, registers it, once, for requests and for the description of the API.
//!
//! Paths are compared as they arrive, segment by segment, without decoding, normalising or stripping: API Gateway has decoded the path once
//! already and authorised the request by its own match. So `/x/`, `//x`, `/X`, `/%78` and `/y/../x` are other paths than `/x`.

pub(crate) mod about;
pub(crate) mod all_names;
pub(crate) mod best_name;
pub(crate) mod branch;
pub(crate) mod categories;
pub(crate) mod changes;
pub(crate) mod children;
pub(crate) mod details;
pub(crate) mod download;
pub(crate) mod extract;
pub(crate) mod gaps;
pub(crate) mod missing;
pub(crate) mod place;
pub(crate) mod related;
pub(crate) mod replacements;
pub(crate) mod resolve;
pub(crate) mod route;
pub(crate) mod states;
pub(crate) mod stats;
pub(crate) mod suggest;
pub(crate) mod tenant_list;
pub(crate) mod tenants;
pub(crate) mod term_history;
pub(crate) mod terms;
pub(crate) mod tree;
pub(crate) mod versions;

pub use crate::openapi::ROUTES;
use crate::response::problem::Problem;
pub use crate::routes::route::{Matched, Route};

/// Finds the route of a request.
///
/// # Errors
/// `route-not-found`, or `method-not-allowed` where the path has another method.
pub fn find<'p>(method: &str, path: &'p str) -> Result<Matched<'p>, Problem> {
    // Every path has one route, which a test asserts.
    let matched = ROUTES.iter().find_map(|route| route.capture(path));
    let matched = matched.ok_or_else(Problem::route_not_found)?;
    let methods = matched.route.methods();
    match methods.iter().find(|known| **known == method) {
        Some(method) => Ok(Matched { method, ..matched }),
        None => Err(Problem::method_not_allowed(methods)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::problem::ProblemCode;

    fn check(method: &str, path: &str, expect: Result<(&str, &str, &str), ProblemCode>) {
        let found = find(method, path).map(|found| (found.route.path, found.tenant, found.id));
        assert_eq!(found.map_err(|problem| problem.code()), expect, "{method} {path}");
    }

    #[test]
    fn nothing_is_decoded_normalised_or_stripped() {
        for path in [
            "",
            "/",
            "v1/health",
            "/v1",
            "/v1/health/",
            "//v1/health",
            "/v1//health",
            "/V1/health",
            "/v1/HEALTH",
            "/v1/%68ealth",
            "/v1/./health",
            "/v1/x/../health",
            "/v1/health?",
            "/v1/health#",
            "/v1/health\0",
            "/prod/v1/health",
            "/v1/tenants/",
            "/v1/tenants//terms/1",
            "/v1/tenants/acme/",
            "/v1/tenants/acme/terms/",
            "/v1/tenants/acme/terms//",
            "/v1/tenants/acme//terms/1",
            "/v1/tenants/acme/terms/1/",
            "/v1/tenants/acme/Terms/1",
            "/v1/tenants/acme/terms%2F1",
            "/v1/tenants/acme/../globex/terms/1",
            "/v1/tenants/acme/%2e%2e/globex/terms/1",
            "/v1/tenants/acme/terms:batchget",
            "/v1/tenants/acme/terms%3AbatchGet",
            "/v1/tenants/acme/suggest/",
            "/v1/tenants/acme/Suggest",
            "/v1/tenants/acme//suggest",
            "/v1/tenants/acme/%73uggest",
            "/v1/tenants/acme/suggest/../../globex/suggest",
            "/v1/tenants/acme/terms/1/a/b/c",
            "/v1/tenants/acme/terms/1/a/b/c/d",
        ] {
            check("GET", path, Err(ProblemCode::RouteNotFound));
        }
    }

    #[test]
    fn an_odd_segment_stays_one_segment() {
        check("GET", "/v1/tenants/..", Ok(("/v1/tenants/{tenant}", "..", "")));
        check(
            "GET",
            "/v1/tenants/a%2Fterms%2F1",
            Ok(("/v1/tenants/{tenant}", "a%2Fterms%2F1", "")),
        );
        check(
            "GET",
            "/v1/tenants/a#b?c",
            Ok(("/v1/tenants/{tenant}", "a#b?c", "")),
        );
        check(
            "GET",
            "/v1/tenants/acme/terms/..",
            Ok(("/v1/tenants/{tenant}/terms/{id}", "acme", "..")),
        );
    }

    #[test]
    fn another_method_is_not_allowed() {
        check(
            "POST",
            "/v1/tenants/acme/terms",
            Err(ProblemCode::MethodNotAllowed),
        );
        check(
            "HEAD",
            "/v1/tenants/acme/terms:batchGet",
            Err(ProblemCode::MethodNotAllowed),
        );
        check("OPTIONS", "/v1/health", Err(ProblemCode::MethodNotAllowed));
        check("get", "/v1/health", Err(ProblemCode::MethodNotAllowed));
        let refused = find("GET", "/v1/tenants/acme/terms:batchGet").unwrap_err();
        assert_eq!(
            (refused.code(), refused.allow().as_deref()),
            (ProblemCode::MethodNotAllowed, Some("POST"))
        );
        let refused = find("PUT", "/v1/health").unwrap_err();
        assert_eq!(refused.allow().as_deref(), Some("GET, HEAD"));
    }

    #[test]
    fn head_is_answered_wherever_get_is() {
        let gets = ROUTES.iter().filter(|route| route.method == "GET");
        for route in gets {
            let found = find("HEAD", route.path).unwrap();
            assert_eq!((found.route, found.method), (route, "HEAD"));
            assert!(found.is_called(&format!("HEAD {}", route.path)));
            assert!(!found.is_called(&format!("GET {}", route.path)), "{route:?}");
        }
    }

    #[test]
    fn every_path_has_one_method() {
        let paths: std::collections::BTreeSet<_> = ROUTES.iter().map(|route| route.path).collect();
        assert_eq!(paths.len(), ROUTES.len());
    }
}
