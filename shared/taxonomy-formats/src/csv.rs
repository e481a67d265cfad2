//! A row for each term and each culture in which the term has a name of its own, in tree order.
//!
//! RFC 4180 in UTF-8 with a header. No cell holds a line break, so a row is a line whatever the names are; lists are JSON arrays.

use std::io::{self, Write};
use std::str::FromStr;

use ::csv::{QuoteStyle, Terminator, Writer, WriterBuilder};
use serde::Serialize;
use taxonomy_keys::Culture;
use taxonomy_model::stored::final_name;
use taxonomy_model::{NodePath, Term};

use crate::BUFFER;
use crate::fields::category_name;
use crate::tree::SortedTaxonomy;

/// The columns. These names are published.
pub const COLUMNS: [&str; 14] = [
    "id",
    "culture",
    "name",
    "final_name",
    "path",
    "category_id",
    "category_name",
    "parent_id",
    "depth",
    "lineage_ids",
    "notation",
    "deprecated",
    "replaced_by",
    "alt_names",
];

/// For which readers the rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dialect {
    /// For programs: every cell is exactly the value, rows end with LF, no byte order mark. A spreadsheet may run a cell that begins with
    /// `=`, `+`, `-` or `@` as a formula.
    #[default]
    Data,
    /// For spreadsheets: a byte order mark, CRLF, and an apostrophe before each cell that a spreadsheet could take for a formula, that it would
    /// change (`0110`, `1E5`, `3-10`), or that begins with an apostrophe. A reader that removes one leading apostrophe has the values again.
    Spreadsheet,
}

/// The text names no dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the dialect is data or spreadsheet")]
pub struct UnknownDialect;

impl Dialect {
    /// Its name in requests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Spreadsheet => "spreadsheet",
        }
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(text: &str) -> Result<Self, UnknownDialect> {
        let found = [Self::Data, Self::Spreadsheet]
            .into_iter()
            .find(|dialect| dialect.as_str() == text);
        found.ok_or(UnknownDialect)
    }
}

/// Writes the header and the rows of all terms.
///
/// # Errors
/// An I/O error of `out`.
pub fn write(tree: &SortedTaxonomy<'_>, dialect: Dialect, out: impl Write) -> io::Result<()> {
    let mut rows = CsvWriter::new(dialect, out);
    rows.header(&COLUMNS)?;
    for term in tree.terms() {
        write_term(term, &mut rows)?;
    }
    rows.finish()
}

/// Writes the rows of a term, one for each culture.
fn write_term(term: Term<'_>, rows: &mut CsvWriter<impl Write>) -> io::Result<()> {
    let details = term.node.details();
    let above: Vec<u64> = term.ancestors().map(|above| above.id().get()).collect();
    let (id, depth) = (term.id().to_string(), term.depth().to_string());
    let category_id = term.category().id().to_string();
    let parent = above.first().map(u64::to_string).unwrap_or_default();
    let (lineage, replaced_by) = (list(&above)?, list(&details.replaced_by)?);
    for name in term.node.names() {
        let category = category_name(term, name.culture);
        rows.row(&[
            &id,
            name.culture.as_str(),
            name.name,
            &final_name(category, name.name),
            &name.path.map(NodePath::text).unwrap_or_default(),
            &category_id,
            category,
            &parent,
            &depth,
            &lineage,
            details.notation.as_deref().unwrap_or_default(),
            flag(details.deprecated),
            &replaced_by,
            &list(&alt_names_in(term, name.culture))?,
        ])?;
    }
    Ok(())
}

fn alt_names_in<'a>(term: Term<'a>, culture: &Culture) -> Vec<&'a str> {
    let alt_names = term.node.details().alt_names.iter();
    let alt_names = alt_names.filter(|(other, _)| other == culture);
    alt_names.map(|(_, name)| name.as_str()).collect()
}

/// A flag as a cell.
pub(crate) const fn flag(flag: bool) -> &'static str {
    if flag { "true" } else { "false" }
}

/// A list as a cell: a JSON array.
pub(crate) fn list(values: &[impl Serialize]) -> io::Result<String> {
    Ok(serde_json::to_string(values)?)
}

/// Rows in a dialect.
pub(crate) struct CsvWriter<W: Write> {
    dialect: Dialect,
    /// Whether a column holds flags, which are the same in capitals.
    is_flag: Vec<bool>,
    inner: Writer<W>,
}

impl<W: Write> CsvWriter<W> {
    pub(crate) fn new(dialect: Dialect, out: W) -> Self {
        let terminator = match dialect {
            Dialect::Data => Terminator::Any(b'\n'),
            Dialect::Spreadsheet => Terminator::CRLF,
        };
        let mut builder = WriterBuilder::new();
        builder.terminator(terminator).quote_style(QuoteStyle::Necessary);
        let inner = builder.buffer_capacity(BUFFER).from_writer(out);
        Self {
            dialect,
            is_flag: Vec::new(),
            inner,
        }
    }

    /// Writes the names of the columns, first of all.
    pub(crate) fn header(&mut self, columns: &[&str]) -> io::Result<()> {
        let mark = match self.dialect {
            Dialect::Data => "",
            Dialect::Spreadsheet => "\u{feff}",
        };
        self.is_flag = columns.iter().map(|column| FLAGS.contains(column)).collect();
        let first = columns.first().map(|column| [mark, column].concat());
        let rest = columns.iter().skip(1).map(|column| (*column).to_owned());
        Ok(self.inner.write_record(first.into_iter().chain(rest))?)
    }

    pub(crate) fn row(&mut self, cells: &[&str]) -> io::Result<()> {
        for (at, cell) in cells.iter().enumerate() {
            let is_flag = self.is_flag.get(at) == Some(&true);
            let is_at_risk = || may_be_a_formula(cell) || (!is_flag && would_change(cell));
            if self.dialect == Dialect::Spreadsheet && is_at_risk() {
                self.inner.write_field(["'", cell].concat())?;
            } else {
                self.inner.write_field(cell)?;
            }
        }
        Ok(self.inner.write_record(None::<&[u8]>)?)
    }

    /// Passes everything on.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The columns that hold flags.
const FLAGS: [&str; 2] = ["deprecated", "removed"];

/// The characters of OWASP's "CSV Injection", the full-width forms that spreadsheets of East Asian locales take for the same, and the
/// apostrophe, so that one leading apostrophe can always be removed.
fn may_be_a_formula(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', '\''])
}

/// Returns true if a spreadsheet would take a cell for a number, a date, a time or a truth value and show or save another text: all but whole
/// numbers of at most 15 digits without leading zeros. Months are those in English, which every spreadsheet of an English locale knows.
fn would_change(cell: &str) -> bool {
    const MONTHS: &str =
        "january february march april may june july august september october november december";
    let text = cell.trim().to_ascii_lowercase();
    if text == "true" || text == "false" {
        return true;
    }
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let is_whole = text.bytes().all(|byte| byte.is_ascii_digit());
    if is_whole && cell == text && text.len() <= 15 {
        return text.starts_with('0') && text.len() > 1;
    }
    let is_sign = |c: char| " .,-/:%+()$€£¥".contains(c);
    let mut words = text
        .split(|c: char| c.is_ascii_digit() || is_sign(c))
        .filter(|word| !word.is_empty());
    match (words.next(), words.next()) {
        (None, _) => true,
        // 1E5, 3 pm, 10 Mar 2026, SEPT1.
        (Some(word), None) => {
            let is_month = word.len() > 2 && MONTHS.split(' ').any(|month| month.starts_with(word));
            let is_behind = !text.starts_with(word) && matches!(word, "e" | "a" | "p" | "am" | "pm");
            is_behind || is_month || word == "sept"
        }
        _ => false,
    }
}
