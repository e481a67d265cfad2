//! Problems as the service states them.

/// A problem of the service (RFC 9457); `docs/problems.md` lists the codes.
pub type Problem = taxonomy_api::Problem<'static>;
