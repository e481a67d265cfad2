#![doc = include_str!("../README.md")]
//!
//! | Module | Content |
//! |---|---|
//! | `builder`, `client` | [`ClientBuilder`], [`Client`]: the settings; a request from beginning to end |
//! | `tenant`, `pages` | [`Tenant`]: the routes; lists page by page or as a stream |
//! | `suggest` | search: [`SuggestRequest`] |
//! | `answers` | the shapes of responses |
//! | `address`, `target` | the API's address; path and query of a request, escaped |
//! | `auth`, `remembered` | [`Auth`]: signature or token; cached credentials |
//! | `connector`, `transport` | the HTTP connector; one attempt, with a bounded body |
//! | `passage` | [`Client::pass`]: a GET that is forwarded unchanged |
//! | `retry`, `cache`, `requests` | attempts and pauses; responses with an ETag; counts |
//! | `error` | [`ClientError`], [`Problem`] |
//! | `expander` | the names of the terms on metrics |

mod address;
pub mod answers;
mod auth;
mod builder;
mod cache;
mod client;
mod connector;
mod error;
mod error_response;
pub mod expander;
mod mentions;
mod pages;
mod passage;
mod remembered;
mod requests;
mod retry;
mod suggest;
mod target;
mod tenant;
mod tenant_names;
mod transport;

pub use auth::Auth;
pub use builder::ClientBuilder;
pub use client::Client;
pub use error::{BoxError, ClientError, Problem};
pub use mentions::{MAX_TEXT_BYTES, MentionOptions};
pub use pages::{Cursor, InvalidCursor, Items, MAX_LIMIT, Page, PageRequest};
pub use passage::MAX_TARGET;
pub use requests::Requests;
pub use retry::RetryPolicy;
pub use suggest::{Deprecated, SuggestRequest};
pub use taxonomy_keys::{CategoryId, Culture, TenantId, TermId, Version};
pub use tenant::{MAX_IDS, Tenant};
pub use tenant_names::TenantNames;
pub use transport::{MAX_BODY, RawResponse};
