//! An encrypted connection: the server under test speaks plainly, so something in front of it ends the encryption.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use taxonomy_keys::Version;
use taxonomy_valkey::{TierErrors, ValkeyConfig, ValkeyError};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::{ServerConfig, crypto};

use crate::server::{Server, acme, client, first, impatient, is_there, patient, put};

/// An authority of one's own, with the certificate it is known by.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        Self {
            issuer: Issuer::new(params, key),
            pem,
        }
    }

    /// Returns a server's end of TLS whose certificate is for `name`.
    fn acceptor(&self, name: &str) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }
}

/// A proxy before a server: it terminates TLS and forwards all bytes.
struct Front {
    port: u16,
    accepted: Arc<AtomicUsize>,
    /// Each handshake takes one of these.
    handshakes: Arc<Semaphore>,
}

impl Front {
    async fn of(server: &Server, acceptor: TlsAcceptor, handshakes: usize) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let behind = server.port();
        let accepted = Arc::new(AtomicUsize::new(0));
        let handshakes = Arc::new(Semaphore::new(handshakes));
        let (counter, gate) = (Arc::clone(&accepted), Arc::clone(&handshakes));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counter.fetch_add(1, Ordering::Relaxed);
                let (acceptor, gate) = (acceptor.clone(), Arc::clone(&gate));
                tokio::spawn(async move {
                    gate.acquire().await.unwrap().forget();
                    // A client that is not convinced hangs up.
                    if let Ok(mut outside) = acceptor.accept(stream).await {
                        let mut inside = TcpStream::connect(("127.0.0.1", behind)).await.unwrap();
                        let _ = copy_bidirectional(&mut outside, &mut inside).await;
                    }
                });
            }
        });
        Self {
            port,
            accepted,
            handshakes,
        }
    }

    fn config(&self, roots: Option<&Authority>) -> ValkeyConfig {
        ValkeyConfig {
            additional_roots: roots.map(|authority| authority.pem.clone()),
            ..patient(format!("rediss://localhost:{}", self.port))
        }
    }
}

/// A client sends nothing to a server that it cannot authenticate, and the error names the reason.
async fn is_not_trusted(config: &ValkeyConfig, expect: &str) {
    let valkey = client(config);
    put(&valkey).await;
    assert!(!is_there(&valkey).await);
    match valkey.advance(&acme(), Version::FIRST).await {
        Err(ValkeyError::Unreachable(cause)) => {
            assert!(cause.to_string().contains(expect), "{cause}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_that_proves_who_it_is_is_used() {
    let (server, authority) = (Server::start(), Authority::new());
    let front = Front::of(&server, authority.acceptor("localhost"), 9).await;
    let valkey = client(&front.config(Some(&authority)));
    valkey.connect().await;
    put(&valkey).await;
    assert!(is_there(&valkey).await);
    let there = valkey.advance(&acme(), Version::FIRST).await.unwrap();
    assert_eq!(there, Version::FIRST);
    assert_eq!(valkey.take_errors(), TierErrors::default());
    assert_eq!(front.accepted.load(Ordering::Relaxed), 1, "one connection");
}

#[tokio::test]
async fn a_server_of_another_authority_or_name_or_without_encryption_is_not_trusted() {
    let (server, authority) = (Server::start(), Authority::new());
    let front = Front::of(&server, authority.acceptor("localhost"), 9).await;
    let invalid = "invalid peer certificate";
    is_not_trusted(&front.config(None), invalid).await;
    is_not_trusted(&front.config(Some(&Authority::new())), invalid).await;
    let front = Front::of(&server, authority.acceptor("cache.example"), 9).await;
    is_not_trusted(&front.config(Some(&authority)), "cache.example").await;
    // It waits for the end of what it takes for a command.
    let url = format!("rediss://localhost:{}", server.port());
    let (valkey, _) = impatient(&ValkeyConfig::new(url));
    put(&valkey).await;
    assert!(!is_there(&valkey).await);
    assert_eq!(server.tell::<i64>(&["DBSIZE"]), 0);
}

/// A small function's handshake takes longer than a request's time: requests that come later go on with it.
#[tokio::test]
async fn a_handshake_that_takes_long_is_not_begun_again_by_every_request() {
    let (server, authority) = (Server::start(), Authority::new());
    let front = Front::of(&server, authority.acceptor("localhost"), 0).await;
    let (valkey, _) = impatient(&front.config(Some(&authority)));
    for _ in 0..2 {
        assert!(valkey.get(&acme(), &first(), &[]).await.newest.is_none());
    }
    assert_eq!(valkey.take_errors().failed, 2, "nobody has shaken hands");
    front.handshakes.add_permits(1);
    valkey.connect().await;
    assert_eq!(valkey.take_errors().failed, 0, "now it is done");
    assert_eq!(front.accepted.load(Ordering::Relaxed), 1, "in one go");
}
