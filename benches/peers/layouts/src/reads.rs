//! The units of reading.

use std::collections::BTreeMap;

use crate::grouped;
use crate::layout::{Layout, Table};
use crate::units::{entry_bytes, item_bytes};

fn half_units(halves: usize) -> String {
    format!("{}.{}", halves / 2, if halves % 2 == 1 { 5 } else { 0 })
}

/// Units for a term with its ancestors, eventually consistent: the mean, and how many terms take how many half units.
pub(crate) fn reads(table: &Table, layout: &Layout) -> String {
    let mut bytes: BTreeMap<&String, usize> = BTreeMap::new();
    for ([pk, sk], item) in table {
        if pk.starts_with("TERM#") && sk.as_str() >= layout.with_ancestors {
            *bytes.entry(pk).or_default() += item_bytes(item, layout);
        }
    }
    let mut terms_by_halves: BTreeMap<usize, usize> = BTreeMap::new();
    for bytes in bytes.values() {
        *terms_by_halves.entry(bytes.div_ceil(4096)).or_default() += 1;
    }
    let halves: usize = terms_by_halves.iter().map(|(halves, terms)| halves * terms).sum();
    // In hundredths, to stay with whole numbers.
    let mean = halves * 50 / bytes.len().max(1);
    let most = terms_by_halves.keys().max().copied().unwrap_or_default();
    let terms = (1..=most).map(|halves| grouped(terms_by_halves.get(&halves).copied().unwrap_or_default()));
    format!(
        "{}.{:02}; {}",
        mean / 100,
        mean % 100,
        terms.collect::<Vec<_>>().join(", ")
    )
}

/// Units of the longest list of a kind, read to its end; `-` where the layout has none.
pub(crate) fn listing(table: &Table, list: &str, layout: &Layout) -> String {
    let mut bytes: BTreeMap<&String, usize> = BTreeMap::new();
    for item in table.values() {
        if let Some([place, _]) = item.index.as_ref().filter(|[place, _]| place.starts_with(list)) {
            *bytes.entry(place).or_default() += entry_bytes(item, layout);
        }
    }
    let longest = bytes.values().max();
    longest.map_or("-".to_owned(), |bytes| half_units(bytes.div_ceil(4096)))
}
