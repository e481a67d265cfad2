//! A route: one method of one path, with its handler.

use std::fmt;
use std::pin::Pin;

use crate::request::{Listing, Request};
use crate::response::answer::Answer;
use crate::response::problem::Problem;

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
    Public(fn() -> Result<Answer, Problem>),
    /// Authenticated callers, about the tenants that they may read.
    OfCaller(OfCaller),
    /// Callers who may read the tenant of the path.
    OfTenant(OfTenant),
}

pub(crate) type OfCaller = for<'a> fn(&'a Listing<'a>) -> Answering<'a>;

pub(crate) type OfTenant = for<'a> fn(&'a Request<'a>) -> Answering<'a>;

/// The future of a handler, boxed, so that all handlers have one type.
pub(crate) type Answering<'a> = Pin<Box<dyn Future<Output = Result<Answer, Problem>> + Send + 'a>>;

impl Route {
    /// A route that needs no authentication.
    pub(crate) const fn public(path: &'static str, handler: fn() -> Result<Answer, Problem>) -> Self {
        Self::new("GET", path, Handler::Public(handler))
    }

    /// A `GET` of a list of tenants.
    pub(crate) const fn listing(path: &'static str, handler: OfCaller) -> Self {
        Self::new("GET", path, Handler::OfCaller(handler))
    }

    /// A `GET` about a tenant.
    pub(crate) const fn get(path: &'static str, handler: OfTenant) -> Self {
        Self::new("GET", path, Handler::OfTenant(handler))
    }

    /// A `POST` about a tenant: a query with a body.
    pub(crate) const fn post(path: &'static str, handler: OfTenant) -> Self {
        Self::new("POST", path, Handler::OfTenant(handler))
    }

    const fn new(method: &'static str, path: &'static str, handler: Handler) -> Self {
        Self {
            method,
            path,
            handler,
        }
    }

    /// Returns whether the route needs no authentication.
    pub fn is_public(&self) -> bool {
        matches!(self.handler, Handler::Public(_))
    }

    /// Returns the methods of its path for `Allow`: a route of `GET` has `HEAD` as well.
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
    pub fn is_called(&self, route_key: &str) -> bool {
        route_key.split_once(' ') == Some((self.method, self.route.path))
    }
}

impl Route {
    /// Returns the variable segments of a path that the route has.
    pub(crate) fn capture<'p>(&'static self, path: &'p str) -> Option<Matched<'p>> {
        let mut matched = Matched {
            route: self,
            tenant: "",
            id: "",
            method: self.method,
        };
        let (mut expected, mut segments) = (self.path.split('/'), path.split('/'));
        loop {
            match (expected.next(), segments.next()) {
                (None, None) => return Some(matched),
                (Some("{tenant}"), Some(segment)) if !segment.is_empty() => matched.tenant = segment,
                (Some("{id}"), Some(segment)) if !segment.is_empty() => matched.id = segment,
                (literal, segment) if literal == segment => {}
                _ => return None,
            }
        }
    }
}
