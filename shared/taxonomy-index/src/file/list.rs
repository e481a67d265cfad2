//! The lists of parts in the footer. A list is stored by columns, one array for each member: equal members compress well.

use serde::{Deserialize, Serialize};

use crate::damage::{Damaged, PartName};
use crate::file::part::Part;

/// Parts of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PartList {
    offset: Vec<u64>,
    packed: Vec<u32>,
    content: Vec<u32>,
    sum: Vec<u64>,
    /// Of blocks the first ordinals, of buckets the first keys, of bit maps the first bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) first: Vec<u64>,
    /// Of columns the highest `changedIn`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) changed_in: Vec<u64>,
}

impl PartList {
    pub(crate) fn push(&mut self, part: Part) {
        self.offset.push(part.offset);
        self.packed.push(part.packed);
        self.content.push(part.content);
        self.sum.push(part.sum);
    }

    pub(crate) fn len(&self) -> usize {
        self.offset.len()
    }

    /// The number of the last part whose `first` is at most `key`.
    pub(crate) fn last_up_to(&self, key: u64) -> Option<u32> {
        let behind = self.first.partition_point(|first| *first <= key);
        u32::try_from(behind.checked_sub(1)?).ok()
    }

    /// The part at a position, under its name.
    pub(crate) fn part(&self, position: usize, name: PartName) -> Option<Part> {
        Some(Part {
            name,
            offset: *self.offset.get(position)?,
            packed: *self.packed.get(position)?,
            content: *self.content.get(position)?,
            sum: *self.sum.get(position)?,
        })
    }

    /// Checks that all arrays have one length, that the parts lie one behind the other from `offset` on and that none is too large, and
    /// returns the offset behind the last.
    pub(crate) fn check(
        &self,
        mut offset: u64,
        has_changed_in: bool,
        name: impl Fn(u32) -> PartName,
    ) -> Result<u64, Damaged> {
        let footer = |reason| Err(PartName::Footer.malformed(reason));
        let (keys, none) = match has_changed_in {
            true => (&self.changed_in, &self.first),
            false => (&self.first, &self.changed_in),
        };
        let lengths = [self.packed.len(), self.content.len(), self.sum.len(), keys.len()];
        if lengths.iter().any(|length| *length != self.len()) || !none.is_empty() {
            return footer("a list of parts with arrays of different lengths");
        }
        for position in 0..self.len() {
            let number = u32::try_from(position).ok();
            let Some(part) = number.and_then(|number| self.part(position, name(number))) else {
                return footer("more parts than a number can have");
            };
            let is_empty = part.packed == 0 || part.content == 0;
            if part.offset != offset || is_empty || part.content > Part::most(part.name) {
                return footer(
                    "a part that lies elsewhere than behind the one before, or of no possible length",
                );
            }
            offset = part.range().end;
        }
        Ok(offset)
    }

    /// The content of all parts, in bytes.
    pub(crate) fn content(&self) -> u64 {
        self.content.iter().map(|bytes| u64::from(*bytes)).sum()
    }

    /// The bytes that it takes in memory, about.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.len() * (3 * size_of::<u64>() + 2 * size_of::<u32>())
    }
}
