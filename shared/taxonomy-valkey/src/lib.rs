//! A client of the second cache tier: a Valkey or Redis server beside the table (docs/decisions/0033-valkey.md).
//!
//! It never makes a request fail: a server that is slow, full or down is a miss. Values are bytes; their meaning, and whether they may be
//! cached, is the caller's concern.
//!
//! | Module | Content |
//! |---|---|
//! | `valkey` | [`Valkey`]: get, put, advance, each with one time-out |
//! | `answer` | [`ReadResult`]: the result of a read |
//! | `keys` | [`EntriesOf`]: the keys, all of a tenant in one cluster slot |
//! | `circuit_breaker` | stops requests to a server that is down, and probes it |
//! | `connection` | the one connection |
//! | `tls` | the trusted certificates |
//! | `config`, `address`, `error` | [`ValkeyConfig`], [`Secret`], [`ValkeyError`] |

mod address;
mod answer;
mod circuit_breaker;
mod config;
mod connection;
mod error;
mod keys;
mod tls;
mod valkey;

pub use answer::ReadResult;
pub use config::{Secret, ValkeyConfig};
pub use error::ValkeyError;
pub use keys::EntriesOf;
pub use valkey::{TierErrors, Valkey};
