//! Opens the index file of a version.

use std::sync::Arc;

use taxonomy_index::{Expected, Footer, INDEX_FORMAT, Located, PartName, TAIL, format_of};

use crate::files::error::VersionError;
use crate::files::parts::{Decoded, Key, Opened, Piece, Versions, damaged, wrong_variant};
use crate::files::version_file::VersionFile;

impl Versions {
    /// Opens the file of a version, by the key that its head or log entry names: one read of its end, and another if the footer is longer
    /// than that.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read, or is not that of the version.
    pub async fn open(&self, file: &str, expected: Expected<'_>) -> Result<VersionFile<'_>, VersionError> {
        let file: Arc<str> = file.into();
        if let Some(format) = format_of(&file).filter(|format| *format != INDEX_FORMAT) {
            let file = file.to_string();
            return Err(VersionError::Format { file, format });
        }
        let key = Key {
            file: file.clone(),
            part: Piece::Index(PartName::Footer),
        };
        let opened = match self.kept.get_value_or_guard_async(&key).await {
            Ok(Decoded::Opened(opened)) => opened,
            Ok(_) => return Err(wrong_variant(&file)),
            Err(guard) => {
                let opened = Arc::new(self.read_end(&file, expected).await?);
                // Where another request has forgotten it meanwhile, the next one reads it again.
                drop(guard.insert(Decoded::Opened(opened.clone())));
                opened
            }
        };
        Ok(VersionFile::new(self, file, opened))
    }

    async fn read_end(&self, file: &str, expected: Expected<'_>) -> Result<Opened, VersionError> {
        let end = self.objects.tail(file, TAIL).await?;
        let damaged = |source| damaged(file, source);
        let footer = match Footer::locate(&end.bytes, end.size, expected).map_err(damaged)? {
            Located::Here(footer) => *footer,
            Located::Elsewhere(part) => {
                let packed = self.objects.range(file, part.range()).await?;
                Footer::open(&packed, &part, expected).map_err(damaged)?
            }
        };
        Ok(Opened {
            footer,
            tail: end.bytes,
        })
    }
}
