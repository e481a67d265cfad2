//! The routes, and which of them a request means.
//!
//! Paths are compared as they come, segment by segment: nothing is decoded, normalised or stripped, because API Gateway has
//! decoded the path once already and authorised the request by what it saw. So `/x/`, `//x`, `/X`, `/%78` and `/y/../x` are
//! other paths than `/x`.

use crate::problem::Problem;

/// What a route answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// The head of a tenant.
    Tenant,
    /// A term.
    Term,
    /// Terms by ids in the query.
    Terms,
    /// Terms by ids in the body.
    BatchGet,
    /// The categories of a tenant.
    Categories,
    /// A category.
    Category,
    /// What is counted of a tenant.
    TenantStats,
    /// What is counted of a category.
    CategoryStats,
    /// The description of the API.
    OpenApi,
    /// That the function runs.
    Health,
}

/// One method of one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The HTTP method.
    pub method: &'static str,
    /// The path; `{tenant}` and `{id}` stand for one segment each.
    pub path: &'static str,
    /// What it answers.
    pub endpoint: Endpoint,
}

/// All routes (docs/decisions/0005-http.md).
pub const ROUTES: [Route; 10] = [
    route("GET", "/v1/tenants/{tenant}", Endpoint::Tenant),
    route("GET", "/v1/tenants/{tenant}/terms/{id}", Endpoint::Term),
    route("GET", "/v1/tenants/{tenant}/terms", Endpoint::Terms),
    route("POST", "/v1/tenants/{tenant}/terms:batchGet", Endpoint::BatchGet),
    route("GET", "/v1/tenants/{tenant}/categories", Endpoint::Categories),
    route("GET", "/v1/tenants/{tenant}/categories/{id}", Endpoint::Category),
    route("GET", "/v1/tenants/{tenant}/stats", Endpoint::TenantStats),
    route(
        "GET",
        "/v1/tenants/{tenant}/categories/{id}/stats",
        Endpoint::CategoryStats,
    ),
    route("GET", "/v1/openapi.json", Endpoint::OpenApi),
    route("GET", "/v1/health", Endpoint::Health),
];

const fn route(method: &'static str, path: &'static str, endpoint: Endpoint) -> Route {
    Route {
        method,
        path,
        endpoint,
    }
}

impl Route {
    /// Whether API Gateway calls this route so.
    #[must_use]
    pub fn is_called(&self, route_key: &str) -> bool {
        route_key.split_once(' ') == Some((self.method, self.path))
    }
}

/// A route and the parts of the path that it leaves open, not looked into yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matched<'p> {
    /// The route.
    pub route: &'static Route,
    /// In the place of `{tenant}`; empty where the route has none.
    pub tenant: &'p str,
    /// In the place of `{id}`; empty where the route has none.
    pub id: &'p str,
}

/// The route of a request.
///
/// # Errors
/// `route-not-found`, or `method-not-allowed` where the path has another method.
pub fn find<'p>(method: &str, path: &'p str) -> Result<Matched<'p>, Problem> {
    // Every path has one method; a test holds that.
    let matched = ROUTES.iter().find_map(|route| capture(route, path));
    let matched = matched.ok_or_else(Problem::route_not_found)?;
    if matched.route.method != method {
        return Err(Problem::method_not_allowed(matched.route.method));
    }
    Ok(matched)
}

fn capture<'p>(route: &'static Route, path: &'p str) -> Option<Matched<'p>> {
    let mut matched = Matched {
        route,
        tenant: "",
        id: "",
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
    use crate::problem::Code;

    fn check(method: &str, path: &str, expect: Result<(Endpoint, &str, &str), Code>) {
        let found = find(method, path).map(|found| (found.route.endpoint, found.tenant, found.id));
        assert_eq!(found.map_err(|problem| problem.code()), expect, "{method} {path}");
    }

    #[test]
    fn every_route_is_found_by_its_path() {
        check("GET", "/v1/tenants/acme", Ok((Endpoint::Tenant, "acme", "")));
        check(
            "GET",
            "/v1/tenants/acme/terms/1",
            Ok((Endpoint::Term, "acme", "1")),
        );
        check("GET", "/v1/tenants/acme/terms", Ok((Endpoint::Terms, "acme", "")));
        check(
            "POST",
            "/v1/tenants/acme/terms:batchGet",
            Ok((Endpoint::BatchGet, "acme", "")),
        );
        check(
            "GET",
            "/v1/tenants/acme/categories",
            Ok((Endpoint::Categories, "acme", "")),
        );
        check(
            "GET",
            "/v1/tenants/acme/categories/1",
            Ok((Endpoint::Category, "acme", "1")),
        );
        check(
            "GET",
            "/v1/tenants/acme/stats",
            Ok((Endpoint::TenantStats, "acme", "")),
        );
        check(
            "GET",
            "/v1/tenants/acme/categories/1/stats",
            Ok((Endpoint::CategoryStats, "acme", "1")),
        );
        check("GET", "/v1/openapi.json", Ok((Endpoint::OpenApi, "", "")));
        check("GET", "/v1/health", Ok((Endpoint::Health, "", "")));
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
            "/v1/tenants",
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
        ] {
            check("GET", path, Err(Code::RouteNotFound));
        }
    }

    #[test]
    fn an_odd_segment_stays_one_segment() {
        check("GET", "/v1/tenants/..", Ok((Endpoint::Tenant, "..", "")));
        check(
            "GET",
            "/v1/tenants/a%2Fterms%2F1",
            Ok((Endpoint::Tenant, "a%2Fterms%2F1", "")),
        );
        check("GET", "/v1/tenants/a#b?c", Ok((Endpoint::Tenant, "a#b?c", "")));
        check(
            "GET",
            "/v1/tenants/acme/terms/..",
            Ok((Endpoint::Term, "acme", "..")),
        );
    }

    #[test]
    fn another_method_is_not_allowed() {
        check("POST", "/v1/tenants/acme/terms", Err(Code::MethodNotAllowed));
        check("HEAD", "/v1/health", Err(Code::MethodNotAllowed));
        check("get", "/v1/health", Err(Code::MethodNotAllowed));
        let refused = find("GET", "/v1/tenants/acme/terms:batchGet").unwrap_err();
        assert_eq!(
            (refused.code(), refused.allow()),
            (Code::MethodNotAllowed, Some("POST"))
        );
    }

    #[test]
    fn every_path_has_one_method() {
        let paths: std::collections::BTreeSet<_> = ROUTES.map(|route| route.path).into();
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
