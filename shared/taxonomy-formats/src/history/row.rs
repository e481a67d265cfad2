//! A row of the history.

use std::io::{self, Write};

use taxonomy_keys::{TermId, Version};
use taxonomy_model::stored::final_name;
use taxonomy_model::{Name, Term};

use super::time::rfc3339;
use crate::csv::{CsvWriter, flag, list};
use crate::fields::category_name;

/// The columns. These names are published.
pub const COLUMNS: [&str; 12] = [
    "id",
    "culture",
    "final_name",
    "category_id",
    "lineage_ids",
    "lineage_names",
    "deprecated",
    "removed",
    "valid_from_version",
    "valid_to_version",
    "valid_from",
    "valid_to",
];

/// A moment at which a version was committed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) version: Version,
    pub(super) committed_at_ms: u64,
}

/// The columns of a row about a term in a culture.
#[derive(Debug)]
pub(super) struct RowContent {
    culture: Box<str>,
    final_name: Box<str>,
    category: u64,
    lineage_ids: Box<str>,
    lineage_names: Box<str>,
    deprecated: bool,
}

impl RowContent {
    pub(super) fn new(term: Term<'_>, name: Name<'_>) -> io::Result<Self> {
        let ids: Vec<u64> = term.ancestors().map(|above| above.id().get()).collect();
        let names = term
            .ancestors()
            .map(|above| above.node.best_name(name.culture).name);
        let names: Vec<&str> = names.collect();
        Ok(Self {
            culture: name.culture.as_str().into(),
            final_name: final_name(category_name(term, name.culture), name.name).into(),
            category: term.category().id().get(),
            lineage_ids: list(&ids)?.into(),
            lineage_names: list(&names)?.into(),
            deprecated: term.node.details().deprecated,
        })
    }
}

/// When a row counts.
pub(super) struct RowSpan {
    pub(super) from: Option<Moment>,
    pub(super) to: Option<Moment>,
    pub(super) removed: bool,
}

impl RowSpan {
    pub(super) fn write(
        &self,
        content: &RowContent,
        id: TermId,
        rows: &mut CsvWriter<impl Write>,
    ) -> io::Result<()> {
        let version = |moment: Option<Moment>| moment.map(|moment| moment.version.get().to_string());
        let time = |moment: Option<Moment>| moment.map(|moment| rfc3339(moment.committed_at_ms));
        rows.row(&[
            &id.to_string(),
            &content.culture,
            &content.final_name,
            &content.category.to_string(),
            &content.lineage_ids,
            &content.lineage_names,
            // As the service answers.
            flag(content.deprecated || self.removed),
            flag(self.removed),
            &version(self.from).unwrap_or_default(),
            &version(self.to).unwrap_or_default(),
            &time(self.from).unwrap_or_default(),
            &time(self.to).unwrap_or_default(),
        ])
    }
}
