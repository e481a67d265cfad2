//! IAM inside the test process: what a policy allows of the requests that went over the wire.
//!
//! | File | What is in it |
//! |---|---|
//! | `mod` | [`Access`]: what AWS asks a policy about a request; [`Access::invoke`] and others for what no wire carries |
//! | `wildcard` | patterns with `*`, `?` and policy variables |
//! | `policy` | [`Policy`]: statements, conditions, the principal's tags |
//! | `template` | [`Template`]: the policies of `template.yaml`, with the names of the fixtures filled in |
//!
//! The rules are those of the IAM User Guide ("Policy evaluation logic", "Condition operators", "Policy variables") and of the Service
//! Authorization Reference. What a policy of the template does not use stops the test instead of being guessed.

mod policy;
mod template;
mod wildcard;

use std::collections::BTreeMap;

pub use policy::{Policy, Principal};
pub use template::Template;
pub use wildcard::matches;

/// The account and region of everything in tests.
const PLACE: &str = "eu-west-1:123456789012";

/// The id of the HTTP API.
pub const API_ID: &str = "a1b2c3d4e5";

/// The name of the stack.
pub const STACK: &str = "taxonomy";

/// What AWS asks the principal's policies about a request: most requests ask one question, a batch or a transaction one an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Such as `dynamodb:PutItem`.
    pub action: String,
    /// The ARN.
    pub resource: String,
    /// Condition keys that the request has, each with its values.
    pub context: BTreeMap<String, Vec<String>>,
}

impl Access {
    /// An access to a resource, without condition keys.
    #[must_use]
    pub fn new(action: &str, resource: impl Into<String>) -> Self {
        Self {
            action: action.to_owned(),
            resource: resource.into(),
            context: BTreeMap::new(),
        }
    }

    /// The same with a condition key.
    #[must_use]
    pub fn with(mut self, key: &str, values: impl IntoIterator<Item = String>) -> Self {
        self.context.insert(key.to_owned(), values.into_iter().collect());
        self
    }

    /// An item of the table, or of its index, by its partition key.
    #[must_use]
    pub fn item(action: &str, table: &str, index: Option<&str>, partition: &str) -> Self {
        let index = index.map_or_else(String::new, |index| format!("/index/{index}"));
        let resource = format!("arn:aws:dynamodb:{PLACE}:table/{table}{index}");
        Self::new(action, resource).with("dynamodb:LeadingKeys", [partition.to_owned()])
    }

    /// An object.
    #[must_use]
    pub fn object(action: &str, bucket: &str, key: &str) -> Self {
        Self::new(action, format!("arn:aws:s3:::{bucket}/{key}"))
    }

    /// A listing of a bucket.
    #[must_use]
    pub fn listing(action: &str, bucket: &str, prefix: Option<&str>) -> Self {
        let listing = Self::new(action, format!("arn:aws:s3:::{bucket}"));
        match prefix {
            Some(prefix) => listing.with("s3:prefix", [prefix.to_owned()]),
            None => listing,
        }
    }

    /// A queue.
    #[must_use]
    pub fn queue(action: &str, queue: &str) -> Self {
        Self::new(action, format!("arn:aws:sqs:{PLACE}:{queue}"))
    }

    /// A request to the HTTP API: method and path as they were sent.
    #[must_use]
    pub fn invoke(method: &str, path: &str) -> Self {
        let resource = format!("arn:aws:execute-api:{PLACE}:{API_ID}/$default/{method}{path}");
        Self::new("execute-api:Invoke", resource)
    }

    /// A look at the outputs of the stack.
    #[must_use]
    pub fn describe_stack() -> Self {
        let id = "0f0f0f0f-0000-4000-8000-000000000000";
        let resource = format!("arn:aws:cloudformation:{PLACE}:stack/{STACK}/{id}");
        Self::new("cloudformation:DescribeStacks", resource)
    }
}
