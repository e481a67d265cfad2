//! The explorer (`/explore`) and the API page (`/docs`), embedded and compressed in advance, and the responses to requests for them
//! (docs/decisions/0024-pages.md). Pure.
//!
//! | Module | Content |
//! |---|---|
//! | `files` | the files of `pages/`, each in three content codings |
//! | `settings` | [`PageSettings`]: the settings of the explorer, in the form of `explore/config.json` |
//! | `origin` | [`Origin`]: an origin that the explorer may send requests to |
//! | `policy` | the Content-Security-Policy of each page |
//! | `pages` | [`Pages`]: the response to a request for a path |

mod files;
mod origin;
mod pages;
mod policy;
mod settings;

pub use origin::{InvalidUrl, Origin};
pub use pages::{PageResponse, Pages};
pub use settings::{Endpoints, Jwt, PageSettings, SignIn, TaxonomySource};
