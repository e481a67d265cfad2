//! Tests of the authentication of requests. The expected signatures were computed apart from this code, by the steps that AWS documents.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use aws_credential_types::Credentials;
use aws_credential_types::credential_fn::provide_credentials_fn;
use aws_credential_types::provider::error::CredentialsError;
use aws_smithy_async::time::TimeSource;
use taxonomy_client::{Auth, Client, ClientError, Tenant};

use crate::api::{API, Api, Fault, Seen, acme, french, term};

/// 2026-01-01T00:00:00Z.
const NOW: u64 = 1_767_225_600;

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

/// The `Authorization` header with a signature.
fn authorization(signed: &str, signature: &str) -> String {
    let scope = "20260101/eu-west-1/execute-api/aws4_request";
    format!("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/{scope}, SignedHeaders={signed}, Signature={signature}")
}

/// The signature of a request that had a session token.
#[track_caller]
fn assert_signed(seen: &Seen, signature: &str) {
    let expect = authorization("host;x-amz-date;x-amz-security-token", signature);
    assert_eq!(seen.header("authorization"), Some(expect.as_str()));
}

#[tokio::test]
async fn a_signature_is_of_the_target_the_session_token_and_the_body() {
    let api = Api::new().await;
    let acme = api.acme_by(|builder| builder.time_source(Clock::new()));
    acme.term(term(101), french().as_ref()).await.unwrap();
    let seen = api.only();
    let signature = "a28a9313ec0dd8b14eb0f74212c2f654c920077f423b343a62db09e4e60ae4d8";
    assert_signed(&seen, signature);
    assert_eq!(seen.header("x-amz-date"), Some("20260101T000000Z"));
    assert_eq!(seen.header("x-amz-security-token"), Some("session-token-secret"));
    assert_eq!(seen.header("host"), None, "the connector writes it from the URL");
    assert_eq!(seen.uri, format!("{API}/v1/tenants/acme/terms/101?culture=fr-FR"));

    let ids = [0, 101].map(term);
    acme.terms(&ids, None).await.unwrap();
    let signature = "6835d75d18971b23cdaac867c3cd782e6b56ed204b3f3fe7a73e4178b788368e";
    assert_signed(&api.only(), signature);

    // By POST: a body, and a colon of the path that is escaped in the signature alone.
    let acme = api.acme_by(|builder| builder.cache_bytes(0).time_source(Clock::new()));
    acme.terms(&ids, None).await.unwrap();
    let seen = api.only();
    assert_eq!(seen.target(), "/v1/tenants/acme/terms:batchGet");
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert_eq!(seen.body, r#"{"ids":[0,101]}"#);
    let signature = "89871dea4944dc276c0e85c6183c52a403c0b919d654f09ef7ff97850fd30f23";
    assert_signed(&seen, signature);
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
    acme(&client).head().await.unwrap_err();
    let seen = api.only();
    assert_eq!(seen.uri, "http://127.0.0.1:4566/prod/v1/tenants/acme");
    assert_eq!(seen.header("host"), Some("abc.execute-api.localhost:8443"));
    assert_eq!(seen.header("user-agent"), Some("test/1"));
    assert_eq!(seen.header("x-amz-security-token"), None);
    let signature = "51803441ef3da4a4ca684a2322e8ca0edf1e7640d1526b1f07743669d6b7cb2b";
    let expect = authorization("host;x-amz-date", signature);
    assert_eq!(seen.header("authorization"), Some(expect.as_str()));
}

#[tokio::test]
async fn a_bearer_token_is_sent_as_it_is() {
    let api = Api::new().await;
    let by_token = |token| api.acme_by(|builder| builder.auth(Auth::bearer(token)));
    by_token("a.b-c_d").head().await.unwrap();
    let seen = api.only();
    assert_eq!(seen.header("authorization"), Some("Bearer a.b-c_d"));
    assert_eq!(seen.header("x-amz-date"), None);
    for token in ["", "a\nb", "a b", "é"] {
        let error = by_token(token).head().await.unwrap_err();
        assert!(error.is_unauthenticated(), "{error:?}");
    }
    assert!(api.seen().is_empty(), "nothing is sent");
}

/// A client by credentials with a lifetime, or without any; its clock, and the calls of their provider.
fn provided(api: &Api, lives: Option<u64>) -> (Tenant, Clock, Arc<AtomicU64>) {
    let (clock, loads) = (Clock::new(), Arc::new(AtomicU64::new(0)));
    let (now, counted) = (clock.clone(), loads.clone());
    let provider = provide_credentials_fn(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        let expires = lives.map(|lives| now.now() + Duration::from_secs(lives));
        let credentials = Credentials::new("AKIDEXAMPLE", "secret-access-key", None, expires, "test");
        let none = CredentialsError::not_loaded("no profile");
        std::future::ready(expires.map(|_| credentials).ok_or(none))
    });
    let (auth, time) = (Auth::iam(provider, "eu-west-1"), clock.clone());
    let acme = api.acme_by(|builder| builder.auth(auth).time_source(time));
    (acme, clock, loads)
}

#[tokio::test]
async fn credentials_are_loaded_once_until_they_expire_or_are_refused() {
    let api = Api::new().await;
    let (acme, clock, loads) = provided(&api, Some(3_600));
    let loads = || loads.load(Ordering::SeqCst);
    for _ in 0..3 {
        acme.head().await.unwrap();
    }
    assert_eq!(loads(), 1);
    clock.pass(3_539);
    acme.head().await.unwrap();
    assert_eq!(loads(), 1);
    clock.pass(1);
    acme.head().await.unwrap();
    assert_eq!(loads(), 2, "a minute before the end");
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
        let is_expired = matches!(error, ClientError::ExpiredCredentials);
        let is_none = matches!(error, ClientError::NoCredentials { .. });
        assert_eq!([is_none, is_expired], [!expired, expired], "{error:?}");
    }
    assert!(api.seen().is_empty());
}

#[tokio::test(start_paused = true)]
async fn loading_credentials_counts_towards_the_time_of_the_operation() {
    let api = Api::new().await;
    let silent = provide_credentials_fn(std::future::pending);
    let acme = api.acme_by(|builder| builder.auth(Auth::iam(silent, "eu-west-1")));
    let start = tokio::time::Instant::now();
    let error = acme.head().await.unwrap_err();
    assert_eq!(error.to_string(), "no complete answer came within 30000 ms");
    assert!(start.elapsed() < Duration::from_millis(30_010));
}
