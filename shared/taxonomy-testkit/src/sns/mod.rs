//! SNS inside the test process: a fake that records published messages.
//!
//! | File | Contents |
//! |---|---|
//! | `mod` | [`SnsFake`]: topics, and what was published |
//! | `topics` | topics and published messages |
//! | `service` | SDK requests, which are forms and answered in XML |

mod service;
mod topics;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_smithy_runtime_api::client::http::SharedHttpClient;

use crate::transport::Transport;
use topics::Topics;
pub use topics::{Attribute, Published};

/// An SNS fake. Clones share one state.
#[derive(Debug, Clone)]
pub struct SnsFake {
    topics: Arc<Mutex<Topics>>,
    transport: Transport,
}

impl SnsFake {
    /// Creates an SNS without topics on a transport that other services share.
    pub fn on(transport: &Transport) -> Self {
        Self {
            topics: Arc::default(),
            transport: transport.clone(),
        }
    }

    /// Returns the same SNS with another actor: the requests of its clients carry this name. See [`Transport::actor`].
    #[must_use]
    pub fn acting_as(&self, actor: &str) -> Self {
        Self {
            transport: self.transport.actor(actor),
            ..self.clone()
        }
    }

    /// Calls `check` with each message that is published from now on; `check` panics if the message is wrong.
    #[must_use]
    pub fn checked_by(self, check: fn(&Published)) -> Self {
        self.lock().check = Some(check);
        self
    }

    /// Creates a topic and returns its ARN.
    pub fn create_topic(&self, name: &str) -> String {
        let arn = format!("arn:aws:sns:eu-west-1:123456789012:{name}");
        self.lock().arns.push(arn.clone());
        arn
    }

    /// Returns the HTTP client alone, for a production `SdkConfig`.
    pub fn http_client(&self) -> SharedHttpClient {
        self.transport
            .http_client(service::Service::new(Arc::clone(&self.topics)))
    }

    /// Returns every message of every topic, oldest first.
    pub fn published(&self) -> Vec<Published> {
        self.lock().published.clone()
    }

    /// Removes and returns every message.
    pub fn take(&self) -> Vec<Published> {
        std::mem::take(&mut self.lock().published)
    }

    fn lock(&self) -> MutexGuard<'_, Topics> {
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
