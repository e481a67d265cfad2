//! Ordinals that changed after a version: the difference of two versions begins with them.

use taxonomy_keys::Version;

use crate::error::VersionError;
use crate::file::VersionFile;

/// Rows that one page looks at.
const MOST_ROWS: usize = 1 << 20;

/// A page of ordinals that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPage {
    /// The ordinals, ascending.
    pub ordinals: Vec<u32>,
    /// The ordinal where the next page begins; none after the last.
    pub next: Option<u32>,
}

impl VersionFile<'_> {
    /// At most `limit` ordinals, from `from` on, whose last change came after `version`: categories and terms, removed ones at the end. It
    /// skips columns in which nothing changed, so a page costs the same wherever it begins.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn changed_after(
        &self,
        version: Option<Version>,
        from: u32,
        limit: usize,
    ) -> Result<ChangedPage, VersionError> {
        let changed = |changed_in: Version| version.is_none_or(|version| changed_in > version);
        let mut page = ChangedPage {
            ordinals: Vec::with_capacity(limit),
            next: None,
        };
        let mut looked_at = 0;
        for number in 0..self.footer().columns() {
            let Some(ordinals) = self
                .footer()
                .ordinals_of_column(number)
                .filter(|ordinals| ordinals.end > from)
            else {
                continue;
            };
            if let Some(version) = version
                && !self
                    .footer()
                    .columns_changed_after(version)
                    .any(|(changed, _)| changed == number)
            {
                continue;
            }
            let start = ordinals.start.max(from);
            if page.ordinals.len() == limit || looked_at >= MOST_ROWS {
                page.next = Some(start);
                return Ok(page);
            }
            for (ordinal, row) in (start..ordinals.end).zip(self.rows(start..ordinals.end, usize::MAX).await?)
            {
                looked_at += 1;
                if changed(row.changed_in) {
                    if page.ordinals.len() == limit {
                        page.next = Some(ordinal);
                        return Ok(page);
                    }
                    page.ordinals.push(ordinal);
                }
            }
        }
        Ok(page)
    }
}
