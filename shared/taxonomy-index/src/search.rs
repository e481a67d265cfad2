//! Search objects: the names of one version in one culture, found by prefix, by words and through typos.
//!
//! A search object is immutable. [`write()`] makes it of the names of a version; an [`Index`] searches it by ranged
//! reads, and needs only the [`SearchPart`]s in memory that a query touches. The module does no I/O: a query that lacks
//! parts returns [`SearchError::Missing`] with their ids, the caller reads [`Index::range`] of each, all at once, and repeats the query. This happens
//! at most [`MAX_ROUNDS`] times. Byte format, folding, ranking and bounds: `docs/decisions/0019-search.md`.
//!
//! - Text: `fold` splits a text into folded words and records the position of each letter; `words` says which count and which are joined;
//!   `language` has the words for *and*, the endings of plurals and the languages of compounds.
//! - Object: `layout` (footer and root), `part`, `dictionary` (sorted keys in blocks), `postings` (lists of names), `names` (the texts), `letters` (names by a
//!   hash of their letters).
//! - Writing: `writer`, `collect` (the keys of a space with their postings), `hot` (short lists for prefixes with many postings).
//! - Searching: `plan` (a query in the language of the object), `sought` (its keys), `evaluate`, `locate` (keys to postings), `matching` (several
//!   words), `forgive` with `inside` and `typo` (tried where little is found), `ranking`, `highlight`.
//! - Terms in a text: [`mention`], whose automaton is a part of the object.
//!
//! ```
//! use std::collections::HashMap;
//! use taxonomy_index::search::{Entry, FOOTER_BYTES, SearchFooter, Index, Kind, Language, PartId, Query, SearchError, SearchOptions, SearchPart, write};
//!
//! let entry = Entry { ordinal: 0, id: 7, name: "Crème brûlée", kind: Kind::Preferred, depth: 1, deprecated: false, sort_key: "" };
//! let object = write(Language::parse("fr"), 1, vec![entry])?;
//!
//! let tail = &object[object.len() - FOOTER_BYTES..];
//! let footer = SearchFooter::read(tail, object.len() as u64)?;
//! let root = &object[footer.root().start as usize..footer.root().end as usize];
//! let index = Index::open(&footer, root)?;
//!
//! let query = Query::parse("creme")?;
//! let mut parts: HashMap<PartId, SearchPart> = HashMap::new();
//! let answer = loop {
//!     match index.search(&query, &SearchOptions::new(10)?, &parts) {
//!         Ok(answer) => break answer,
//!         Err(SearchError::Missing(missing)) => {
//!             for id in missing {
//!                 let range = index.range(id);
//!                 let bytes = &object[range.start as usize..range.end as usize];
//!                 parts.insert(id, index.part(id, bytes)?);
//!             }
//!         }
//!         Err(SearchError::Damaged(damage)) => return Err(damage.into()),
//!     }
//! };
//! assert_eq!(answer.hits[0].name, "Crème brûlée");
//! assert_eq!(answer.hits[0].ranges, [0..5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alphabet;
mod bytes;
mod collect;
mod damage;
mod dictionary;
mod entry;
mod fold;
mod hot;
mod key;
mod language;
mod layout;
mod letters;
mod map;
pub mod mention;
mod names;
mod part;
mod postings;
mod query;
mod words;
mod writer;

pub use damage::{Damage, DamagedPart, SearchError};
pub use entry::{Entry, Kind, Node};
pub use language::Language;
pub use layout::{FOOTER_BYTES, Index, MAX_AUTOMATON_BYTES, MAX_READ_BYTES, SearchFooter};
pub use part::{PartId, SearchPart};
pub use query::evaluate::{Findings, Hit, MAX_ROUNDS, SearchResult};
pub use query::plan::MAX_WORDS;
pub use query::ranking::{Found, merge};
pub use query::{
    Deprecated, Filter, MAX_CHARACTERS, MAX_LIMIT, MAX_SKIPPED, Match, Query, QueryError, SearchOptions,
};
pub use writer::{WriteError, write};

/// Returns the letters that a text is compared by: equal for two texts that differ in case, marks, signs, spaces and words for *and* alone.
pub fn letters(language: Language, text: &str) -> String {
    fold::Text::fold(text).all_letters(language)
}
