//! Parts: what is read of an object, each with its checksum.

use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

use crate::damage::{Damage, Place};

/// The bytes at the end of a part that hold the checksum of the rest.
pub(crate) const CHECKSUM_BYTES: usize = 4;

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

    pub(crate) fn place(self) -> Place {
        Place::Part(self)
    }
}

/// A part whose checksum is right. Copies share their bytes.
#[derive(Clone)]
pub struct Part(Arc<[u8]>);

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Part({} bytes)", self.0.len())
    }
}

impl Part {
    /// Checks the bytes of a part.
    pub(crate) fn check(place: Place, bytes: &[u8]) -> Result<Self, Damage> {
        let split = bytes.len().checked_sub(CHECKSUM_BYTES);
        let split = split.ok_or(Damage::new(place, "is too short"))?;
        let (payload, checksum) = bytes.split_at(split);
        if crc32fast::hash(payload).to_le_bytes() != checksum {
            return Err(Damage::new(place, "has another checksum"));
        }
        Ok(Self(payload.into()))
    }

    pub(crate) fn payload(&self) -> &[u8] {
        &self.0
    }

    /// Returns the bytes that it takes in memory, for the bound of a cache.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.len()
    }
}

/// Appends the checksum to a payload.
pub(crate) fn seal(mut payload: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&payload).to_le_bytes();
    payload.extend_from_slice(&checksum);
    payload
}

/// The parts of one object that are in memory.
pub trait Parts {
    /// Returns a part, where it is in memory.
    fn part(&self, id: PartId) -> Option<Part>;
}

impl<S: BuildHasher> Parts for HashMap<PartId, Part, S> {
    fn part(&self, id: PartId) -> Option<Part> {
        self.get(&id).cloned()
    }
}
