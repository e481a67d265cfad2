//! The optional fields of a node that are lists or objects.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::de::{MapAccess, SeqAccess};
use taxonomy_keys::Culture;

use super::json::{Elements, Object, ReadObject, ReadScalar, Reader, Scalar};
use super::names::{MAX_CULTURES, NameFields, culture, value};
use super::text::Kind;
use crate::day::is_day;
use crate::report::Code;
use crate::taxonomy::details::{Deprecation, Notes, RelatedId, Relation, RelationType};

const MAX_ALT_NAMES: usize = 100;
/// The maximum number of bytes of the alternative names of a node. Those of one culture share the item of the term in it.
const MAX_ALT_NAME_BYTES: usize = 150_000;
const MAX_REPLACEMENTS: usize = 50;
const MAX_RELATIONS: usize = 50;

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
            reader.issue(Code::MissingField, "an alternative name needs culture and name");
        }
        let (Some(culture), Some(name)) = (fields.culture, fields.name) else {
            return Ok(Some(()));
        };
        let entry = (culture, reader.tree.text.get(name).to_owned());
        let bytes = self.0.iter().map(|(_, name)| name.len()).sum::<usize>();
        if self.0.len() >= MAX_ALT_NAMES {
            reader.issue(
                Code::TooManyValues,
                format!("more than {MAX_ALT_NAMES} alternative names"),
            );
        } else if bytes + entry.1.len() > MAX_ALT_NAME_BYTES {
            let message = format!("alternative names of more than {MAX_ALT_NAME_BYTES} bytes together");
            reader.issue(Code::NamesTooLarge, message);
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
                format!("more than {MAX_REPLACEMENTS} replacements"),
            );
        } else if !self.0.contains(&id) {
            self.0.push(id);
        }
        Ok(Some(()))
    }
}

/// Definitions and scope notes by culture.
pub(super) struct NoteList(pub(super) BTreeMap<Culture, Notes>);

#[derive(Default)]
struct NoteFields {
    culture: Option<Culture>,
    has_culture: bool,
    notes: Notes,
}

impl Elements for NoteList {
    fn element<'de, A: SeqAccess<'de>>(
        &mut self,
        reader: &mut Reader,
        seq: &mut A,
    ) -> Result<Option<()>, A::Error> {
        let mut fields = NoteFields::default();
        let Some(is_object) = seq.next_element_seed(ReadObject(reader, &mut fields))? else {
            return Ok(None);
        };
        if is_object && !fields.has_culture {
            reader.issue(Code::MissingField, "culture is missing");
        }
        let Some(culture) = fields.culture else {
            return Ok(Some(()));
        };
        if reader.tree.culture_within(&culture, MAX_CULTURES).is_none() {
            let message = format!("the file names in more than {MAX_CULTURES} cultures");
            reader.issue_once(Code::TooManyValues, message);
            return Ok(Some(()));
        }
        match self.0.entry(culture) {
            Entry::Occupied(first) => {
                let message = format!("second notes in {}", first.key());
                reader.issue_at("culture", Code::DuplicateCulture, message);
            }
            Entry::Vacant(place) => drop(place.insert(fields.notes)),
        }
        Ok(Some(()))
    }
}

impl Object for NoteFields {
    const FIELDS: &'static [&'static str] = &["culture", "definition", "scopeNote"];

    fn field<'de, A: MapAccess<'de>>(
        &mut self,
        reader: &mut Reader,
        field: usize,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let scalar = map.next_value_seed(ReadScalar)?;
        match Self::FIELDS[field] {
            "culture" => (self.has_culture, self.culture) = (true, culture(reader, &scalar)),
            "definition" => self.notes.definition = value(reader, Kind::Note, &scalar),
            _ => self.notes.scope_note = value(reader, Kind::Note, &scalar),
        }
        Ok(())
    }
}

/// Reason and date of a deprecation.
impl Object for Deprecation {
    const FIELDS: &'static [&'static str] = &["reason", "since"];

    fn field<'de, A: MapAccess<'de>>(
        &mut self,
        reader: &mut Reader,
        field: usize,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let scalar = map.next_value_seed(ReadScalar)?;
        match Self::FIELDS[field] {
            "reason" => self.reason = value(reader, Kind::Reason, &scalar),
            _ => self.since = date(reader, &scalar),
        }
        Ok(())
    }
}

/// A calendar day as RFC 3339 writes it.
fn date(reader: &mut Reader, scalar: &Scalar<'_>) -> Option<String> {
    let text = scalar.optional()?.text(reader)?;
    let is_day = is_day(text);
    if !is_day {
        reader.issue(Code::InvalidDate, "not a day such as 2026-01-31");
    }
    is_day.then(|| text.to_owned())
}

/// Relations, each once.
pub(super) struct Relations(pub(super) Vec<Relation>);

#[derive(Default)]
struct RelationFields {
    kind: Option<RelationType>,
    scheme: Option<String>,
    id: Option<RelatedId>,
    has_kind: bool,
    has_id: bool,
}

impl Elements for Relations {
    fn element<'de, A: SeqAccess<'de>>(
        &mut self,
        reader: &mut Reader,
        seq: &mut A,
    ) -> Result<Option<()>, A::Error> {
        let mut fields = RelationFields::default();
        let Some(is_object) = seq.next_element_seed(ReadObject(reader, &mut fields))? else {
            return Ok(None);
        };
        if is_object && !(fields.has_kind && fields.has_id) {
            reader.issue(Code::MissingField, "a relation needs type and id");
        }
        let (Some(kind), Some(id)) = (fields.kind, fields.id) else {
            return Ok(Some(()));
        };
        let scheme = fields.scheme;
        if scheme.is_some() != matches!(id, RelatedId::Concept(_)) {
            let message = "with a scheme the id is a text, without one a term's number";
            reader.issue_at("id", Code::InvalidRelation, message);
            return Ok(Some(()));
        }
        let relation = Relation { kind, scheme, id };
        if self.0.len() >= MAX_RELATIONS {
            let message = format!("more than {MAX_RELATIONS} relations");
            reader.issue(Code::TooManyValues, message);
        } else if !self.0.contains(&relation) {
            self.0.push(relation);
        }
        Ok(Some(()))
    }
}

impl Object for RelationFields {
    const FIELDS: &'static [&'static str] = &["type", "scheme", "id"];

    fn field<'de, A: MapAccess<'de>>(
        &mut self,
        reader: &mut Reader,
        field: usize,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let scalar = map.next_value_seed(ReadScalar)?;
        match Self::FIELDS[field] {
            "type" => (self.has_kind, self.kind) = (true, relation_type(reader, &scalar)),
            "scheme" => self.scheme = value(reader, Kind::Scheme, &scalar),
            _ => {
                self.has_id = true;
                self.id = match scalar {
                    Scalar::Text(_) => value(reader, Kind::Concept, &scalar).map(RelatedId::Concept),
                    _ => scalar.id(reader).map(RelatedId::Term),
                };
            }
        }
        Ok(())
    }
}

fn relation_type(reader: &mut Reader, scalar: &Scalar<'_>) -> Option<RelationType> {
    let text = scalar.text(reader)?;
    let known = RelationType::ALL.into_iter().find(|kind| kind.as_str() == text);
    if known.is_none() {
        reader.issue(
            Code::InvalidRelation,
            "the type is exact, close, broad, narrow or related",
        );
    }
    known
}
