//! The optional fields of a node that are lists or objects.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::de::SeqAccess;
use taxonomy_keys::Culture;

use super::json::{Elements, FileReader, ObjectList, ReadScalar, Scalar, ScalarObject};
use super::names::{MAX_CULTURES, NameFields, culture, value};
use super::text::TextKind;
use crate::day::is_day;
use crate::report::Code;
use crate::taxonomy::details::{Deprecation, Notes, RelatedId, Relation, RelationType};

const MAX_ALT_NAMES: usize = 100;
/// The maximum number of bytes of the alternative names of a node. Those of one culture share the item of the term in it.
const MAX_ALT_NAME_BYTES: usize = 150_000;
const MAX_REPLACEMENTS: usize = 50;
const MAX_RELATIONS: usize = 50;

/// Alternative names in the order of the file.
impl ObjectList for Vec<(Culture, String)> {
    type Element = NameFields;

    fn add(&mut self, reader: &mut FileReader, fields: NameFields) {
        if fields.culture.is_none() || fields.name.is_none() {
            reader.issue(Code::MissingField, "an alternative name needs culture and name");
        }
        let (Some(Some(culture)), Some(Some(name))) = (fields.culture, fields.name) else {
            return;
        };
        let entry = (culture, reader.tree.text.get(name).to_owned());
        let bytes = self.iter().map(|(_, name)| name.len()).sum::<usize>();
        if self.len() >= MAX_ALT_NAMES {
            reader.issue(
                Code::TooManyValues,
                format!("more than {MAX_ALT_NAMES} alternative names"),
            );
        } else if bytes + entry.1.len() > MAX_ALT_NAME_BYTES {
            let message = format!("alternative names of more than {MAX_ALT_NAME_BYTES} bytes together");
            reader.issue(Code::NamesTooLarge, message);
        } else if !self.contains(&entry) {
            self.push(entry);
        }
    }
}

/// Ids, each once.
impl Elements for Vec<u64> {
    fn element<'de, A: SeqAccess<'de>>(
        &mut self,
        reader: &mut FileReader,
        seq: &mut A,
    ) -> Result<Option<()>, A::Error> {
        let Some(scalar) = seq.next_element_seed(ReadScalar)? else {
            return Ok(None);
        };
        let Some(id) = scalar.id(reader) else {
            return Ok(Some(()));
        };
        if self.len() >= MAX_REPLACEMENTS {
            reader.issue(
                Code::TooManyValues,
                format!("more than {MAX_REPLACEMENTS} replacements"),
            );
        } else if !self.contains(&id) {
            self.push(id);
        }
        Ok(Some(()))
    }
}

#[derive(Default)]
pub(super) struct NoteFields {
    /// None where the field is absent, and none in it where it is invalid.
    culture: Option<Option<Culture>>,
    notes: Notes,
}

/// Definitions and scope notes by culture.
impl ObjectList for BTreeMap<Culture, Notes> {
    type Element = NoteFields;

    fn add(&mut self, reader: &mut FileReader, fields: NoteFields) {
        if fields.culture.is_none() {
            reader.issue(Code::MissingField, "culture is missing");
        }
        let Some(Some(culture)) = fields.culture else {
            return;
        };
        if reader.tree.culture_within(&culture, MAX_CULTURES).is_none() {
            let message = format!("the file names in more than {MAX_CULTURES} cultures");
            reader.issue_once(Code::TooManyValues, message);
            return;
        }
        match self.entry(culture) {
            Entry::Occupied(first) => {
                let message = format!("second notes in {}", first.key());
                reader.issue_at("culture", Code::DuplicateCulture, message);
            }
            Entry::Vacant(place) => drop(place.insert(fields.notes)),
        }
    }
}

impl ScalarObject for NoteFields {
    const FIELDS: &'static [&'static str] = &["culture", "definition", "scopeNote"];

    fn set(&mut self, reader: &mut FileReader, field: &str, scalar: &Scalar<'_>) {
        match field {
            "culture" => self.culture = Some(culture(reader, scalar)),
            "definition" => self.notes.definition = value(reader, TextKind::Note, scalar),
            _ => self.notes.scope_note = value(reader, TextKind::Note, scalar),
        }
    }
}

/// Reason and date of a deprecation.
impl ScalarObject for Deprecation {
    const FIELDS: &'static [&'static str] = &["reason", "since"];
    const OPTIONAL: bool = true;

    fn set(&mut self, reader: &mut FileReader, field: &str, scalar: &Scalar<'_>) {
        match field {
            "reason" => self.reason = value(reader, TextKind::Reason, scalar),
            _ => self.since = date(reader, scalar),
        }
    }
}

/// A calendar day as RFC 3339 writes it.
fn date(reader: &mut FileReader, scalar: &Scalar<'_>) -> Option<String> {
    let text = scalar.optional()?.text(reader)?;
    let is_day = is_day(text);
    if !is_day {
        reader.issue(Code::InvalidDate, "not a day such as 2026-01-31");
    }
    is_day.then(|| text.to_owned())
}

#[derive(Default)]
pub(super) struct RelationFields {
    /// None where the field is absent, and none in it where it is invalid; so is the id.
    kind: Option<Option<RelationType>>,
    scheme: Option<String>,
    id: Option<Option<RelatedId>>,
}

/// Relations, each once.
impl ObjectList for Vec<Relation> {
    type Element = RelationFields;

    fn add(&mut self, reader: &mut FileReader, fields: RelationFields) {
        if fields.kind.is_none() || fields.id.is_none() {
            reader.issue(Code::MissingField, "a relation needs type and id");
        }
        let (Some(Some(kind)), Some(Some(id))) = (fields.kind, fields.id) else {
            return;
        };
        let scheme = fields.scheme;
        if scheme.is_some() != matches!(id, RelatedId::Concept(_)) {
            let message = "with a scheme the id is a text, without one a term's number";
            reader.issue_at("id", Code::InvalidRelation, message);
            return;
        }
        let relation = Relation { kind, scheme, id };
        if self.len() >= MAX_RELATIONS {
            let message = format!("more than {MAX_RELATIONS} relations");
            reader.issue(Code::TooManyValues, message);
        } else if !self.contains(&relation) {
            self.push(relation);
        }
    }
}

impl ScalarObject for RelationFields {
    const FIELDS: &'static [&'static str] = &["type", "scheme", "id"];

    fn set(&mut self, reader: &mut FileReader, field: &str, scalar: &Scalar<'_>) {
        match field {
            "type" => self.kind = Some(relation_type(reader, scalar)),
            "scheme" => self.scheme = value(reader, TextKind::Scheme, scalar),
            _ => {
                self.id = Some(match scalar {
                    Scalar::Text(_) => value(reader, TextKind::Concept, scalar).map(RelatedId::Concept),
                    _ => scalar.id(reader).map(RelatedId::Term),
                });
            }
        }
    }
}

fn relation_type(reader: &mut FileReader, scalar: &Scalar<'_>) -> Option<RelationType> {
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
