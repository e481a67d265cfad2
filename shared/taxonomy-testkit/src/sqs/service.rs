//! SDK requests, answered from the queues.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::queues::{Message, Queues};
use crate::iam::Access;
use crate::transport::{self, Call, Measure, Refusal, Reply, Subject};

/// The largest size of a message, in bytes:
/// <https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html>
const MAX_MESSAGE_BYTES: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct Service {
    queues: Arc<Mutex<Queues>>,
}

impl Service {
    pub(super) fn new(queues: Arc<Mutex<Queues>>) -> Self {
        Self { queues }
    }
}

impl transport::Service for Service {
    fn name(&self) -> &'static str {
        "SQS"
    }

    fn subject(&self, call: &Call) -> Subject {
        Subject {
            operation: call.json_operation().to_owned(),
            target: queue(&body(call)).unwrap_or_default(),
        }
    }

    fn apply(&self, call: &Call) -> Reply {
        let request = body(call);
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(name) = queue(&request).filter(|name| queues.exists(name)) else {
            return error("QueueDoesNotExist");
        };
        match call.json_operation() {
            "SendMessage" => send(&mut queues, &name, &request),
            "ReceiveMessage" => receive(&mut queues, &name, &request),
            "DeleteMessage" => {
                queues.delete(&name, text(&request, "ReceiptHandle"));
                success(&json!({}))
            }
            "StartMessageMoveTask" => move_all(&mut queues, &name, &request),
            _ => error("UnsupportedOperation"),
        }
    }

    /// SQS has no transaction conflicts: the caller receives an error that is not retried.
    fn refuse(&self, _: &Call, refusal: Refusal) -> Reply {
        match refusal {
            Refusal::ServerError => Reply::new(
                500,
                "application/x-amz-json-1.0",
                json!({"__type": "InternalFailure"}).to_string(),
            ),
            Refusal::Throttle => error("RequestThrottled"),
            Refusal::Invalid => error("InvalidParameterValue"),
            Refusal::Conflict => error("UnsupportedOperation"),
        }
    }

    fn accesses(&self, call: &Call, _: Option<u16>) -> Vec<Access> {
        let name = queue(&body(call)).unwrap_or_default();
        vec![Access::queue(&format!("sqs:{}", call.json_operation()), &name)]
    }

    fn measure(&self, _: &Call, reply: &Reply) -> Measure {
        let answer: Value = serde_json::from_slice(&reply.body).unwrap_or(Value::Null);
        let kind = answer["__type"].as_str().unwrap_or("unknown");
        let code = kind.rsplit('#').next().unwrap_or(kind);
        Measure {
            error: (!reply.is_success()).then(|| code.to_owned()),
            items: answer["Messages"].as_array().map_or(1, Vec::len),
            units: None,
        }
    }
}

fn send(queues: &mut Queues, name: &str, request: &Value) -> Reply {
    let body = text(request, "MessageBody");
    if body.is_empty() {
        return error("MissingParameter");
    }
    if body.len() > MAX_MESSAGE_BYTES {
        return error("InvalidParameterValue");
    }
    let delay = request["DelaySeconds"].as_u64().map(Duration::from_secs);
    let sent = queues.send(name, body, request["MessageAttributes"].clone(), delay);
    success(&json!({"MessageId": sent.id, "MD5OfMessageBody": sent.md5}))
}

fn receive(queues: &mut Queues, name: &str, request: &Value) -> Reply {
    let most = request["MaxNumberOfMessages"].as_u64().unwrap_or(1).min(10);
    let hidden = request["VisibilityTimeout"].as_u64().unwrap_or(30);
    let most = usize::try_from(most).unwrap_or(10);
    let received = queues.receive(name, most, Duration::from_secs(hidden));
    let shown = |message: &Message| {
        let mut shown = json!({
            "MessageId": message.id,
            "ReceiptHandle": message.receipt_handle(),
            "Body": message.body,
            "MD5OfBody": message.md5,
            "Attributes": {"ApproximateReceiveCount": message.received.to_string()},
        });
        if message.attributes.is_object() {
            shown["MessageAttributes"] = message.attributes.clone();
        }
        shown
    };
    success(&json!({"Messages": received.iter().map(shown).collect::<Vec<_>>()}))
}

/// Moves all messages at once, to the destination or back to the queue in which they failed.
fn move_all(queues: &mut Queues, from: &str, request: &Value) -> Reply {
    let destination = match request["DestinationArn"].as_str() {
        Some(arn) => arn.rsplit(':').next().map(str::to_owned),
        None => queues.letters_of(from),
    };
    let Some(destination) = destination.filter(|name| queues.exists(name)) else {
        return error("ResourceNotFoundException");
    };
    queues.move_all(from, &destination);
    success(&json!({"TaskHandle": format!("{from}>{destination}")}))
}

/// Returns the last part of `QueueUrl` or `SourceArn`.
fn queue(request: &Value) -> Option<String> {
    let url = request["QueueUrl"]
        .as_str()
        .and_then(|url| url.rsplit('/').next());
    let arn = || {
        request["SourceArn"]
            .as_str()
            .and_then(|arn| arn.rsplit(':').next())
    };
    url.or_else(arn).map(str::to_owned)
}

fn text<'a>(request: &'a Value, name: &str) -> &'a str {
    request[name].as_str().unwrap_or_default()
}

fn body(call: &Call) -> Value {
    serde_json::from_slice(&call.body).unwrap_or(Value::Null)
}

fn success(answer: &Value) -> Reply {
    Reply::new(200, "application/x-amz-json-1.0", answer.to_string())
}

/// Builds an error response. SQS once had another protocol, whose error codes clients still read, from a header.
fn error(kind: &str) -> Reply {
    let code = match kind {
        "QueueDoesNotExist" => "AWS.SimpleQueueService.NonExistentQueue",
        "UnsupportedOperation" => "AWS.SimpleQueueService.UnsupportedOperation",
        other => other,
    };
    let body = json!({"__type": format!("com.amazonaws.sqs#{kind}"), "message": "testkit"});
    let mut reply = Reply::new(400, "application/x-amz-json-1.0", body.to_string());
    let header = ("x-amzn-query-error".to_owned(), format!("{code};Sender"));
    reply.headers.push(header);
    reply
}
