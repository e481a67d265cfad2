//! Any version of a tenant, read from its index file and its search objects by ranges (docs/decisions/0018-version-index.md).
//!
//! | Room | Content |
//! |---|---|
//! | `error` | [`VersionError`]: why something of a version cannot be read |
//! | `parts` | [`Versions`]: decoded parts of files, remembered within a bound of bytes |
//! | `objects` | [`Objects`]: the objects of versions, in the archive or in memory |
//! | `file` | [`VersionFile`]: one version's file: ordinals by id, and the rows and blocks of ordinals |
//! | `nodes` | terms and categories by id, as the table answers them |
//! | `lists` | siblings page by page, as the index of the table lists them |
//! | `tree` | subtrees and categories in the order of the tree |
//! | `resolve` | paths, notations and relations |
//! | `search` | the search object of a culture, searched |
//! | `changes` | ordinals that changed after a version |
//! | `difference` | the difference of two versions, page by page; a term with the version that changed it last |
//! | `counts` | the counts of categories |
//! | `times` | the version in force at a moment |

mod changes;
mod counts;
mod difference;
mod error;
mod file;
mod lists;
mod nodes;
mod objects;
mod parts;
mod resolve;
mod search;
mod times;
mod tree;

pub use difference::{DifferencePage, Different, KnownTerm, PageBounds};
pub use error::VersionError;
pub use file::{Node, VersionFile};
pub use objects::Objects;
pub use parts::Versions;
pub use resolve::{Reference, Resolved};
pub use tree::{Branch, Retired, Walk, Walked};
