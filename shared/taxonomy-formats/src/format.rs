//! The names of the formats, and the form of one download.

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use taxonomy_keys::TenantId;
use taxonomy_model::{Collate, Taxonomy};

use crate::csv::{self, Dialect};
use crate::skos::{self, Base};
use crate::tree::SortedTaxonomy;
use crate::{json, ndjson};

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
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Ndjson => "application/x-ndjson",
            Self::Csv | Self::History => "text/csv; charset=utf-8; header=present",
            Self::Skos => "text/turtle; charset=utf-8",
        }
    }

    /// The end of a file's name, without a dot.
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

/// The form of a download: a format, and for CSV its dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Form {
    format: Format,
    dialect: Dialect,
}

impl Form {
    /// The form of a format in a dialect. Only `csv` and `history` have a dialect for spreadsheets; `None` for another format in it.
    pub fn new(format: Format, dialect: Dialect) -> Option<Self> {
        let has_dialects = matches!(format, Format::Csv | Format::History);
        (has_dialects || dialect == Dialect::Data).then_some(Self { format, dialect })
    }

    /// Returns every form.
    pub fn all() -> impl Iterator<Item = Self> {
        let dialects = [Dialect::Data, Dialect::Spreadsheet];
        let forms = Format::ALL.into_iter();
        forms.flat_map(move |format| {
            dialects
                .into_iter()
                .filter_map(move |dialect| Self::new(format, dialect))
        })
    }

    /// Its format.
    pub fn format(self) -> Format {
        self.format
    }

    /// Its dialect.
    pub fn dialect(self) -> Dialect {
        self.dialect
    }

    /// Writes a version in this form; `history` is written by [`HistoryWriter`](crate::history::HistoryWriter), since it needs every
    /// version.
    ///
    /// # Errors
    /// An I/O error of `out`; [`io::ErrorKind::Unsupported`] for `history`.
    pub fn write(
        self,
        tenant: &TenantId,
        taxonomy: &Taxonomy,
        collate: Collate,
        out: impl Write,
    ) -> io::Result<()> {
        let tree = SortedTaxonomy::new(taxonomy, collate);
        match self.format {
            Format::Json => json::write(&tree, out),
            Format::Ndjson => ndjson::write(&tree, out),
            Format::Csv => csv::write(&tree, self.dialect, out),
            Format::Skos => {
                let base = Base::default();
                let options = skos::Options {
                    tenant,
                    base: &base,
                    label: "",
                };
                skos::write(&tree, &options, out).map(drop)
            }
            Format::History => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_csv_has_a_dialect_for_spreadsheets() {
        let forms: Vec<_> = Form::all().map(|form| (form.format(), form.dialect())).collect();
        assert_eq!(forms.len(), 7);
        assert!(forms.contains(&(Format::History, Dialect::Spreadsheet)));
        assert_eq!(Form::new(Format::Json, Dialect::Spreadsheet), None);
    }

    #[test]
    fn dialects_and_formats_are_read_by_their_names() {
        for dialect in [Dialect::Data, Dialect::Spreadsheet] {
            assert_eq!(dialect.as_str().parse(), Ok(dialect));
        }
        assert_eq!("Data".parse::<Dialect>(), Err(csv::UnknownDialect));
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert_eq!("JSON".parse::<Format>(), Err(UnknownFormat));
    }
}
