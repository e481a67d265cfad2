//! Headers of HTTP requests, for the functions and the command line (RFC 9110, section 12). Pure.
//!
//! | Module | Content |
//! |---|---|
//! | `weights` | [`elements`]: lists with weights, as `Accept-Encoding` and `Accept-Language` have them |
//! | `coding` | [`Accepted`]: the content codings that a request accepts, best first |

mod coding;
mod weights;

pub use coding::{Accepted, Coding, MIN_COMPRESSED};
pub use weights::{Weight, elements};
