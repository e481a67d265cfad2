//! The caches of the lookup, by the rules of docs/decisions/0010-caches.md.
//!
//! [`CachedReader`] wraps the reader of the access patterns. A request first gets a [`View`] of its tenant, the version that it reads, and
//! then passes the view with each query. A value is exactly that of the version, or there is none: the caller then reads the index file of the version.
//!
//! An *entry* is a cached value with its key. A version is *settled* once its projection is complete, and *young* for a minute after that.
//!
//! | Module | Content |
//! |---|---|
//! | `view` | [`View`], [`ViewKey`]: the version that a request reads, and the key of its entries |
//! | `head_cache` | the heads of tenants, each read at most once in two seconds |
//! | `reader` | [`CachedReader`]: the queries, and filling an entry |
//! | `query`, `cached_value` | keys and values of entries, and their sizes |
//! | `encoding` | the encoding of entries in the second tier |
//! | `second_tier` | [`SecondTier`]: the port of a cache that processes share |
//! | `error` | [`ReadError`] |

mod cached_value;
mod encoding;
mod error;
mod head_cache;
mod query;
mod reader;
mod second_tier;
mod view;

pub use error::{ReadError, Unreadable};
pub use reader::{Answered, CachedReader};
pub use second_tier::{CachedEntries, SecondTier, TierErrors};
pub use view::{View, ViewKey};

/// Entry points for the targets of `fuzz/`; no other build contains them.
#[cfg(fuzzing)]
pub mod fuzzing {
    use taxonomy_keys::{CategoryId, TermId};
    use taxonomy_store::TermItem;

    use crate::cached_value::CachedValue;
    use crate::query::Query;

    /// A decoded entry of the second tier.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Believed {
        entry: Query,
        answer: CachedValue,
    }

    impl Believed {
        /// Decodes the bytes as the entry of each kind; `None` where they are no entry of any.
        #[must_use]
        pub fn read(bytes: &[u8]) -> Option<Self> {
            let (term, category) = (TermId::new(2)?, CategoryId::new(1)?);
            let item = |culture| Query::Term(TermItem { id: term, culture });
            let entries = [item(None), item("fr-FR".parse().ok()), Query::Category(category)];
            entries.into_iter().find_map(|entry| {
                let answer = CachedValue::from_form(&entry, bytes)?;
                Some(Self { entry, answer })
            })
        }

        /// Encodes it as this build does.
        #[must_use]
        pub fn write(&self) -> Option<Vec<u8>> {
            self.answer.encode(&self.entry)
        }
    }
}
