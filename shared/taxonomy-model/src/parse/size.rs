//! Refuses nodes whose item DynamoDB would not take.
//!
//! The item of a term in the default culture holds its names in all cultures, for listings; the limits of the values bound everything else in
//! it. A category has one item with everything in every culture, so the sum of that needs a bound of its own.

use super::json::{NodeRef, Reader};
use crate::attribute::{size, write};
use crate::items::{MAX_BYTES, alt_names_by_culture};
use crate::report::Code;
use crate::stored::{StoredCategory, StoredName};
use crate::taxonomy::{Extra, NodeData};
use crate::text::narrow;

/// Names of a term in all cultures together, tags included. The largest of everything else in its item takes 346,000 bytes, so the item
/// stays below [`MAX_BYTES`].
const MAX_NAMES: usize = 40_000;

/// Records an issue at the names of each term that take more than [`MAX_NAMES`] bytes.
pub(super) fn term_names(reader: &mut Reader) {
    for place in 0..narrow(reader.draft.terms.len()) {
        let draft = &reader.draft;
        let names = draft.names_of(&draft.terms[place as usize].names).iter();
        let bytes = names
            .map(|name| draft.cultures[usize::from(name.culture)].as_str().len() + name.name.len as usize);
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
    for place in 0..narrow(reader.draft.categories.len()) {
        let category = &reader.draft.categories[place as usize];
        // Tags, attribute names and lengths take 25 KB at most, so a category with few texts needs no closer look.
        if texts(reader, category) < MAX_BYTES / 2 {
            continue;
        }
        let Some(stored) = stored(reader, category, default) else {
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
fn texts(reader: &Reader, category: &NodeData) -> usize {
    let names = reader.draft.names_of(&category.names).iter();
    let names = names.map(|name| name.name.len + name.path.map_or(0, |path| path.len));
    let extra = extra(reader, category).map_or(0, |extra| {
        let alt_names = extra.alt_names.iter().map(|(_, name)| name.len());
        alt_names.sum::<usize>() + extra.metadata.as_ref().map_or(0, String::len)
    });
    names.map(|len| len as usize).sum::<usize>() + extra
}

/// The category as it would be stored; none where it has no name in the default culture, which is an error of its own.
fn stored(reader: &Reader, category: &NodeData, default: u16) -> Option<StoredCategory> {
    let draft = &reader.draft;
    let text = |span| draft.text(span).to_owned();
    let names = draft.names_of(&category.names);
    let own = names.iter().find(|name| name.culture == default)?;
    let others = names.iter().filter(|name| name.culture != default).map(|name| {
        let culture = draft.cultures[usize::from(name.culture)].clone();
        let stored = StoredName {
            name: text(name.name),
            path: name.path.map(text),
        };
        (culture, stored)
    });
    let nothing = Extra::default();
    let extra = extra(reader, category).unwrap_or(&nothing);
    Some(StoredCategory {
        culture: draft.cultures[usize::from(default)].clone(),
        name: text(own.name),
        path: own.path.map(text),
        names: others.collect(),
        notation: extra.notation.clone(),
        alt_names: alt_names_by_culture(&extra.alt_names),
        sort_key: extra.sort_key.clone(),
        metadata: extra.metadata.clone(),
        deprecated: extra.deprecated,
        replaced_by: extra.replaced_by.clone(),
        removed: false,
    })
}

fn extra<'r>(reader: &'r Reader, category: &NodeData) -> Option<&'r Extra> {
    category
        .extra
        .map(|position| &reader.draft.extras[position as usize])
}
