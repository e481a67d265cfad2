//! What happened between two versions, in the past tense. Facts are complete: applied to the older version they give the
//! newer one, hash for hash. These names are the storage format.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::record::Record;

/// What a fact speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NodeId {
    /// The category with this id.
    Category(u64),
    /// The term with this id.
    Term(u64),
}

/// Where a term stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Its category.
    pub category: u64,
    /// The term above it; none for a top term.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u64>,
}

/// One thing that happened. `from` is what was there before and `to` what is there now; absent means nothing.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    missing_docs,
    reason = "the fields say what the variant's name and the enum's text promise"
)]
pub enum Fact {
    /// Default culture or fallback chain changed.
    Configured {
        default_culture: String,
        fallback_chain: Vec<String>,
    },
    /// A category came, with everything it has.
    CategoryAdded(Record),
    /// A term came, with everything it has.
    TermAdded(Record),
    /// A category went, and with it its terms, each by a fact of its own.
    CategoryRemoved { id: u64 },
    /// A term went.
    TermRemoved { id: u64 },
    /// A term stands elsewhere; its descendants, which did not move, come along.
    TermMoved { id: u64, from: Place, to: Place },
    /// The name in a culture is another.
    Renamed {
        node: NodeId,
        culture: String,
        from: Option<String>,
        to: Option<String>,
    },
    /// The path in a culture is another.
    PathChanged {
        node: NodeId,
        culture: String,
        from: Option<String>,
        to: Option<String>,
    },
    /// Another optional field than the deprecation's flag is another: by its name and with its JSON in a record.
    Changed {
        node: NodeId,
        field: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Box<RawValue>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Box<RawValue>>,
    },
    /// No longer to be used for new things.
    Deprecated { node: NodeId },
    /// To be used again.
    Reinstated { node: NodeId },
}

impl Fact {
    /// The category or term that the fact speaks of.
    #[must_use]
    pub fn subject(&self) -> Option<NodeId> {
        Some(match self {
            Self::Configured { .. } => return None,
            Self::CategoryAdded(record) => NodeId::Category(record.id),
            Self::TermAdded(record) => NodeId::Term(record.id),
            Self::CategoryRemoved { id } => NodeId::Category(*id),
            Self::TermRemoved { id } | Self::TermMoved { id, .. } => NodeId::Term(*id),
            Self::Renamed { node, .. }
            | Self::PathChanged { node, .. }
            | Self::Changed { node, .. }
            | Self::Deprecated { node }
            | Self::Reinstated { node } => *node,
        })
    }
}
