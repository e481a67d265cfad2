//! The number of a part.

use std::fmt;

/// The number of a part, in the order of the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub(crate) u32);

impl fmt::Display for PartId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartId {
    /// Returns the number, for the key of a cache.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }
}
