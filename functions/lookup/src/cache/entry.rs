//! Entries: finished answers about one node in one language, ready to be sent.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use quick_cache::Weighter;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use taxonomy_api::{CultureName, Place, RelatedNode};
use taxonomy_keys::{Culture, Version};
use taxonomy_model::NodeId;

use crate::cache::current_version::VersionKey;

/// The name of an entry within its version: a node, and the culture whose order of cultures names it, `None` for the default culture alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EntryName {
    pub(crate) node: NodeId,
    pub(crate) culture: Option<Culture>,
}

/// A version and a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct EntryKey {
    pub(crate) version: VersionKey,
    pub(crate) name: EntryName,
}

/// The answer about a node that exists: a JSON object without `requestedCulture`, which is of the request.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    json: Box<RawValue>,
    /// The `culture` of the answer.
    pub(crate) culture: Culture,
}

/// The value of an entry: `None` for a node that does not exist.
pub(crate) type Kept = Option<Arc<Entry>>;

/// An entry as a response has it: with what the request asks for beside it, and the requested culture, as its last members.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Requested<'e> {
    pub(crate) entry: &'e Entry,
    pub(crate) beside: Option<&'e Beside<'e>>,
    pub(crate) culture: Option<&'e Culture>,
}

/// The members of an answer that no entry has, since few requests ask for them.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Beside<'e> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) names: Option<Vec<CultureName<'e>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) related: Option<Vec<RelatedNode<'e>>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) related_truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<Place<'e>>,
}

/// The form of an entry in the second tier. These names are the storage format.
#[derive(Serialize, Deserialize)]
struct Encoded<'a> {
    #[serde(borrow)]
    entry: Cow<'a, str>,
    /// `null` for a node that does not exist; never left out.
    #[serde(borrow, deserialize_with = "Option::deserialize")]
    answer: Option<&'a RawValue>,
}

/// The members of an answer that tell what it is about.
#[derive(Deserialize)]
struct About<'a> {
    #[serde(borrow)]
    tenant: Cow<'a, str>,
    version: Version,
    id: u64,
    culture: Culture,
}

impl Entry {
    /// Serialises the answer about a node, in which `culture` is the member of that name.
    pub(crate) fn new(answer: &impl Serialize, culture: &Culture) -> Result<Self, serde_json::Error> {
        Ok(Self {
            json: to_raw_value(answer)?,
            culture: culture.clone(),
        })
    }

    /// Returns the JSON of the answer.
    pub(crate) fn json(&self) -> &str {
        self.json.get()
    }

    /// Encodes an entry for the second tier; `None` if it cannot be encoded, which happens for no entry.
    pub(crate) fn encode(name: &EntryName, kept: &Kept) -> Option<Vec<u8>> {
        let encoded = Encoded {
            entry: name.to_string().into(),
            answer: kept.as_deref().map(|entry| &*entry.json),
        };
        serde_json::to_vec(&encoded).ok()
    }

    /// Decodes an entry; `None` if the bytes are another entry, that of another version, or damaged.
    pub(crate) fn decode(version: &VersionKey, name: &EntryName, bytes: &[u8]) -> Option<Kept> {
        // Checked as a whole: the JSON parser does not check what it skips.
        let text = std::str::from_utf8(bytes).ok()?;
        let Encoded { entry, answer } = serde_json::from_str(text).ok()?;
        if entry != name.to_string() {
            return None;
        }
        let Some(json) = answer else {
            return Some(None);
        };
        let about: About<'_> = serde_json::from_str(json.get()).ok()?;
        let (NodeId::Category(id) | NodeId::Term(id)) = name.node;
        let is_of_it =
            about.tenant == version.tenant.as_str() && about.version == version.version && about.id == id;
        is_of_it.then(|| {
            Some(Arc::new(Self {
                json: json.to_owned(),
                culture: about.culture,
            }))
        })
    }
}

/// The name in the second tier. These names are the storage format.
impl fmt::Display for EntryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node {
            NodeId::Term(id) => write!(f, "term:{id}")?,
            NodeId::Category(id) => write!(f, "category:{id}")?,
        }
        match &self.culture {
            Some(culture) => write!(f, ":{}", culture.as_str()),
            None => Ok(()),
        }
    }
}

impl Requested<'_> {
    /// Returns its JSON. The entry is copied as it is: parsing it once more would be most of the work of a batch.
    pub(crate) fn json(&self) -> Result<Cow<'_, str>, serde_json::Error> {
        let entry = self.entry.json();
        let beside = self.beside.map(serde_json::to_string).transpose()?;
        let beside = beside.as_deref().unwrap_or("{}");
        let beside = beside.strip_prefix('{').and_then(|json| json.strip_suffix('}'));
        let culture = self
            .culture
            .map(|culture| ["\"requestedCulture\":\"", culture.as_str(), "\""].concat());
        let members = [beside, culture.as_deref()].into_iter().flatten();
        let members: Vec<&str> = members.filter(|members| !members.is_empty()).collect();
        Ok(match entry.strip_suffix('}') {
            Some(open) if !members.is_empty() => [open, ",", &members.join(","), "}"].concat().into(),
            _ => entry.into(),
        })
    }
}

/// The overhead of an entry in bytes: the cache, the reference counts and the allocator.
const OVERHEAD: usize = 250;

/// A size in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryWeight;

impl Weighter<EntryKey, Kept> for EntryWeight {
    fn weight(&self, key: &EntryKey, kept: &Kept) -> u64 {
        let name = key
            .name
            .culture
            .as_ref()
            .map_or(0, |culture| culture.as_str().len());
        let value = kept
            .as_ref()
            .map_or(0, |entry| size_of::<Entry>() + entry.json().len());
        (OVERHEAD + size_of::<EntryKey>() + name + value) as u64
    }
}

/// Entry points for the targets of `fuzz/`; no other build contains them.
#[cfg(fuzzing)]
pub(crate) mod fuzzing {
    use super::{Entry, EntryName, NodeId, Version, VersionKey};

    /// Decodes the bytes as the entry of each kind, and encodes it again as this build does; `None` where they are no entry of any.
    pub fn reencoded(bytes: &[u8]) -> Option<Option<Vec<u8>>> {
        let version = VersionKey {
            tenant: "acme".parse().ok()?,
            version: Version::FIRST,
            changeset: 0,
        };
        let names = [
            (NodeId::Term(2), None),
            (NodeId::Term(2), "fr-FR".parse().ok()),
            (NodeId::Category(1), None),
        ];
        names.into_iter().find_map(|(node, culture)| {
            let name = EntryName { node, culture };
            let kept = Entry::decode(&version, &name, bytes)?;
            Some(Entry::encode(&name, &kept))
        })
    }
}
