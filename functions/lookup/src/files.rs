//! Any version of a tenant, read from its index file and its search objects by ranges (docs/decisions/0018-version-index.md).
//!
//! | Module | Content |
//! |---|---|
//! | `error` | [`VersionError`]: the error of reading a version |
//! | `parts` | [`VersionFiles`]: decoded parts of files, in a cache that is bounded in bytes |
//! | `objects` | [`Objects`]: the objects of versions, in the archive or in memory |
//! | `open` | opens the index file of a version |
//! | `version_file` | [`VersionFile`]: the index file of one version: ordinals by id, the rows and blocks of ordinals, times and counts |
//! | `nodes` | terms and categories by id, equal to those of the table |
//! | `tree` | categories, and terms in the order of the tree, page by page |
//! | `culture_order` | the order of siblings in a culture |
//! | `resolve` | paths, notations and relations |
//! | `search` | searches in the search object of a culture |
//! | `changes` | ordinals that changed after a version |
//! | `difference` | the difference of two versions, page by page; a term with the version of its last change |

mod changes;
mod culture_order;
mod difference;
mod error;
mod nodes;
mod objects;
mod open;
mod parts;
mod resolve;
mod search;
mod tree;
mod version_file;

pub use culture_order::Position;
pub use difference::{Different, PageBounds};
pub use error::VersionError;
pub use objects::Objects;
pub(crate) use objects::OnFirstUse;
pub use parts::VersionFiles;
pub use resolve::{Reference, ResolvedNodes};
pub(crate) use tree::lists;
pub use tree::{Branch, Walk};
pub use version_file::{FileNode, FilePage, VersionFile};
