//! The words that nearly every journey and scenario is written in, by one import.

pub use serde_json::{Value, json};
pub use taxonomy_keys::{TenantId, Version};
pub use taxonomy_model::{Hash, Provenance};
pub use taxonomy_runtime::Metric;
pub use taxonomy_store::{Archive, Configuration, Request};
pub use taxonomy_testkit::dynamodb::{Item, n, s};
pub use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, GLOBEX, NEW_YEAR_MS, SOURCE_BUCKET, TABLE};
pub use taxonomy_testkit::s3::sns_event;
pub use taxonomy_testkit::sqs::{Message, queue_url, sqs_event};
pub use taxonomy_testkit::{Fault, When};
pub use taxonomy_versioning::{Deadline, Outcome, VersioningError};

pub use crate::asking::{ask, ask_with, get, pages, post, problems, process, process_with, served};
pub use crate::files::{expected, in_two_cultures, named, of_categories, read, sample, small};
pub use crate::operator::{Operator as _, whole_audit};
pub use crate::queues::{
    AUDIT_DEAD_LETTERS, AUDITS, DEAD_LETTERS, DEFERRED, DOWNLOAD_DEAD_LETTERS, DOWNLOADS, RETRIES,
};
pub use crate::world::{FAILURES_BUCKET, TENANT, World, scheduled, tenant};
