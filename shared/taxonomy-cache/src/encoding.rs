//! The encoding of entries in the second tier: JSON of the attributes that the table stores, which are pinned and checked when they are
//! read. An entry that cannot be decoded, or is the value of another query, is a miss.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use taxonomy_model::attribute::{self, Attributes};
use taxonomy_store::Found;

use crate::cached_value::CachedValue;
use crate::query::Query;

/// A value and its query. These names are the storage format.
#[derive(Serialize, Deserialize)]
struct Encoded<T> {
    entry: String,
    /// Left out for an absent item.
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

impl CachedValue {
    /// Encodes a value; `None` if it cannot be encoded, which happens for no stored value.
    pub(crate) fn encode(&self, entry: &Query) -> Option<Vec<u8>> {
        match self {
            Self::Term(found) => written(entry, found.as_deref().map(item)),
            Self::Category(found) => written(entry, found.as_deref().map(item)),
        }
    }

    /// Decodes the value of `query`; `None` if the bytes are the value of another query or damaged.
    pub(crate) fn from_form(entry: &Query, bytes: &[u8]) -> Option<Self> {
        match entry {
            Query::Term(_) => Some(Self::Term(read_item(entry, bytes)?.0)),
            Query::Category(_) => Some(Self::Category(read_item(entry, bytes)?.0)),
        }
    }
}

fn written<T: Serialize>(entry: &Query, found: Option<T>) -> Option<Vec<u8>> {
    let entry = entry.to_string();
    serde_json::to_vec(&Encoded { entry, found }).ok()
}

fn item<T: Serialize>(found: &Found<T>) -> ItemForm<Attributes> {
    ItemForm {
        version: found.modified_in,
        item: attribute::write(&found.value),
    }
}

fn read<T: DeserializeOwned>(entry: &Query, bytes: &[u8]) -> Option<Encoded<T>> {
    let form: Encoded<T> = serde_json::from_slice(bytes).ok()?;
    (form.entry == entry.to_string()).then_some(form)
}

/// An item, or its absence.
struct Known<T>(Option<Arc<Found<T>>>);

fn read_item<T: DeserializeOwned>(entry: &Query, bytes: &[u8]) -> Option<Known<T>> {
    let form = read::<ItemForm<T>>(entry, bytes)?;
    let found = form.found.map(|form| Found {
        value: form.item,
        modified_in: form.version,
    });
    Some(Known(found.map(Arc::new)))
}
