//! The content codings that a request accepts (RFC 9110, section 12.5.3).

use super::weights::{FULL, Weight, elements};

/// The largest body in bytes that is not compressed: compressed it would fill one packet as well.
pub const MIN_COMPRESSED: usize = 1024;

/// A content coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// `br`
    Brotli,
    /// `gzip`
    Gzip,
    /// The body without a coding.
    Identity,
}

impl Coding {
    /// Every coding, the smallest form first.
    pub const ALL: [Coding; 3] = [Coding::Brotli, Coding::Gzip, Coding::Identity];

    /// Returns the value of `Content-Encoding`; `None` for the body without a coding.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Coding::Brotli => Some("br"),
            Coding::Gzip => Some("gzip"),
            Coding::Identity => None,
        }
    }

    /// Returns the suffix of a tag, within its quotes.
    pub fn suffix(self) -> &'static str {
        match self {
            Coding::Brotli => "-br",
            Coding::Gzip => "-gzip",
            Coding::Identity => "",
        }
    }
}

/// The codings that a request accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    brotli: Weight,
    gzip: Weight,
    /// Accepted unless it is refused, though never preferred to a named coding.
    identity: Weight,
    /// True for a request without `Accept-Encoding`. Its caller accepts a stored answer in any form.
    is_silent: bool,
}

impl Accepted {
    /// Parses `Accept-Encoding`. A header that is malformed, or that refuses every coding, is ignored: an answer in another form is of more use
    /// than none.
    pub fn from_header(header: Option<&str>) -> Self {
        let uncoded = Self {
            brotli: 0,
            gzip: 0,
            identity: FULL,
            is_silent: header.is_none(),
        };
        let Some(elements) = header.and_then(elements) else {
            return uncoded;
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
            0 => uncoded,
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

    /// Returns whether the caller accepts a stored answer in this form.
    pub fn allows(self, coding: Coding) -> bool {
        self.is_silent || self.weight(coding) > 0
    }

    /// Returns the forms in which a body of this size may be sent, best first.
    pub fn order(self, bytes: usize) -> impl Iterator<Item = Coding> {
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
    use super::Coding::{Brotli, Gzip, Identity};
    use super::*;

    fn order(header: Option<&str>, bytes: usize) -> Vec<Coding> {
        Accepted::from_header(header).order(bytes).collect()
    }

    #[test]
    fn a_body_has_the_best_form_that_is_accepted() {
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
        let (long, nothing) = ("gzip,".repeat(200), "identity;q=0, deflate");
        for header in ["gzip;q=2", "identity;q=0", "*;q=0", nothing, &long] {
            assert_eq!(order(Some(header), 5000), [Identity], "{header}");
        }
        assert_eq!(order(Some("br, gzip"), MIN_COMPRESSED)[0], Identity);
        assert_eq!(order(Some("br, gzip"), MIN_COMPRESSED + 1)[0], Brotli);
        assert_eq!(order(Some("gzip, identity;q=0"), 1), [Gzip]);
    }

    #[test]
    fn a_stored_answer_is_good_in_a_form_that_is_accepted() {
        let allows = |header| Coding::ALL.map(|coding| Accepted::from_header(header).allows(coding));
        assert_eq!(allows(None), [true, true, true]);
        assert_eq!(allows(Some("gzip")), [false, true, true]);
        assert_eq!(allows(Some("br, identity;q=0")), [true, false, false]);
        assert_eq!(allows(Some("")), [false, false, true]);
    }
}
