//! The second cache tier: a Valkey or Redis beside the table (docs/decisions/0010-caches.md).
//!
//! It is a place to look before the table is asked, and never a reason to fail: what is slow, full or gone is answered by "not here".
//! Values are bytes; what they mean, and whether they may be cached at all, is for the caller.
//!
//! | Room | What is in it |
//! |---|---|
//! | `valkey` | [`Valkey`]: get, put, advance, with at most one try and one time-out each |
//! | `answer` | [`Answer`]: what it says to that |
//! | `keys` | [`EntriesOf`]: what an entry belongs to, and the keys, all of a tenant's in one cluster slot |
//! | `breaker` | when the tier is left alone, and who tries first again |
//! | `link` | the one connection, without a task or a thread behind it |
//! | `together` | what several wait for, and whoever waits drives |
//! | `tls` | whom it trusts |
//! | `config`, `address`, `error` | [`ValkeyConfig`], [`Secret`], [`ValkeyError`] |

mod address;
mod answer;
mod breaker;
mod config;
mod error;
mod keys;
mod link;
mod tls;
mod together;
mod valkey;

pub use answer::Answer;
pub use config::{Secret, ValkeyConfig};
pub use error::ValkeyError;
pub use keys::EntriesOf;
pub use valkey::{Stats, Valkey};
