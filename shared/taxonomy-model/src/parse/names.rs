//! The names of a node, and the scalar values of its fields.

use serde::de::{MapAccess, SeqAccess};
use taxonomy_keys::Culture;

use super::json::{Elements, Object, ReadObject, ReadScalar, Reader, Scalar};
use super::text::{Kind, checked};
use crate::report::Code;
use crate::taxonomy::names::{NameData, PathData};
use crate::taxonomy::tree::NodeRef;
use crate::text::Span;

/// The maximum number of cultures of a file, and so of each node. The head lists them all, every reader reads the head, and an item has at most 400 KB.
pub(super) const MAX_CULTURES: usize = 500;

/// The names of a node, from `start` on in the list of all.
pub(super) struct Names {
    pub(super) start: u32,
    /// The node above a term; most paths continue its path.
    pub(super) above: Option<NodeRef>,
}

impl Elements for Names {
    fn element<'de, A: SeqAccess<'de>>(
        &mut self,
        reader: &mut Reader,
        seq: &mut A,
    ) -> Result<Option<()>, A::Error> {
        let mut fields = NameFields::default();
        let Some(is_object) = seq.next_element_seed(ReadObject(reader, &mut fields))? else {
            return Ok(None);
        };
        let NameFields {
            culture,
            name,
            path,
            has_culture,
            has_name,
        } = fields;
        for (present, field) in [(has_culture, "culture"), (has_name, "name")] {
            if is_object && !present {
                reader.issue(Code::MissingField, format!("{field} is missing"));
            }
        }
        let (Some(culture), Some(name)) = (culture, name) else {
            return Ok(Some(()));
        };
        let Some(number) = reader.tree.culture_within(&culture, MAX_CULTURES) else {
            let message = format!("the file names in more than {MAX_CULTURES} cultures");
            reader.issue_once(Code::TooManyValues, message);
            return Ok(Some(()));
        };
        let known = reader.tree.names.get(&(self.start..reader.tree.names.end()));
        if known.iter().any(|other| other.culture == number) {
            reader.issue_at(
                "culture",
                Code::DuplicateCulture,
                format!("a second name in {culture}"),
            );
        } else {
            let tree = &mut reader.tree;
            let own = path.as_deref();
            let own = own.map_or(PathData::None, |path| tree.push_path(self.above, number, path));
            tree.names.push(NameData::new(number, name, own));
            reader.path = path.unwrap_or_default();
        }
        Ok(Some(()))
    }
}

#[derive(Default)]
pub(super) struct NameFields {
    pub(super) culture: Option<Culture>,
    pub(super) name: Option<Span>,
    path: Option<String>,
    pub(super) has_culture: bool,
    pub(super) has_name: bool,
}

impl Object for NameFields {
    const FIELDS: &'static [&'static str] = &["culture", "name", "path"];

    fn field<'de, A: MapAccess<'de>>(
        &mut self,
        reader: &mut Reader,
        field: usize,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let scalar = map.next_value_seed(ReadScalar)?;
        match Self::FIELDS[field] {
            "culture" => (self.has_culture, self.culture) = (true, culture(reader, &scalar)),
            "name" => (self.has_name, self.name) = (true, text(reader, Kind::Name, &scalar)),
            _ => self.path = path(reader, &scalar),
        }
        Ok(())
    }
}

/// Cultures of the file that are compared with a tag before it is parsed, which takes as long as some dozens of comparisons.
const FEW_CULTURES: usize = 16;

pub(super) fn culture(reader: &mut Reader, scalar: &Scalar<'_>) -> Option<Culture> {
    let tag = scalar.text(reader)?;
    let mut known = reader.tree.cultures.iter().take(FEW_CULTURES);
    if let Some(known) = known.find(|known| known.as_str() == tag) {
        return Some(known.clone());
    }
    let culture = tag.parse().ok();
    if culture.is_none() {
        reader.issue(Code::InvalidCulture, "not a language tag such as en-GB");
    }
    culture
}

pub(super) fn text(reader: &mut Reader, kind: Kind, scalar: &Scalar<'_>) -> Option<Span> {
    let text = scalar.text(reader)?;
    let text = checked(reader, kind, text);
    Some(reader.tree.push_text(&text))
}

/// Returns a path, in the buffer of the last one.
fn path(reader: &mut Reader, scalar: &Scalar<'_>) -> Option<String> {
    let text = scalar.optional()?.text(reader)?;
    let text = checked(reader, Kind::Path, text);
    if text.is_empty() {
        return None;
    }
    let mut path = std::mem::take(&mut reader.path);
    path.clear();
    path.push_str(&text);
    Some(path)
}

/// Returns an optional text; an empty one is absent.
pub(super) fn value(reader: &mut Reader, kind: Kind, scalar: &Scalar<'_>) -> Option<String> {
    let text = scalar.optional()?.text(reader)?;
    let text = checked(reader, kind, text);
    (!text.is_empty()).then(|| text.into_owned())
}
