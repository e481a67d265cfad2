#![doc = include_str!("../README.md")]
//!
//! Modules, in reading order: [`TenantId`], [`CategoryId`], [`TermId`], [`Version`] and their rules (`ids`), [`Culture`] and its
//! fallback (`culture`), the keys of items (`item_key`) and of the index (`index_key`), the access patterns (`pattern`).

mod culture;
mod ids;
mod index_key;
mod item_key;
pub mod pattern;

pub use culture::{Culture, InvalidCulture, fallback};
pub use ids::{CategoryId, InvalidId, MAX_DEPTH, Month, TenantId, TermId, Version, version_or_zero};
pub use index_key::{Attention, IndexKey};
pub use item_key::{InvalidKey, ItemKey, Key};

/// Separates the parts of a key. No id, culture or version can contain it.
const SEPARATOR: char = '#';
