//! Tests of the authentication of requests. The expected signatures are computed here, step by step as AWS documents them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use aws_credential_types::Credentials;
use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{ProvideCredentials, future};
use aws_smithy_async::time::TimeSource;
use sha2::{Digest, Sha256};
use taxonomy_client::{Auth, Client, ClientError, Tenant};
use taxonomy_testkit::fixtures::ACME;

use crate::api::{API, Api, Fault, Seen};
use crate::routes::{french, term};

/// 2026-01-01T00:00:00Z.
const NOW: u64 = 1_767_225_600;
const DATE_TIME: &str = "20260101T000000Z";
const DATE: &str = "20260101";

/// A clock that the test moves.
#[derive(Debug, Clone)]
struct Clock(Arc<AtomicU64>);

impl Clock {
    fn new() -> Self {
        Self(Arc::new(AtomicU64::new(NOW)))
    }

    fn pass(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl TimeSource for Clock {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.0.load(Ordering::SeqCst))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// RFC 2104.
fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    assert!(key.len() <= 64, "a longer key would be hashed first");
    let pad = |with: u8| -> Vec<u8> {
        let key = key.iter().copied().chain(std::iter::repeat(0));
        key.take(64).map(|byte| byte ^ with).collect()
    };
    let inner = Sha256::digest([pad(0x36), text.as_bytes().to_vec()].concat());
    Sha256::digest([pad(0x5c), inner.to_vec()].concat()).to_vec()
}

/// The `Authorization` header of a canonical request.
fn authorization(canonical: &str, secret: &str, signed: &str) -> String {
    let scope = format!("{DATE}/eu-west-1/execute-api/aws4_request");
    let hashed = hex(&Sha256::digest(canonical));
    let text = format!("AWS4-HMAC-SHA256\n{DATE_TIME}\n{scope}\n{hashed}");
    let key = ["eu-west-1", "execute-api", "aws4_request"]
        .into_iter()
        .fold(hmac(format!("AWS4{secret}").as_bytes(), DATE), |key, part| {
            hmac(&key, part)
        });
    let signature = hex(&hmac(&key, &text));
    format!("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/{scope}, SignedHeaders={signed}, Signature={signature}")
}

fn body_hash(body: &str) -> String {
    hex(&Sha256::digest(body))
}

fn only(api: &Api) -> Seen {
    let mut seen = api.seen();
    assert_eq!(seen.len(), 1);
    seen.remove(0)
}

/// The canonical request with a session token.
fn with_token(method: &str, path: &str, query: &str, body: &str) -> String {
    let headers = format!(
        "host:abc.execute-api.eu-west-1.amazonaws.com\nx-amz-date:{DATE_TIME}\nx-amz-security-token:session-token-secret\n"
    );
    let signed = "host;x-amz-date;x-amz-security-token";
    format!(
        "{method}\n{path}\n{query}\n{headers}\n{signed}\n{}",
        body_hash(body)
    )
}

#[test]
fn the_steps_of_this_test_are_those_of_the_documentation() {
    // The signing key of "Examples of how to derive a signing key for Signature Version 4".
    let key = ["us-east-1", "iam", "aws4_request"].into_iter().fold(
        hmac(b"AWS4wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "20150830"),
        |key, part| hmac(&key, part),
    );
    assert_eq!(
        hex(&key),
        "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9"
    );
}

#[tokio::test]
async fn a_signature_names_the_api_and_the_session_token() {
    let api = Api::new().await;
    let client = api.builder().time_source(Clock::new()).build().unwrap();
    let acme = client.tenant(ACME.parse().unwrap());
    let signed = "host;x-amz-date;x-amz-security-token";

    acme.term(term(101), french().as_ref()).await.unwrap();
    let seen = only(&api);
    let canonical = with_token("GET", "/v1/tenants/acme/terms/101", "culture=fr-FR", "");
    let expect = authorization(&canonical, "secret-access-key", signed);
    assert_eq!(seen.header("authorization"), Some(expect.as_str()));
    assert_eq!(seen.header("x-amz-date"), Some(DATE_TIME));
    assert_eq!(seen.header("x-amz-security-token"), Some("session-token-secret"));
    assert_eq!(seen.header("host"), None, "the connector writes it from the URL");
    assert_eq!(seen.uri, format!("{API}/v1/tenants/acme/terms/101?culture=fr-FR"));

    acme.terms(&[0, 101].map(term), None).await.unwrap();
    let canonical = with_token("GET", "/v1/tenants/acme/terms", "ids=0%2C101", "");
    let expect = authorization(&canonical, "secret-access-key", signed);
    assert_eq!(only(&api).header("authorization"), Some(expect.as_str()));
}

#[tokio::test]
async fn a_body_is_signed_and_a_colon_of_the_path_is_escaped_in_the_signature_alone() {
    let api = Api::new().await;
    let client = api
        .builder()
        .cache_bytes(0)
        .time_source(Clock::new())
        .build()
        .unwrap();
    let acme = client.tenant(ACME.parse().unwrap());
    acme.terms(&[0, 101].map(term), None).await.unwrap();
    let seen = only(&api);
    assert_eq!(seen.target(), "/v1/tenants/acme/terms:batchGet");
    assert_eq!(seen.header("content-type"), Some("application/json"));
    let canonical = with_token("POST", "/v1/tenants/acme/terms%3AbatchGet", "", &seen.body);
    let expect = authorization(
        &canonical,
        "secret-access-key",
        "host;x-amz-date;x-amz-security-token",
    );
    assert_eq!(seen.header("authorization"), Some(expect.as_str()));
}

#[tokio::test]
async fn a_request_to_another_address_is_signed_for_the_api() {
    let api = Api::new().await;
    let fixed = Credentials::new("AKIDEXAMPLE", "secret-access-key", None, None, "test");
    let client = Client::builder("https://abc.execute-api.localhost:8443/prod")
        .connect_to("http://127.0.0.1:4566")
        .auth(Auth::iam(fixed, "eu-west-1"))
        .connector(api.connector())
        .time_source(Clock::new())
        .user_agent("test/1")
        .build()
        .unwrap();
    api.inject([Fault::message(403, "Forbidden")]);
    client.tenant(ACME.parse().unwrap()).head().await.unwrap_err();
    let seen = only(&api);
    assert_eq!(seen.uri, "http://127.0.0.1:4566/prod/v1/tenants/acme");
    assert_eq!(seen.header("host"), Some("abc.execute-api.localhost:8443"));
    assert_eq!(seen.header("user-agent"), Some("test/1"));
    assert_eq!(seen.header("x-amz-security-token"), None);
    let headers = format!("host:abc.execute-api.localhost:8443\nx-amz-date:{DATE_TIME}\n");
    let canonical = format!(
        "GET\n/prod/v1/tenants/acme\n\n{headers}\nhost;x-amz-date\n{}",
        body_hash("")
    );
    let expect = authorization(&canonical, "secret-access-key", "host;x-amz-date");
    assert_eq!(seen.header("authorization"), Some(expect.as_str()));
}

#[tokio::test]
async fn a_bearer_token_is_sent_as_it_is() {
    let api = Api::new().await;
    let client = api.builder().auth(Auth::bearer("a.b-c_d")).build().unwrap();
    client.tenant(ACME.parse().unwrap()).head().await.unwrap();
    let seen = only(&api);
    assert_eq!(seen.header("authorization"), Some("Bearer a.b-c_d"));
    assert_eq!(seen.header("x-amz-date"), None);
    for token in ["", "a\nb", "a b", "é"] {
        let client = api.builder().auth(Auth::bearer(token)).build().unwrap();
        let error = client.tenant(ACME.parse().unwrap()).head().await.unwrap_err();
        assert!(error.is_unauthenticated(), "{error:?}");
    }
    assert!(api.seen().is_empty(), "nothing is sent");
}

/// Credentials with a lifetime, or none. It counts its calls.
#[derive(Debug, Clone)]
struct Provider {
    clock: Clock,
    lives: Option<u64>,
    loads: Arc<AtomicU64>,
}

impl ProvideCredentials for Provider {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        self.loads.fetch_add(1, Ordering::SeqCst);
        let expires = self
            .lives
            .map(|lives| self.clock.now() + Duration::from_secs(lives));
        let credentials = Credentials::new("AKIDEXAMPLE", "secret-access-key", None, expires, "test");
        future::ProvideCredentials::ready(match self.lives {
            Some(_) => Ok(credentials),
            None => Err(CredentialsError::not_loaded("no profile")),
        })
    }
}

fn provided(api: &Api, lives: Option<u64>) -> (Tenant, Provider) {
    let provider = Provider {
        clock: Clock::new(),
        lives,
        loads: Arc::default(),
    };
    let client = api
        .builder()
        .auth(Auth::iam(provider.clone(), "eu-west-1"))
        .time_source(provider.clock.clone())
        .build();
    (client.unwrap().tenant(ACME.parse().unwrap()), provider)
}

#[tokio::test]
async fn credentials_are_loaded_once_until_they_expire_or_are_refused() {
    let api = Api::new().await;
    let (acme, provider) = provided(&api, Some(3_600));
    let loads = || provider.loads.load(Ordering::SeqCst);
    for _ in 0..3 {
        acme.head().await.unwrap();
    }
    assert_eq!(loads(), 1);
    provider.clock.pass(3_541);
    acme.head().await.unwrap();
    assert_eq!(loads(), 2);
    api.inject([Fault::message(403, "Forbidden")]);
    acme.head().await.unwrap_err();
    acme.head().await.unwrap();
    assert_eq!(loads(), 3);
}

#[tokio::test]
async fn without_credentials_nothing_is_sent() {
    let api = Api::new().await;
    for (lives, expired) in [(None, false), (Some(0), true)] {
        let error = provided(&api, lives).0.head().await.unwrap_err();
        assert!(error.is_unauthenticated() && !error.is_retryable(), "{error:?}");
        assert_eq!(matches!(error, ClientError::ExpiredCredentials), expired);
    }
    assert!(api.seen().is_empty());
}

/// A provider that never answers.
#[derive(Debug)]
struct Silent;

impl ProvideCredentials for Silent {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::new(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn loading_credentials_counts_towards_the_time_of_the_operation() {
    let api = Api::new().await;
    let client = api
        .builder()
        .auth(Auth::iam(Silent, "eu-west-1"))
        .build()
        .unwrap();
    let start = tokio::time::Instant::now();
    let error = client.tenant(ACME.parse().unwrap()).head().await.unwrap_err();
    assert_eq!(error.to_string(), "no complete answer came within 30000 ms");
    assert!(start.elapsed() < Duration::from_millis(30_010));
}
