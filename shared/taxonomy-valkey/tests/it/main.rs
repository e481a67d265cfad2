//! The second tier against a real server, which every test starts for itself.
#![allow(clippy::disallowed_methods, reason = "a test is no function that is frozen")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod outages;
mod passwords;
mod server;
mod slots;
mod tls;
mod values;
