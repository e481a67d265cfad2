//! The names of the formats.

use std::fmt;
use std::str::FromStr;

/// A format of a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// The input format.
    Json,
    /// A line for each category and term.
    Ndjson,
    /// A row for each term and culture.
    Csv,
    /// SKOS in Turtle.
    Skos,
    /// The history of names and lineages, as CSV.
    History,
}

/// The text names no format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the format is json, ndjson, csv, skos or history")]
pub struct UnknownFormat;

impl Format {
    /// Every format.
    pub const ALL: [Self; 5] = [Self::Json, Self::Ndjson, Self::Csv, Self::Skos, Self::History];

    /// Its name in requests.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Csv => "csv",
            Self::Skos => "skos",
            Self::History => "history",
        }
    }

    /// The media type of its bytes.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Ndjson => "application/x-ndjson",
            Self::Csv | Self::History => "text/csv; charset=utf-8; header=present",
            Self::Skos => "text/turtle; charset=utf-8",
        }
    }

    /// The end of a file's name, without a dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Csv | Self::History => "csv",
            Self::Skos => "ttl",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let found = Self::ALL.into_iter().find(|format| format.as_str() == text);
        found.ok_or(UnknownFormat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_read_by_its_name() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert_eq!("JSON".parse::<Format>(), Err(UnknownFormat));
    }
}
