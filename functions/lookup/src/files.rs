//! Any version of a tenant, read from its index file and its search objects by ranges (docs/decisions/0018-version-index.md).
//!
//! | Module | Content |
//! |---|---|
//! | `error` | [`VersionError`]: the error of reading a version |
//! | `parts` | [`Versions`]: decoded parts of files, in a cache that is bounded in bytes |
//! | `objects` | [`Objects`]: the objects of versions, in the archive or in memory |
//! | `version_file` | [`VersionFile`]: the index file of one version: ordinals by id, and the rows and blocks of ordinals |
//! | `nodes` | terms and categories by id, equal to those of the table |
//! | `tree` | categories, and terms in the order of the tree, page by page |
//! | `resolve` | paths, notations and relations |
//! | `search` | searches in the search object of a culture |
//! | `changes` | ordinals that changed after a version |
//! | `difference` | the difference of two versions, page by page; a term with the version of its last change |
//! | `counts` | the counts of categories |
//! | `times` | the newest version at a time |

mod changes;
mod counts;
mod difference;
mod error;
mod nodes;
mod objects;
mod open;
mod parts;
mod resolve;
mod search;
mod search_root;
mod times;
mod tree;
mod version_file;

pub use difference::{DifferencePage, Different, KnownTerm, PageBounds};
pub use error::VersionError;
pub use objects::Objects;
pub use parts::Versions;
pub use resolve::{Reference, Resolved};
pub use tree::{Branch, CategoryPage, Retired, Walk, Walked};
pub use version_file::{FileNode, VersionFile};
