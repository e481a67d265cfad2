//! Objects as files of a folder. Bodies are streamed in both directions, as over a network.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};

use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;

use super::SOURCE_BUCKET;
use super::chunked::Dechunker;
use crate::failure::Failure;

/// The bytes of a piece of a body.
const PIECE: usize = 64 << 10;

/// The objects.
#[derive(Debug, Clone)]
pub(super) struct Objects {
    folder: PathBuf,
    source: PathBuf,
}

impl Objects {
    /// Opens the objects of a folder.
    pub(super) fn open(folder: &Path, source: &Path) -> Result<Self, Failure> {
        let folder = folder.join("objects");
        fs::create_dir_all(&folder)?;
        Ok(Self {
            folder,
            source: source.to_owned(),
        })
    }

    /// Returns the file of an object.
    pub(super) fn path(&self, bucket: &str, key: &str) -> PathBuf {
        match bucket {
            SOURCE_BUCKET => self.source.clone(),
            _ => self.folder.join(key.replace('/', "_")),
        }
    }

    /// Returns the size of an object and its ETag, which differs for another file.
    pub(super) fn head(path: &Path) -> Option<(u64, String)> {
        let size = fs::metadata(path).ok()?.len();
        let name = path.file_stem()?.to_str()?;
        Some((size, format!("{size:x}-{name}")))
    }

    /// Returns the body of an object.
    pub(super) fn read(path: &Path) -> io::Result<SdkBody> {
        let file = File::open(path)?;
        let left = file.metadata()?.len();
        Ok(SdkBody::from_body_1_x(Content { file, left }))
    }

    /// Writes an object.
    pub(super) async fn write(path: &Path, body: SdkBody, is_chunked: bool) -> Result<(), Failure> {
        let mut out = BufWriter::new(File::create(path)?);
        if !is_chunked {
            pieces(body, |piece| out.write_all(piece)).await?;
            return Ok(out.flush()?);
        }
        let mut dechunker = Dechunker::new(out);
        pieces(body, |piece| dechunker.push(piece)).await?;
        Ok(dechunker.finish()?)
    }
}

async fn pieces(mut body: SdkBody, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> Result<(), Failure> {
    while let Some(frame) = body.frame().await {
        if let Ok(piece) = frame?.into_data() {
            each(&piece)?;
        }
    }
    Ok(())
}

/// A file as a body.
struct Content {
    file: File,
    left: u64,
}

impl Body for Content {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let mut piece = vec![0; PIECE.min(usize::try_from(self.left).unwrap_or(PIECE))];
        if piece.is_empty() {
            return Poll::Ready(None);
        }
        Poll::Ready(Some(self.file.read_exact(&mut piece).map(|()| {
            self.left -= piece.len() as u64;
            Frame::data(piece.into())
        })))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
