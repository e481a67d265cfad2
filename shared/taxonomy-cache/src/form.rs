//! Entries as the second tier keeps them: JSON of the attributes that the table stores, which are pinned and checked where they are
//! read. What cannot be read, or answers another question, is a miss.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use taxonomy_keys::CategoryId;
use taxonomy_model::attribute::{self, Attributes};
use taxonomy_model::stored::ListedCategory;
use taxonomy_store::{Found, Page, Row};

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

/// An item with its version: [`Attributes`] when it is written, its stored shape when it is read. These names are the storage format.
#[derive(Serialize, Deserialize)]
struct ItemForm<T> {
    #[serde(rename = "V")]
    version: u64,
    item: T,
}

/// A row of a page. These names are the storage format.
#[derive(Serialize, Deserialize)]
struct RowForm<T> {
    id: u64,
    item: T,
}

/// A page. These names are the storage format.
#[derive(Serialize, Deserialize)]
struct PageForm<T> {
    items: Vec<RowForm<T>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<[String; 3]>,
}

impl Answer {
    /// As the second tier keeps it; none where it cannot be written, which no stored value brings about.
    pub(crate) fn to_form(&self, entry: &Entry) -> Option<Vec<u8>> {
        match self {
            Self::Term(found) => written(entry, found.as_deref().map(item)),
            Self::Category(found) => written(entry, found.as_deref().map(item)),
            Self::Categories(page) => {
                let rows = page.items.iter().map(|row| RowForm {
                    id: row.id.get(),
                    item: attribute::write(&row.value),
                });
                let page = PageForm {
                    items: rows.collect(),
                    next: page.next.clone(),
                };
                written(entry, Some(page))
            }
        }
    }

    /// What was kept for `entry`; none where it is no answer to that.
    pub(crate) fn from_form(entry: &Entry, bytes: &[u8]) -> Option<Self> {
        match entry {
            Entry::Term(_) => Some(Self::Term(read_item(entry, bytes)?.0)),
            Entry::Category(_) => Some(Self::Category(read_item(entry, bytes)?.0)),
            Entry::Categories { .. } => {
                let page = read::<PageForm<ListedCategory>>(entry, bytes)?.found?;
                let rows = page.items.into_iter().map(|row| {
                    Some(Row {
                        id: CategoryId::new(row.id)?,
                        value: row.item,
                    })
                });
                let page = Page {
                    items: rows.collect::<Option<_>>()?,
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

fn item<T: Serialize>(found: &Found<T>) -> ItemForm<Attributes> {
    ItemForm {
        version: found.modified_in,
        item: attribute::write(&found.value),
    }
}

fn read<T: DeserializeOwned>(entry: &Entry, bytes: &[u8]) -> Option<Form<T>> {
    let form: Form<T> = serde_json::from_slice(bytes).ok()?;
    (form.entry == entry.to_string()).then_some(form)
}

/// Something, or that it is not there.
struct Known<T>(Option<Arc<Found<T>>>);

fn read_item<T: DeserializeOwned>(entry: &Entry, bytes: &[u8]) -> Option<Known<T>> {
    let form = read::<ItemForm<T>>(entry, bytes)?;
    let found = form.found.map(|form| Found {
        value: form.item,
        modified_in: form.version,
    });
    Some(Known(found.map(Arc::new)))
}
