//! The names in a search object.

/// The kind of a name. The order is that of the ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The name of the term.
    Preferred,
    /// Another name of the term.
    Alternative,
    /// The code of the term in a classification.
    Notation,
}

/// One name of one term.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// The position of the term in the version, in preorder.
    pub ordinal: u32,
    /// The id of the term.
    pub id: u64,
    /// The name in its displayed form.
    pub name: &'a str,
    /// The kind of the name.
    pub kind: Kind,
    /// The depth of the term.
    pub depth: u8,
    /// Whether the term is deprecated.
    pub deprecated: bool,
    /// The text that the term is sorted by among its siblings; empty for none.
    pub sort_key: &'a str,
}

/// The number of combinations of kind and state: names are numbered by partition, so that a partition is a range of ranks.
pub(crate) const PARTITIONS: usize = 6;

impl Entry<'_> {
    /// Returns its partition: by kind, and live before deprecated in each.
    pub(crate) fn partition(&self) -> usize {
        self.kind as usize * 2 + usize::from(self.deprecated)
    }
}

/// Returns the kind and the state of the names of a partition.
pub(crate) fn of_partition(partition: usize) -> (Kind, bool) {
    let kind = match partition / 2 {
        0 => Kind::Preferred,
        1 => Kind::Alternative,
        _ => Kind::Notation,
    };
    (kind, partition % 2 == 1)
}
