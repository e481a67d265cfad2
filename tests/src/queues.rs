//! The queues of a stack.

use taxonomy_testkit::SqsFake;

/// The retry queue.
pub const RETRIES: &str = "retry";

/// The queue of records that the aggregator deferred.
pub const DEFERRED: &str = "deferred";

/// The queue of audits.
pub const AUDITS: &str = "audits";

/// The queue of downloads.
pub const DOWNLOADS: &str = "downloads";

/// The dead-letter queue of the retry queue.
pub const DEAD_LETTERS: &str = "dead-letters";

/// The dead-letter queue of audits.
pub const AUDIT_DEAD_LETTERS: &str = "audits-dead-letters";

/// The dead-letter queue of downloads.
pub const DOWNLOAD_DEAD_LETTERS: &str = "downloads-dead-letters";

/// Creates the queues of a stack.
pub fn create_queues(sqs: &SqsFake) {
    for queue in [
        DEFERRED,
        RETRIES,
        AUDITS,
        DOWNLOADS,
        DEAD_LETTERS,
        AUDIT_DEAD_LETTERS,
        DOWNLOAD_DEAD_LETTERS,
    ] {
        sqs.create_queue(queue);
    }
}
