//! Entries as the second tier keeps them: JSON of the attributes that the table stores, which are pinned and checked where they are
//! read. What cannot be read, or answers another question, is a miss.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use taxonomy_model::attribute::{Attributes, Malformed};
use taxonomy_model::stored::{StoredAncestor, StoredCategory, StoredTerm};
use taxonomy_store::{Found, Page, TermWithAncestors};

use crate::answer::Answer;
use crate::entry::Entry;

/// An answer and what it is the answer to. These names are the storage format.
#[derive(Serialize, Deserialize)]
struct Form<T> {
    entry: String,
    /// Left out for what is not there.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    found: Option<T>,
}

/// An item with its version. These names are the storage format.
#[derive(Serialize, Deserialize)]
struct ItemForm {
    #[serde(rename = "V")]
    version: u64,
    item: Attributes,
    /// Of a term with its ancestors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ancestors: Vec<Attributes>,
}

/// A page. These names are the storage format.
#[derive(Serialize, Deserialize)]
struct PageForm {
    items: Vec<ItemForm>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<[String; 3]>,
}

impl Answer {
    /// As the second tier keeps it; none where it cannot be written, which no stored value brings about.
    pub(crate) fn to_form(&self, entry: &Entry) -> Option<Vec<u8>> {
        match self {
            Self::Term(found) => written(
                entry,
                found.as_ref().map(|found| {
                    let ancestors = found.value.ancestors.iter();
                    ItemForm {
                        ancestors: ancestors.map(StoredAncestor::attributes).collect(),
                        ..item(found.value.term.attributes(), found.modified_in)
                    }
                }),
            ),
            Self::Item(found) => written(
                entry,
                found
                    .as_ref()
                    .map(|found| item(found.value.attributes(), found.modified_in)),
            ),
            Self::Category(found) => written(entry, found.as_deref().map(category)),
            Self::Categories(page) => {
                let page = PageForm {
                    items: page.items.iter().map(category).collect(),
                    next: page.next.clone(),
                };
                written(entry, Some(page))
            }
        }
    }

    /// What was kept for `entry`; none where it is no answer to that.
    pub(crate) fn from_form(entry: &Entry, bytes: &[u8]) -> Option<Self> {
        match entry {
            Entry::Term(_) => {
                let found = read_item(entry, bytes, |form| {
                    let ancestors = form.ancestors.iter().map(StoredAncestor::read);
                    Ok(TermWithAncestors {
                        term: StoredTerm::read(&form.item)?,
                        ancestors: ancestors.collect::<Result<_, _>>()?,
                    })
                });
                Some(Self::Term(found?.0))
            }
            Entry::Item(_) => {
                let found = read_item(entry, bytes, |form| StoredTerm::read(&form.item));
                Some(Self::Item(found?.0))
            }
            Entry::Category(_) => {
                let found = read_item(entry, bytes, |form| StoredCategory::read(&form.item));
                Some(Self::Category(found?.0))
            }
            Entry::Categories { .. } => {
                let page: PageForm = read::<PageForm>(entry, bytes)?.found?;
                let items = page.items.iter();
                let items = items.map(|form| found(form, |form| StoredCategory::read(&form.item)));
                let items = items.collect::<Result<_, _>>().ok()?;
                let page = Page {
                    items,
                    next: page.next,
                };
                Some(Self::Categories(Arc::new(page)))
            }
        }
    }
}

fn written<T: Serialize>(entry: &Entry, found: Option<T>) -> Option<Vec<u8>> {
    let entry = entry.to_string();
    serde_json::to_vec(&Form { entry, found }).ok()
}

fn item(item: Attributes, version: u64) -> ItemForm {
    ItemForm {
        version,
        item,
        ancestors: Vec::new(),
    }
}

fn category(found: &Found<StoredCategory>) -> ItemForm {
    item(found.value.attributes(), found.modified_in)
}

fn read<T: DeserializeOwned>(entry: &Entry, bytes: &[u8]) -> Option<Form<T>> {
    let form: Form<T> = serde_json::from_slice(bytes).ok()?;
    (form.entry == entry.to_string()).then_some(form)
}

/// Something, or that it is not there.
struct Known<T>(Option<Arc<Found<T>>>);

fn read_item<T>(
    entry: &Entry,
    bytes: &[u8],
    value: impl Fn(&ItemForm) -> Result<T, Malformed>,
) -> Option<Known<T>> {
    match read::<ItemForm>(entry, bytes)?.found {
        None => Some(Known(None)),
        Some(form) => Some(Known(Some(Arc::new(found(&form, value).ok()?)))),
    }
}

fn found<T>(
    form: &ItemForm,
    value: impl Fn(&ItemForm) -> Result<T, Malformed>,
) -> Result<Found<T>, Malformed> {
    Ok(Found {
        value: value(form)?,
        modified_in: form.version,
    })
}
