//! The HTTP connector: the default one, and the way to get one from an HTTP client of the AWS SDK.

use std::time::Duration;

use aws_smithy_async::time::SharedTimeSource;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use taxonomy_runtime::aws::AMAZON_ROOTS;

use crate::components::components;
use crate::error::ClientError;

/// hyper and rustls with *ring*, as in the functions. It trusts the root certificates of the machine, for a domain of one's own, and those of AWS,
/// for a machine without any. It uses plain http if the address does.
pub(crate) fn default_http_client() -> SharedHttpClient {
    let builder = aws_smithy_http_client::Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring));
    let trust = TrustStore::default().with_pem_certificate(AMAZON_ROOTS);
    // Building a context cannot fail in this version of the crate; the default context trusts the machine's roots alone.
    match TlsContext::builder().with_trust_store(trust).build() {
        Ok(context) => builder.tls_context(context).build_https(),
        Err(_) => builder.build_https(),
    }
}

/// A connector that gives up opening a connection after so long. The time for the answer is the caller's matter.
pub(crate) fn connector(
    client: &SharedHttpClient,
    connect_timeout: Duration,
    time: SharedTimeSource,
) -> Result<SharedHttpConnector, ClientError> {
    let components = components(time).map_err(|_| ClientError::Configuration("no HTTP connector"))?;
    let settings = HttpConnectorSettings::builder().connect_timeout(connect_timeout);
    Ok(client.http_connector(&settings.build(), &components))
}
