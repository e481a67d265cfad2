//! The order of siblings for a reader: that of the ordinals, or the one that the file has for a culture.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use taxonomy_index::{Column, CultureOrder};
use taxonomy_keys::Culture;

use crate::files::error::VersionError;
use crate::files::parts::CONCURRENCY;
use crate::files::version_file::VersionFile;

/// The place where a page of a list begins: a position in the order of a culture, which is named by its place among all cultures of the version; an
/// ordinal without one. Later pages have the order of the first, whatever language they are asked in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The position.
    pub at: u32,
    /// The order.
    pub order: Option<u16>,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.order {
            Some(order) => write!(f, "{}.{order}", self.at),
            None => write!(f, "{}", self.at),
        }
    }
}

/// A text is not a position.
#[derive(Debug)]
pub struct NoPosition;

impl FromStr for Position {
    type Err = NoPosition;

    fn from_str(text: &str) -> Result<Self, NoPosition> {
        let (at, order) = match text.split_once('.') {
            Some((at, order)) => (at, Some(order.parse().map_err(|_| NoPosition)?)),
            None => (text, None),
        };
        let at = at.parse().map_err(|_| NoPosition)?;
        Ok(Self { at, order })
    }
}

impl VersionFile<'_> {
    /// Returns the order of siblings for a request: that of the first culture in which it takes a name, where the file has one for it.
    pub fn order_for(&self, order: &[Culture]) -> Option<u16> {
        self.footer().order_of(order.first()?)
    }

    /// Returns the ordinal at a position.
    pub(crate) async fn ordinal_at(&self, Position { at, order }: Position) -> Result<u32, VersionError> {
        let Some(order) = order else {
            return Ok(at);
        };
        let ordinal = self.order_part(order, at).await?.ordinal_at(at);
        ordinal.ok_or(VersionError::OutsideBranch)
    }

    /// Returns the position of an ordinal.
    pub(crate) async fn position_of(&self, ordinal: u32, order: Option<u16>) -> Result<u32, VersionError> {
        let Some(order) = order else {
            return Ok(ordinal);
        };
        let position = self.order_part(order, ordinal).await?.position_of(ordinal);
        position.ok_or(VersionError::OutsideBranch)
    }

    async fn order_part(&self, order: u16, position: u32) -> Result<Arc<CultureOrder>, VersionError> {
        // A cursor may be made up.
        let part = self
            .footer()
            .order_at(order, position)
            .ok_or(VersionError::OutsideBranch)?;
        self.part(part, CultureOrder::open, CultureOrder::bytes).await
    }

    /// Reads the columns of the first rows of a list concurrently: in an order of a culture neighbours may lie far apart.
    pub(crate) async fn read_rows(
        &self,
        positions: Range<u32>,
        order: Option<u16>,
        limit: usize,
    ) -> Result<(), VersionError> {
        if order.is_none() {
            return Ok(());
        }
        let mut columns = BTreeMap::new();
        for at in positions.take(limit) {
            let ordinal = self.ordinal_at(Position { at, order }).await?;
            columns.extend(self.footer().column_of(ordinal));
        }
        let read = columns
            .into_values()
            .map(|part| self.part(part, Column::open, Column::bytes));
        let read = stream::iter(read).buffer_unordered(CONCURRENCY);
        read.try_for_each(|_| std::future::ready(Ok(()))).await
    }
}
