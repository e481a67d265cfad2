//! The choices of an import.

use taxonomy_keys::Culture;

/// The choices of an import, which the readers and the tree share.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// The culture of texts without a language, in which every node is named; where it is absent, a choice by the source and the id map.
    pub default_culture: Option<Culture>,
    /// The default culture if nothing is known of the source.
    pub usual_culture: Culture,
    /// The concepts that become categories; that of the id map, else a choice by the source, where it is absent.
    pub categories: Option<Categories>,
    /// The name of the one category, in the default culture; its last one, else the scheme or the name of a file, where it is absent.
    pub category_name: Option<String>,
    /// The scheme under which source identifiers are kept as relations; that of the reader where it is absent.
    pub scheme: Option<String>,
    /// The absolute IRI that relative ones of RDF are relative to, where a file names none itself.
    pub base: Option<String>,
    /// Between the values of a cell that holds several.
    pub separator: char,
    /// Between the cells of a table; found in its header where it is absent.
    pub delimiter: Option<u8>,
    /// The lines before the header of a table.
    pub skip_rows: u32,
    /// The field that each named column of a table holds, beside the columns that are called like a field.
    pub columns: Vec<(String, String)>,
    /// Leave out rows, lines and statements that cannot be read, and report each as a warning.
    pub is_lenient: bool,
    /// Take the notation of a node as its sort key, where the source states none.
    pub sorts_by_notation: bool,
}

impl ImportOptions {
    /// The options of a source that needs no choice.
    pub fn new(usual_culture: Culture) -> Self {
        Self {
            default_culture: None,
            usual_culture,
            categories: None,
            category_name: None,
            scheme: None,
            base: None,
            separator: '|',
            delimiter: None,
            skip_rows: 0,
            columns: Vec::new(),
            is_lenient: false,
            sorts_by_notation: false,
        }
    }
}

/// The concepts that become categories, unless the source itself names its categories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Categories {
    /// The concepts without a parent.
    Tops,
    /// The concept schemes; the concepts without a parent are their top terms.
    Schemes,
    /// One category for the whole source; the concepts without a parent are its top terms.
    One,
}

impl Categories {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Tops, Self::Schemes, Self::One];

    /// Its name in options, id maps and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tops => "tops",
            Self::Schemes => "schemes",
            Self::One => "one",
        }
    }
}

/// What made a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChosenBy {
    /// An option of the import.
    Option,
    /// The last import, by the id map.
    IdMap,
    /// The source: what it states, or what most of it is.
    Source,
    /// Nothing that is known of the source.
    Default,
}

/// The choices that the id map keeps for the next release.
#[derive(Debug, Clone, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Choices {
    /// The concepts that become categories.
    pub categories: Categories,
    /// What chose them.
    pub categories_by: ChosenBy,
    /// The culture in which everything has a name.
    pub default_culture: Culture,
    /// What chose it.
    pub default_culture_by: ChosenBy,
}
