//! Opens the index file of a version.

use std::sync::Arc;

use bytes::Bytes;
use taxonomy_index::{Expected, Footer, INDEX_FORMAT, Located, PartName, TAIL, format_of};

use crate::files::error::VersionError;
use crate::files::parts::{FilePart, PartKey, VersionFiles};
use crate::files::version_file::{VersionFile, damaged};

/// A file's footer, and the last bytes of the file, which contain the tables of ids.
#[derive(Debug)]
pub(crate) struct OpenedFile {
    pub(crate) footer: Footer,
    pub(crate) tail: Bytes,
}

impl OpenedFile {
    fn bytes(&self) -> usize {
        self.footer.bytes() + self.tail.len()
    }
}

impl VersionFiles {
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
        let key = PartKey {
            file: file.clone(),
            part: FilePart::Index(PartName::Footer),
        };
        let read = self.read_end(&file, expected);
        let opened = self.part(key, read, OpenedFile::bytes).await?;
        Ok(VersionFile {
            versions: self,
            key: file,
            opened,
        })
    }

    async fn read_end(&self, file: &str, expected: Expected<'_>) -> Result<OpenedFile, VersionError> {
        let end = self.objects.tail(file, TAIL).await?;
        let damaged = |source| damaged(file, source);
        let footer = match Footer::locate(&end.bytes, end.size, expected).map_err(damaged)? {
            Located::Here(footer) => *footer,
            Located::Elsewhere(part) => {
                let packed = self.objects.range(file, part.range()).await?;
                Footer::open(&packed, &part, expected).map_err(damaged)?
            }
        };
        Ok(OpenedFile {
            footer,
            tail: end.bytes,
        })
    }
}
