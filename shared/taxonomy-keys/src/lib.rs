#![doc = include_str!("../README.md")]
//!
//! Modules, in reading order: [`TenantId`], [`CategoryId`], [`TermId`], [`Version`] and their rules (`ids`), [`Culture`] (`culture`),
//! the order of a request over cultures (`fallback`, by the tags' parts in `subtags`), the keys of items (`item_key`) and of the index (`index_key`), the access patterns (`pattern`).

mod culture;
mod fallback;
mod ids;
mod index_key;
mod item_key;
pub mod pattern;
mod subtags;

pub use culture::{Culture, InvalidCulture, Writing};
pub use fallback::{fallback, nearest};
pub use ids::{CategoryId, InvalidId, MAX_DEPTH, Month, TenantId, TermId, Version, version_or_zero};
pub use index_key::{Attention, IndexKey};
pub use item_key::{InvalidKey, ItemKey, Key};

/// Separates the parts of a key. No id, culture or version can contain it.
const SEPARATOR: char = '#';
