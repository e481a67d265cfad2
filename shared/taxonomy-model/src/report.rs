//! The report of a validation, which contains all issues. Codes and field names are published: docs/problems.md lists them.

use serde::Serialize;

use crate::codes;

/// The weight of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file is refused.
    Error,
    /// The file is accepted; it may contain a mistake.
    Warning,
}

codes! {
    InvalidJson "invalid-json" Error "Correct the text there. JSON has no comments, no comma behind the last of several values, and texts and field names in double quotes.",
    ByteOrderMark "byte-order-mark" Error "Write UTF-8 without a byte order mark.",
    InvalidUtf8 "invalid-utf8" Error "Write the file in UTF-8.",
    InvalidEncoding "invalid-encoding" Error "Upload plain JSON, or gzip with Content-Encoding: gzip.",
    WrongType "wrong-type" Error "Texts have double quotes; numbers, true and false have none. docs/taxonomy.schema.json has the type of every field.",
    MissingField "missing-field" Error "Every category and term needs an id, every name a culture and a name.",
    DuplicateKey "duplicate-key" Error "Write each field once; readers disagree about which one counts.",
    DuplicateCategoryId "duplicate-category-id" Error "Category ids are unique in a file.",
    DuplicateTermId "duplicate-term-id" Error "Term ids are unique over all categories of a file.",
    InvalidId "invalid-id" Error "Ids are whole numbers from 0 to 9007199254740991.",
    InvalidCulture "invalid-culture" Error "Cultures are BCP 47 language tags of at most 35 characters, such as en-GB.",
    DuplicateCulture "duplicate-culture" Error "Give one name a culture, and further ones as altNames.",
    MissingDefaultName "missing-default-name" Error "Name every category and term in the default culture.",
    EmptyName "empty-name" Error "A name needs at least one character that is not a space.",
    NameTooLong "name-too-long" Error "Names have at most 500 characters.",
    PathTooLong "path-too-long" Error "Paths have at most 2,048 bytes of UTF-8.",
    ValueTooLong "value-too-long" Error "A notation has at most 200 characters, the reason of a deprecation 500, a sortKey 200 bytes of UTF-8, a definition or scopeNote 4,000, a scheme 100, the id of a concept 500.",
    TooManyValues "too-many-values" Error "A file names in at most 500 cultures; a node has at most 100 alternative names, 50 replacements and 50 relations.",
    ControlCharacter "control-character" Error "Remove control characters; only TAB and line breaks are folded to a space.",
    DepthExceeded "depth-exceeded" Error "Terms are nested at most 32 deep.",
    TooManyNodes "too-many-nodes" Error "A file has at most 1,100,000 categories and terms.",
    FileTooLarge "file-too-large" Error "Split the taxonomy, or raise the stack's limit.",
    CategoryTooLarge "category-too-large" Error "Names, paths, alternative names, notes, relations and metadata of a category share one stored item; shorten them.",
    NamesTooLarge "names-too-large" Error "The names of a term take at most 40,000 bytes in all cultures together, tags included, alternative names 150,000; shorten them.",
    MetadataTooLarge "metadata-too-large" Error "Metadata is at most 8 KiB, nested at most 16 deep.",
    InvalidRelation "invalid-relation" Error "A relation has a type (exact, close, broad, narrow, related) and the number of a term, or with a scheme the text that is its id there.",
    InvalidDate "invalid-date" Error "Dates are days of the calendar, such as 2026-01-31.",
    SelfRelation "self-relation" Error "A term has no relation to itself.",
    SelfReplacement "self-replacement" Error "A node cannot replace itself.",
    MassRemoval "mass-removal" Error "If that is meant, upload it by `taxonomy push --allow-removals`, or with the object metadata allow-removals: true.",
    MisnamedField "misnamed-field" Error "Write the name that the message gives: the field would be left out. Values of your own belong into metadata, under any name.",
    UnknownField "unknown-field" Warning "The field is ignored; check its spelling.",
    LineBreakFolded "line-break-folded" Warning "TABs and line breaks became one space.",
    EdgeSpace "edge-space" Warning "The name begins or ends with a space; it is kept as it is.",
    DoubleSpace "double-space" Warning "The name holds several spaces in a row; they are kept.",
    InvisibleCharacter "invisible-character" Warning "The character is kept, and nobody sees it: comparing the text with typed text fails. Remove it where the text is maintained.",
    NoBreakSpace "no-break-space" Warning "The name holds a no-break space; comparing it with typed text fails.",
    DuplicateSiblingName "duplicate-sibling-name" Warning "Readers cannot tell these siblings apart.",
    SeparatorInName "separator-in-name" Warning "A ':' in a name makes its FinalName ambiguous; answers carry the parts too.",
    EmptyCategory "empty-category" Warning "The category has no terms.",
    NoTerms "no-terms" Warning "Check the export that wrote the file: a tenant that has terms would lose them all, so its upload is refused unless it allows removals.",
    PoorCoverage "poor-coverage" Warning "Fewer than half of the nodes have a name in this culture.",
    NameDiffers "name-differs" Warning "name and names disagree in the default culture; names counts.",
    DeprecationDiffers "deprecation-differs" Warning "deprecated is false beside a deprecation; the deprecation counts.",
    UnknownRelation "unknown-relation" Warning "The related term is not in this file.",
    UnknownReplacement "unknown-replacement" Warning "The replacement is not in this file.",
}

/// A finding of a validation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// Its weight.
    pub severity: Severity,
    /// Its kind.
    pub code: Code,
    /// The place: a JSON Pointer (RFC 6901) into the decoded file.
    pub pointer: String,
    /// The id of the category or term, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The finding, in one sentence.
    pub message: String,
    /// The next step.
    pub hint: &'static str,
    /// Line and column, in bytes and both from 1, at which the text stops being JSON or UTF-8; not part of the published report.
    #[serde(skip)]
    pub stops_at: Option<(usize, usize)>,
    /// Of what is there twice, the pointer of the first one; not part of the published report, whose message has it.
    #[serde(skip)]
    pub first: Option<String>,
}

/// The published report of a validation, format 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The format of this report.
    pub format_version: u32,
    /// Whether the file is accepted.
    pub accepted: bool,
    /// Categories read.
    pub categories: u64,
    /// Terms read.
    pub terms: u64,
    /// Names read, of all cultures.
    pub names: u64,
    /// Errors found; the list may have fewer.
    pub errors: u64,
    /// Warnings found; the list may have fewer.
    pub warnings: u64,
    /// The first errors and the first warnings, each kind in the order of the file.
    pub issues: Vec<Issue>,
}

impl Report {
    /// The most listed issues of each severity; the totals count all.
    pub const LISTED: u64 = 100;

    pub(crate) fn new() -> Self {
        Self {
            format_version: 1,
            accepted: true,
            categories: 0,
            terms: 0,
            names: 0,
            errors: 0,
            warnings: 0,
            issues: Vec::new(),
        }
    }

    /// Creates a report of one issue that prevented reading the file.
    pub fn refusal(code: Code, message: String) -> Self {
        let mut report = Self::new();
        report.add(code, None, message, String::new);
        report
    }

    /// Counts an issue, and lists it up to the limit; only then its pointer is built. Returns the issue if it is listed.
    pub(crate) fn add(
        &mut self,
        code: Code,
        id: Option<u64>,
        message: String,
        pointer: impl FnOnce() -> String,
    ) -> Option<&mut Issue> {
        let total = match code.severity() {
            Severity::Error => {
                self.accepted = false;
                &mut self.errors
            }
            Severity::Warning => &mut self.warnings,
        };
        *total += 1;
        if *total > Self::LISTED {
            return None;
        }
        self.issues.push(Issue {
            severity: code.severity(),
            code,
            pointer: pointer(),
            id,
            message,
            hint: code.hint(),
            stops_at: None,
            first: None,
        });
        self.issues.last_mut()
    }

    /// Returns the first error, whose code is the reason in one word.
    pub fn first_error(&self) -> Option<&Issue> {
        self.issues.iter().find(|issue| issue.severity == Severity::Error)
    }
}
