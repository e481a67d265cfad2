//! A file as S3 stores it: its bytes, and the encoding that its label states.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use taxonomy_tests::prelude::*;

/// An object of the source bucket.
#[derive(Debug, Clone)]
pub(crate) struct StoredFile {
    pub(crate) file: Value,
    pub(crate) bytes: Vec<u8>,
    is_compressed: bool,
    /// Whether `Content-Encoding` states that the bytes are compressed.
    is_labelled_compressed: bool,
}

impl StoredFile {
    pub(crate) fn plain(file: &Value) -> Self {
        Self {
            file: file.clone(),
            bytes: file.to_string().into_bytes(),
            is_compressed: false,
            is_labelled_compressed: false,
        }
    }

    pub(crate) fn compressed(file: &Value) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(file.to_string().as_bytes()).unwrap();
        Self {
            file: file.clone(),
            bytes: encoder.finish().unwrap(),
            is_compressed: true,
            is_labelled_compressed: true,
        }
    }

    /// Returns the same bytes, hence the same ETag, with the wrong label: unchanged for S3, unreadable for the projector.
    pub(crate) fn mislabelled(self) -> Self {
        Self {
            is_labelled_compressed: !self.is_compressed,
            ..self
        }
    }

    pub(crate) fn is_readable(&self) -> bool {
        self.is_compressed == self.is_labelled_compressed
    }

    /// Uploads the file of the tenant.
    pub(crate) fn put(&self, world: &World) {
        let encoding = self.is_labelled_compressed.then_some("gzip");
        let key = format!("taxonomies/{TENANT}.json");
        world
            .s3
            .put_with(SOURCE_BUCKET, &key, self.bytes.clone(), encoding, &[]);
    }
}
