//! The HTTP API: terms with their ancestors, categories and heads, each from one request to the table.
//! Routes and shapes: docs/decisions/0005-http.md.
//!
//! | Module | Content |
//! |---|---|
//! | `config`, `wiring` | [`Config`]: the configuration from the environment; the clients of the function |
//! | `event` | [`Event`], [`Response`]: the payload format of API Gateway |
//! | `route`, `routes` | a route, and the match of a path to one of them, without decoding or normalisation |
//! | `auth`, `authorise` | [`Auth`], [`authorise()`]: the authorisation of a caller for a tenant; the only constructor of [`AuthorisedTenant`] |
//! | `path_parameters` | [`PathParameters`]: the path parameters that the gateway matched |
//! | `parameters`, `cursor` | the parameters of a request, and the cursor of a list |
//! | `files` | any version of a tenant, read from its index file and its search objects by ranges |
//! | `source`, `log`, `history` | the table or a preview; the log of versions; their index files |
//! | `serving`, `edition` | the version that a request is answered from, and the store that it is read from; its number and tag |
//! | `context`, `downloads` | the sources of the data of all tenants; the downloads of their versions |
//! | `request` | a request to a handler, and the version that answers it |
//! | `tenant_list`, `tenants`, `terms`, `categories`, `stats`, `download`, `about` | the routes, each beside its handler: from parameters, by one read, to a reply |
//! | `changes`, `term_history`, `states` | the differences of two versions, the history of a term, and the states before and after |
//! | `replacements` | the replacements of terms, with chains collapsed |
//! | `details`, `ancestors`, `metadata` | the members that a list omits unless a request includes them |
//! | `answers`, `openapi`, `shared_parts`, `examples` | the shapes of responses; the list of all routes, and the description generated from it |
//! | `gateway` | the responses of API Gateway itself, for the description |
//! | `etag` | entity tags, and the conditions of requests |
//! | `negotiation`, `language`, `compression` | the culture and the encoding of the body that a request accepts, by its headers |
//! | `fields` | the selection of members of a response |
//! | `response_body`, `prepared` | [`ResponseBody`]: the body of a response; the responses that were sent before |
//! | `problem`, `reply`, `rfc3339` | problems, and the conversion of results to status, headers and body |
//! | `valkey_tier` | [`ValkeyTier`]: the second cache tier |
//! | `lookup` | [`Lookup`]: the handling of a request from beginning to end, and its log line |

mod about;
mod auth;
pub mod authorise;
mod best_name;
mod categories;
mod changes;
mod children;
mod compression;
pub mod config;
mod context;
mod cursor;
mod details;
mod download;
mod downloads;
mod edition;
mod etag;
pub mod event;
mod examples;
mod fields;
pub mod files;
pub mod gateway;
mod history;
mod language;
mod log;
mod lookup;
mod negotiation;
pub mod openapi;
pub mod parameters;
mod path_parameters;
mod prepared;
pub mod problem;
mod replacements;
mod reply;
mod request;
mod resolve;
mod response_body;
mod response_headers;
mod rfc3339;
mod route;
pub mod routes;
mod serving;
mod shared_parts;
mod source;
mod states;
mod stats;
mod suggest;
mod tenant_list;
mod tenants;
mod term_history;
mod terms;
mod tree;
mod valkey_tier;
mod versions;
mod wiring;

pub use auth::Auth;
pub use authorise::authorise;
pub use authorise::tenant::AuthorisedTenant;
pub use config::{CacheControl, Config};
pub use context::Context;
pub use downloads::Downloads;
pub use event::{Event, Response};
pub use lookup::Lookup;
pub use path_parameters::PathParameters;
pub use problem::{Problem, ProblemCode};
pub use response_body::ResponseBody;
pub use response_headers::ResponseHeaders;
pub use valkey_tier::ValkeyTier;

/// The entry points of the targets in `fuzz/`; no other build has this module.
#[cfg(fuzzing)]
pub mod fuzzing {
    /// Returns whether `If-None-Match` contains a tag, given in the syntax of `ETag`.
    #[must_use]
    pub fn names(if_none_match: &str, etag: &str) -> bool {
        crate::etag::names(if_none_match, etag)
    }
}
