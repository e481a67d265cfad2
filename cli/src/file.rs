//! The files that the user names: read here, plain or gzip or from standard input, and written by `target` and `written`.

mod target;
mod written;

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use taxonomy_model::Code;

use crate::failure::Failure;
pub(crate) use target::Target;
pub(crate) use written::NewFile;

/// The largest size of a file in bytes, both as stored and decoded: the limit of the input format (docs/decisions/0003-input-file.md).
pub(crate) const MAX_BYTES: u64 = 512 << 20;

/// The first bytes of a gzip file (RFC 1952, section 2.3.1).
pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Reads a file, or standard input for `-`, without decoding it. None for a file of more than `most` bytes.
///
/// # Errors
/// [`Failure::Read`] when it cannot be read.
pub(crate) fn stored(path: &Path, most: u64) -> Result<Option<Vec<u8>>, Failure> {
    let stored = if is_stdin(path) {
        bounded(io::stdin().lock(), most)
    } else {
        File::open(path).and_then(|file| match file.metadata()?.len() > most {
            true => Ok(None),
            false => bounded(file, most),
        })
    };
    stored.map_err(Failure::read(path))
}

/// Reads a small text file, such as a configuration, without the byte order mark that editors of Windows write.
///
/// # Errors
/// [`Failure::Read`] when it cannot be read.
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    let text = fs::read_to_string(path).map_err(Failure::read(path))?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(text) => text.to_owned(),
        None => text,
    })
}

/// Decodes the stored content of a file to at most `most` bytes; none of a file that is too large.
///
/// # Errors
/// Code and message of the issue for which the service would refuse the content.
pub(crate) fn decode(stored: Option<&[u8]>, most: u64) -> Result<Cow<'_, [u8]>, (Code, String)> {
    let too_large = || (Code::FileTooLarge, format!("the file has more than {most} bytes"));
    let gzip = match stored {
        Some(gzip) if gzip.starts_with(&GZIP) => gzip,
        plain => return plain.map(Cow::from).ok_or_else(too_large),
    };
    let undecodable = |cause: io::Error| {
        let message = format!("the file begins like gzip and cannot be decoded: {cause}");
        (Code::InvalidEncoding, message)
    };
    // Counted first: a few kilobytes may decode to gigabytes.
    let mut counted = MultiGzDecoder::new(gzip).take(most + 1);
    if io::copy(&mut counted, &mut io::sink()).map_err(undecodable)? > most {
        return Err(too_large());
    }
    let bytes = bounded(MultiGzDecoder::new(gzip), most).map_err(undecodable)?;
    bytes.map(Cow::from).ok_or_else(too_large)
}

/// Returns the name of a file for messages.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Returns whether the path stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn bounded(from: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= most))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn what_is_packed_is_bounded_as_what_is_plain() {
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(&[b' '; 1000]).unwrap();
        let packed = packer.finish().unwrap();
        assert!(packed.len() < 100);
        assert_eq!(decode(Some(&packed), 1000).unwrap().len(), 1000);
        for bytes in [Some(&*packed), None] {
            let (code, message) = decode(bytes, 999).unwrap_err();
            assert_eq!(
                (code, &*message),
                (Code::FileTooLarge, "the file has more than 999 bytes")
            );
        }
    }
}
