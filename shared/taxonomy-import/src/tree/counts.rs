//! The numbers of ids of an import.

/// The numbers of ids that were kept, given and passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct IdCounts {
    /// Of keys that the id map has.
    pub kept: u64,
    /// Given for the first time.
    pub new: u64,
    /// Passed on to another key.
    pub renumbered: u64,
    /// Of concepts that are gone, and stay with their replacement.
    pub merged: u64,
    /// Of concepts that are gone.
    pub gone: u64,
}
