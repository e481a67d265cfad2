//! The HTTP connector: hyper and rustls with *ring*, as in the functions.

use std::time::Duration;

use aws_smithy_async::rt::sleep::TokioSleep;
use aws_smithy_http_client::Connector;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::{HttpConnectorSettings, SharedHttpConnector};
use taxonomy_runtime::aws::AMAZON_ROOTS;

use crate::error::ClientError;

/// Returns a connector that gives up opening a connection after so long; the time for the answer is the caller's matter. It trusts the root
/// certificates of the machine, for a domain of one's own, those of AWS, for a machine without any, and the given ones (PEM). It uses plain http if
/// the address does.
pub(crate) fn connector(
    connect_timeout: Duration,
    authorities: Option<Vec<u8>>,
) -> Result<SharedHttpConnector, ClientError> {
    let mut trust = TrustStore::default().with_pem_certificate(AMAZON_ROOTS);
    if let Some(authorities) = authorities {
        trust.add_pem_certificate(authorities);
    }
    let context = TlsContext::builder().with_trust_store(trust).build();
    let context = context.map_err(|_| ClientError::Configuration("the authorities are no certificates"))?;
    let settings = HttpConnectorSettings::builder().connect_timeout(connect_timeout);
    let connector = Connector::builder()
        .tls_provider(Provider::Rustls(CryptoMode::Ring))
        .tls_context(context)
        .connector_settings(settings.build())
        .sleep_impl(TokioSleep::new());
    Ok(SharedHttpConnector::new(connector.build()))
}
