//! A service of AWS inside the test process, with the transport of its clients.

use std::fmt;
use std::sync::Arc;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, SharedCredentialsProvider};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_types::SdkConfig;

use crate::exchange::Exchanges;
use crate::transport::{Service, Transport};

/// A service in the state `S`. Clones share one state.
pub struct Fake<S> {
    pub(crate) state: Arc<S>,
    transport: Transport,
}

impl<S> Fake<S> {
    pub(crate) fn with(state: S, transport: &Transport) -> Self {
        Self {
            state: Arc::new(state),
            transport: transport.clone(),
        }
    }

    /// Returns the same service with another actor: the requests of its clients carry this name. See [`Transport::actor`].
    #[must_use]
    pub fn acting_as(&self, actor: &str) -> Self {
        Self {
            transport: self.transport.actor(actor),
            ..self.clone()
        }
    }

    /// Returns the transport, for fault injection.
    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    /// Returns the recorded requests and responses.
    pub fn exchanges(&self) -> Exchanges {
        self.transport.exchanges()
    }
}

impl<S: Default> Fake<S> {
    /// Creates an empty service with a transport of its own.
    pub fn new() -> Self {
        Self::on(&Transport::new())
    }

    /// Creates an empty service on a transport that other services share.
    pub fn on(transport: &Transport) -> Self {
        Self::with(S::default(), transport)
    }
}

#[expect(private_bounds, reason = "only the services of this crate have a state")]
impl<S: Service> Fake<S> {
    /// Returns the HTTP client, for a production `SdkConfig`.
    pub fn http_client(&self) -> SharedHttpClient {
        self.transport.http_client(self.state.clone())
    }

    /// Returns the set-up of the SDK with its standard retries, five attempts.
    pub fn sdk(&self) -> SdkConfig {
        let credentials = Credentials::new("test", "test", None, None, "testkit");
        SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("eu-west-1"))
            .credentials_provider(SharedCredentialsProvider::new(credentials))
            .retry_config(RetryConfig::standard().with_max_attempts(5))
            .http_client(self.http_client())
            .build()
    }
}

impl<S: Default> Default for Fake<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> Clone for Fake<S> {
    fn clone(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
            transport: self.transport.clone(),
        }
    }
}

impl<S> fmt::Debug for Fake<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fake")
            .field("transport", &self.transport)
            .finish_non_exhaustive()
    }
}
