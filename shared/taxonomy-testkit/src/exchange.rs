//! What went over the wire: one line per HTTP request, the SDK's own retries included.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::faults::Fault;
use crate::iam::Access;

/// One HTTP request and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// Who sent it: see [`Wire::actor`](crate::Wire::actor).
    pub actor: Option<String>,
    /// `DynamoDB`, `S3`, `SQS` or `SNS`.
    pub service: &'static str,
    /// The operation's name in the service's API, such as `PutItem`.
    pub operation: String,
    /// Table and keys, bucket and key, queue or topic: what the request was about.
    pub target: String,
    /// HTTP status the caller got; `None` where it got no answer. Of a [`Fault::SlowAnswer`], which is written down when it is
    /// applied, the status it was sent.
    pub status: Option<u16>,
    /// The error code of an answer that is not a success, such as `ConditionalCheckFailedException`.
    pub error: Option<String>,
    /// Items (objects) read or written by an answer that is a success.
    pub items: usize,
    /// The bytes of the answer's body.
    pub bytes: usize,
    /// Capacity units the answer stated; `None` where the request did not ask for them.
    pub units: Option<f64>,
    /// The fault that was injected into this request.
    pub fault: Option<Fault>,
    /// What the service said when it applied the request, whoever heard it: `200`, or `400 ConditionalCheckFailedException`.
    /// `None` where it was not applied. Of requests whose answer nobody heard this alone tells whether they changed something.
    pub effect: Option<String>,
    /// What AWS asks the policies of the sender about it; see [`iam`](crate::iam).
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

/// The record of a [`Wire`](crate::Wire); clones share it.
#[derive(Debug, Clone, Default)]
pub struct Exchanges(Arc<Mutex<Vec<Exchange>>>);

impl Exchanges {
    /// Every exchange since the beginning or the last [`clear`](Self::clear), in order.
    pub fn all(&self) -> Vec<Exchange> {
        self.lock().clone()
    }

    /// Those after the first `seen`, for tests that look after each step.
    pub fn since(&self, seen: usize) -> Vec<Exchange> {
        self.lock().iter().skip(seen).cloned().collect()
    }

    /// One line per exchange, for snapshots.
    pub fn lines(&self) -> Vec<String> {
        self.lock().iter().map(Exchange::to_string).collect()
    }

    /// How many requests named this operation; `PutItem` and `DynamoDB.PutItem` both do.
    pub fn count(&self, operation: &str) -> usize {
        self.matching(operation).len()
    }

    /// How many requests there were.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether nothing was sent.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Capacity units of all answers that stated them. A request that did not ask counts nothing, and a conditional
    /// write that failed does not say what it cost (AWS charges for it all the same).
    pub fn units(&self) -> f64 {
        self.lock().iter().filter_map(|exchange| exchange.units).sum()
    }

    /// The same for one operation.
    pub fn units_of(&self, operation: &str) -> f64 {
        self.matching(operation)
            .iter()
            .filter_map(|exchange| exchange.units)
            .sum()
    }

    /// Items read or written by all successful answers of one operation.
    pub fn items_of(&self, operation: &str) -> usize {
        self.matching(operation)
            .iter()
            .map(|exchange| exchange.items)
            .sum()
    }

    /// What AWS asks the policies of the senders about, of all requests, each once.
    pub fn accesses(&self) -> Vec<Access> {
        let mut accesses: Vec<Access> = Vec::new();
        for access in self.lock().iter().flat_map(|exchange| &exchange.accesses) {
            if !accesses.contains(access) {
                accesses.push(access.clone());
            }
        }
        accesses
    }

    /// Forgets everything so far.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// The latest exchange.
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
