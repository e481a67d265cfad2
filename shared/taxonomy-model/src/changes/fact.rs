//! Facts: the differences between two versions, in the past tense. Facts are complete: applied to the older version they give the
//! newer one, hash for hash. The names are the storage format.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::changes::record::Record;

/// The category or term of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NodeId {
    /// The category with this id.
    Category(u64),
    /// The term with this id.
    Term(u64),
}

/// The position of a term in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermPosition {
    /// Its category.
    pub category: u64,
    /// The term above it; none for a top term.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u64>,
}

/// One difference. `from` is the state before and `to` the state after; an absent one means that there was none.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    missing_docs,
    reason = "the fields say what the variant's name and the enum's text promise"
)]
pub enum Fact {
    /// The default culture or the fallback chain changed.
    Configured {
        default_culture: String,
        fallback_chain: Vec<String>,
    },
    /// A category was added, with all its fields.
    CategoryAdded(Record),
    /// A term was added, with all its fields.
    TermAdded(Record),
    /// A category was removed; its terms have facts of their own.
    CategoryRemoved { id: u64 },
    /// A term was removed.
    TermRemoved { id: u64 },
    /// A term has another parent or category; its descendants keep theirs.
    TermMoved {
        id: u64,
        from: TermPosition,
        to: TermPosition,
    },
    /// The name in a culture changed.
    Renamed {
        node: NodeId,
        culture: String,
        from: Option<String>,
        to: Option<String>,
    },
    /// The path in a culture changed.
    PathChanged {
        node: NodeId,
        culture: String,
        from: Option<String>,
        to: Option<String>,
    },
    /// Another optional field than the flag of deprecation changed: its name, and its JSON in a record.
    Changed {
        node: NodeId,
        field: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Box<RawValue>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Box<RawValue>>,
    },
    /// The node was deprecated.
    Deprecated { node: NodeId },
    /// The node is no longer deprecated.
    Reinstated { node: NodeId },
}

impl Fact {
    /// Returns the category or term of the fact.
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
