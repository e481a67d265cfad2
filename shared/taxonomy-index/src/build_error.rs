//! The errors of building an index file.

use taxonomy_model::NodeId;

use crate::damage::{Damaged, PartName};

/// A file cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A part of the file of the version before is damaged.
    #[error("the file of the version before cannot be used")]
    Previous(#[from] Damaged),
    /// The file before belongs to another tenant or is not that of the version before.
    #[error("the file before is not that of the version before")]
    Order,
    /// Fewer or more search objects than cultures.
    #[error("the search objects are not those of the cultures")]
    Search,
    /// The facts do not lead from the version before to this one.
    #[error("the facts do not say that {0:?} was added or removed")]
    Facts(NodeId),
    /// A part is larger than a reader takes.
    #[error("the {0} is larger than a reader takes")]
    TooLarge(PartName),
    /// More than the format can number.
    #[error("more {0} than the format can number")]
    TooMany(&'static str),
    /// zstd fails.
    #[error("zstd failed")]
    Pack(#[source] std::io::Error),
    /// A record cannot be written as JSON.
    #[error("a record cannot be written")]
    Json(#[source] serde_json::Error),
}
