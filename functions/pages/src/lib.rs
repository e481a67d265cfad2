//! The function of the pages (docs/decisions/0024-pages.md): serves the explorer and the API page from its own program. It sends no requests to
//! AWS and reads no data of a tenant.
//!
//! | Module | Content |
//! |---|---|
//! | `files` | the files of `pages/`, each in three content codings |
//! | `settings` | [`PageSettings`]: the settings of the explorer, in the form of `explore/config.json` |
//! | `origin` | [`Origin`]: an origin that the explorer may send requests to |
//! | `policy` | the Content-Security-Policy of each page |
//! | `pages` | [`Pages`]: the response to a request for a path |
//! | `config` | the settings of the explorer, out of the environment |
//! | `event` | requests as API Gateway sends them |
//! | `answer` | answers in the format of API Gateway |
//! | `server` | a request from beginning to end: events in, answers out |

mod answer;
pub mod config;
mod event;
mod files;
mod origin;
mod pages;
mod policy;
mod server;
mod settings;

pub use event::Event;
pub use origin::{InvalidUrl, Origin};
pub use pages::{PageResponse, Pages};
pub use settings::{Endpoints, Jwt, PageSettings, SignIn, TaxonomySource};
