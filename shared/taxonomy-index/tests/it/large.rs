//! Large taxonomies: parts stay within their bounds.
