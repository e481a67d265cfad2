//! The settings of a client.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_smithy_async::time::{SharedTimeSource, TimeSource};
use aws_smithy_runtime_api::client::http::SharedHttpConnector;

use crate::address::Address;
use crate::auth::Auth;
use crate::cache::EtagCache;
use crate::client::{Client, Inner};
use crate::connector::connector;
use crate::error::ClientError;
use crate::remembered::Remembered;
use crate::retry::RetryPolicy;
use crate::transport::Transport;

/// Bytes of cached answers where nothing else is set.
const DEFAULT_CACHE_BYTES: u64 = 16 * 1024 * 1024;
/// Opening a connection takes no longer than this, so that an attempt leaves time for a second address.
const CONNECT: Duration = Duration::from_secs(5);

/// The settings of a client; only the address has no default. The `Debug` output holds no secret.
#[derive(Debug, Clone)]
#[must_use]
pub struct ClientBuilder {
    api_url: String,
    auth: Auth,
    connect_to: Option<String>,
    authorities: Option<Vec<u8>>,
    connector: Option<SharedHttpConnector>,
    retry: RetryPolicy,
    cache_bytes: u64,
    user_agent: String,
    time: SharedTimeSource,
}

impl ClientBuilder {
    /// Sets how requests prove who sends them; [`Auth::None`] if it is not called.
    pub fn auth(self, auth: Auth) -> Self {
        Self { auth, ..self }
    }

    /// Sends every request to this scheme, host and port, while the `Host` header and the signature name the API: the way to a local
    /// emulator, such as `http://127.0.0.1:4566`. Over https its certificate must be one for this host.
    pub fn connect_to(self, url: impl Into<String>) -> Self {
        let connect_to = Some(url.into());
        Self { connect_to, ..self }
    }

    /// Trusts these root certificates (PEM) too.
    pub fn authorities(self, pem: impl Into<Vec<u8>>) -> Self {
        let authorities = Some(pem.into());
        Self { authorities, ..self }
    }

    /// Sends requests by this connector instead of one of its own, which has the trusted certificates.
    pub fn connector(self, connector: SharedHttpConnector) -> Self {
        let connector = Some(connector);
        Self { connector, ..self }
    }

    /// Sets attempts, pauses and times.
    pub fn retry(self, retry: RetryPolicy) -> Self {
        Self { retry, ..self }
    }

    /// Sets the bytes of cached answers: 16 MiB if it is not called; 0 switches the cache off.
    pub fn cache_bytes(self, cache_bytes: u64) -> Self {
        Self { cache_bytes, ..self }
    }

    /// Sets the `User-Agent` header.
    pub fn user_agent(self, user_agent: impl Into<String>) -> Self {
        let user_agent = user_agent.into();
        Self { user_agent, ..self }
    }

    /// Sets the clock that dates signatures and compares expiry times; the system's if it is not called.
    pub fn time_source(self, time: impl TimeSource + 'static) -> Self {
        let time = SharedTimeSource::new(time);
        Self { time, ..self }
    }

    /// Builds the client. Nothing is sent.
    ///
    /// # Errors
    /// [`ClientError::Configuration`] for an address that is none, a policy without bounds, a user agent that no header can have, authorities that are none, and a
    /// bearer token that would go over plain http to another machine.
    pub fn build(self) -> Result<Client, ClientError> {
        let api = Address::parse(&self.api_url)?;
        let connect_to = self.connect_to.as_deref().map(Address::parse).transpose()?;
        if connect_to
            .as_ref()
            .is_some_and(|address| !address.path.is_empty())
        {
            return Err(ClientError::Configuration("connect_to has no path"));
        }
        if matches!(self.auth, Auth::Bearer(_)) && connect_to.as_ref().unwrap_or(&api).is_exposed() {
            return Err(ClientError::Configuration(
                "a bearer token is not sent over plain http to another machine",
            ));
        }
        let is_text = |c: u8| c == b' ' || c.is_ascii_graphic();
        if self.user_agent.is_empty() || !self.user_agent.bytes().all(is_text) {
            return Err(ClientError::Configuration("a user agent is printable ASCII"));
        }
        self.retry.check()?;
        let connector = match self.connector {
            Some(connector) => connector,
            None => connector(CONNECT.min(self.retry.attempt), self.authorities)?,
        };
        Ok(Client(Arc::new(Inner {
            transport: Transport {
                connector,
                api,
                connect_to,
                user_agent: self.user_agent,
            },
            auth: self.auth,
            authenticator: Remembered::new(),
            retry: self.retry,
            cache: EtagCache::new(self.cache_bytes),
            counts: Mutex::default(),
            time: self.time,
        })))
    }
}

impl Client {
    /// Begins a client of the API at this address, such as `https://abc.execute-api.eu-west-1.amazonaws.com`.
    pub fn builder(api_url: impl Into<String>) -> ClientBuilder {
        ClientBuilder {
            api_url: api_url.into(),
            auth: Auth::None,
            connect_to: None,
            authorities: None,
            connector: None,
            retry: RetryPolicy::default(),
            cache_bytes: DEFAULT_CACHE_BYTES,
            user_agent: concat!("taxonomy-client/", env!("CARGO_PKG_VERSION")).to_owned(),
            time: SharedTimeSource::default(),
        }
    }
}
