//! The stack: where its parts are, who asks, and the connections to both.

pub(crate) mod arguments;
mod http;
mod outputs;
mod session;
mod settings;

use std::time::Duration;

pub(crate) use arguments::StackArguments;
pub(crate) use session::Session;

/// The time after which no lookup answers from the version before (docs/decisions/0010-caches.md). A command that says that a version is
/// served waits so long after it was published.
pub(crate) const LOOKUP_LAG: Duration = Duration::from_secs(2);
