//! The HTTP API. Heads, and terms and categories of the newest version, are one request to the table each; counts and the log are of the
//! table too. Everything else is read from the files of a version.
//! Routes and shapes: docs/decisions/0005-http.md.
//!
//! | Module | Content |
//! |---|---|
//! | `lookup`, `config`, `wiring` | [`Lookup`]: a request from beginning to end; the configuration and the clients |
//! | `request` | the event of API Gateway, the authorisation of its caller, its parameters |
//! | `routes` | the routes, each beside its handler; the match of a path |
//! | `snapshot` | the version that a request reads, and its two sources |
//! | `cache` | [`CachedReader`]: heads and finished answers, in the process and in a second tier |
//! | `files` | any version of a tenant, read from its index file and its search objects by ranges |
//! | `members` | the members of a JSON object |
//! | `response` | problems and replies; codings, tags, headers |
//! | `openapi` | the description of the API, generated from the routes |
//! | `valkey_tier` | Valkey as the second cache tier |

pub mod cache;
pub mod config;
pub mod files;
mod lookup;
mod members;
pub mod openapi;
mod request;
mod response;
pub mod routes;
mod snapshot;
mod valkey_tier;
mod wiring;

pub use cache::CachedReader;
pub use config::{CacheControl, Config};
pub use lookup::Lookup;
pub use openapi::gateway;
pub use request::auth::Auth;
pub use request::authorise;
pub use request::authorise::authorise;
pub use request::authorise::tenant::AuthorisedTenant;
pub use request::event;
pub use request::event::Event;
pub use request::parameters;
pub use request::path_parameters::PathParameters;
pub use response::problem;
pub use response::problem::{Problem, ProblemCode};
pub use snapshot::context::Context;
pub use snapshot::downloads::Downloads;
pub use taxonomy_runtime::http::Response;

/// The entry points of the targets in `fuzz/`; no other build has this module.
#[cfg(fuzzing)]
pub mod fuzzing {
    pub use crate::cache::entry::fuzzing::reencoded;

    /// Returns whether `If-None-Match` contains a tag, given in the syntax of `ETag`.
    pub fn matches_etag(if_none_match: &str, etag: &str) -> bool {
        crate::response::etag::matches_etag(if_none_match, etag)
    }
}
