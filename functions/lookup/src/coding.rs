//! Content codings: which ones a request accepts (RFC 9110, section 12.5.3), and how a body is compressed. Pure.

use std::io::Write;

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::problem::Problem;
use crate::weights::{FULL, Weight, elements};

/// A shorter body is not worth the work: compressed it fills a packet as well.
pub(crate) const MIN_COMPRESSED: usize = 1024;
/// Measured on answers of one term and of a hundred: docs/decisions/0005-http.md.
const BROTLI_QUALITY: i32 = 4;
const GZIP_LEVEL: u32 = 4;
/// The most bytes that brotli looks back, as a power of two: 4 MiB, which is the function's memory for it and the client's.
const BROTLI_WINDOW: i32 = 22;

/// A form of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Brotli,
    Gzip,
    Identity,
}

impl Coding {
    /// All of them, the smallest form first.
    pub(crate) const ALL: [Coding; 3] = [Coding::Brotli, Coding::Gzip, Coding::Identity];

    /// The value of `Content-Encoding`; none for a body as it is.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Coding::Brotli => Some("br"),
            Coding::Gzip => Some("gzip"),
            Coding::Identity => None,
        }
    }

    /// The end of a tag, within its quotes.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Coding::Brotli => "-br",
            Coding::Gzip => "-gzip",
            Coding::Identity => "",
        }
    }

    /// The body in this form; none for a body as it is.
    pub(crate) fn compress(self, body: &[u8]) -> Result<Option<Vec<u8>>, Problem> {
        let compressed = match self {
            Coding::Brotli => brotli(body),
            Coding::Gzip => gzip(body),
            Coding::Identity => return Ok(None),
        };
        compressed.map(Some).map_err(Problem::internal)
    }
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

/// The codings that a request accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Accepted {
    brotli: Weight,
    gzip: Weight,
    /// Acceptable unless it is refused, though never better than what is named.
    identity: Weight,
    /// True for a request without `Accept-Encoding`. The caller then accepts a stored answer in any form.
    is_silent: bool,
}

impl Accepted {
    /// By `Accept-Encoding`. A header that is malformed, or that refuses every form that there is, is ignored: an answer in a form that was not
    /// asked for is more use than none.
    pub(crate) fn by(header: Option<&str>) -> Self {
        let silent = Self {
            brotli: 0,
            gzip: 0,
            identity: FULL,
            is_silent: true,
        };
        let ignored = Self {
            is_silent: false,
            ..silent
        };
        let Some(header) = header else {
            return silent;
        };
        let Some(elements) = elements(header) else {
            return ignored;
        };
        let weight = |names: &[&str]| {
            let named = |name: &str| names.iter().any(|known| name.eq_ignore_ascii_case(known));
            let found = elements.iter().find(|(name, _)| named(name));
            found.map(|(_, weight)| *weight)
        };
        let others = weight(&["*"]);
        let accepted = Self {
            brotli: weight(&["br"]).or(others).unwrap_or(0),
            gzip: weight(&["gzip", "x-gzip"]).or(others).unwrap_or(0),
            identity: weight(&["identity"]).or(others).unwrap_or(1),
            is_silent: false,
        };
        match accepted.brotli + accepted.gzip + accepted.identity {
            0 => ignored,
            _ => accepted,
        }
    }

    fn weight(self, coding: Coding) -> Weight {
        match coding {
            Coding::Brotli => self.brotli,
            Coding::Gzip => self.gzip,
            Coding::Identity => self.identity,
        }
    }

    /// Returns true if the caller accepts a stored answer in this form.
    pub(crate) fn allows(self, coding: Coding) -> bool {
        self.is_silent || self.weight(coding) > 0
    }

    /// The forms in which a body of so many bytes may be sent, best first.
    pub(crate) fn order(self, bytes: usize) -> impl Iterator<Item = Coding> {
        let mut order = Coding::ALL;
        order.sort_by_key(|coding| match coding {
            Coding::Identity if bytes <= MIN_COMPRESSED => 0,
            _ => 1 + FULL - self.weight(*coding),
        });
        order.into_iter().filter(move |coding| self.weight(*coding) > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::Coding::{Brotli, Gzip, Identity};
    use super::*;

    fn order(header: Option<&str>, bytes: usize) -> Vec<Coding> {
        Accepted::by(header).order(bytes).collect()
    }

    #[test]
    fn a_long_body_has_the_best_form_that_is_accepted() {
        for (header, expect) in [
            ("gzip", &[Gzip, Identity][..]),
            ("GZIP", &[Gzip, Identity]),
            ("x-gzip", &[Gzip, Identity]),
            ("br", &[Brotli, Identity]),
            ("gzip, deflate, br, zstd", &[Brotli, Gzip, Identity]),
            ("br;q=0.5, gzip", &[Gzip, Brotli, Identity]),
            ("br;q=0, gzip", &[Gzip, Identity]),
            ("*", &[Brotli, Gzip, Identity]),
            ("*;q=0.1, gzip", &[Gzip, Brotli, Identity]),
            ("identity, gzip;q=0.5", &[Identity, Gzip]),
            ("identity;q=0, gzip", &[Gzip]),
            ("gzip, *;q=0", &[Gzip]),
            ("*;q=0, identity;q=0.5", &[Identity]),
            ("deflate", &[Identity]),
            ("", &[Identity]),
        ] {
            assert_eq!(order(Some(header), 5000), expect, "{header}");
        }
        assert_eq!(order(None, 5000), [Identity]);
    }

    #[test]
    fn what_cannot_be_read_or_refuses_everything_is_ignored() {
        for header in [
            "gzip;q=2",
            "identity;q=0",
            "*;q=0",
            "identity;q=0, deflate",
            &"gzip,".repeat(200),
        ] {
            assert_eq!(order(Some(header), 5000), [Identity], "{header}");
        }
    }

    #[test]
    fn a_short_body_stays_as_it_is_where_that_is_accepted() {
        assert_eq!(order(Some("br, gzip"), MIN_COMPRESSED)[0], Identity);
        assert_eq!(order(Some("br, gzip"), MIN_COMPRESSED + 1)[0], Brotli);
        assert_eq!(order(Some("gzip, identity;q=0"), 1), [Gzip]);
    }

    #[test]
    fn a_stored_answer_is_good_in_a_form_that_is_accepted() {
        let allows = |header| Coding::ALL.map(|coding| Accepted::by(header).allows(coding));
        assert_eq!(allows(None), [true, true, true]);
        assert_eq!(allows(Some("gzip")), [false, true, true]);
        assert_eq!(allows(Some("br, identity;q=0")), [true, false, false]);
        assert_eq!(allows(Some("")), [false, false, true]);
    }

    #[test]
    fn a_compressed_body_is_the_same_when_decompressed_and_smaller() {
        let body = r#"{"id":101,"name":"Rust développement","culture":"en-GB"},"#.repeat(100);
        let gzip = Gzip.compress(body.as_bytes()).unwrap().unwrap();
        let mut read = String::new();
        flate2::read::GzDecoder::new(&*gzip)
            .read_to_string(&mut read)
            .unwrap();
        assert_eq!(read, body);
        let brotli = Brotli.compress(body.as_bytes()).unwrap().unwrap();
        let mut read = Vec::new();
        brotli::BrotliDecompress(&mut &*brotli, &mut read).unwrap();
        assert_eq!(read, body.as_bytes());
        assert!(gzip.len() < body.len() / 10 && brotli.len() < body.len() / 10);
        assert_eq!(Identity.compress(body.as_bytes()).unwrap(), None);
    }
}
