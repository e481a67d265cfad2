//! The HTTP API: terms with their ancestors, categories and heads, each from one request to the table.
//! Routes and shapes: docs/decisions/0005-http.md.
//!
//! | Room | What is in it |
//! |---|---|
//! | `config` | [`Config`]: what the environment says |
//! | `event` | [`Event`], [`Answer`]: what API Gateway sends and takes |
//! | `routes` | what a route is, and which one a path means; nothing is decoded or normalised |
//! | `authorise` | [`authorise()`]: who may ask about which tenant; the only way to an [`AuthorisedTenant`] |
//! | `path_parameters` | [`PathParameters`]: what the gateway found in the places that a route leaves open |
//! | `parameters`, `cursor` | what a request asks for, and where a listing goes on |
//! | `source`, `log`, `history` | the table or a preview; the log of versions; their index files |
//! | `serving` | the version that a request is answered from, and where it is read |
//! | `world` | what is asked about a tenant, and what is served of it |
//! | `tenant_list`, `tenants`, `terms`, `categories`, `stats`, `downloads`, `about` | the routes, each beside its handler: parameters in, one read, an answer out |
//! | `changes`, `term_history`, `states` | the differences of two versions, the history of a term, and the states before and after |
//! | `replacements` | the replacements of terms, with chains collapsed |
//! | `details` | what a list leaves out of its items, for a request that asks for it |
//! | `answers`, `openapi`, `shared_parts`, `examples` | the shapes of answers; the list of all routes, and the description generated from it |
//! | `gateway` | the answers of API Gateway itself, for the description |
//! | `conditional` | the tags of answers, and who has them already |
//! | `negotiation`, `language`, `compression` | the culture and the form of the body that a request accepts, by its headers |
//! | `fields` | the members of an answer that a request asks for |
//! | `problem`, `reply` | what goes wrong, and how both become status, headers and body |
//! | `lookup` | [`Lookup`]: a request from beginning to end, and its line in the log |

mod about;
pub mod answers;
pub mod authorise;
mod best_name;
mod categories;
mod changes;
mod children;
mod compression;
mod conditional;
pub mod config;
mod cursor;
mod details;
mod downloads;
pub mod event;
mod examples;
mod fields;
pub mod gateway;
mod history;
mod language;
mod log;
mod lookup;
mod negotiation;
pub mod openapi;
pub mod parameters;
mod path_parameters;
pub mod problem;
mod replacements;
mod reply;
mod resolve;
pub mod routes;
mod schemas;
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
mod versions;
mod world;

pub use authorise::{Auth, AuthorisedTenant, authorise};
pub use config::{CacheControl, Config};
pub use downloads::Downloads;
pub use event::{Answer, Event};
pub use lookup::Lookup;
pub use path_parameters::PathParameters;
pub use problem::{Code, Problem};
pub use world::World;

/// What the targets of `fuzz/` call; no other build has it.
#[cfg(fuzzing)]
pub mod fuzzing {
    /// Whether `If-None-Match` names a tag, given as it stands in `ETag`.
    #[must_use]
    pub fn names(if_none_match: &str, etag: &str) -> bool {
        crate::conditional::names(if_none_match, etag)
    }
}
