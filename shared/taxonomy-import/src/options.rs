//! The choices of an import.

use taxonomy_keys::Culture;

/// The choices of an import, which the readers and the tree share.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// The culture of texts without a language, and the one in which every node is named.
    pub default_culture: Culture,
    /// The concepts that become categories.
    pub categories: Categories,
    /// The name of the one category, in the default culture; the scheme where it is empty.
    pub category_name: String,
    /// The scheme under which source identifiers are kept as relations; that of the reader where it is absent.
    pub scheme: Option<String>,
    /// Between the values of a cell that holds several.
    pub separator: char,
    /// Between the cells of a table; found in its header where it is absent.
    pub delimiter: Option<u8>,
    /// The field that each named column of a table holds, beside the columns that are called like a field.
    pub columns: Vec<(String, String)>,
}

impl ImportOptions {
    /// The options of a source that needs no choice.
    pub fn new(default_culture: Culture) -> Self {
        Self {
            default_culture,
            categories: Categories::default(),
            category_name: String::new(),
            scheme: None,
            separator: '|',
            delimiter: None,
            columns: Vec::new(),
        }
    }
}

/// The concepts that become categories, unless the source itself names its categories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Categories {
    /// The concepts without a parent.
    #[default]
    Tops,
    /// The concept schemes; the concepts without a parent are their top terms.
    Schemes,
    /// One category for the whole source; the concepts without a parent are its top terms.
    One,
}
