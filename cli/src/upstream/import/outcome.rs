//! The outcome of an import.

use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{ImportCounts, ImportReport};

/// The outcome of an import, which the report shows.
pub(super) struct ImportOutcome {
    pub(super) format: SourceFormat,
    pub(super) release: Option<String>,
    pub(super) accepted: bool,
    pub(super) counts: ImportCounts,
    pub(super) report: ImportReport,
}
