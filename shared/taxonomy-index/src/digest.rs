//! The digest of a content, which is part of the name of its file.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::key::first_8;

/// The first 16 hex digits of the SHA-256 of a content, as it was before it was packed. Files of equal digest have equal content, however they are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(u64);

impl Digest {
    /// Returns the digest of a content.
    pub fn from_content(content: &[u8]) -> Self {
        Self::finish(Sha256::new().chain_update(content))
    }

    pub(crate) fn finish(hash: Sha256) -> Self {
        Self(u64::from_be_bytes(first_8(&hash.finalize())))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digest = u64::from_str_radix(&text, 16).map(Self);
        let same = digest.ok().filter(|digest| digest.to_string() == text);
        same.ok_or("a digest has 16 hex digits")
    }
}
