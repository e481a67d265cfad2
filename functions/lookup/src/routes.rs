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

    /// A path that differs in any way from that of a route has none, and no part of it stands for another one.
    #[test]
    fn nothing_is_decoded_normalised_or_stripped() {
        let ways: [fn(&str) -> String; 10] = [
            |path| path[1..].to_owned(),
            |path| format!("/{path}"),
            |path| format!("{path}/"),
            |path| format!("/prod{path}"),
            |path| path.replacen("/v1/", "/V1/", 1),
            |path| path.replacen("/v1/", "/v1//", 1),
            |path| path.replacen("/v1/", "/v1/./", 1),
            |path| path.replacen("/v1/", "/v1/x/../", 1),
            |path| path.replacen('e', "%65", 1),
            |path| path.replacen('e', "E", 1),
        ];
        let paths = [
            "/v1/health",
            "/v1/tenants/acme/terms/1",
            "/v1/tenants/acme/suggest",
        ];
        for path in paths {
            assert!(find("GET", path).is_ok(), "{path}");
            for way in ways {
                check("GET", &way(path), Err(ProblemCode::RouteNotFound));
            }
        }
        let odd = [
            "",
            "/",
            "/v1",
            "/v1/health?",
            "/v1/health#",
            "/v1/health\0",
            "/v1/tenants/",
        ];
        for path in odd.into_iter().chain([
            "/v1/tenants//terms/1",
            "/v1/tenants/acme/",
            "/v1/tenants/acme/terms//",
            "/v1/tenants/acme//terms/1",
            "/v1/tenants/acme/terms%2F1",
            "/v1/tenants/acme/../globex/terms/1",
            "/v1/tenants/acme/%2e%2e/globex/terms/1",
            "/v1/tenants/acme/terms:batchget",
            "/v1/tenants/acme/terms%3AbatchGet",
            "/v1/tenants/acme/suggest/../../globex/suggest",
            "/v1/tenants/acme/terms/1/a/b/c",
        ]) {
            check("GET", path, Err(ProblemCode::RouteNotFound));
        }
    }

    #[test]
    fn an_odd_segment_stays_one_segment() {
        for tenant in ["..", "a%2Fterms%2F1", "a#b?c"] {
            let path = format!("/v1/tenants/{tenant}");
            check("GET", &path, Ok(("/v1/tenants/{tenant}", tenant, "")));
        }
        let expect = Ok(("/v1/tenants/{tenant}/terms/{id}", "acme", ".."));
        check("GET", "/v1/tenants/acme/terms/..", expect);
    }

    #[test]
    fn another_method_is_not_allowed() {
        for (method, path, allow) in [
            ("POST", "/v1/tenants/acme/terms", "GET, HEAD"),
            ("HEAD", "/v1/tenants/acme/terms:batchGet", "POST"),
            ("GET", "/v1/tenants/acme/terms:batchGet", "POST"),
            ("OPTIONS", "/v1/health", "GET, HEAD"),
            ("get", "/v1/health", "GET, HEAD"),
        ] {
            let refused = find(method, path).unwrap_err();
            assert_eq!(refused.code(), ProblemCode::MethodNotAllowed, "{method} {path}");
            assert_eq!(refused.allow().as_deref(), Some(allow), "{method} {path}");
        }
    }

    #[test]
    fn head_is_answered_wherever_get_is_and_every_path_has_one_method() {
        let gets = ROUTES.iter().filter(|route| route.method == "GET");
        for route in gets {
            let found = find("HEAD", route.path).unwrap();
            assert_eq!((found.route, found.method), (route, "HEAD"));
            assert!(found.is_called(&format!("HEAD {}", route.path)));
            assert!(!found.is_called(&format!("GET {}", route.path)), "{route:?}");
        }
        let paths = ROUTES.iter().map(|route| route.path);
        let paths: std::collections::BTreeSet<_> = paths.collect();
        assert_eq!(paths.len(), ROUTES.len());
    }
}
