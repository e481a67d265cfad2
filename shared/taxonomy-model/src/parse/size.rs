//! Refuses nodes that are too large in all cultures together; the limits of single values bound everything else.
//!
//! A block of the index file contains the names of a term and of its ancestors in every culture, so the names of a term have a bound. A category has one
//! item with all fields in every culture, so their sum has one.

use std::collections::BTreeMap;

use super::json::FileReader;
use crate::items::MAX_BYTES;
use crate::items::attribute::{billed_size, write};
use crate::items::stored::{StoredCategory, StoredName};
use crate::report::Code;
use crate::taxonomy::details::Details;
use crate::taxonomy::names::PathData;
use crate::taxonomy::tree::{NodeData, NodeRef, TaxonomyTree};
use crate::text::narrow;

/// The maximum number of bytes of the names of a term in all cultures together, tags included. Readers hold a block in memory whole, with 32 levels of them.
const MAX_NAMES: usize = 40_000;

/// Records an issue at the names of each term that take more than [`MAX_NAMES`] bytes.
pub(super) fn term_names(reader: &mut FileReader) {
    for place in 0..narrow(reader.tree.terms.len()) {
        let tree = &reader.tree;
        let names = tree.names_of(&tree.terms[place as usize]);
        let bytes = names.iter().map(|name| {
            tree.cultures[usize::from(name.culture)].as_str().len() + usize::from(name.name().len)
        });
        let bytes = bytes.sum::<usize>();
        if bytes > MAX_NAMES {
            let is_cut = names.iter().any(|name| name.name().may_be_cut());
            let at_least = if is_cut { "at least " } else { "" };
            let message = format!(
                "{at_least}{bytes} bytes in all cultures together, tags included; {MAX_NAMES} are taken"
            );
            reader.found(Code::NamesTooLarge, NodeRef::Term(place), "/names", message);
        }
    }
}

/// Records an issue at each category whose attributes take more than [`MAX_BYTES`].
pub(super) fn category_items(reader: &mut FileReader, default: u16) {
    for place in 0..narrow(reader.tree.categories.len()) {
        let tree = &reader.tree;
        let category = &tree.categories[place as usize];
        // Tags, attribute names and lengths take at most 25 KB, so a category with short texts needs no exact computation.
        if texts(tree, category) < MAX_BYTES / 2 {
            continue;
        }
        let Some(stored) = stored(tree, category, default) else {
            continue;
        };
        let bytes = billed_size(&write(&stored));
        if bytes > MAX_BYTES {
            let message = format!("takes {bytes} bytes in all cultures together; an item holds {MAX_BYTES}");
            reader.found(Code::CategoryTooLarge, NodeRef::Category(place), "", message);
        }
    }
}

/// The bytes of all texts of a category.
fn texts(tree: &TaxonomyTree, category: &NodeData) -> usize {
    let names = tree.names_of(category).iter().map(|name| {
        let path = match name.path() {
            PathData::None => 0,
            PathData::Whole(path) | PathData::Below(path) => path.len,
        };
        usize::from(name.name().len) + usize::from(path)
    });
    names.sum::<usize>() + tree.details(category).map_or(0, Details::bytes)
}

/// Returns the stored form of the category; none if it has no name in the default culture, which another check reports.
fn stored(tree: &TaxonomyTree, category: &NodeData, default: u16) -> Option<StoredCategory> {
    let names = tree.names_of(category).iter().map(|name| {
        let culture = tree.cultures[usize::from(name.culture)].clone();
        let stored = StoredName {
            name: tree.text.get(name.name()).to_owned(),
            path: tree.path(category, name).map(std::borrow::Cow::into_owned),
        };
        (culture, stored)
    });
    let mut names: BTreeMap<_, _> = names.collect();
    let details = tree.details(category).unwrap_or(Details::none());
    let default = &tree.cultures[usize::from(default)];
    let own = names.remove(default)?;
    Some(StoredCategory::new(default, own, names, details))
}
