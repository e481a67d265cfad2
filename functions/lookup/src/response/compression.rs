//! The compression of bodies. Pure.

use std::io::Write;

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;
use taxonomy_runtime::http::Coding;

use crate::response::problem::Problem;

/// The longest body, in bytes, that is compressed or that `fields=` writes: a longer one would exceed the memory and time of the function.
pub(crate) const MAX_BODY: usize = 16_000_000;

/// The quality of brotli, measured on responses of one term and of a hundred: docs/decisions/0005-http.md.
const BROTLI_QUALITY: i32 = 4;
const GZIP_LEVEL: u32 = 4;
/// The window of brotli as a power of two: 4 MiB, which bounds the memory of the function and of the client.
const BROTLI_WINDOW: i32 = 22;

/// Returns the compressed body; none for the identity coding.
pub(crate) fn compressed(body: &[u8], coding: Coding) -> Result<Option<Vec<u8>>, Problem> {
    let compressed = match coding {
        Coding::Brotli => brotli(body),
        Coding::Gzip => gzip(body),
        Coding::Identity => return Ok(None),
    };
    compressed.map(Some).map_err(Problem::internal)
}

fn brotli(body: &[u8]) -> std::io::Result<Vec<u8>> {
    let parameters = BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        lgwin: BROTLI_WINDOW,
        size_hint: body.len(),
        ..BrotliEncoderParams::default()
    };
    let mut compressed = Vec::with_capacity(body.len() / 3);
    brotli::BrotliCompress(&mut &*body, &mut compressed, &parameters)?;
    Ok(compressed)
}

fn gzip(body: &[u8]) -> std::io::Result<Vec<u8>> {
    let compressed = Vec::with_capacity(body.len() / 3);
    let mut encoder = GzEncoder::new(compressed, Compression::new(GZIP_LEVEL));
    encoder.write_all(body)?;
    encoder.finish()
}
