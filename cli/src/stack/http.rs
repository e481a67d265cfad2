//! The HTTP client of every request: hyper 1 and rustls with *ring*, as in the functions (docs/decisions/0004-lean-aws-stack.md).

use std::path::Path;

use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::{
    HttpClient as _, HttpConnector, HttpConnectorFuture, SharedHttpClient, SharedHttpConnector,
    http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use taxonomy_runtime::env;

use crate::failure::Failure;
use crate::file;

/// Returns the certificates of `AWS_CA_BUNDLE`, which the AWS CLI trusts as well; none where it is not set.
///
/// # Errors
/// [`Failure::Read`] when the bundle cannot be read.
pub(crate) fn authorities() -> Result<Option<String>, Failure> {
    match env::optional("AWS_CA_BUNDLE")? {
        Some(path) => Ok(Some(file::text(Path::new(&path))?)),
        None => Ok(None),
    }
}

/// Returns a client that trusts the system's certificates and those of `AWS_CA_BUNDLE`.
///
/// # Errors
/// Those of [`authorities`], and [`Failure::Stack`] when the bundle holds no certificates.
pub(crate) fn client() -> Result<SharedHttpClient, Failure> {
    let mut trust = TrustStore::default();
    if let Some(authorities) = authorities()? {
        trust.add_pem_certificate(authorities);
    }
    let context = TlsContext::builder()
        .with_trust_store(trust)
        .build()
        .map_err(|error| Failure::Stack(format!("AWS_CA_BUNDLE cannot be used: {error}")))?;
    let client = Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::Ring))
        .tls_context(context)
        .build_https();
    Ok(http_client_fn(move |settings, components| {
        SharedHttpConnector::new(NamingConnector(client.http_connector(settings, components)))
    }))
}

/// A connector whose errors name the address.
#[derive(Debug)]
struct NamingConnector(SharedHttpConnector);

/// The connection to an address was not opened, or broke.
#[derive(Debug, thiserror::Error)]
#[error("{address} did not answer")]
pub(crate) struct NoAnswer {
    /// Scheme, host and port.
    pub(crate) address: String,
    source: ConnectorError,
}

impl HttpConnector for NamingConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let uri = request.uri();
        let address = uri.split('/').take(3).collect::<Vec<_>>().join("/");
        let answer = self.0.call(request);
        HttpConnectorFuture::new(async move {
            answer.await.map_err(|source| {
                // The retries of the SDK depend on the kind.
                let (is_timeout, is_user, is_io) = (source.is_timeout(), source.is_user(), source.is_io());
                let other = source.as_other();
                let named = NoAnswer { address, source }.into();
                if is_timeout {
                    ConnectorError::timeout(named)
                } else if is_user {
                    ConnectorError::user(named)
                } else if is_io {
                    ConnectorError::io(named)
                } else {
                    ConnectorError::other(named, other)
                }
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use aws_smithy_types::retry::ErrorKind;

    use super::*;

    #[derive(Debug)]
    struct Failing(fn() -> ConnectorError);

    impl HttpConnector for Failing {
        fn call(&self, _: HttpRequest) -> HttpConnectorFuture {
            HttpConnectorFuture::ready(Err(self.0()))
        }
    }

    #[tokio::test]
    async fn an_error_names_its_address_and_keeps_its_kind() {
        let named = async |error| {
            let connector = NamingConnector(SharedHttpConnector::new(Failing(error)));
            let request = HttpRequest::get("http://127.0.0.1:9/a/b").unwrap();
            let error = connector.call(request).await.unwrap_err();
            let cause = std::error::Error::source(&error).unwrap().to_string();
            assert_eq!(cause, "http://127.0.0.1:9 did not answer");
            error
        };
        assert!(named(|| ConnectorError::timeout("t".into())).await.is_timeout());
        assert!(named(|| ConnectorError::user("u".into())).await.is_user());
        assert!(named(|| ConnectorError::io("i".into())).await.is_io());
        let transient = || ConnectorError::other("o".into(), Some(ErrorKind::TransientError));
        assert_eq!(named(transient).await.as_other(), Some(ErrorKind::TransientError));
    }
}
