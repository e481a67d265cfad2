//! Parts: the units in which an object is read, each with its checksum.

use std::fmt;
use std::sync::Arc;

use crate::search::damage::{Damage, DamagedPart};
use crate::search::mention::Automaton;

/// The length of the checksum at the end of a part, in bytes.
pub(crate) const CHECKSUM_BYTES: usize = 4;

/// The number of a part, in the order of the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub(crate) u32);

impl fmt::Display for PartId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A part with a valid checksum. Copies share their bytes.
#[derive(Clone)]
pub struct SearchPart(Arc<[u8]>);

impl fmt::Debug for SearchPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Part({} bytes)", self.0.len())
    }
}

impl SearchPart {
    /// Verifies the bytes of a part.
    pub(crate) fn check(place: DamagedPart, bytes: &[u8]) -> Result<Self, Damage> {
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

    /// Opens the automaton of mentions; none if the part is not one.
    pub fn automaton(&self) -> Option<Automaton<'_>> {
        Automaton::open(&self.0)
    }

    /// Returns its size in memory, in bytes, for the bound of a cache.
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
