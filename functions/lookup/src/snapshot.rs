//! The version that a request reads, and its two sources: the table and the files of versions.

pub(crate) mod context;
pub(crate) mod downloads;
pub(crate) mod edition;
pub(crate) mod history;
pub(crate) mod log;
pub(crate) mod serving;
pub(crate) mod source;
