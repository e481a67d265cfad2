//! The values in a JSON object or array as they are written, so that each has a place in the text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The members of an object in their order, also those of one key; or the elements of an array, whose keys are their indexes. A key is a part of
/// the text unless it contains an escape.
pub(crate) struct Members<'t>(pub(crate) Vec<(Cow<'t, str>, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some((MemberKey(key), member)) = map.next_entry()? {
            members.push((key, member));
        }
        Ok(Members(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Members<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(element) = list.next_element()? {
            members.push((members.len().to_string().into(), element));
        }
        Ok(Members(members))
    }
}

/// A key, copied only if it contains an escape.
#[derive(Deserialize)]
struct MemberKey<'t>(#[serde(borrow)] Cow<'t, str>);
