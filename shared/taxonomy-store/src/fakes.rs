//! The buckets of this crate's tests: a policy of the template has to allow each of their requests.

use taxonomy_testkit::S3Fake;
use taxonomy_testkit::iam::deployed;

/// Returns empty buckets.
pub(crate) fn buckets() -> S3Fake {
    let s3 = S3Fake::new();
    s3.exchanges().checked_by(deployed::check);
    s3
}
