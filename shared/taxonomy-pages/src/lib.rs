//! The explorer (`/explore`) and the API page (`/docs`), embedded and compressed in advance, and the answers to requests for them
//! (docs/decisions/0024-pages.md). Pure.
//!
//! | Room | Content |
//! |---|---|
//! | `files` | the files of `pages/`, each in three content codings |
//! | `settings` | [`Settings`]: the settings of the explorer, as `explore/config.json` has them |
//! | `origin` | [`Origin`]: an origin that the explorer may ask |
//! | `policy` | the Content-Security-Policy of each page |
//! | `pages` | [`Pages`]: the answer to a request for a path |

mod files;
mod origin;
mod pages;
mod policy;
mod settings;

pub use origin::{InvalidUrl, Origin};
pub use pages::{Answer, Pages};
pub use settings::{Endpoints, Jwt, Settings, SignIn, Source};
