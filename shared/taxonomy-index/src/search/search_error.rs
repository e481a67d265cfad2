//! The reasons why a search stops.

use crate::search::damage::Damage;
use crate::search::part_id::PartId;

/// The reason why a search stopped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// Parts are not in memory: the caller reads all of them, keeps them, and repeats the search.
    #[error("{} parts of the search object are not in memory", .0.len())]
    Missing(Vec<PartId>),
    /// The object is damaged.
    #[error(transparent)]
    Damaged(#[from] Damage),
}
