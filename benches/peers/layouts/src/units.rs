//! The sizes of items and of their entries in the index, and the units of writing them.

use taxonomy_model::attribute::{Attributes, billed_size};

use crate::layout::{Item, Layout, Table};

fn bytes_of(names: [&str; 2], values: &[String; 2]) -> usize {
    names.iter().map(|name| name.len()).sum::<usize>() + values.iter().map(String::len).sum::<usize>()
}

/// With its keys and, where it has one, a version of one digit.
pub(crate) fn item_bytes(item: &Item, layout: &Layout) -> usize {
    let index = item
        .index
        .as_ref()
        .map_or(0, |index| bytes_of(["GSI1PK", "GSI1SK"], index));
    let version = if layout.has_versions { "V".len() + 2 } else { 0 };
    bytes_of(["PK", "SK"], &item.key) + index + version + billed_size(&item.attributes)
}

/// Returns the entry of an item in the index; none if it is not listed.
fn entry(item: &Item, layout: &Layout) -> Option<([String; 2], Attributes)> {
    let copied = item
        .attributes
        .iter()
        .filter(|(name, _)| layout.indexed.contains(&name.as_str()));
    let copied = copied.map(|(name, value)| (name.clone(), value.clone()));
    Some((item.index.clone()?, copied.collect()))
}

pub(crate) fn entry_bytes(item: &Item, layout: &Layout) -> usize {
    let version = if layout.indexed.contains(&"V") { 3 } else { 0 };
    entry(item, layout).map_or(0, |(index, copied)| {
        bytes_of(["PK", "SK"], &item.key)
            + bytes_of(["GSI1PK", "GSI1SK"], &index)
            + version
            + billed_size(&copied)
    })
}

/// The writes between two versions.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Writes {
    pub(crate) items: usize,
    /// Write units, those of the index among them.
    pub(crate) units: usize,
    pub(crate) of_index: usize,
}

/// Returns the writes between two versions: the larger of the old and the new item, and the entry in the index where it changed.
pub(crate) fn writes(old: &Table, new: &Table, layout: &Layout) -> Writes {
    let mut writes = Writes::default();
    let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
    for key in keys {
        let (before, after) = (old.get(key), new.get(key));
        if before == after {
            continue;
        }
        let of_index = index_units([before, after], layout);
        let sides = [before, after].into_iter().flatten();
        let bytes = sides.map(|item| item_bytes(item, layout));
        writes.items += 1;
        writes.units += units(bytes.max().unwrap_or_default()) + of_index;
        writes.of_index += of_index;
    }
    writes
}

fn units(bytes: usize) -> usize {
    bytes.div_ceil(1024)
}

/// Returns the write units of the index for a changed item.
fn index_units(sides: [Option<&Item>; 2], layout: &Layout) -> usize {
    let entries = sides.map(|item| item.and_then(|item| entry(item, layout)));
    // The version is an attribute too: where the index copies it, every write of a listed item writes its entry.
    if entries[0] == entries[1] && !layout.indexed.contains(&"V") {
        return 0;
    }
    let places = entries
        .each_ref()
        .map(|entry| entry.as_ref().map(|(place, _)| place));
    let bytes = sides
        .into_iter()
        .flatten()
        .map(|item| units(entry_bytes(item, layout)));
    if places[0] == places[1] {
        bytes.max().unwrap_or_default()
    } else {
        // An entry that moves is removed and put.
        bytes.sum()
    }
}
