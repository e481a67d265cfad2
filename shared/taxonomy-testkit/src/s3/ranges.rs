//! The `Range` header (RFC 9110, section 14.1.2) as S3 supports it: one range, never several.

/// A range of an object that has at least one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    first: u64,
    last: u64,
}

impl Span {
    /// Reads the header for an object of `length` bytes; `None` if the range contains no byte of the object.
    pub(super) fn parse(header: &str, length: u64) -> Option<Self> {
        let (first, last) = header.strip_prefix("bytes=")?.split_once('-')?;
        let end = length.checked_sub(1)?;
        let span = if first.is_empty() {
            let suffix: u64 = last.parse().ok().filter(|suffix| *suffix > 0)?;
            Self {
                first: length.saturating_sub(suffix),
                last: end,
            }
        } else {
            Self {
                first: first.parse().ok()?,
                last: last.parse::<u64>().ok()?.min(end),
            }
        };
        (span.first <= span.last).then_some(span)
    }

    pub(super) fn content_range(self, length: u64) -> String {
        format!("bytes {}-{}/{length}", self.first, self.last)
    }

    pub(super) fn of(self, bytes: &[u8]) -> &[u8] {
        let at = |position: u64| usize::try_from(position).unwrap_or(usize::MAX);
        &bytes[at(self.first)..=at(self.last)]
    }
}
