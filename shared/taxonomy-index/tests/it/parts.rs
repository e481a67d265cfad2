//! Reading by parts.
