//! Ordinals that changed after a version, from which the difference of two versions is computed.

use taxonomy_index::Row;
use taxonomy_keys::Version;

use crate::files::error::VersionError;
use crate::files::version_file::VersionFile;

/// An ordinal that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChangedOrdinal {
    pub(crate) ordinal: u32,
    /// No version up to the earlier one had the id.
    pub(crate) is_new: bool,
}

/// A page of ordinals that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChangedPage {
    /// The ordinals, ascending.
    pub(crate) changed: Vec<ChangedOrdinal>,
    /// The ordinal where the next page begins; none after the last.
    pub(crate) next: Option<u32>,
    /// The number of scanned rows.
    pub(crate) rows: usize,
}

impl VersionFile<'_> {
    /// Returns at most `limit` ordinals, from `from` on, whose last change came after `version`: categories and terms, removed ones at the end. An
    /// id that was added and removed after `version` is omitted. Columns without changes are skipped, and no column is begun after
    /// `rows` rows, so the cost of a page does not depend on its position.
    pub(crate) async fn changed_after(
        &self,
        version: Option<Version>,
        from: u32,
        limit: usize,
        rows: usize,
    ) -> Result<ChangedPage, VersionError> {
        let mut page = ChangedPage {
            changed: Vec::with_capacity(limit),
            next: None,
            rows: 0,
        };
        for number in self.columns_after(version) {
            let ordinals = self.footer().ordinals_of_column(number).unwrap_or_default();
            if ordinals.end <= from {
                continue;
            }
            let start = ordinals.start.max(from);
            if page.changed.len() == limit || page.rows >= rows {
                page.next = Some(start);
                return Ok(page);
            }
            let column = self.rows(start..ordinals.end).await?;
            for (ordinal, row) in (start..ordinals.end).zip(column) {
                page.rows += 1;
                let Some(is_new) = differs_since(&row, version) else {
                    continue;
                };
                if page.changed.len() == limit {
                    page.next = Some(ordinal);
                    return Ok(page);
                }
                page.changed.push(ChangedOrdinal { ordinal, is_new });
            }
        }
        Ok(page)
    }

    /// Returns the ordinals of a column whose last change came after `version`, but for those that were added and removed after it.
    pub(crate) async fn changed_in_column(
        &self,
        number: u32,
        version: Option<Version>,
    ) -> Result<Vec<u32>, VersionError> {
        let ordinals = self.footer().ordinals_of_column(number).unwrap_or_default();
        let rows = self.rows(ordinals.clone()).await?;
        let changed = ordinals.zip(rows);
        let changed = changed.filter(|(_, row)| differs_since(row, version).is_some());
        Ok(changed.map(|(ordinal, _)| ordinal).collect())
    }

    /// Returns the numbers of the columns with changes after a version.
    pub(crate) fn columns_after(&self, version: Option<Version>) -> Vec<u32> {
        match version {
            None => (0..self.footer().columns()).collect(),
            Some(version) => {
                let columns = self.footer().columns_changed_after(version);
                columns.map(|(number, _)| number).collect()
            }
        }
    }
}

/// Returns whether the id is new since a version; none if it did not change, or was added and removed.
fn differs_since(row: &Row, version: Option<Version>) -> Option<bool> {
    let is_after = |changed: Version| version.is_none_or(|version| changed > version);
    let is_new = is_after(row.created_in);
    (is_after(row.changed_in) && !(is_new && row.removed)).then_some(is_new)
}
