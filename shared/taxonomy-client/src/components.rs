//! The components of an SDK operation, which every HTTP client of the SDK requires.
//!
//! An HTTP client uses clock and sleep; the builder insists on the others too. They refuse, since this crate has no operation.

use aws_smithy_async::rt::sleep::TokioSleep;
use aws_smithy_async::time::SharedTimeSource;
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::auth::static_resolver::StaticAuthSchemeOptionResolver;
use aws_smithy_runtime_api::client::auth::{AuthScheme, AuthSchemeEndpointConfig, AuthSchemeId, Sign};
use aws_smithy_runtime_api::client::endpoint::{EndpointFuture, EndpointResolverParams, ResolveEndpoint};
use aws_smithy_runtime_api::client::identity::{
    Identity, IdentityFuture, ResolveCachedIdentity, ResolveIdentity, SharedIdentityResolver,
};
use aws_smithy_runtime_api::client::interceptors::context::InterceptorContext;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::retries::{RetryStrategy, ShouldAttempt};
use aws_smithy_runtime_api::client::runtime_components::{
    GetIdentityResolver, RuntimeComponents, RuntimeComponentsBuilder,
};
use aws_smithy_types::config_bag::ConfigBag;

/// Tokio's sleep, this clock, and nothing else that works.
pub(crate) fn components(time: SharedTimeSource) -> Result<RuntimeComponents, BoxError> {
    let builder = RuntimeComponentsBuilder::new("taxonomy-client")
        .with_auth_scheme_option_resolver(Some(StaticAuthSchemeOptionResolver::new(Vec::new())))
        .with_auth_scheme(NoOperation)
        .with_identity_resolver(NO_SCHEME, NoOperation)
        .with_endpoint_resolver(Some(NoOperation))
        .with_identity_cache(Some(NoOperation))
        .with_retry_strategy(Some(NoOperation))
        .with_sleep_impl(Some(TokioSleep::new()))
        .with_time_source(Some(time));
    Ok(builder.build()?)
}

const NO_SCHEME: AuthSchemeId = AuthSchemeId::new("none");
const REFUSAL: &str = "the client has no SDK operation";

/// The parts of an operation that does not exist.
#[derive(Debug)]
struct NoOperation;

impl ResolveEndpoint for NoOperation {
    fn resolve_endpoint<'a>(&'a self, _: &'a EndpointResolverParams) -> EndpointFuture<'a> {
        EndpointFuture::ready(Err(REFUSAL.into()))
    }
}

impl AuthScheme for NoOperation {
    fn scheme_id(&self) -> AuthSchemeId {
        NO_SCHEME
    }

    fn identity_resolver(&self, _: &dyn GetIdentityResolver) -> Option<SharedIdentityResolver> {
        None
    }

    fn signer(&self) -> &dyn Sign {
        self
    }
}

impl Sign for NoOperation {
    fn sign_http_request(
        &self,
        _: &mut HttpRequest,
        _: &Identity,
        _: AuthSchemeEndpointConfig<'_>,
        _: &RuntimeComponents,
        _: &ConfigBag,
    ) -> Result<(), BoxError> {
        Err(REFUSAL.into())
    }
}

impl ResolveIdentity for NoOperation {
    fn resolve_identity<'a>(&'a self, _: &'a RuntimeComponents, _: &'a ConfigBag) -> IdentityFuture<'a> {
        IdentityFuture::ready(Err(REFUSAL.into()))
    }
}

impl ResolveCachedIdentity for NoOperation {
    fn resolve_cached_identity<'a>(
        &'a self,
        _: SharedIdentityResolver,
        _: &'a RuntimeComponents,
        _: &'a ConfigBag,
    ) -> IdentityFuture<'a> {
        IdentityFuture::ready(Err(REFUSAL.into()))
    }
}

impl RetryStrategy for NoOperation {
    fn should_attempt_initial_request(
        &self,
        _: &RuntimeComponents,
        _: &ConfigBag,
    ) -> Result<ShouldAttempt, BoxError> {
        Err(REFUSAL.into())
    }

    fn should_attempt_retry(
        &self,
        _: &InterceptorContext,
        _: &RuntimeComponents,
        _: &ConfigBag,
    ) -> Result<ShouldAttempt, BoxError> {
        Err(REFUSAL.into())
    }
}
