//! The fakes of this crate's tests: a policy of the template has to allow each of their requests.

use taxonomy_testkit::fixtures::TABLE;
use taxonomy_testkit::iam::deployed;
use taxonomy_testkit::{EmbeddedDynamoDb, S3Fake};

/// Returns empty buckets.
pub(crate) fn buckets() -> S3Fake {
    let s3 = S3Fake::new();
    s3.exchanges().checked_by(deployed::check);
    s3
}

/// Returns an empty table.
pub(crate) fn database() -> EmbeddedDynamoDb {
    let db = EmbeddedDynamoDb::new();
    db.exchanges().checked_by(deployed::check);
    db.create_table(TABLE);
    db
}
