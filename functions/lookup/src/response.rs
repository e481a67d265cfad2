//! Responses: a body or a problem, its codings, tags and headers.

pub(crate) mod answer;
pub(crate) mod compression;
pub(crate) mod etag;
pub(crate) mod fields;
pub(crate) mod prepared;
pub mod problem;
pub(crate) mod rfc3339;
