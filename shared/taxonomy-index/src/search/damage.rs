//! Errors for bytes that are not a search object, and the reasons why a search stops.

use std::fmt;

use crate::search::part::PartId;

/// The place of damage in an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DamagedPart {
    /// The last bytes of the object.
    Footer,
    /// The directory of the parts.
    Root,
    /// One part.
    Part(PartId),
    /// The postings, across parts.
    Postings,
}

impl fmt::Display for DamagedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Footer => f.write_str("footer"),
            Self::Root => f.write_str("root"),
            Self::Part(id) => write!(f, "part {id}"),
            Self::Postings => f.write_str("postings"),
        }
    }
}

/// An object, or a part of it, is truncated or altered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the {place} of the search object {problem}")]
pub struct Damage {
    /// The place of the damage.
    pub place: DamagedPart,
    /// The problem, as a verb and its object.
    pub problem: &'static str,
}

impl Damage {
    pub(crate) fn new(place: DamagedPart, problem: &'static str) -> Self {
        Self { place, problem }
    }

    pub(crate) fn in_part(id: PartId, problem: &'static str) -> Self {
        Self::new(DamagedPart::Part(id), problem)
    }
}

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
