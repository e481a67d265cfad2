//! SDK requests, answered from the queues.

use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};

use super::queues::{Message, Queues};
use crate::iam::Access;
use crate::lock;
use crate::transport::{Call, Measure, Refusal, Reply, Service, Subject};

/// The largest size of a message, in bytes:
/// <https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html>
const MAX_MESSAGE_BYTES: usize = 1 << 20;

impl Service for Mutex<Queues> {
    fn name(&self) -> &'static str {
        "SQS"
    }

    fn subject(&self, call: &Call) -> Subject {
        Subject {
            operation: call.json_operation().to_owned(),
            target: queue(call.json()).unwrap_or_default(),
        }
    }

    fn apply(&self, call: &Call) -> Reply {
        let request = call.json();
        let mut queues = lock(self);
        let Some(name) = queue(request).filter(|name| queues.exists(name)) else {
            return error("QueueDoesNotExist");
        };
        match call.json_operation() {
            "SendMessage" => send(&mut queues, &name, request),
            "ReceiveMessage" => receive(&mut queues, &name, request),
            "DeleteMessage" => {
                queues.delete(&name, text(request, "ReceiptHandle"));
                success(&json!({}))
            }
            _ => error("UnsupportedOperation"),
        }
    }

    /// SQS has no transaction conflicts: the caller receives an error that is not retried.
    fn refuse(&self, _: &Call, refusal: Refusal) -> Reply {
        match refusal {
            Refusal::ServerError => Reply::json(500, json!({"__type": "InternalFailure"}).to_string()),
            Refusal::Throttle => error("RequestThrottled"),
            Refusal::Invalid => error("InvalidParameterValue"),
            Refusal::Conflict => error("UnsupportedOperation"),
        }
    }

    fn accesses(&self, call: &Call, _: Option<u16>) -> Vec<Access> {
        let name = queue(call.json()).unwrap_or_default();
        vec![Access::queue(&format!("sqs:{}", call.json_operation()), &name)]
    }

    fn measure(&self, _: &Call, reply: &Reply) -> Measure {
        let answer: Value = serde_json::from_slice(&reply.body).unwrap_or(Value::Null);
        Measure {
            error: reply.json_error(),
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

/// Returns the last part of `QueueUrl`.
fn queue(request: &Value) -> Option<String> {
    let url = request["QueueUrl"].as_str()?;
    url.rsplit('/').next().map(str::to_owned)
}

fn text<'a>(request: &'a Value, name: &str) -> &'a str {
    request[name].as_str().unwrap_or_default()
}

fn success(answer: &Value) -> Reply {
    Reply::json(200, answer.to_string())
}

/// Builds an error response. SQS once had another protocol, whose error codes clients still read, from a header.
fn error(kind: &str) -> Reply {
    let code = match kind {
        "QueueDoesNotExist" => "AWS.SimpleQueueService.NonExistentQueue",
        "UnsupportedOperation" => "AWS.SimpleQueueService.UnsupportedOperation",
        other => other,
    };
    let body = json!({"__type": format!("com.amazonaws.sqs#{kind}"), "message": "testkit"});
    let mut reply = Reply::json(400, body.to_string());
    let header = ("x-amzn-query-error".to_owned(), format!("{code};Sender"));
    reply.headers.push(header);
    reply
}
