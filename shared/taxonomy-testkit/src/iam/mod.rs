//! IAM inside the test process: checks recorded requests against policies.
//!
//! | File | Contents |
//! |---|---|
//! | `mod` | [`Access`]: one permission that a request needs; [`Access::invoke`] and others for accesses that the transport does not record |
//! | `wildcard` | patterns with `*`, `?` and policy variables |
//! | `policy` | [`Policy`]: statements, conditions, the principal's tags |
//! | `template` | [`Template`]: the policies of `template.yaml`, with the names of the fixtures |
//! | `deployed` | [`deployed::check`]: whether those policies allow the requests of a test |
//!
//! The rules are those of the IAM User Guide ("Policy evaluation logic", "Condition operators", "Policy variables") and of the Service
//! Authorization Reference. An element that no policy of the template uses panics instead of being interpreted by a guess.

pub mod deployed;
mod policy;
mod template;
mod wildcard;

use std::collections::BTreeMap;

pub use policy::{Policy, Principal};
pub use template::{OWN_KEY, Template};
pub use wildcard::matches;

/// The region and account of all ARNs in tests.
const PLACE: &str = "eu-west-1:123456789012";

/// The id of the HTTP API.
pub const API_ID: &str = "a1b2c3d4e5";

/// The name of the stack.
pub const STACK: &str = "taxonomy";

/// One permission that AWS checks for a request: most requests need one, a batch or a transaction one per item.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Access {
    /// The action, such as `dynamodb:PutItem`.
    pub action: String,
    /// The resource's ARN.
    pub resource: String,
    /// The condition keys of the request, each with its values.
    pub context: BTreeMap<String, Vec<String>>,
}

impl Access {
    /// Returns an access to a resource, without condition keys.
    #[must_use]
    pub fn new(action: &str, resource: impl Into<String>) -> Self {
        Self {
            action: action.to_owned(),
            resource: resource.into(),
            context: BTreeMap::new(),
        }
    }

    /// Returns the same access with a condition key.
    #[must_use]
    pub fn with(mut self, key: &str, values: impl IntoIterator<Item = String>) -> Self {
        self.context.insert(key.to_owned(), values.into_iter().collect());
        self
    }

    /// Returns an access to an item of the table, or of its index, by its partition key.
    #[must_use]
    pub fn item(action: &str, table: &str, index: Option<&str>, partition: &str) -> Self {
        let index = index.map_or_else(String::new, |index| format!("/index/{index}"));
        let resource = format!("arn:aws:dynamodb:{PLACE}:table/{table}{index}");
        Self::new(action, resource).with("dynamodb:LeadingKeys", [partition.to_owned()])
    }

    /// Returns an access to an object.
    #[must_use]
    pub fn object(action: &str, bucket: &str, key: &str) -> Self {
        Self::new(action, format!("arn:aws:s3:::{bucket}/{key}"))
    }

    /// Returns a listing of a bucket.
    #[must_use]
    pub fn listing(action: &str, bucket: &str, prefix: Option<&str>) -> Self {
        let listing = Self::new(action, format!("arn:aws:s3:::{bucket}"));
        match prefix {
            Some(prefix) => listing.with("s3:prefix", [prefix.to_owned()]),
            None => listing,
        }
    }

    /// Returns an access to a queue.
    #[must_use]
    pub fn queue(action: &str, queue: &str) -> Self {
        Self::new(action, format!("arn:aws:sqs:{PLACE}:{queue}"))
    }

    /// Returns a request to the HTTP API, with method and path as they were sent.
    #[must_use]
    pub fn invoke(method: &str, path: &str) -> Self {
        let resource = format!("arn:aws:execute-api:{PLACE}:{API_ID}/$default/{method}{path}");
        Self::new("execute-api:Invoke", resource)
    }

    /// Returns a request for the outputs of the stack.
    #[must_use]
    pub fn describe_stack() -> Self {
        let id = "0f0f0f0f-0000-4000-8000-000000000000";
        let resource = format!("arn:aws:cloudformation:{PLACE}:stack/{STACK}/{id}");
        Self::new("cloudformation:DescribeStacks", resource)
    }
}
