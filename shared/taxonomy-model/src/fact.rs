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
    /// The alternative names, of all cultures, are others.
    AltNamesChanged {
        node: NodeId,
        from: Vec<(String, String)>,
        to: Vec<(String, String)>,
    },
    /// The notation is another.
    NotationChanged {
        node: NodeId,
        from: Option<String>,
        to: Option<String>,
    },
    /// What siblings are sorted by is another.
    SortKeyChanged {
        node: NodeId,
        from: Option<String>,
        to: Option<String>,
    },
    /// The metadata is another.
    MetadataChanged {
        node: NodeId,
        from: Option<Box<RawValue>>,
        to: Option<Box<RawValue>>,
    },
    /// No longer to be used for new things.
    Deprecated { node: NodeId },
    /// To be used again.
    Reinstated { node: NodeId },
    /// What replaces it is something else.
    ReplacementChanged {
        node: NodeId,
        from: Vec<u64>,
        to: Vec<u64>,
    },
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
            | Self::AltNamesChanged { node, .. }
            | Self::NotationChanged { node, .. }
            | Self::SortKeyChanged { node, .. }
            | Self::MetadataChanged { node, .. }
            | Self::Deprecated { node }
            | Self::Reinstated { node }
            | Self::ReplacementChanged { node, .. } => *node,
        })
    }
}
