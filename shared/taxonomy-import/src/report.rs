//! The report of an import: content that was changed, kept elsewhere or left out. Codes and field names are published: docs/decisions/0022-import.md lists them.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::Serialize;

use crate::concept::SourcePlace;

/// The severity of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing is written.
    Error,
    /// Something of the source is left out or changed.
    Warning,
    /// Something to know; nothing is lost.
    Note,
}

taxonomy_model::codes! {
    Malformed "malformed" Error "Mend the file at this place or get it again, and check that the command names its format.",
    InvalidUtf8 "invalid-utf8" Error "Convert the file to UTF-8.",
    TooLarge "too-large" Error "Import a part of the source.",
    PackedFile "packed-file" Error "Unpack the archive, or save the workbook as CSV in UTF-8.",
    NoConcepts "no-concepts" Error "Check that the file is of the format that the command names.",
    MissingColumn "missing-column" Error "Name the column with --column FIELD=HEADER.",
    DuplicateColumn "duplicate-column" Error "Let one column hold the field.",
    SameCulture "same-culture" Error "Import one file of each culture, and name the cultures with TAG=FILE.",
    MissingKey "missing-key" Error "Give every row an id.",
    ParentIsName "parent-is-name" Error "Write the key of the parent, or name the column that holds it with --column parent=HEADER.",
    DuplicateKey "duplicate-key" Error "Give the id to one row, or leave out the others with --lenient.",
    TooManyNodes "too-many-nodes" Error "Import a part of the source: the service takes no more in one file.",
    DepthExceeded "depth-exceeded" Error "The service takes terms at most 32 deep.",
    NameTooLong "name-too-long" Error "Shorten the name in the source to 500 characters.",
    NamesTooLarge "names-too-large" Error "Shorten the names: those of a term take at most 40,000 bytes in all cultures together.",
    TooManyCultures "too-many-cultures" Error "Import a part of the languages: a file names in at most 500.",
    InvalidIdMap "invalid-id-map" Error "Restore the id map of the last import.",
    InvalidReplacements "invalid-replacements" Error "Each row of the file is the old key and the new key.",
    IdsNotKept "ids-not-kept" Error "Name a file for the ids with --ids, so that the next release gets the same ones; or --new-ids, if nothing keeps them.",
    HttpOrHttps "http-or-https" Error "Map the old key to the new one with --replaced: it would get another id.",
    IdDiffers "id-differs" Error "The id map belongs to another source.",
    InvalidField "invalid-field" Error "The download was changed; download the version again.",
    Refused "refused" Error "The file that the import would write is refused by the service.",
    UnknownParent "unknown-parent" Warning "Import the parent as well; the concept is imported at the top level or below another parent.",
    SelfParent "self-parent" Warning "The statement is left out.",
    Cycle "cycle" Warning "The concept is placed elsewhere; the statement is kept as a relation.",
    OtherScheme "other-scheme" Warning "The concept is at the top of its own scheme; the statement is kept as a relation.",
    CategoryBelow "category-below" Warning "A category has no parent; the statement is kept as a relation.",
    NoLanguage "no-language" Warning "The text counts in the default culture, which --default-culture TAG names.",
    InvalidTag "invalid-tag" Warning "The text is left out; language tags are those of BCP 47, such as en-GB.",
    SeveralNames "several-names" Warning "One name a culture is the preferred one; the others are alternative names.",
    NoDefaultName "no-default-name" Warning "The name in another culture is used; --default-culture TAG chooses the culture in which everything has a name.",
    NoName "no-name" Warning "The code or the key stands for a name.",
    DuplicateLabel "duplicate-label" Warning "The alternative name is left out, as it says nothing new.",
    DuplicateName "duplicate-name" Warning "Readers cannot tell these siblings apart.",
    EmptyText "empty-text" Warning "The text is left out.",
    ControlCharacter "control-character" Warning "The character is left out.",
    TextCut "text-cut" Warning "Definitions and scope notes have at most 4,000 bytes.",
    ValueLeftOut "value-left-out" Warning "The value is longer than the service takes.",
    TooManyValues "too-many-values" Warning "The first values are kept.",
    BlankNode "blank-node" Warning "Give the concept an IRI: without one it would be another concept in each release.",
    RelativeIri "relative-iri" Warning "The statement is left out; --base IRI names the address that it is relative to.",
    InvalidValue "invalid-value" Warning "The value is left out.",
    SeveralValues "several-values" Warning "The first value is kept.",
    ImpliedParent "implied-parent" Warning "The concept is placed below the nearest path that has a row.",
    AmbiguousParent "ambiguous-parent" Warning "Give the concepts different names; of texts of paths, name a file first in whose culture they differ.",
    SeveralReleases "several-releases" Warning "Import files of one release: the first one says what is where.",
    ExtraCulture "extra-culture" Warning "Files of several cultures should be of one release.",
    NumberTaken "number-taken" Warning "The concept gets another id.",
    UnknownColumn "unknown-column" Warning "The column is left out; of a table, --column FIELD=HEADER names its field.",
    Skipped "skipped" Warning "What cannot be read is left out.",
    UnknownLine "unknown-line" Warning "The line is left out.",
    SecondBlock "second-block" Warning "It is read as a part of the first block with this key.",
    UnknownReplacement "unknown-replacement" Warning "The replacement is not in the source.",
    UnusableReplacement "unusable-replacement" Warning "The replacement is left out.",
    UnknownRelation "unknown-relation" Warning "The related concept is not in the source; the relation is kept by its key.",
    FurtherParent "further-parent" Note "The further parent is kept as a relation.",
    RepeatedName "repeated-name" Note "An alternative name that is the preferred one is left out.",
    OneWay "one-way" Note "Stated in one direction, read in both.",
    FileCulture "file-culture" Note "Name the culture with the file, such as fr-FR=FILE.",
    IriChanged "iri-changed" Note "Percent signs stand for what an IRI cannot hold.",
    TagChanged "tag-changed" Note "The tag is written as BCP 47 has it.",
    Renumbered "renumbered" Note "The id went over to the new key.",
    Merged "merged" Note "The concept stays as a deprecated one with its replacement.",
    Gone "gone" Note "The concept is no longer in the source; its id is not given to another.",
    KeysArePaths "keys-are-paths" Note "The source has no ids: a concept that is renamed or moved is another one, unless --replaced maps it.",
    Ignored "ignored" Note "The service has no place for it.",
}

/// A finding of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportIssue {
    /// Its weight.
    pub severity: Severity,
    /// Its kind.
    pub code: Code,
    /// The file, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The character in the line, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The key of the concept, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The finding, in one sentence.
    pub message: String,
    /// The next step, or the treatment.
    pub hint: &'static str,
}

/// The number of issues of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Total {
    /// Its weight.
    pub severity: Severity,
    /// The code.
    pub code: Code,
    /// The number of its issues; the list may hold fewer.
    pub count: u64,
}

/// The published report of an import, format 1.
#[derive(Debug, Default)]
pub struct ImportReport {
    issues: Vec<ImportIssue>,
    counts: BTreeMap<Code, u64>,
}

impl ImportReport {
    /// The issues that are listed; the totals count all.
    pub const LISTED: usize = 100_000;
    /// The issues of each code that are listed whatever else there is.
    pub const LISTED_OF_CODE: u64 = 20;
    /// The characters of a key or a message that are kept.
    const SHOWN: usize = 300;

    /// Counts an issue, and lists it while there is room; only then is the rest of it built.
    pub fn add(
        &mut self,
        code: Code,
        file: Option<&str>,
        place: SourcePlace,
        key: Option<&str>,
        message: impl Display,
    ) {
        let count = self.counts.entry(code).or_default();
        *count += 1;
        if *count > Self::LISTED_OF_CODE && self.issues.len() >= Self::LISTED {
            return;
        }
        let number = |number: u32| Some(number).filter(|number| *number > 0);
        self.issues.push(ImportIssue {
            severity: code.severity(),
            code,
            file: file.map(str::to_owned),
            line: number(place.line),
            column: number(place.column),
            key: key.map(shown),
            message: shown(&message.to_string()),
            hint: code.hint(),
        });
    }

    /// Returns true if a report of so many errors says enough of a source.
    pub(crate) fn is_full(&self) -> bool {
        self.issues.len() >= Self::LISTED && !self.accepted()
    }

    /// Adds an issue that no place of a file has.
    pub fn add_unplaced(&mut self, code: Code, key: Option<&str>, message: impl Display) {
        self.add(code, None, SourcePlace::UNKNOWN, key, message);
    }

    /// Returns true if no error stops the import.
    pub fn accepted(&self) -> bool {
        self.count(Severity::Error) == 0
    }

    /// The number of issues of a weight.
    pub fn count(&self, severity: Severity) -> u64 {
        let counts = self.counts.iter();
        let of_severity = counts.filter(|(code, _)| code.severity() == severity);
        of_severity.map(|(_, count)| count).sum()
    }

    /// The number of issues of a code.
    pub fn count_of(&self, code: Code) -> u64 {
        self.counts.get(&code).copied().unwrap_or_default()
    }

    /// The codes that were found, errors first.
    pub fn totals(&self) -> Vec<Total> {
        let totals = self.counts.iter().map(|(&code, &count)| Total {
            severity: code.severity(),
            code,
            count,
        });
        totals.collect()
    }

    /// The listed issues: errors first, each code in the order in which it was found.
    pub fn issues(&self) -> Vec<&ImportIssue> {
        let mut issues: Vec<&ImportIssue> = self.issues.iter().collect();
        issues.sort_by_key(|issue| issue.code);
        issues
    }
}

/// A text of a source, cut where it is long.
fn shown(text: &str) -> String {
    match text.char_indices().nth(ImportReport::SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_sorted_by_weight() {
        let mut texts: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), Code::ALL.len());
        assert!(Code::ALL.is_sorted_by_key(|code| code.severity()));
    }

    #[test]
    fn totals_count_what_the_list_leaves_out() {
        let mut report = ImportReport::default();
        for line in 1..=150_000 {
            let place = SourcePlace::at(line, 1);
            report.add(Code::Cycle, Some("a.txt"), place, None, "x".repeat(1000));
        }
        report.add(Code::Malformed, None, SourcePlace::UNKNOWN, None, "");
        assert!(!report.accepted());
        assert_eq!(report.count_of(Code::Cycle), 150_000);
        assert_eq!(report.issues().len(), 100_001);
        assert_eq!(report.issues()[0].code, Code::Malformed);
        assert_eq!(report.issues()[1].message.len(), 303);
    }
}
