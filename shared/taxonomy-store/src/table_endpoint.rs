//! The endpoint of DynamoDB.

use aws_sdk_dynamodb::config::endpoint::{DefaultResolver, Params, ResolveEndpoint as _};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::endpoint::{EndpointFuture, EndpointResolverParams, ResolveEndpoint};
use aws_smithy_runtime_api::client::interceptors::context::BeforeSerializationInterceptorContextRef;
use aws_smithy_runtime_api::client::interceptors::{Intercept, dyn_dispatch_hint};
use aws_smithy_types::config_bag::ConfigBag;
use aws_smithy_types::endpoint::Endpoint;
use aws_types::SdkConfig;
use futures_util::FutureExt;

/// The areas in the names of the regions of the partition `aws`.
const AREAS: [&str; 9] = ["us", "eu", "ap", "sa", "ca", "me", "af", "il", "mx"];

/// An endpoint that does not depend on the request; none for a region that the SDK refuses, where each request fails.
#[derive(Debug, Clone)]
pub(crate) struct KnownEndpoint(pub(crate) Option<Endpoint>);

/// Returns the configured endpoint, or that of the region. The SDK's rules, for which it parses all partitions, decide only
/// outside of the partition `aws`.
pub(crate) fn of(sdk: &SdkConfig) -> Option<Endpoint> {
    let region = sdk.region().map(AsRef::as_ref).unwrap_or_default();
    let url = match sdk.endpoint_url() {
        Some(url) => Some(url.to_owned()),
        None => in_aws(region).then(|| format!("https://dynamodb.{region}.amazonaws.com")),
    };
    let url = url.or_else(|| by_rules(region))?;
    Some(Endpoint::builder().url(url).build())
}

/// Returns whether a region is of the partition `aws`: an area, a place and a number, such as `eu-west-1`.
fn in_aws(region: &str) -> bool {
    let parts: Vec<&str> = region.split('-').collect();
    let [area, place, number] = parts.as_slice() else {
        return false;
    };
    AREAS.contains(area)
        && !place.is_empty()
        && place.bytes().all(|c| c.is_ascii_alphanumeric())
        && !number.is_empty()
        && number.bytes().all(|c| c.is_ascii_digit())
}

fn by_rules(region: &str) -> Option<String> {
    let parameters = Params::builder().region(region.to_owned()).build().ok()?;
    let found = DefaultResolver::new()
        .resolve_endpoint(&parameters)
        .now_or_never()?;
    Some(found.ok()?.url().to_owned())
}

impl ResolveEndpoint for KnownEndpoint {
    fn resolve_endpoint<'a>(&'a self, _: &'a EndpointResolverParams) -> EndpointFuture<'a> {
        let known = self.0.clone();
        EndpointFuture::ready(known.ok_or_else(|| "the region has no endpoint of DynamoDB".into()))
    }
}

/// Each request must have parameters of its endpoint, even where nothing depends on them.
#[dyn_dispatch_hint]
impl Intercept for KnownEndpoint {
    fn name(&self) -> &'static str {
        "KnownEndpoint"
    }

    fn read_before_execution(
        &self,
        _: &BeforeSerializationInterceptorContextRef<'_>,
        configuration: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        configuration
            .interceptor_state()
            .store_put(EndpointResolverParams::new(()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use aws_types::region::Region;

    use super::*;

    fn endpoint(region: &'static str, url: Option<&str>) -> Option<String> {
        let mut sdk = SdkConfig::builder().region(Region::from_static(region));
        sdk.set_endpoint_url(url.map(str::to_owned));
        Some(of(&sdk.build())?.url().to_owned())
    }

    /// Regions of every partition, and names that look like one.
    #[test]
    fn it_is_the_one_that_the_sdk_finds() {
        for region in [
            "af-south-1",
            "ap-southeast-7",
            "ca-west-1",
            "eu-west-1",
            "il-central-1",
            "me-central-1",
            "mx-central-1",
            "sa-east-1",
            "us-east-1",
            "us-gov-west-1",
            "us-iso-east-1",
            "us-isob-east-1",
            "eu-isoe-west-1",
            "us-isof-south-1",
            "eusc-de-east-1",
            "cn-north-1",
            "xx-west-1",
            "us-newplace-12",
            "us-west",
        ] {
            assert_eq!(endpoint(region, None), by_rules(region), "{region}");
            assert!(endpoint(region, None).is_some(), "{region}");
        }
        assert_eq!(endpoint("us-new_place-1", None), None);
        let china = endpoint("cn-north-1", None);
        assert_eq!(
            china.as_deref(),
            Some("https://dynamodb.cn-north-1.amazonaws.com.cn")
        );
        let local = "http://127.0.0.1:8000";
        assert_eq!(endpoint("eu-west-1", Some(local)).as_deref(), Some(local));
    }
}
