//! The proof of the event store: the real projector over services that fail, judged by a model that shares nothing with it.
//!
//! | File | What is in it |
//! |---|---|
//! | `files` | what is uploaded |
//! | `model` | what has to come of it |
//! | `stored` | what is there, read raw |
//! | `watch`, `chain`, `rest` | the invariants: at every step, of the log, and when nobody is at work any more |
//! | `script` | what happens to a tenant, by processes that die and are followed by others |
//! | `crashes` | every request with every fault, and pairs of them |
//! | `overtakings` | a process held at every request while others go on |
//! | `storm`, `interleavings` | a few processes at once, their order and their misfortunes chosen by a seed |
//! | `mistakes` | what happens if the projector makes a known mistake: all of this has to notice |
//! | `proof` | the line that says how much was tried |
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod chain;
mod crashes;
mod files;
mod indexes;
mod interleavings;
mod mistakes;
mod model;
mod overtakings;
mod proof;
mod rest;
mod script;
mod stored;
mod storm;
mod watch;
