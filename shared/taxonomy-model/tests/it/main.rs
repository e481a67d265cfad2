//! One binary: the parser, the stored forms, and the laws between versions.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod details;
mod final_names;
mod golden;
mod headers;
mod hostile;
mod largest;
mod laws;
mod messages;
mod misnamed;
mod operations;
mod parser;
mod schema;
