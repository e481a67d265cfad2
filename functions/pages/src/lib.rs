//! The function of the pages (docs/decisions/0024-pages.md): serves the explorer and the API page from its own program. It sends no requests to
//! AWS and reads no data of a tenant.
//!
//! | Module | Content |
//! |---|---|
//! | `config` | the settings of the explorer, out of the environment |
//! | `event` | requests as API Gateway sends them |
//! | `answer` | answers as API Gateway takes them |
//! | `server` | [`Server`]: events in, answers out |

mod answer;
pub mod config;
mod event;
mod server;

pub use answer::Response;
pub use event::Event;
pub use server::Server;
