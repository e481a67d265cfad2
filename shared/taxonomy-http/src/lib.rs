//! Headers of HTTP requests, as the functions and the command line read them (RFC 9110, section 12). Pure.
//!
//! | Room | Content |
//! |---|---|
//! | `weights` | [`elements`]: lists with weights, as `Accept-Encoding` and `Accept-Language` have them |
//! | `coding` | [`Accepted`]: the content codings that a request accepts, best first |

mod coding;
mod weights;

pub use coding::{Accepted, Coding, MIN_COMPRESSED};
pub use weights::{Weight, elements};
