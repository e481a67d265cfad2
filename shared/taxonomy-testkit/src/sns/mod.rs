//! SNS inside the test process: it keeps what was published.
//!
//! | File | What is in it |
//! |---|---|
//! | `mod` | [`SnsFake`]: client, topics, and what a test sees and takes |
//! | `service` | requests of the SDK, which are forms and answered in XML |

mod service;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_sdk_sns::config::{BehaviorVersion, Credentials, Region, retry::RetryConfig};
use aws_sdk_sns::{Client, Config};
use aws_smithy_runtime_api::client::http::SharedHttpClient;

use crate::exchange::Exchanges;
use crate::wire::Wire;

/// A message that SNS took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Its id, counted over all topics.
    pub id: String,
    /// The topic's ARN.
    pub topic_arn: String,
    /// The text.
    pub message: String,
    /// The subject, if it has one.
    pub subject: Option<String>,
    /// Attributes by name; binary ones in base64.
    pub attributes: BTreeMap<String, Attribute>,
}

/// An attribute of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// `String`, `Number`, `String.Array` or `Binary`.
    pub data_type: String,
    /// The value as it was sent.
    pub value: String,
}

#[derive(Debug, Default)]
struct Topics {
    arns: Vec<String>,
    published: Vec<Published>,
    sent: u64,
    check: Option<fn(&Published)>,
}

/// An SNS of one's own. Clones are the same SNS.
#[derive(Debug, Clone, Default)]
pub struct SnsFake {
    topics: Arc<Mutex<Topics>>,
    wire: Wire,
}

impl SnsFake {
    /// An SNS without topics, with a wire of its own.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same on a wire shared with other services.
    pub fn on(wire: &Wire) -> Self {
        Self {
            topics: Arc::default(),
            wire: wire.clone(),
        }
    }

    /// The same SNS in the hands of somebody: what its clients send says so. See [`Wire::actor`].
    #[must_use]
    pub fn acting_as(&self, actor: &str) -> Self {
        Self {
            wire: self.wire.actor(actor),
            ..self.clone()
        }
    }

    /// Calls `check` with each message that is published from now on; it panics where the message is wrong.
    #[must_use]
    pub fn checked_by(self, check: fn(&Published)) -> Self {
        self.lock().check = Some(check);
        self
    }

    /// Creates a topic and says its ARN.
    pub fn create_topic(&self, name: &str) -> String {
        let arn = format!("arn:aws:sns:eu-west-1:123456789012:{name}");
        self.lock().arns.push(arn.clone());
        arn
    }

    /// A client with the SDK's standard retries, five attempts.
    pub fn client(&self) -> Client {
        Client::from_conf(self.config().build())
    }

    /// What [`client`](Self::client) is built from, for tests that want other retries or time-outs.
    pub fn config(&self) -> aws_sdk_sns::config::Builder {
        Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("eu-west-1"))
            .credentials_provider(Credentials::new("test", "test", None, None, "testkit"))
            .retry_config(RetryConfig::standard().with_max_attempts(5))
            .http_client(self.http_client())
    }

    /// The transport alone, to put under a production `SdkConfig`.
    pub fn http_client(&self) -> SharedHttpClient {
        self.wire
            .http_client(service::Service::new(Arc::clone(&self.topics)))
    }

    /// The wire: faults go in here.
    pub fn wire(&self) -> &Wire {
        &self.wire
    }

    /// What went over the wire.
    pub fn exchanges(&self) -> Exchanges {
        self.wire.exchanges()
    }

    /// Every message of every topic, oldest first.
    pub fn published(&self) -> Vec<Published> {
        self.lock().published.clone()
    }

    /// Takes all of them away.
    pub fn take(&self) -> Vec<Published> {
        std::mem::take(&mut self.lock().published)
    }

    fn lock(&self) -> MutexGuard<'_, Topics> {
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
