//! Refuses a category whose item DynamoDB would not take.
//!
//! A term has an item of its own for each culture, and the limits of its values bound each of them. A category has one item with its
//! names in every culture, so the sum of them needs a bound of its own.

use taxonomy_keys::CategoryId;

use super::json::{NodeRef, Reader};
use crate::attribute::size;
use crate::items::{MAX_BYTES, alt_names_by_culture};
use crate::report::Code;
use crate::stored::StoredCategory;
use crate::taxonomy::{Extra, NodeData};
use crate::text::narrow;

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
        let bytes = size(&stored.attributes());
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
        (culture, text(name.name), name.path.map(text))
    });
    let nothing = Extra::default();
    let extra = extra(reader, category).unwrap_or(&nothing);
    Some(StoredCategory {
        id: CategoryId::new(category.id).unwrap_or(CategoryId::MAX),
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
