//! The objects in S3: sources, bodies of versions, downloads, failures.

pub(crate) mod archive;
pub(crate) mod bucket;
pub(crate) mod download;
pub(crate) mod downloads;
pub(crate) mod failures;
pub(crate) mod indexes;
pub(crate) mod object;
#[cfg(feature = "purge")]
pub(crate) mod purge_objects;
pub(crate) mod source;
pub(crate) mod transfer;
pub(crate) mod upload;
