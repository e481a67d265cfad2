//! The recorded requests: one line per HTTP request, including the SDK's own retries.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::faults::Fault;
use crate::iam::Access;
use crate::lock;

/// One HTTP request and its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// The sender: see [`Transport::actor`](crate::Transport::actor).
    pub actor: Option<String>,
    /// The service: `DynamoDB`, `S3`, `SQS`, `SNS` or `CloudFront`.
    pub service: &'static str,
    /// The operation's name in the service's API, such as `PutItem`.
    pub operation: String,
    /// The subject of the request: table and keys, bucket and key, queue or topic.
    pub target: String,
    /// The HTTP status that the caller received; `None` if it received no response. For a [`Fault::SlowAnswer`], which is recorded when the
    /// request is applied, the status that was sent.
    pub status: Option<u16>,
    /// The error code of a response that is not a success, such as `ConditionalCheckFailedException`.
    pub error: Option<String>,
    /// The number of items or objects that a successful request read or wrote.
    pub items: usize,
    /// The size of the response's body, in bytes.
    pub bytes: usize,
    /// The capacity units of the response; `None` if the request did not request them.
    pub units: Option<f64>,
    /// The fault that was injected into this request.
    pub fault: Option<Fault>,
    /// The service's result when it applied the request, even if the response was lost: `200`, or `400 ConditionalCheckFailedException`.
    /// `None` if the request was not applied. For a request whose response was lost, only this field shows whether it changed something.
    pub effect: Option<String>,
    /// The permissions that AWS checks against the sender's policies for this request; see [`iam`](crate::iam).
    pub accesses: Vec<Access>,
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(actor) = &self.actor {
            write!(f, "{actor}: ")?;
        }
        write!(f, "{}.{} {} -> ", self.service, self.operation, self.target)?;
        match self.status {
            Some(status) => write!(f, "{status}")?,
            None => f.write_str("no answer")?,
        }
        if let Some(error) = &self.error {
            write!(f, " {error}")?;
        } else if self.status.is_some() {
            write!(
                f,
                ", {} item{}",
                self.items,
                if self.items == 1 { "" } else { "s" }
            )?;
        }
        if let Some(units) = self.units {
            write!(f, ", {units} units")?;
        }
        match self.fault {
            Some(fault) => write!(f, " ({fault:?})"),
            None => Ok(()),
        }
    }
}

/// The record of a [`Transport`](crate::Transport); clones share it.
#[derive(Debug, Clone, Default)]
pub struct Exchanges(Arc<Record>);

#[derive(Debug, Default)]
struct Record {
    exchanges: Mutex<Vec<Exchange>>,
    check: OnceLock<fn(&[Exchange])>,
}

impl Record {
    fn check(&self, exchanges: &[Exchange]) {
        if let Some(check) = self.check.get() {
            check(exchanges);
        }
    }
}

/// A test that fails already has its own message.
impl Drop for Record {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let exchanges = self.exchanges.get_mut().unwrap_or_else(PoisonError::into_inner);
            let exchanges = std::mem::take(exchanges);
            self.check(&exchanges);
        }
    }
}

impl Exchanges {
    /// Has every exchange checked by a function that panics: before the record is cleared, and when its last clone is dropped.
    pub fn checked_by(&self, check: fn(&[Exchange])) {
        self.0.check.get_or_init(|| check);
    }

    /// Returns every exchange since the beginning or the last [`clear`](Self::clear), in order.
    pub fn all(&self) -> Vec<Exchange> {
        self.lock().clone()
    }

    /// Returns the exchanges after the first `seen`, for tests that check after each step.
    pub fn since(&self, seen: usize) -> Vec<Exchange> {
        self.lock().iter().skip(seen).cloned().collect()
    }

    /// Returns one line per exchange, for snapshots.
    pub fn lines(&self) -> Vec<String> {
        self.lock().iter().map(Exchange::to_string).collect()
    }

    /// Returns the number of requests of this operation, named either `PutItem` or `DynamoDB.PutItem`.
    pub fn count(&self, operation: &str) -> usize {
        self.matching(operation).len()
    }

    /// Returns the number of requests.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether no request was sent.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Returns the sum of the capacity units of all responses that contain them. A request without `ReturnConsumedCapacity` counts as zero, and
    /// so does a conditional write that failed, whose response contains none although AWS charges for it.
    pub fn units(&self) -> f64 {
        self.lock().iter().filter_map(|exchange| exchange.units).sum()
    }

    /// Returns the same sum for one operation.
    pub fn units_of(&self, operation: &str) -> f64 {
        self.matching(operation)
            .iter()
            .filter_map(|exchange| exchange.units)
            .sum()
    }

    /// Returns the number of items that all successful requests of one operation read or wrote.
    pub fn items_of(&self, operation: &str) -> usize {
        self.matching(operation)
            .iter()
            .map(|exchange| exchange.items)
            .sum()
    }

    /// Returns the permissions that AWS checks against the senders' policies for all requests, each once.
    pub fn accesses(&self) -> Vec<Access> {
        let mut accesses: Vec<Access> = Vec::new();
        for access in self.lock().iter().flat_map(|exchange| &exchange.accesses) {
            if !accesses.contains(access) {
                accesses.push(access.clone());
            }
        }
        accesses
    }

    /// Removes all recorded exchanges.
    pub fn clear(&self) {
        let cleared = std::mem::take(&mut *self.lock());
        self.0.check(&cleared);
    }

    /// Returns the latest exchange.
    pub fn last(&self) -> Option<Exchange> {
        self.lock().last().cloned()
    }

    pub(crate) fn push(&self, exchange: Exchange) {
        self.lock().push(exchange);
    }

    fn matching(&self, operation: &str) -> Vec<Exchange> {
        let names = |exchange: &&Exchange| match operation.split_once('.') {
            Some((service, name)) => exchange.service == service && exchange.operation == name,
            None => exchange.operation == operation,
        };
        self.lock().iter().filter(names).cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Exchange>> {
        lock(&self.0.exchanges)
    }
}
