//! SDK requests: forms, answered in XML.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use percent_encoding::percent_decode_str;

use super::topics::{Attribute, Published, Topics};
use crate::iam::Access;
use crate::transport::{self, Call, Measure, Refusal, Reply, Subject};

/// The largest size of message and attributes together, in bytes: <https://docs.aws.amazon.com/sns/latest/api/API_Publish.html>
const MAX_MESSAGE_BYTES: usize = 262_144;

#[derive(Debug)]
pub(super) struct Service {
    topics: Arc<Mutex<Topics>>,
}

impl Service {
    pub(super) fn new(topics: Arc<Mutex<Topics>>) -> Self {
        Self { topics }
    }
}

impl transport::Service for Service {
    fn name(&self) -> &'static str {
        "SNS"
    }

    fn subject(&self, call: &Call) -> Subject {
        let form = Form::new(call);
        let arn = form.text("TopicArn");
        Subject {
            operation: form.text("Action").to_owned(),
            target: arn.rsplit(':').next().unwrap_or(arn).to_owned(),
        }
    }

    fn accesses(&self, call: &Call, _: Option<u16>) -> Vec<Access> {
        let form = Form::new(call);
        vec![Access::new(
            &format!("sns:{}", form.text("Action")),
            form.text("TopicArn"),
        )]
    }

    fn apply(&self, call: &Call) -> Reply {
        let form = Form::new(call);
        let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        let topic_arn = form.text("TopicArn").to_owned();
        if form.text("Action") != "Publish" {
            return error(400, "InvalidAction");
        }
        if !topics.arns.contains(&topic_arn) {
            return error(404, "NotFound");
        }
        let attributes = form.attributes();
        let sizes = attributes
            .iter()
            .map(|(name, attribute)| name.len() + attribute.data_type.len() + attribute.value.len());
        let size = form.text("Message").len() + sizes.sum::<usize>();
        if size == 0 || size > MAX_MESSAGE_BYTES {
            return error(400, "InvalidParameter");
        }
        topics.sent += 1;
        let id = format!("00000000-0000-4000-8000-{:012}", topics.sent);
        let published = Published {
            id: id.clone(),
            topic_arn,
            message: form.text("Message").to_owned(),
            subject: form.0.get("Subject").cloned(),
            attributes,
        };
        if let Some(check) = topics.check {
            check(&published);
        }
        topics.published.push(published);
        let answer = format!(
            "<PublishResponse xmlns=\"http://sns.amazonaws.com/doc/2010-03-31/\"><PublishResult><MessageId>{id}</MessageId></PublishResult><ResponseMetadata><RequestId>TESTKIT</RequestId></ResponseMetadata></PublishResponse>"
        );
        Reply::new(200, "text/xml", answer)
    }

    /// SNS has no transaction conflicts: the caller receives an error that is not retried.
    fn refuse(&self, _: &Call, refusal: Refusal) -> Reply {
        match refusal {
            Refusal::ServerError => error(500, "InternalError"),
            Refusal::Throttle => error(400, "Throttling"),
            Refusal::Invalid => error(400, "InvalidParameter"),
            Refusal::Conflict => error(400, "ConcurrentAccess"),
        }
    }

    fn measure(&self, _: &Call, reply: &Reply) -> Measure {
        let body = String::from_utf8_lossy(&reply.body);
        let code = body
            .split_once("<Code>")
            .and_then(|(_, rest)| rest.split_once("</Code>"));
        Measure {
            error: code.map(|(code, _)| code.to_owned()),
            items: usize::from(code.is_none()),
            units: None,
        }
    }
}

/// The fields of a form.
struct Form(BTreeMap<String, String>);

impl Form {
    fn new(call: &Call) -> Self {
        let body = String::from_utf8_lossy(&call.body);
        let decoded = |text: &str| {
            let text = text.replace('+', " ");
            percent_decode_str(&text).decode_utf8_lossy().into_owned()
        };
        let pairs = body.split('&').filter_map(|pair| pair.split_once('='));
        Self(
            pairs
                .map(|(name, value)| (decoded(name), decoded(value)))
                .collect(),
        )
    }

    fn text(&self, name: &str) -> &str {
        self.0.get(name).map(String::as_str).unwrap_or_default()
    }

    /// Returns the attributes, `MessageAttributes.entry.1.Name` and so on.
    fn attributes(&self) -> BTreeMap<String, Attribute> {
        let mut attributes = BTreeMap::new();
        for entry in 1.. {
            let field = |name: &str| self.0.get(&format!("MessageAttributes.entry.{entry}.{name}"));
            let Some(name) = field("Name") else { break };
            let value = field("Value.StringValue").or_else(|| field("Value.BinaryValue"));
            let attribute = Attribute {
                data_type: field("Value.DataType").cloned().unwrap_or_default(),
                value: value.cloned().unwrap_or_default(),
            };
            attributes.insert(name.clone(), attribute);
        }
        attributes
    }
}

fn error(status: u16, code: &str) -> Reply {
    let body = format!(
        "<ErrorResponse xmlns=\"http://sns.amazonaws.com/doc/2010-03-31/\"><Error><Type>Sender</Type><Code>{code}</Code><Message>testkit</Message></Error><RequestId>TESTKIT</RequestId></ErrorResponse>"
    );
    Reply::new(status, "text/xml", body)
}
