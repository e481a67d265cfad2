//! The routes, and the match of a request to one of them.
//!
//! A route is defined beside its handler: method, path and handler as a [`Route`], parameters and responses as the handler's
//! `utoipa::path`. [`ROUTES`] registers it, once, for requests and for the description of the API.
//!
//! Paths are compared as they arrive, segment by segment, without decoding, normalising or stripping: API Gateway has decoded the path once
//! already and authorised the request by its own match. So `/x/`, `//x`, `/X`, `/%78` and `/y/../x` are other paths than `/x`.

use std::fmt;
use std::pin::Pin;

use crate::context::{Context, Listing, Request};
pub use crate::openapi::ROUTES;
use crate::problem::Problem;
use crate::reply::Reply;

/// One method of one path.
#[derive(Clone, Copy)]
pub struct Route {
    /// The HTTP method.
    pub method: &'static str,
    /// The path; `{tenant}` and `{id}` stand for one segment each.
    pub path: &'static str,
    pub(crate) handler: Handler,
}

/// The handler of a route's requests.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    /// Every caller.
    Public(fn() -> Result<Reply, Problem>),
    /// Authenticated callers, about the tenants that they may read.
    OfCaller(OfCaller),
    /// Callers who may read the tenant of the path.
    OfTenant(OfTenant),
}

pub(crate) type OfCaller = for<'a> fn(&'a Context, &'a Listing<'a>) -> Answering<'a>;

pub(crate) type OfTenant = for<'a> fn(&'a Context, &'a Request<'a>) -> Answering<'a>;

/// The future of a handler, boxed, so that all handlers have one type.
pub(crate) type Answering<'a> = Pin<Box<dyn Future<Output = Result<Reply, Problem>> + Send + 'a>>;

impl Route {
    /// A route that needs no authentication.
    pub(crate) const fn public(path: &'static str, handler: fn() -> Result<Reply, Problem>) -> Self {
        Self {
            method: "GET",
            path,
            handler: Handler::Public(handler),
        }
    }

    /// A `GET` of a list of tenants.
    pub(crate) const fn listing(path: &'static str, handler: OfCaller) -> Self {
        Self {
            method: "GET",
            path,
            handler: Handler::OfCaller(handler),
        }
    }

    /// A `GET` about a tenant.
    pub(crate) const fn get(path: &'static str, handler: OfTenant) -> Self {
        Self {
            method: "GET",
            path,
            handler: Handler::OfTenant(handler),
        }
    }

    /// A `POST` about a tenant: a query with a body.
    pub(crate) const fn post(path: &'static str, handler: OfTenant) -> Self {
        Self {
            method: "POST",
            ..Self::get(path, handler)
        }
    }

    /// Returns whether the route needs no authentication.
    #[must_use]
    pub fn is_public(&self) -> bool {
        matches!(self.handler, Handler::Public(_))
    }

    /// Returns the methods of its path for `Allow`: a route of `GET` has `HEAD` as well.
    #[must_use]
    pub fn methods(&self) -> &'static [&'static str] {
        match self.method {
            "GET" => &["GET", "HEAD"],
            _ => &["POST"],
        }
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

impl PartialEq for Route {
    fn eq(&self, other: &Self) -> bool {
        (self.method, self.path) == (other.method, other.path)
    }
}

impl Eq for Route {}

/// A route and the variable segments of the path, not validated yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matched<'p> {
    /// The route.
    pub route: &'static Route,
    /// The segment of `{tenant}`; empty where the route has none.
    pub tenant: &'p str,
    /// The segment of `{id}`; empty where the route has none.
    pub id: &'p str,
    /// The method of the request.
    pub method: &'static str,
}

impl Matched<'_> {
    /// Returns whether API Gateway uses this route key for the route and the method of the request.
    #[must_use]
    pub fn is_called(&self, route_key: &str) -> bool {
        route_key.split_once(' ') == Some((self.method, self.route.path))
    }
}

/// Finds the route of a request.
///
/// # Errors
/// `route-not-found`, or `method-not-allowed` where the path has another method.
pub fn find<'p>(method: &str, path: &'p str) -> Result<Matched<'p>, Problem> {
    // Every path has one route, which a test asserts.
    let matched = ROUTES.iter().find_map(|route| capture(route, path));
    let matched = matched.ok_or_else(Problem::route_not_found)?;
    let methods = matched.route.methods();
    match methods.iter().find(|known| **known == method) {
        Some(method) => Ok(Matched { method, ..matched }),
        None => Err(Problem::method_not_allowed(methods)),
    }
}

fn capture<'p>(route: &'static Route, path: &'p str) -> Option<Matched<'p>> {
    let mut matched = Matched {
        route,
        tenant: "",
        id: "",
        method: route.method,
    };
    let mut segments = path.split('/');
    for expected in route.path.split('/') {
        let segment = segments.next()?;
        match expected {
            "{tenant}" if !segment.is_empty() => matched.tenant = segment,
            "{id}" if !segment.is_empty() => matched.id = segment,
            literal if literal == segment => {}
            _ => return None,
        }
    }
    segments.next().is_none().then_some(matched)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::ProblemCode;

    fn check(method: &str, path: &str, expect: Result<(&str, &str, &str), ProblemCode>) {
        let found = find(method, path).map(|found| (found.route.path, found.tenant, found.id));
        assert_eq!(found.map_err(|problem| problem.code()), expect, "{method} {path}");
    }

    #[test]
    fn every_route_is_found_by_its_path() {
        check(
            "GET",
            "/v1/tenants/acme",
            Ok(("/v1/tenants/{tenant}", "acme", "")),
        );
        check(
            "GET",
            "/v1/tenants/acme/terms/1",
            Ok(("/v1/tenants/{tenant}/terms/{id}", "acme", "1")),
        );
        check(
            "GET",
            "/v1/tenants/acme/terms",
            Ok(("/v1/tenants/{tenant}/terms", "acme", "")),
        );
        check(
            "POST",
            "/v1/tenants/acme/terms:batchGet",
            Ok(("/v1/tenants/{tenant}/terms:batchGet", "acme", "")),
        );
        check(
            "GET",
            "/v1/tenants/acme/categories",
            Ok(("/v1/tenants/{tenant}/categories", "acme", "")),
        );
        check(
            "GET",
            "/v1/tenants/acme/categories/1",
            Ok(("/v1/tenants/{tenant}/categories/{id}", "acme", "1")),
        );
        check(
            "GET",
            "/v1/tenants/acme/stats",
            Ok(("/v1/tenants/{tenant}/stats", "acme", "")),
        );
        check(
            "GET",
            "/v1/tenants/acme/categories/1/stats",
            Ok(("/v1/tenants/{tenant}/categories/{id}/stats", "acme", "1")),
        );
        check("GET", "/v1/tenants", Ok(("/v1/tenants", "", "")));
        check(
            "GET",
            "/v1/tenants/acme/suggest",
            Ok(("/v1/tenants/{tenant}/suggest", "acme", "")),
        );
        check("GET", "/v1/openapi.json", Ok(("/v1/openapi.json", "", "")));
        check("GET", "/v1/health", Ok(("/v1/health", "", "")));
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

    #[test]
    fn the_routes_are_those_of_the_decision() {
        let page = include_str!("../../../docs/decisions/0005-http.md");
        for route in ROUTES {
            let listed = [
                format!("`{} {}", route.method, route.path),
                format!(
                    "`{} ...{}",
                    route.method,
                    route.path.trim_start_matches("/v1/tenants/{tenant}")
                ),
                format!(", `{}`", route.path),
            ];
            assert!(listed.iter().any(|text| page.contains(text)), "{route:?}");
        }
        let rows = page.lines().filter(|line| line.starts_with("| `"));
        let listed: usize = rows
            .map(|row| row.split('|').nth(1).unwrap_or_default())
            .map(|cell| {
                cell.matches("GET").count() + cell.matches("POST").count() + cell.matches(", `/").count()
            })
            .sum();
        assert_eq!(listed, ROUTES.len());
    }
}
