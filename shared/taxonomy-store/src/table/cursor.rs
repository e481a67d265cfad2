//! The progress of a load: the head's attribute `Cursor` (docs/decisions/0031-loads.md).
//!
//! A *load* writes the items that differ between the projected version and its target. Its process stores the cursor before the first write, and
//! renews it meanwhile: `At` is its *heartbeat*.

use serde::{Deserialize, Serialize};
use taxonomy_keys::{Version, version_or_zero};
use taxonomy_model::Hash;

/// The progress of a load: its first `done` writes are complete. Void once the target, or a version after it, is projected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct LoadCursor {
    /// The target: the head's version when the load began. A process that takes the load over keeps it.
    pub to: Version,
    /// The changeset of the target.
    #[serde(rename = "ChangesetId")]
    pub changeset: Hash,
    /// The projected version from which `done` counts; `None` before the first.
    #[serde(with = "version_or_zero")]
    pub from: Option<Version>,
    /// The projection format of the build that writes.
    pub format: u64,
    /// Whether it writes every item of every id that ever existed.
    #[serde(default)]
    pub full: bool,
    /// The number of leading writes that are complete.
    pub done: u64,
    /// The time of this record, in epoch milliseconds.
    pub at: u64,
    /// The process that wrote it.
    pub by: String,
    /// The state of the load at that time.
    pub state: LoadState,
}

/// The state of a load, by the process that writes its cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadState {
    /// It runs, or its process died.
    Running,
    /// It stopped because the time of the invocation was over.
    OutOfTime,
    /// A request failed; another try may succeed.
    Failed,
    /// It cannot succeed: an item is refused, or a file is lost.
    Impossible,
}
