//! The stack: the names of its parts, the identity, and the clients of both.

pub(crate) mod arguments;
mod http;
mod outputs;
mod session;

use std::time::Duration;

pub(crate) use arguments::{AuthMode, StackArguments};
pub(crate) use http::NoAnswer;
pub(crate) use session::Session;

/// The time after the publication of a version from which every lookup serves it (docs/decisions/0010-caches.md). Commands wait this long
/// before they report that a version is served.
pub(crate) const LOOKUP_LAG: Duration = Duration::from_secs(2);
