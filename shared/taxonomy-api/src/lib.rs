//! The shapes of the HTTP API (docs/decisions/0005-http.md and 0009-aggregates.md), for the service that writes them and for clients that
//! read them.
//!
//! The service borrows texts from what it read, so that each is copied once; a client owns them (`Term<'static>`). A reader ignores fields that
//! it does not know. An optional field is absent where it has no value.

mod category;
mod details;
mod gaps;
mod mention;
mod names;
mod place;
mod problem;
mod related;
mod stats;
mod suggest;
mod tenant;
mod term;

pub use category::{Category, ListedCategory};
pub use details::{Deprecation, Details, Metadata, Notes, RelatedId, Relation, RelationType};
pub use gaps::{Gap, GapsPage, NodeKind};
pub use mention::{Mention, MentionedName, MentionedTerm, Mentions};
pub use names::CultureName;
pub use place::{Place, Sibling};
pub use problem::{Existed, Problem, VersionTime};
pub use related::RelatedNode;
pub use stats::{CategoryStats, Counts, Month, TenantStats};
pub use suggest::{
    CategoryTotal, CultureTotal, FacetTotals, KindTotals, MatchClass, MatchedName, NameKind, NothingFound,
    RemovedNode, StateTotals, Suggestion, Suggestions,
};
pub use tenant::{Head, Provenance, Totals};
pub use term::{Ancestor, Ancestors, CategoryName, Child, Term};
