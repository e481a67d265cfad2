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
//! | `further` | terms below a term by any of their parents |
//! | `facets` | how many of the nodes of a search each value of a facet has |
//! | `gaps` | categories and terms without a name in a culture |
//! | `place` | the place of a category or a term among its siblings |
//! | `related` | what a term is related to within the tenant |
//! | `resolve` | paths, notations and relations |
//! | `search` | searches in the search object of a culture |
//! | `suggest` | searches in several cultures, by id, and among removed names |
//! | `changes` | ordinals that changed after a version |
//! | `difference` | the difference of two versions, page by page; a term with the version of its last change |

mod changes;
mod culture_order;
mod difference;
mod error;
mod facets;
mod further;
mod gaps;
mod nodes;
mod objects;
mod open;
mod parts;
mod place;
mod related;
mod resolve;
mod search;
mod suggest;
mod tree;
mod version_file;

pub use culture_order::Position;
pub use difference::{CategoryTotals, DifferenceTotals, Different, PageBounds, TermTotals, Wanted};
pub use error::VersionError;
pub use facets::FacetCounts;
pub use further::MAX_FURTHER;
pub use gaps::{Gaps, GapsPage};
pub use objects::Objects;
pub(crate) use objects::OnFirstUse;
pub use parts::VersionFiles;
pub use place::{PlaceInTree, Siblings};
pub use related::RelatedNodes;
pub use resolve::{Reference, ResolvedNodes};
pub use suggest::{RemovedName, Searched};
pub(crate) use tree::lists;
pub use tree::{Branch, Walk};
pub use version_file::{Below, FileNode, FilePage, ListedNode, VersionFile};
