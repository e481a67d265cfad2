//! Reads of the table by the SDK's operations, without its client.
//!
//! Building a client parses the partitions of AWS, 330,000 instructions of the start of a function, and each request puts
//! the client's parts together anew. Here the parts are put together once: the SDK serialises, signs, retries and parses as its client does,
//! and the endpoint is known. Left out are the headers that describe the SDK and the attempt to AWS, and metrics that this service has no
//! reader for (docs/decisions/0004-lean-aws-stack.md).

use std::fmt::Debug;

use aws_runtime::auth::sigv4::{SCHEME_ID, SigV4AuthScheme};
use aws_runtime::retries::classifiers::AwsErrorCodeClassifier;
use aws_runtime::service_clock_skew::{ServiceClockSkewClassifier, ServiceClockSkewInterceptor};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::batch_get_item::builders::BatchGetItemInputBuilder;
use aws_sdk_dynamodb::operation::batch_get_item::{
    BatchGetItem, BatchGetItemError, BatchGetItemInput, BatchGetItemOutput,
};
use aws_sdk_dynamodb::operation::get_item::builders::GetItemInputBuilder;
use aws_sdk_dynamodb::operation::get_item::{GetItem, GetItemError, GetItemInput, GetItemOutput};
use aws_sdk_dynamodb::operation::query::builders::QueryInputBuilder;
use aws_sdk_dynamodb::operation::query::{Query, QueryError, QueryInput, QueryOutput};
use aws_smithy_runtime::client::defaults::{DefaultPluginParams, default_plugins};
use aws_smithy_runtime::client::http::connection_poisoning::ConnectionPoisoningInterceptor;
use aws_smithy_runtime::client::orchestrator::{AuthSchemeAndEndpointOrchestrationV2, invoke};
use aws_smithy_runtime::client::retries::classifiers::{
    HttpStatusCodeClassifier, ModeledAsRetryableClassifier, TransientErrorClassifier,
};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::auth::SharedAuthScheme;
use aws_smithy_runtime_api::client::auth::static_resolver::StaticAuthSchemeOptionResolver;
use aws_smithy_runtime_api::client::interceptors::context::{BeforeTransmitInterceptorContextMut, Input};
use aws_smithy_runtime_api::client::interceptors::{Intercept, SharedInterceptor, dyn_dispatch_hint};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::{CreateUnhandledError, SdkError};
use aws_smithy_runtime_api::client::runtime_components::{RuntimeComponents, RuntimeComponentsBuilder};
use aws_smithy_runtime_api::client::runtime_plugin::{RuntimePlugin, RuntimePlugins, StaticRuntimePlugin};
use aws_smithy_types::config_bag::{ConfigBag, FrozenLayer, Layer};
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use aws_smithy_types::error::operation::BuildError;
use aws_smithy_types::retry::ProvideErrorKind;
use aws_types::region::SigningRegion;
use aws_types::{SdkConfig, SigningName};

use crate::table_endpoint::{self, KnownEndpoint};

/// The three operations that read, each with all its parts.
#[derive(Debug)]
pub(crate) struct TableReads {
    get_item: RuntimePlugins,
    batch_get_item: RuntimePlugins,
    query: RuntimePlugins,
}

/// The result of an operation, as the client returns it.
pub(crate) type Sent<O, E> = Result<O, SdkError<E, HttpResponse>>;

/// A request that reads.
pub(crate) trait ReadOperation: Sized {
    type Input: Debug + Send + Sync + 'static;
    type Output: Debug + Send + Sync + 'static;
    type Error: std::error::Error + CreateUnhandledError + ProvideErrorMetadata + Send + Sync + 'static;
    const NAME: &'static str;

    fn plugins(reads: &TableReads) -> &RuntimePlugins;

    fn input(self) -> Result<Self::Input, BuildError>;

    fn send_by(self, client: &Client) -> impl Future<Output = Sent<Self::Output, Self::Error>> + Send;
}

macro_rules! read_operation {
    ($builder:ty, $input:ty, $output:ty, $error:ty, $name:literal, $plugins:ident) => {
        impl ReadOperation for $builder {
            type Input = $input;
            type Output = $output;
            type Error = $error;
            const NAME: &'static str = $name;

            fn plugins(reads: &TableReads) -> &RuntimePlugins {
                &reads.$plugins
            }

            fn input(self) -> Result<Self::Input, BuildError> {
                self.build()
            }

            async fn send_by(self, client: &Client) -> Sent<Self::Output, Self::Error> {
                self.send_with(client).await
            }
        }
    };
}

read_operation!(
    GetItemInputBuilder,
    GetItemInput,
    GetItemOutput,
    GetItemError,
    "GetItem",
    get_item
);
read_operation!(
    BatchGetItemInputBuilder,
    BatchGetItemInput,
    BatchGetItemOutput,
    BatchGetItemError,
    "BatchGetItem",
    batch_get_item
);
read_operation!(
    QueryInputBuilder,
    QueryInput,
    QueryOutput,
    QueryError,
    "Query",
    query
);

impl TableReads {
    pub(crate) fn new(sdk: &SdkConfig) -> Self {
        let client = client_plugins(sdk);
        let plugins = |operation: Option<FrozenLayer>, classifiers: RuntimeComponentsBuilder| {
            let plugin = StaticRuntimePlugin::new().with_runtime_components(classifiers);
            let plugin = match operation {
                Some(layer) => plugin.with_config(layer),
                None => plugin,
            };
            client.clone().with_operation_plugin(plugin)
        };
        Self {
            get_item: plugins(GetItem::new().config(), classifiers::<GetItemError>()),
            batch_get_item: plugins(BatchGetItem::new().config(), classifiers::<BatchGetItemError>()),
            query: plugins(Query::new().config(), classifiers::<QueryError>()),
        }
    }

    /// Sends a request, with the retries of the configuration.
    pub(crate) async fn send<R: ReadOperation>(&self, request: R) -> Sent<R::Output, R::Error> {
        let input = request.input().map_err(SdkError::construction_failure)?;
        let sent = invoke("DynamoDB", R::NAME, Input::erase(input), R::plugins(self)).await;
        let output = sent.map_err(|error| {
            error.map_service_error(|error| {
                // Each operation parses its own errors.
                let other = |error| R::Error::create_unhandled_error(format!("{error:?}").into(), None);
                error.downcast().unwrap_or_else(other)
            })
        })?;
        output
            .downcast()
            .map_err(|other| SdkError::construction_failure(format!("{other:?}")))
    }
}

/// Returns all parts that do not depend on the operation: the defaults of the SDK, and the configuration.
fn client_plugins(sdk: &SdkConfig) -> RuntimePlugins {
    let region = sdk.region();
    let partition = region.map_or("dynamodb".to_owned(), |region| format!("dynamodb-{region}"));
    let mut defaults = DefaultPluginParams::new()
        .with_retry_partition_name(partition)
        .with_is_aws_sdk(true);
    if let Some(version) = sdk.behavior_version() {
        defaults = defaults.with_behavior_version(version);
    }
    let mut plugins = RuntimePlugins::new();
    let mut components = RuntimeComponentsBuilder::new("defaults");
    for default in default_plugins(defaults) {
        let added = default.runtime_components(&components).into_owned();
        components = components.merge_from(&added);
        if let Some(layer) = default.config() {
            plugins = plugins.with_client_plugin(StaticRuntimePlugin::new().with_config(layer));
        }
    }
    plugins.with_client_plugin(
        StaticRuntimePlugin::new()
            .with_config(configuration(sdk))
            .with_runtime_components(components.merge_from(&client_components(sdk))),
    )
}

fn configuration(sdk: &SdkConfig) -> FrozenLayer {
    let mut layer = Layer::new("reads of the table");
    layer.store_put(SigningName::from_static("dynamodb"));
    layer.store_put(AuthSchemeAndEndpointOrchestrationV2);
    if let Some(region) = sdk.region() {
        layer.store_put(region.clone());
        layer.store_put(SigningRegion::from(region.clone()));
    }
    if let Some(retry) = sdk.retry_config() {
        layer.store_put(retry.clone());
    }
    if let Some(timeout) = sdk.timeout_config() {
        layer.store_put(timeout.clone());
    }
    layer.freeze()
}

fn client_components(sdk: &SdkConfig) -> RuntimeComponentsBuilder {
    let endpoint = KnownEndpoint(table_endpoint::of(sdk));
    let mut components = RuntimeComponentsBuilder::new("reads of the table");
    components.set_auth_scheme_option_resolver(Some(StaticAuthSchemeOptionResolver::new(vec![SCHEME_ID])));
    components.push_auth_scheme(SharedAuthScheme::new(SigV4AuthScheme::new()));
    if let Some(credentials) = sdk.credentials_provider() {
        components.set_identity_resolver(SCHEME_ID, credentials);
    }
    components.push_interceptor(SharedInterceptor::permanent(endpoint.clone()));
    components.set_endpoint_resolver(Some(endpoint));
    components.push_interceptor(SharedInterceptor::permanent(ConnectionPoisoningInterceptor::new()));
    components.push_interceptor(ServiceClockSkewInterceptor::new());
    components.push_interceptor(SharedInterceptor::permanent(UserAgent));
    components.push_retry_classifier(HttpStatusCodeClassifier::default());
    if let Some(http_client) = sdk.http_client() {
        components.set_http_client(Some(http_client));
    }
    if let Some(sleep) = sdk.sleep_impl() {
        components.set_sleep_impl(Some(sleep));
    }
    if let Some(time) = sdk.time_source() {
        components.set_time_source(Some(time));
    }
    components
}

/// The errors of an operation that are tried again.
fn classifiers<E>() -> RuntimeComponentsBuilder
where
    E: std::error::Error + ProvideErrorKind + ProvideErrorMetadata + Send + Sync + 'static,
{
    RuntimeComponentsBuilder::new("errors of an operation")
        .with_retry_classifier(TransientErrorClassifier::<E>::new())
        .with_retry_classifier(ModeledAsRetryableClassifier::<E>::new())
        .with_retry_classifier(AwsErrorCodeClassifier::<E>::new())
        .with_retry_classifier(ServiceClockSkewClassifier::<E>::new())
}

/// Names the service in the logs of AWS. Not signed: a proxy may change it.
#[derive(Debug)]
struct UserAgent;

#[dyn_dispatch_hint]
impl Intercept for UserAgent {
    fn name(&self) -> &'static str {
        "UserAgent"
    }

    fn modify_before_transmit(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let headers = context.request_mut().headers_mut();
        headers.insert("user-agent", concat!("taxonomy/", env!("CARGO_PKG_VERSION")));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
