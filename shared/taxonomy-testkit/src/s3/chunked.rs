//! Bodies in the encoding `aws-chunked`: `{size in hex};signature\r\n{bytes}\r\n` ... `0\r\n{trailers}\r\n`.

use crate::transport::Headers;

/// Returns the body without its framing, and the trailers (names in lower case).
pub(super) fn decode(body: &[u8]) -> Option<(Vec<u8>, Headers)> {
    let mut decoded = Vec::new();
    let mut rest = body;
    loop {
        let (head, after) = split_line(rest)?;
        let size = head.split(';').next()?;
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        if size == 0 {
            return Some((decoded, trailers(after)));
        }
        decoded.extend_from_slice(after.get(..size)?);
        rest = after.get(size..)?.strip_prefix(b"\r\n")?;
    }
}

fn trailers(mut rest: &[u8]) -> Headers {
    let mut trailers = Vec::new();
    while let Some((line, after)) = split_line(rest) {
        if let Some((name, value)) = line.split_once(':') {
            trailers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
        rest = after;
    }
    trailers
}

fn split_line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.windows(2).position(|pair| pair == b"\r\n")?;
    Some((str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 2..]))
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn chunks_are_joined_and_trailers_read() {
        let body =
            b"4;chunk-signature=ab\r\nwiki\r\nA\r\n0123456789\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n";
        let (decoded, trailers) = decode(body).unwrap();
        assert_eq!(decoded, b"wiki0123456789");
        assert_eq!(
            trailers,
            [("x-amz-checksum-crc32".to_owned(), "AAAAAA==".to_owned())]
        );
    }

    #[test]
    fn a_body_cut_short_is_refused() {
        assert_eq!(decode(b"4\r\nwi"), None);
        assert_eq!(decode(b"4\r\nwiki\r\n"), None);
    }
}
