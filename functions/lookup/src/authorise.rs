//! Who may ask about which tenant. Pure: what API Gateway knows of a request in, a tenant or a problem out.
//!
//! API Gateway authenticates; this decides, and refuses whatever it does not understand. Four things are held here that
//! the gateway cannot be trusted with, or is not asked for:
//!
//! - a request without the context that its authorizer leaves is not authenticated, however it got here;
//! - the route that the gateway authorised is the route that is served. The gateway matches the path as it was sent and hands over
//!   a decoded one, so `/v1/tenants/acme%2Fterms%2F1` is authorised as a tenant and arrives looking like a term;
//! - the parameters of that path are the tenant and the id that are served. API Gateway hands them over decoded, apart from the path, so a
//!   path that it decoded, cut or resolved after authorising it no longer fits: `/v1/tenants/globex/terms/1%3F%2Fv1%2Ftenants%2Facme` has
//!   the id `1?/v1/tenants/acme`, whatever `rawPath` says. A parameter that is missing or differs is `route-not-found`;
//! - under `iam` the caller's policy allows `execute-api:Invoke` on `.../v1/tenants/{tenant}` and what lies below it, which the gateway
//!   enforces for the path of this request; under `jwt` the token names its tenants, and this is the only place that compares them.
//!
//! Without authentication, which only the stage `local` can have, no gateway has authorised anything: neither route nor parameters are compared.

use std::collections::BTreeSet;

use serde_json::Value;
use taxonomy_keys::TenantId;

use crate::event::Context;
use crate::path_parameters::PathParameters;
use crate::problem::{Code, Problem};
use crate::routes::Matched;

/// How callers prove who they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Auth {
    /// Requests signed for AWS; the caller's policy names the tenants.
    Iam,
    /// Tokens, checked by the gateway; claim `tenants` names the tenants.
    Jwt {
        /// The scope that stands for all tenants, if there is one.
        all_tenants_scope: Option<String>,
    },
    /// Not at all: on one's own machine only.
    None,
}

impl Auth {
    /// What `WWW-Authenticate` says to a request without authentication.
    #[must_use]
    pub fn challenge(&self) -> &'static str {
        match self {
            Auth::Iam => "AWS4-HMAC-SHA256",
            Auth::Jwt { .. } | Auth::None => "Bearer",
        }
    }
}

/// A tenant that the caller may see. Only [`authorise`] makes one, and handlers get their tenant from nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorisedTenant(TenantId);

impl AuthorisedTenant {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> &TenantId {
        &self.0
    }
}

/// The tenants that a caller may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readable {
    /// All that there are.
    Everything,
    /// These, ascending.
    These(Vec<TenantId>),
}

/// Returns the tenants that the caller of a route without a tenant may read.
///
/// # Errors
/// `not-authenticated` without the context that `auth` requires; `route-not-found` where the gateway authorised another route, or one with
/// parameters.
pub fn authorise_listing(
    auth: &Auth,
    context: &Context,
    parameters: &PathParameters,
    matched: &Matched<'_>,
) -> Result<Readable, Problem> {
    let caller = admit(auth, context, parameters, matched)?;
    Ok(match caller {
        Caller::Everything => Readable::Everything,
        Caller::Tenants(claim) => {
            let named: BTreeSet<TenantId> = listed(claim).filter_map(|name| name.parse().ok()).collect();
            Readable::These(named.into_iter().collect())
        }
    })
}

/// Whether the caller may see the tenant that the path names.
///
/// # Errors
/// `not-authenticated` without the context that `auth` requires; `route-not-found` where the gateway authorised another route, or the same
/// with other parameters; `invalid-tenant` for what no tenant can be called; `tenant-not-found` for a tenant of others.
pub fn authorise(
    auth: &Auth,
    context: &Context,
    parameters: &PathParameters,
    matched: &Matched<'_>,
) -> Result<AuthorisedTenant, Problem> {
    let caller = admit(auth, context, parameters, matched)?;
    let tenant: TenantId = matched
        .tenant
        .parse()
        .map_err(|error: taxonomy_keys::InvalidId| {
            Problem::new(Code::InvalidTenant, format!("A {error}.")).at("/path/tenant")
        })?;
    if !caller.may_see(&tenant) {
        return Err(Problem::tenant_not_found());
    }
    Ok(AuthorisedTenant(tenant))
}

/// Returns the authenticated caller of the route that the gateway authorised.
fn admit<'c>(
    auth: &Auth,
    context: &'c Context,
    parameters: &PathParameters,
    matched: &Matched<'_>,
) -> Result<Caller<'c>, Problem> {
    let caller = authenticate(auth, &context.authorizer).ok_or_else(not_authenticated)?;
    if *auth != Auth::None && !is_authorised(context, parameters, matched) {
        return Err(Problem::route_not_found());
    }
    Ok(caller)
}

/// Whether the route that was found in `rawPath` is the one that the gateway authorised, with the same parameters.
fn is_authorised(context: &Context, parameters: &PathParameters, matched: &Matched<'_>) -> bool {
    let route_key = context.route_key.as_deref();
    route_key.is_some_and(|key| matched.is_called(key)) && parameters.are(matched.tenant, matched.id)
}

fn not_authenticated() -> Problem {
    Problem::new(Code::NotAuthenticated, "The request has no valid authentication.")
}

/// An authenticated caller.
enum Caller<'c> {
    /// May see whatever the gateway let through.
    Everything,
    /// May see the tenants in this claim.
    Tenants(&'c str),
}

impl Caller<'_> {
    fn may_see(&self, tenant: &TenantId) -> bool {
        match self {
            Self::Everything => true,
            Self::Tenants(claim) => listed(claim).any(|name| name == tenant.as_str()),
        }
    }
}

fn authenticate<'c>(auth: &Auth, authorizer: &'c Value) -> Option<Caller<'c>> {
    match auth {
        Auth::None => Some(Caller::Everything),
        Auth::Iam => {
            let arn = authorizer.get("iam")?.get("userArn")?.as_str()?;
            (!arn.trim().is_empty()).then_some(Caller::Everything)
        }
        Auth::Jwt { all_tenants_scope } => {
            let jwt = authorizer.get("jwt")?;
            let claims = jwt.get("claims")?.as_object()?;
            if claims.is_empty() {
                return None;
            }
            let text = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default();
            let scopes = jwt.get("scopes").and_then(Value::as_array).into_iter().flatten();
            let mut scopes = scopes.filter_map(Value::as_str).chain(text("scope").split(' '));
            match all_tenants_scope {
                Some(all) if scopes.any(|scope| scope == all) => Some(Caller::Everything),
                _ => Some(Caller::Tenants(text("tenants"))),
            }
        }
    }
}

/// The names in a claim: one, or several with commas or spaces between them, or `[a b c]` as the gateway renders a list.
/// Neither brackets nor separators can be part of a tenant's id; a bracket in any other place makes a name that no tenant has.
fn listed(claim: &str) -> impl Iterator<Item = &str> {
    let claim = claim.trim();
    let inner = claim.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner
        .unwrap_or(claim)
        .split([',', ' '])
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests;
