//! Refuses nodes whose item DynamoDB would not take.
//!
//! The item of a term in the default culture holds its names in all cultures, for listings; the limits of the values bound everything else in
//! it. A category has one item with everything in every culture, so the sum of that needs a bound of its own.

use std::collections::BTreeMap;

use super::json::Reader;
use crate::attribute::{size, write};
use crate::details::Details;
use crate::items::MAX_BYTES;
use crate::report::Code;
use crate::stored::{StoredCategory, StoredName};
use crate::text::narrow;
use crate::tree::{NodeData, NodeRef, PathData, Tree};

/// Names of a term in all cultures together, tags included. The largest of everything else in its item takes 336,000 bytes, so the item
/// stays below [`MAX_BYTES`].
const MAX_NAMES: usize = 40_000;

/// Records an issue at the names of each term that take more than [`MAX_NAMES`] bytes.
pub(super) fn term_names(reader: &mut Reader) {
    for place in 0..narrow(reader.tree.terms.len()) {
        let tree = &reader.tree;
        let names = tree.names_of(&tree.terms[place as usize]).iter();
        let bytes = names
            .map(|name| tree.cultures[usize::from(name.culture)].as_str().len() + name.name.len as usize);
        let bytes = bytes.sum::<usize>();
        if bytes > MAX_NAMES {
            let message =
                format!("{bytes} bytes in all cultures together, tags included; {MAX_NAMES} are taken");
            reader.found(Code::NamesTooLarge, NodeRef::Term(place), "/names", message);
        }
    }
}

/// Records an issue at each category whose attributes take more than [`MAX_BYTES`].
pub(super) fn category_items(reader: &mut Reader, default: u16) {
    for place in 0..narrow(reader.tree.categories.len()) {
        let tree = &reader.tree;
        let category = &tree.categories[place as usize];
        // Tags, attribute names and lengths take 25 KB at most, so a category with few texts needs no closer look.
        if texts(tree, category) < MAX_BYTES / 2 {
            continue;
        }
        let Some(stored) = stored(tree, category, default) else {
            continue;
        };
        let bytes = size(&write(&stored));
        if bytes > MAX_BYTES {
            let message = format!("takes {bytes} bytes in all cultures together; an item holds {MAX_BYTES}");
            reader.found(Code::CategoryTooLarge, NodeRef::Category(place), "", message);
        }
    }
}

/// The bytes of all texts of a category.
fn texts(tree: &Tree, category: &NodeData) -> usize {
    let names = tree.names_of(category).iter().map(|name| {
        let path = match name.path {
            PathData::None => 0,
            PathData::Whole(path) | PathData::Below(path) => path.len,
        };
        (name.name.len + path) as usize
    });
    names.sum::<usize>() + tree.details(category).map_or(0, Details::bytes)
}

/// The category as it would be stored; none where it has no name in the default culture, which is an error of its own.
fn stored(tree: &Tree, category: &NodeData, default: u16) -> Option<StoredCategory> {
    let names = tree.names_of(category).iter().map(|name| {
        let culture = tree.cultures[usize::from(name.culture)].clone();
        let stored = StoredName {
            name: tree.text.get(name.name).to_owned(),
            path: tree.path(category, name).map(std::borrow::Cow::into_owned),
        };
        (culture, stored)
    });
    let mut names: BTreeMap<_, _> = names.collect();
    let details = tree.details(category).unwrap_or(Details::NONE);
    let default = &tree.cultures[usize::from(default)];
    let own = names.remove(default)?;
    Some(StoredCategory::new(default, own, names, details))
}
