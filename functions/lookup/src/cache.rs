//! What the lookup remembers, by the rules of docs/decisions/0010-caches.md: the heads of tenants, and finished answers about terms and
//! categories, in the process and in a second tier that processes share.
//!
//! A request first gets the `CurrentVersion` of its tenant and passes it with each call. An *entry* is the answer about one node in one language;
//! the node that does not exist has an entry too.
//!
//! | Module | Content |
//! |---|---|
//! | `current_version` | the version that a tenant's head has, and [`VersionKey`]: the key of its entries |
//! | `heads` | the heads of tenants, each read at most once in two seconds |
//! | `entry` | names, values and sizes of entries, and their encoding in the second tier |
//! | `reader` | [`CachedReader`]: the table behind both tiers |
//! | `second_tier` | [`SecondTier`]: the port of a cache that processes share |
//! | `bounded` | a cache in memory that is bounded in bytes |

pub(crate) mod bounded;
pub(crate) mod current_version;
pub(crate) mod entry;
mod heads;
pub(crate) mod reader;
mod second_tier;

pub use current_version::VersionKey;
pub use reader::CachedReader;
pub use second_tier::{CachedEntries, SecondTier, TierErrors};
