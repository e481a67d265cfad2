//! The proof of the aggregates: the real aggregator behind a stream that delivers twice, late, in other batches, in another order or not
//! at all, over services that fail, judged by counts that share nothing with its own.
//!
//! | File | What is in it |
//! |---|---|
//! | `files` | what is uploaded: small taxonomies, and what people do to them |
//! | `counts`, `oracle` | what has to come of it, from the uploaded files alone |
//! | `history` | tenants and their versions, made by the real projector; a world that holds them and nothing that is counted |
//! | `judge` | what holds after each write, and what in the end |
//! | `stream` | shards, batches and everything that may become of them, by a seed |
//! | `streams` | seed after seed |
//! | `crashes` | every request of every scenario with every fault, and pairs of them |
//! | `mistakes` | what happens if the aggregator makes a known mistake: all of this has to notice |
//! | `proof` | the line that says how much was tried |
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod counts;
mod crashes;
mod files;
mod history;
mod judge;
mod mistakes;
mod oracle;
mod proof;
mod stream;
mod streams;
