//! The SDK as the functions use it (decision page 4): no profiles, no metadata service, no entropy collection, no system
//! certificates. In Lambda, region and credentials are four environment variables that do not change while a process lives.

use std::time::Duration;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::behavior_version::BehaviorVersion;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::SdkConfig;
use aws_types::region::Region;

use crate::env::{self, ConfigError};

/// Amazon Root CA 1 to 4 and Starfield Services Root CA G2, as PEM: the roots of the certificates of every AWS service.
pub const AMAZON_ROOTS: &str = include_str!("amazon-roots.pem");

/// Region, credentials and endpoint. Its `Debug` output holds no secret.
#[derive(Debug, Clone)]
pub struct AwsEnv {
    region: String,
    credentials: Credentials,
    endpoint_url: Option<String>,
    /// PEM, in place of [`AMAZON_ROOTS`].
    authorities: Option<String>,
}

impl AwsEnv {
    /// Reads `AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, where set, `AWS_SESSION_TOKEN`, `AWS_ENDPOINT_URL` and
    /// `AWS_CA_BUNDLE`, a file of the certificates to trust in place of [`AMAZON_ROOTS`].
    ///
    /// # Errors
    /// [`ConfigError`] names the variable that is missing, or whose file cannot be read.
    pub fn from_env() -> Result<Self, ConfigError> {
        let region = env::required("AWS_REGION")?;
        let key = env::required("AWS_ACCESS_KEY_ID")?;
        let secret = env::required("AWS_SECRET_ACCESS_KEY")?;
        let token = env::optional("AWS_SESSION_TOKEN")?;
        let authorities = env::optional("AWS_CA_BUNDLE")?.map(|path| {
            let pem = std::fs::read_to_string(path);
            pem.map_err(|error| ConfigError::invalid("AWS_CA_BUNDLE", error))
        });
        Ok(Self {
            authorities: authorities.transpose()?,
            ..Self::new(region, key, secret, token).with_endpoint_url(env::optional("AWS_ENDPOINT_URL")?)
        })
    }

    /// Builds it from its parts.
    pub fn new(
        region: impl Into<String>,
        key: impl Into<String>,
        secret: impl Into<String>,
        token: Option<String>,
    ) -> Self {
        let credentials = Credentials::new(key, secret, token, None, "environment");
        Self {
            region: region.into(),
            credentials,
            endpoint_url: None,
            authorities: None,
        }
    }

    /// Sends every request to one address instead of AWS: an emulator, plain http allowed.
    #[must_use]
    pub fn with_endpoint_url(self, endpoint_url: Option<String>) -> Self {
        Self { endpoint_url, ..self }
    }

    /// Whether S3 bucket names are part of the path, as with a single address. Pass it to
    /// `aws_sdk_s3::config::Builder::force_path_style`.
    pub fn path_style(&self) -> bool {
        self.endpoint_url.is_some()
    }
}

/// The attempts of a request and their time-outs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The maximum number of attempts, the first included.
    pub attempts: u32,
    /// The longest pause before the second attempt; it doubles before each further one. The SDK's default of one second is
    /// longer than a caller of the lookup waits in all.
    pub first_pause: Duration,
    /// The time-out of one attempt, until the headers of the response arrive.
    pub attempt: Duration,
    /// The time-out of all attempts and the pauses between them.
    pub operation: Duration,
}

impl RetryPolicy {
    /// For functions that process events: late is better than failed.
    pub const EVENTS: RetryPolicy = RetryPolicy {
        attempts: 5,
        first_pause: Duration::from_millis(100),
        attempt: Duration::from_secs(3),
        operation: Duration::from_secs(10),
    };
    /// For functions whose callers wait for the response. Four attempts are what the SDKs of 2026 make for DynamoDB: where each twentieth
    /// request is refused, three fail one read in 8,000, four one in 160,000.
    pub const REQUESTS: RetryPolicy = RetryPolicy {
        attempts: 4,
        first_pause: Duration::from_millis(25),
        attempt: Duration::from_secs(1),
        operation: Duration::from_secs(3),
    };
}

/// Returns the configuration of all clients of a function. Retries are set explicitly, because clients of an older behaviour version do none
/// by default.
pub fn sdk_config(env: &AwsEnv, retry: RetryPolicy) -> SdkConfig {
    let retries = RetryConfig::standard()
        .with_max_attempts(retry.attempts)
        .with_initial_backoff(retry.first_pause);
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(retry.attempt)
        .operation_attempt_timeout(retry.attempt)
        .operation_timeout(retry.operation);
    let mut config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(env.region.clone()))
        .credentials_provider(SharedCredentialsProvider::new(env.credentials.clone()))
        .retry_config(retries)
        .timeout_config(timeouts.build())
        .http_client(http_client(env.authorities.as_deref().unwrap_or(AMAZON_ROOTS)));
    config.set_endpoint_url(env.endpoint_url.clone());
    config.build()
}

/// hyper 1 and rustls with *ring*. Trusts the given roots (PEM) alone, and speaks plain http to an address with that scheme.
fn http_client(roots: &str) -> SharedHttpClient {
    let builder = aws_smithy_http_client::Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring));
    let trust = TrustStore::empty().with_pem_certificate(roots);
    // Building a context cannot fail in this version of the crate; the default context would still be a safe one.
    let context = TlsContext::builder().with_trust_store(trust).build();
    builder.tls_context(context.unwrap_or_default()).build_https()
}
