//! The trusted certificates: the roots of AWS and those of the configuration, never those of the system.

use std::error::Error;
use std::sync::Arc;

use taxonomy_runtime::ConfigError;
use taxonomy_runtime::aws::AMAZON_ROOTS;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

/// The verifier of the server, and the server's name.
#[derive(Clone)]
pub(crate) struct Tls {
    pub(crate) connector: TlsConnector,
    pub(crate) name: ServerName<'static>,
}

impl Tls {
    /// Names *ring*, so that the default crypto provider of the process does not matter.
    pub(crate) fn new(host: &str, additional_roots: Option<&str>) -> Result<Self, ConfigError> {
        let invalid = |reason: String| ConfigError::invalid("CACHE_URL", reason);
        let name = ServerName::try_from(host.to_owned()).map_err(|error| invalid(error.to_string()))?;
        let mut roots = RootCertStore::empty();
        for pem in [Some(AMAZON_ROOTS), additional_roots].into_iter().flatten() {
            add(&mut roots, pem).map_err(|error| invalid(format!("a root certificate: {error}")))?;
        }
        let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| invalid(error.to_string()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self {
            connector: TlsConnector::from(Arc::new(config)),
            name,
        })
    }
}

fn add(roots: &mut RootCertStore, pem: &str) -> Result<(), Box<dyn Error>> {
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        roots.add(certificate?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roots_of_aws_are_trusted() {
        let mut roots = RootCertStore::empty();
        add(&mut roots, AMAZON_ROOTS).unwrap();
        assert_eq!(roots.len(), 5);
    }

    #[test]
    fn a_host_that_no_certificate_can_name_is_refused() {
        let refused = Tls::new("no such host", None).err().unwrap().to_string();
        assert!(refused.starts_with("environment variable CACHE_URL"), "{refused}");
    }
}
