//! The function of the pages (docs/decisions/0024-pages.md): the explorer and the API page out of its own program. It asks nothing of AWS
//! and reads nothing of a tenant.
//!
//! | Room | Content |
//! |---|---|
//! | `config` | the settings of the explorer, out of the environment |
//! | `event` | requests as API Gateway sends them |
//! | `answer` | answers as API Gateway takes them |
//! | `server` | [`Server`]: events in, answers out |

mod answer;
pub mod config;
mod event;
mod server;

pub use answer::Answer;
pub use event::Event;
pub use server::Server;
