//! The header of a table.

use std::collections::BTreeSet;

use csv::StringRecord;
use taxonomy_keys::Culture;
use taxonomy_model::RelationType;

use crate::concept::SourcePlace;
use crate::graph::{Graph, Stop};
use crate::report::{Code, Severity};
use crate::sources::paths::MOST_NAMES;
use crate::sources::rows::other_length;

/// The delimiters that are tried.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The field of a column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ColumnField {
    Id,
    Parent,
    Name(Option<String>),
    AltName(Option<String>),
    Definition(Option<String>),
    ScopeNote(Option<String>),
    Notation,
    SortKey,
    Deprecated,
    DeprecationReason,
    DeprecatedSince,
    ReplacedBy,
    Related,
    Match(RelationType),
    Property(String),
    /// A level of the way from the top, by its number.
    Level(u32),
}

impl ColumnField {
    /// The meaning of a header; none for an unknown one.
    fn from_header(header: &str) -> Option<Self> {
        let (name, tag) = match header.split_once(['.', '@']) {
            Some((name, tag)) => (name, Some(tag.trim().to_owned())),
            None => (header, None),
        };
        let mut name = name.to_lowercase();
        name.retain(|c| !matches!(c, ' ' | '_' | '-'));
        Some(match (name.as_str(), tag) {
            ("name" | "preflabel" | "label", tag) => ColumnField::Name(tag),
            ("altname" | "altnames" | "altlabel" | "altlabels" | "synonym" | "synonyms", tag) => {
                ColumnField::AltName(tag)
            }
            ("definition", tag) => ColumnField::Definition(tag),
            ("scopenote", tag) => ColumnField::ScopeNote(tag),
            ("metadata", Some(name)) if !name.is_empty() => ColumnField::Property(name),
            (_, Some(_)) => return None,
            ("id" | "key" | "uri", None) => ColumnField::Id,
            ("parent" | "parentid" | "broader", None) => ColumnField::Parent,
            ("notation" | "code", None) => ColumnField::Notation,
            ("sortkey", None) => ColumnField::SortKey,
            ("deprecated", None) => ColumnField::Deprecated,
            ("deprecationreason", None) => ColumnField::DeprecationReason,
            ("deprecatedsince", None) => ColumnField::DeprecatedSince,
            ("replacedby", None) => ColumnField::ReplacedBy,
            ("related", None) => ColumnField::Related,
            ("exactmatch", None) => ColumnField::Match(RelationType::Exact),
            ("closematch", None) => ColumnField::Match(RelationType::Close),
            ("broadmatch", None) => ColumnField::Match(RelationType::Broad),
            ("narrowmatch", None) => ColumnField::Match(RelationType::Narrow),
            ("relatedmatch", None) => ColumnField::Match(RelationType::Related),
            (name, None) => {
                let number = name.strip_prefix("level").or_else(|| name.strip_prefix("lvl"))?;
                Self::Level(number.parse().ok()?)
            }
        })
    }

    /// Several columns may hold it.
    fn may_repeat(&self) -> bool {
        self.has_several() && *self != Self::ReplacedBy
    }

    /// A cell may hold several values.
    pub(super) fn has_several(&self) -> bool {
        matches!(
            self,
            Self::AltName(_) | Self::Parent | Self::Related | Self::ReplacedBy | Self::Match(_)
        )
    }
}

/// The fields of columns, for people. Those in brackets may be followed by a dot and a language tag.
pub const COLUMN_FIELDS: &str = "id, parent, [name], [altName], [definition], [scopeNote], notation, sortKey, deprecated, \
    deprecationReason, deprecatedSince, replacedBy, related, exactMatch, closeMatch, broadMatch, narrowMatch, relatedMatch, metadata.NAME, \
    level1, level2 and on";

/// Returns true if a text names a field of a column.
pub fn is_column_field(text: &str) -> bool {
    ColumnField::from_header(text).is_some()
}

/// The columns of a table.
#[derive(Debug)]
pub(super) struct TableColumns {
    /// The cells of the header, and those up to its last name.
    count: usize,
    named: usize,
    /// Positions with their fields, in the order of the table.
    pub(super) fields: Vec<(usize, ColumnField)>,
    /// Positions of the levels, from the top down.
    pub(super) levels: Vec<usize>,
    /// Positions of the columns without a name in which no row had a value.
    unnamed: Vec<usize>,
}

impl TableColumns {
    /// Reads a header.
    ///
    /// # Errors
    /// [`Stop::Refused`] where no column names the concepts or two hold the same field.
    pub(super) fn new(header: &StringRecord, place: SourcePlace, graph: &mut Graph) -> Result<Self, Stop> {
        let named = graph.options.columns.clone();
        let mut columns = Self {
            count: header.len(),
            named: 0,
            fields: Vec::new(),
            levels: Vec::new(),
            unnamed: Vec::new(),
        };
        let (mut levels, mut seen) = (Vec::new(), BTreeSet::new());
        let before = graph.report.count(Severity::Error);
        for (position, name) in header.iter().map(str::trim).enumerate() {
            if name.is_empty() {
                columns.unnamed.push(position);
                continue;
            }
            columns.named = position + 1;
            let chosen = named.iter().filter(|(_, column)| column == name);
            let mut fields: Vec<&str> = chosen.map(|(field, _)| field.as_str()).collect();
            if fields.is_empty() {
                fields.push(name);
            }
            for field in fields {
                match ColumnField::from_header(field) {
                    None => graph.issue(Code::UnknownColumn, place, None, unknown(name)),
                    Some(ColumnField::Level(level)) => levels.push((level, position)),
                    Some(field) if field.may_repeat() || seen.insert(field.clone()) => {
                        columns.fields.push((position, field));
                    }
                    Some(_) => {
                        let message = format_args!("a second column for the field of {name:?}");
                        graph.issue(Code::DuplicateColumn, place, None, message);
                    }
                }
            }
        }
        for (field, column) in &named {
            if !header.iter().any(|name| name.trim() == column) {
                let message = format_args!("no column is called {column:?}, which holds {field}");
                graph.issue(Code::MissingColumn, place, None, message);
            }
        }
        levels.sort_unstable();
        let has_id = columns.fields.iter().any(|(_, field)| *field == ColumnField::Id);
        if let Some((code, message)) = fault_of_levels(&levels, has_id) {
            graph.issue(code, place, None, message);
        }
        columns.levels = levels.into_iter().map(|(_, position)| position).collect();
        match graph.report.count(Severity::Error) == before {
            true => Ok(columns),
            false => Err(Stop::Refused),
        }
    }

    /// Returns the reason for which a row is none under this header, and reports the first value in each column without a name.
    pub(super) fn fault_of(
        &mut self,
        record: &StringRecord,
        place: SourcePlace,
        graph: &mut Graph,
    ) -> Option<String> {
        let has_value = |position: usize| record.get(position).is_some_and(|cell| !cell.trim().is_empty());
        for position in self.unnamed.extract_if(.., |position| has_value(*position)) {
            let message = format_args!("column {}, which has no name", position + 1);
            graph.issue(Code::UnknownColumn, place, None, message);
        }
        // Spreadsheets add empty cells at the end, and leave them away.
        let is_wide = (self.count..record.len()).any(has_value);
        (record.len() < self.named || is_wide).then(|| other_length(record, self.named))
    }
}

/// A column that is no field, with the name of the field that its name looks like.
fn unknown(name: &str) -> String {
    let mut splits = name.match_indices(['_', '-', ' ']);
    let meant = splits.find_map(|(at, _)| {
        let (field, tag) = (name[..at].trim(), &name[at + 1..]);
        let tag = tag.trim_matches(['(', ')', '[', ']', ' ']).replace('_', "-");
        let is_text = ColumnField::from_header(&format!("{field}.{tag}")).is_some();
        let is_tag = tag.split('-').next()?.len() == 2 && tag.parse::<Culture>().is_ok();
        (is_text && is_tag).then(|| format!("{field}.{tag}"))
    });
    match meant {
        Some(meant) => format!("the column {name:?}; --column {meant}={name} reads it"),
        None => format!("the column {name:?}"),
    }
}

/// Returns the reason for which a table with these levels is refused.
fn fault_of_levels(levels: &[(u32, usize)], has_id: bool) -> Option<(Code, String)> {
    if levels.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Some((Code::DuplicateColumn, "a level has two columns".to_owned()));
    }
    if !has_id && levels.is_empty() {
        let message = "neither id nor level1 is a column".to_owned();
        return Some((Code::MissingColumn, message));
    }
    let message = || format!("there are more than {MOST_NAMES} levels");
    (levels.len() > MOST_NAMES).then(|| (Code::TooLarge, message()))
}

/// Returns the delimiter of a header: the most frequent one outside of quotes, or a comma if there is none. Blank lines may precede
/// the header.
pub(super) fn delimiter(beginning: &[u8]) -> u8 {
    let mut counts = [0_u32; DELIMITERS.len()];
    let mut is_quoted = false;
    let is_break = |byte: &&u8| matches!(byte, b'\n' | b'\r');
    for byte in beginning.iter().skip_while(is_break) {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' | b'\r' if !is_quoted => break,
            byte if !is_quoted => {
                if let Some(found) = DELIMITERS.iter().position(|delimiter| delimiter == byte) {
                    counts[found] += 1;
                }
            }
            _ => {}
        }
    }
    let most = counts.iter().max().copied().unwrap_or_default();
    let found = counts.iter().position(|count| *count == most).unwrap_or_default();
    DELIMITERS[found]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_shows_the_delimiter() {
        for (header, expect) in [
            ("id,name\na;b;c;d", b','),
            ("id;name;\"a,b,c,d\"\n", b';'),
            ("id\tname", b'\t'),
            ("id|name|x", b'|'),
            ("\r\n\nid;name\na,b,c", b';'),
            ("id", b','),
            ("", b','),
        ] {
            assert_eq!(delimiter(header.as_bytes()), expect, "{header}");
        }
    }

    #[test]
    fn headers_are_known_in_several_spellings() {
        for (header, expect) in [
            ("ID", "Id"),
            ("parent_id", "Parent"),
            ("prefLabel.sv", "Name(Some(\"sv\"))"),
            ("Alt Label@de-DE", "AltName(Some(\"de-DE\"))"),
            ("metadata.colour", "Property(\"colour\")"),
            ("level2", "Level(2)"),
            ("lvl0", "Level(0)"),
            ("id.x", ""),
            ("level", ""),
            ("colour", ""),
        ] {
            let found = ColumnField::from_header(header);
            let found = found.map(|field| format!("{field:?}"));
            assert_eq!(found.unwrap_or_default(), expect, "{header}");
        }
    }
}
