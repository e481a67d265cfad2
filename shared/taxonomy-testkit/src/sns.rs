//! SNS inside the test process: a fake that records published messages. Requests are forms, answered in XML.

use std::collections::BTreeMap;
use std::sync::Mutex;

use percent_encoding::percent_decode_str;

use crate::iam::Access;
use crate::transport::{Call, Measure, Refusal, Reply, Service, Subject};
use crate::xml::{self, error};
use crate::{Fake, lock};

/// The largest size of message and attributes together, in bytes: <https://docs.aws.amazon.com/sns/latest/api/API_Publish.html>
const MAX_MESSAGE_BYTES: usize = 262_144;

/// A message that SNS accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The message id, counted over all topics.
    pub id: String,
    /// The topic's ARN.
    pub topic_arn: String,
    /// The text.
    pub message: String,
    /// Attributes by name.
    pub attributes: BTreeMap<String, Attribute>,
}

/// An attribute of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// `String`, `Number` or `String.Array`.
    pub data_type: String,
    /// The value as it was sent.
    pub value: String,
}

/// Topics and published messages.
#[derive(Debug, Default)]
pub struct Topics {
    arns: Vec<String>,
    published: Vec<Published>,
    sent: u64,
    check: Option<fn(&Published)>,
}

/// An SNS fake. Clones share one state.
pub type SnsFake = Fake<Mutex<Topics>>;

impl SnsFake {
    /// Calls `check` with each message that is published from now on; `check` panics if the message is wrong.
    #[must_use]
    pub fn checked_by(self, check: fn(&Published)) -> Self {
        lock(&self.state).check = Some(check);
        self
    }

    /// Creates a topic and returns its ARN.
    pub fn create_topic(&self, name: &str) -> String {
        let arn = format!("arn:aws:sns:eu-west-1:123456789012:{name}");
        lock(&self.state).arns.push(arn.clone());
        arn
    }

    /// Returns every message of every topic, oldest first.
    pub fn published(&self) -> Vec<Published> {
        lock(&self.state).published.clone()
    }

    /// Removes and returns every message.
    pub fn take(&self) -> Vec<Published> {
        std::mem::take(&mut lock(&self.state).published)
    }
}

impl Service for Mutex<Topics> {
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
        let action = format!("sns:{}", form.text("Action"));
        vec![Access::new(&action, form.text("TopicArn"))]
    }

    fn apply(&self, call: &Call) -> Reply {
        let form = Form::new(call);
        let mut topics = lock(self);
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
            attributes,
        };
        if let Some(check) = topics.check {
            check(&published);
        }
        topics.published.push(published);
        let result = format!("<PublishResult><MessageId>{id}</MessageId></PublishResult>");
        xml::reply(200, format!("<PublishResponse>{result}</PublishResponse>"))
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
        xml::measure(reply)
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
        let pairs = pairs.map(|(name, value)| (decoded(name), decoded(value)));
        Self(pairs.collect())
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
            let attribute = Attribute {
                data_type: field("Value.DataType").cloned().unwrap_or_default(),
                value: field("Value.StringValue").cloned().unwrap_or_default(),
            };
            attributes.insert(name.clone(), attribute);
        }
        attributes
    }
}
