//! Headers of HTTP requests (RFC 9110, section 12), for the functions and the command line, and the response to API Gateway. Pure.
//!
//! | Module | Content |
//! |---|---|
//! | `weights` | [`elements`]: lists with weights, as `Accept-Encoding` and `Accept-Language` have them |
//! | `coding` | [`Accepted`]: the content codings that a request accepts, best first |
//! | `response` | [`Response`]: the response of a function to API Gateway |

mod coding;
mod response;
mod weights;

pub use coding::{Accepted, Coding, MIN_COMPRESSED};
pub use response::{Response, ResponseHeaders};
pub use weights::{Weight, elements};
