//! What hangs on a node: names, alternative names, replacements, and the small values they are made of.

use serde::de::{MapAccess, SeqAccess};
use taxonomy_keys::Culture;

use super::json::{Elements, Object, ReadObject, ReadScalar, Reader, Scalar};
use super::text::{Kind, checked};
use crate::report::Code;
use crate::taxonomy::NameData;
use crate::text::Span;

/// Of a whole file, and so of each node. The head lists them all, every reader reads the head, and an item ends at 400 KB.
pub(super) const MAX_CULTURES: usize = 500;
const MAX_ALT_NAMES: usize = 100;
const MAX_REPLACEMENTS: usize = 50;

/// The names of a node, from `start` on in the draft's list.
pub(super) struct Names {
    pub(super) start: u32,
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
                reader.issue(Code::MissingField, None, format!("{field} is missing"));
            }
        }
        let (Some(culture), Some(name)) = (culture, name) else {
            return Ok(Some(()));
        };
        let Some(number) = reader.draft.culture_within(&culture, MAX_CULTURES) else {
            let message = format!("the file names in more than {MAX_CULTURES} cultures");
            reader.issue_once(Code::TooManyValues, message);
            return Ok(Some(()));
        };
        let known = reader.draft.names.get(&(self.start..reader.draft.names.end()));
        if known.iter().any(|other| other.culture == number) {
            reader.issue_at(
                "culture",
                Code::DuplicateCulture,
                format!("a second name in {culture}"),
            );
        } else {
            reader.draft.names.push(NameData {
                culture: number,
                name,
                path,
            });
        }
        Ok(Some(()))
    }
}

#[derive(Default)]
struct NameFields {
    culture: Option<Culture>,
    name: Option<Span>,
    path: Option<Span>,
    has_culture: bool,
    has_name: bool,
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
            _ => {
                self.path = scalar
                    .optional()
                    .and_then(|path| text(reader, Kind::Path, path))
                    .filter(|path| path.len > 0);
            }
        }
        Ok(())
    }
}

/// Alternative names in the order of the file.
pub(super) struct AltNames(pub(super) Vec<(Culture, String)>);

impl Elements for AltNames {
    fn element<'de, A: SeqAccess<'de>>(
        &mut self,
        reader: &mut Reader,
        seq: &mut A,
    ) -> Result<Option<()>, A::Error> {
        let mut fields = NameFields::default();
        let Some(is_object) = seq.next_element_seed(ReadObject(reader, &mut fields))? else {
            return Ok(None);
        };
        if is_object && !(fields.has_culture && fields.has_name) {
            reader.issue(
                Code::MissingField,
                None,
                "an alternative name needs culture and name".to_owned(),
            );
        }
        let (Some(culture), Some(name)) = (fields.culture, fields.name) else {
            return Ok(Some(()));
        };
        let entry = (culture, reader.draft.text(name).to_owned());
        if self.0.len() >= MAX_ALT_NAMES {
            reader.issue(
                Code::TooManyValues,
                None,
                format!("more than {MAX_ALT_NAMES} alternative names"),
            );
        } else if !self.0.contains(&entry) {
            self.0.push(entry);
        }
        Ok(Some(()))
    }
}

/// The ids in a list, each once.
pub(super) struct Ids(pub(super) Vec<u64>);

impl Elements for Ids {
    fn element<'de, A: SeqAccess<'de>>(
        &mut self,
        reader: &mut Reader,
        seq: &mut A,
    ) -> Result<Option<()>, A::Error> {
        let Some(scalar) = seq.next_element_seed(ReadScalar)? else {
            return Ok(None);
        };
        let Some(id) = scalar.id(reader) else {
            return Ok(Some(()));
        };
        if self.0.len() >= MAX_REPLACEMENTS {
            reader.issue(
                Code::TooManyValues,
                None,
                format!("more than {MAX_REPLACEMENTS} replacements"),
            );
        } else if !self.0.contains(&id) {
            self.0.push(id);
        }
        Ok(Some(()))
    }
}

pub(super) fn culture(reader: &mut Reader, scalar: &Scalar<'_>) -> Option<Culture> {
    let tag = scalar.text(reader)?;
    let culture = tag.parse().ok();
    if culture.is_none() {
        reader.issue(
            Code::InvalidCulture,
            None,
            "not a language tag such as en-GB".to_owned(),
        );
    }
    culture
}

pub(super) fn text(reader: &mut Reader, kind: Kind, scalar: &Scalar<'_>) -> Option<Span> {
    let text = scalar.text(reader)?;
    let text = checked(reader, kind, text);
    Some(reader.draft.push_text(&text))
}

/// A notation or sort key; an empty text is none.
pub(super) fn value(reader: &mut Reader, kind: Kind, scalar: &Scalar<'_>) -> Option<String> {
    let text = scalar.optional()?.text(reader)?;
    let text = checked(reader, kind, text);
    (!text.is_empty()).then(|| text.into_owned())
}
