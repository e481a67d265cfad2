//! The bytes of a file under construction: parts, packed one behind the other, and the digest of their contents.

use sha2::{Digest as _, Sha256};
use zstd::bulk::Compressor;

use crate::build_error::BuildError;
use crate::damage::PartName;
use crate::digest::Digest;
use crate::file::footer;
use crate::file::list::PartList;
use crate::file::part::{Part, sum};
use crate::file::trailer::trailer;

/// zstd's default level; higher ones take far longer for little.
const LEVEL: i32 = 3;

/// Writes a file.
pub(crate) struct FileWriter {
    bytes: Vec<u8>,
    digest: Sha256,
    compressor: Compressor<'static>,
}

impl FileWriter {
    pub(crate) fn new() -> Result<Self, BuildError> {
        Ok(Self {
            bytes: Vec::new(),
            digest: Sha256::new(),
            compressor: Compressor::new(LEVEL).map_err(BuildError::Pack)?,
        })
    }

    /// Adds a part to those of a list, given its kind and the name of several.
    pub(crate) fn add(
        &mut self,
        list: &mut PartList,
        (kind, kinds): (impl Fn(u32) -> PartName, &'static str),
        content: &[u8],
    ) -> Result<(), BuildError> {
        let number = u32::try_from(list.len()).map_err(|_| BuildError::TooMany(kinds))?;
        self.digest.update(content);
        list.push(self.pack(kind(number), content)?);
        Ok(())
    }

    fn pack(&mut self, name: PartName, content: &[u8]) -> Result<Part, BuildError> {
        let length = u32::try_from(content.len()).ok();
        let length = length.filter(|length| *length <= Part::most(name));
        let packed = self.compressor.compress(content).map_err(BuildError::Pack)?;
        let part = Part {
            name,
            offset: self.bytes.len() as u64,
            packed: u32::try_from(packed.len()).map_err(|_| BuildError::TooLarge(name))?,
            content: length.ok_or(BuildError::TooLarge(name))?,
            sum: sum(&packed),
        };
        self.extend(&packed);
        Ok(part)
    }

    /// The list grows by an eighth: doubled, it would be half empty as often as not.
    fn extend(&mut self, bytes: &[u8]) {
        if self.bytes.capacity() - self.bytes.len() < bytes.len() {
            self.bytes.reserve_exact(bytes.len() + self.bytes.len() / 8);
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The digest of all parts and of the footer's summary.
    pub(crate) fn digest(&self, summary: &footer::Summary) -> Result<Digest, BuildError> {
        let summary = serde_json::to_vec(summary).map_err(BuildError::Json)?;
        Ok(Digest::finish(self.digest.clone().chain_update(summary)))
    }

    /// Adds footer and trailer and returns the file.
    pub(crate) fn finish(mut self, footer: &footer::FooterBody) -> Result<Vec<u8>, BuildError> {
        let content = serde_json::to_vec(footer).map_err(BuildError::Json)?;
        let part = self.pack(PartName::Footer, &content)?;
        self.extend(&trailer(&part));
        Ok(self.bytes)
    }
}
