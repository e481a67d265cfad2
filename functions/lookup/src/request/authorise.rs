//! The authorisation of a caller for a tenant. Pure: from the context that API Gateway adds to a request to a tenant or a problem.
//!
//! API Gateway authenticates; this module decides, and refuses every context that it cannot interpret. It checks four things that the gateway
//! does not check, or not reliably:
//!
//! - a request without the context of its authorizer is not authenticated, whatever its path through the gateway;
//! - the route that the gateway authorised is the route that is served. The gateway matches the path as it was sent and passes on
//!   a decoded one, so `/v1/tenants/acme%2Fterms%2F1` is authorised as a tenant and arrives as the path of a term;
//! - the parameters of that path are the tenant and the id that are served. API Gateway passes them decoded, apart from the path, so a
//!   path that it decoded, cut or resolved after authorising it no longer matches: `/v1/tenants/globex/terms/1%3F%2Fv1%2Ftenants%2Facme` has
//!   the id `1?/v1/tenants/acme`, whatever `rawPath` contains. A parameter that is missing or differs is `route-not-found`;
//! - under `iam` the caller's policy allows `execute-api:Invoke` on `.../v1/tenants/{tenant}` and the paths below it, which the gateway
//!   enforces for the path of this request; under `jwt` the token lists its tenants, and only this module compares them.
//!
//! Without authentication, which only the stage `local` allows, no gateway has authorised the request: neither route nor parameters are compared.

pub(crate) mod tenant;

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use taxonomy_keys::TenantId;

use crate::request::auth::Auth;
use crate::request::event::RequestContext;
use crate::request::path_parameters::PathParameters;
use crate::response::problem::{Problem, ProblemCode};
use crate::routes::route::Matched;
use tenant::{AuthorisedTenant, Readable};

/// Returns the tenants that the caller of a route may read.
///
/// # Errors
/// `not-authenticated` without the context that `auth` requires; `route-not-found` where the gateway authorised another route, or the same
/// route with other parameters.
pub fn authorise_caller(
    auth: &Auth,
    context: &RequestContext,
    parameters: &PathParameters,
    matched: &Matched<'_>,
) -> Result<Readable, Problem> {
    let readable = authenticate(auth, context.authorizer.as_deref()).ok_or_else(not_authenticated)?;
    if *auth != Auth::None && !is_authorised(context, parameters, matched) {
        return Err(Problem::route_not_found());
    }
    Ok(readable)
}

/// Returns the tenant that the path names, if the caller may read it.
///
/// # Errors
/// Those of [`authorise_caller`]; `invalid-tenant` for a text that is no tenant id; `tenant-not-found` for a tenant that the caller may not read.
pub fn authorise(
    auth: &Auth,
    context: &RequestContext,
    parameters: &PathParameters,
    matched: &Matched<'_>,
) -> Result<AuthorisedTenant, Problem> {
    let readable = authorise_caller(auth, context, parameters, matched)?;
    let tenant: TenantId = matched
        .tenant
        .parse()
        .map_err(|error: taxonomy_keys::InvalidId| {
            Problem::new(ProblemCode::InvalidTenant, format!("A {error}.")).at("/path/tenant")
        })?;
    if !readable.has(&tenant) {
        return Err(Problem::tenant_not_found());
    }
    Ok(AuthorisedTenant::new(tenant))
}

/// Returns whether the route matched in `rawPath` is the one that the gateway authorised, with the same parameters.
fn is_authorised(context: &RequestContext, parameters: &PathParameters, matched: &Matched<'_>) -> bool {
    let route_key = context.route_key.as_deref();
    route_key.is_some_and(|key| matched.is_called(key)) && parameters.are(matched.tenant, matched.id)
}

pub(crate) fn not_authenticated() -> Problem {
    Problem::new(
        ProblemCode::NotAuthenticated,
        "The request has no valid authentication.",
    )
}

/// Returns the tenants that an authenticated caller may read; none without authentication.
fn authenticate(auth: &Auth, authorizer: Option<&RawValue>) -> Option<Readable> {
    match auth {
        Auth::None => Some(Readable::Everything),
        Auth::Iam => {
            let Authorizer { iam } = serde_json::from_str(authorizer?.get()).ok()?;
            (!iam.user_arn.trim().is_empty()).then_some(Readable::Everything)
        }
        Auth::Jwt { all_tenants_scope } => {
            let authorizer: Value = serde_json::from_str(authorizer?.get()).ok()?;
            let jwt = authorizer.get("jwt")?;
            let claims = jwt.get("claims")?.as_object()?;
            if claims.is_empty() {
                return None;
            }
            let text = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default();
            let scopes = jwt.get("scopes").and_then(Value::as_array).into_iter().flatten();
            let mut scopes = scopes.filter_map(Value::as_str).chain(text("scope").split(' '));
            match all_tenants_scope {
                Some(all) if scopes.any(|scope| scope == all) => Some(Readable::Everything),
                _ => Some(Readable::Claimed(text("tenants").to_owned())),
            }
        }
    }
}

/// The gateway's description of a caller who signed the request. A context of any other form counts as absent.
#[derive(Deserialize)]
struct Authorizer<'c> {
    #[serde(borrow)]
    iam: Iam<'c>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Iam<'c> {
    #[serde(borrow)]
    user_arn: Cow<'c, str>,
}

#[cfg(test)]
mod tests;
