//! Walks JSON: objects with known fields, lists, scalars. A value of the wrong type is an issue and does not end the parse.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use taxonomy_keys::Culture;

use super::misnamed;
use crate::report::{Code, Issue, Report};
use crate::taxonomy::tree::{NodeRef, TaxonomyTree};
use crate::text::Span;

/// The state that grows while a file is read.
pub(super) struct FileReader {
    pub(super) tree: TaxonomyTree,
    pub(super) report: Report,
    pub(super) default_culture: Option<Culture>,
    /// The plain `name` of nodes that have one.
    pub(super) plain_names: Vec<(NodeRef, Span)>,
    /// The position of each category and term in its list, for the pointers of later checks.
    pub(super) category_positions: Vec<u32>,
    pub(super) term_positions: Vec<u32>,
    pub(super) max_nodes: usize,
    /// The issues that are reported once, however often they occur.
    pub(super) said: BTreeSet<Code>,
    /// The buffer of the last path, for the next one.
    pub(super) path: String,
    pointer: Vec<Step>,
}

enum Step {
    Field(&'static str),
    Index(u32),
}

impl FileReader {
    pub(super) fn new(max_nodes: usize) -> Self {
        Self {
            tree: TaxonomyTree::default(),
            report: Report::new(),
            default_culture: None,
            plain_names: Vec::new(),
            category_positions: Vec::new(),
            term_positions: Vec::new(),
            max_nodes,
            said: BTreeSet::new(),
            path: String::new(),
            pointer: Vec::new(),
        }
    }

    /// Records an issue at the current position. Returns it if it is listed.
    pub(super) fn issue(&mut self, code: Code, message: impl Into<String>) -> Option<&mut Issue> {
        let Self { report, pointer, .. } = self;
        report.add(code, None, message.into(), || render(pointer, None))
    }

    /// Records an issue at a field of the current object.
    pub(super) fn issue_at(&mut self, field: &str, code: Code, message: impl Into<String>) {
        let Self { report, pointer, .. } = self;
        report.add(code, None, message.into(), || render(pointer, Some(field)));
    }

    /// Records an issue of the whole file, at its first occurrence.
    pub(super) fn issue_once(&mut self, code: Code, message: String) {
        if self.said.insert(code) {
            self.issue(code, message);
        }
    }

    fn wrong_type(&mut self, expected: &str) {
        self.issue(Code::WrongType, format!("expected {expected}"));
    }

    pub(super) fn position(&self) -> u32 {
        match self.pointer.last() {
            Some(Step::Index(position)) => *position,
            _ => 0,
        }
    }
}

fn render(steps: &[Step], field: Option<&str>) -> String {
    let mut pointer = String::new();
    for step in steps {
        match step {
            Step::Field(name) => pointer.extend(["/", name]),
            Step::Index(position) => pointer.extend(["/", &position.to_string()]),
        }
    }
    if let Some(field) = field {
        pointer.extend(["/", &field.replace('~', "~0").replace('/', "~1")]);
    }
    pointer
}

/// An object of the format: its fields, and the handling of each.
pub(super) trait Object {
    /// The fields; [`Object::field`] receives the position in this list.
    const FIELDS: &'static [&'static str];

    /// Whether `null` is an absent object.
    const OPTIONAL: bool = false;

    /// The field that an unknown name misnames.
    fn meant(&self, name: &str) -> Option<&'static str> {
        misnamed::meant(name, Self::FIELDS)
    }

    /// Reads the value of a field.
    fn field<'de, A: MapAccess<'de>>(
        &mut self,
        reader: &mut FileReader,
        field: usize,
        map: &mut A,
    ) -> Result<(), A::Error>;
}

/// An object of the format whose fields are all scalars.
pub(super) trait ScalarObject {
    /// As [`Object::FIELDS`].
    const FIELDS: &'static [&'static str];

    /// As [`Object::OPTIONAL`].
    const OPTIONAL: bool = false;

    /// Takes the value of a field.
    fn set(&mut self, reader: &mut FileReader, field: &str, scalar: &Scalar<'_>);
}

impl<O: ScalarObject> Object for O {
    const FIELDS: &'static [&'static str] = O::FIELDS;
    const OPTIONAL: bool = O::OPTIONAL;

    fn field<'de, A: MapAccess<'de>>(
        &mut self,
        reader: &mut FileReader,
        field: usize,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let scalar = map.next_value_seed(ReadScalar)?;
        self.set(reader, O::FIELDS[field], &scalar);
        Ok(())
    }
}

/// The elements of a list of the format.
pub(super) trait Elements {
    /// Reads the next element, if there is one.
    fn element<'de, A: SeqAccess<'de>>(
        &mut self,
        reader: &mut FileReader,
        seq: &mut A,
    ) -> Result<Option<()>, A::Error>;
}

/// A list of the format whose elements are all objects.
pub(super) trait ObjectList {
    /// The fields of an element.
    type Element: Object + Default;

    /// Takes the next element.
    fn add(&mut self, reader: &mut FileReader, element: Self::Element);
}

impl<L: ObjectList> Elements for L {
    fn element<'de, A: SeqAccess<'de>>(
        &mut self,
        reader: &mut FileReader,
        seq: &mut A,
    ) -> Result<Option<()>, A::Error> {
        let mut element = L::Element::default();
        let is_object = seq.next_element_seed(ReadObject(reader, &mut element))?;
        if is_object == Some(true) {
            self.add(reader, element);
        }
        Ok(is_object.map(drop))
    }
}

/// Reads an object field by field; unknown and repeated fields become issues. Returns whether the value was an object.
pub(super) struct ReadObject<'r, O>(pub(super) &'r mut FileReader, pub(super) &'r mut O);

/// Reads a list element by element. Returns whether the value was a list; `null` is an absent list and no issue.
pub(super) struct ReadList<'r, E>(pub(super) &'r mut FileReader, pub(super) &'r mut E);

/// A value without members.
pub(super) enum Scalar<'de> {
    Text(Cow<'de, str>),
    Whole(u64),
    Number,
    Flag(bool),
    Null,
    Other,
}

impl Scalar<'_> {
    /// Returns none for `null` where the field is optional: many exporters write it.
    pub(super) fn optional(&self) -> Option<&Self> {
        (!matches!(self, Self::Null)).then_some(self)
    }

    /// The text, or an issue.
    pub(super) fn text(&self, reader: &mut FileReader) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => {
                reader.wrong_type("a text");
                None
            }
        }
    }

    /// The flag, or an issue.
    pub(super) fn flag(&self, reader: &mut FileReader) -> bool {
        match self {
            Self::Flag(up) => *up,
            Self::Null => false,
            _ => {
                reader.wrong_type("true or false");
                false
            }
        }
    }

    /// Returns the id, or reports an issue and returns none.
    pub(super) fn id(&self, reader: &mut FileReader) -> Option<u64> {
        match self {
            Self::Whole(number) if *number < 1 << 53 => Some(*number),
            Self::Whole(_) | Self::Number => {
                reader.issue(Code::InvalidId, "not a whole number from 0 to 9007199254740991");
                None
            }
            Self::Text(text) if text.parse().is_ok_and(|number: u64| number.to_string() == **text) => {
                reader.wrong_type("a number: the same without quotes");
                None
            }
            Self::Text(_) => {
                let issue = reader.issue(Code::WrongType, "expected a number, and this is a text");
                if let Some(issue) = issue {
                    issue.hint = KEYS;
                }
                None
            }
            _ => {
                reader.wrong_type("a number");
                None
            }
        }
    }
}

/// The next step where ids are the keys of another system.
const KEYS: &str = "Ids are numbers that never change their meaning. `taxonomy import csv --ids` numbers keys of other kinds, such as GUIDs, and keeps the numbers.";

/// Reads a [`Scalar`]; lists and objects are skipped.
pub(super) struct ReadScalar;

/// Records an issue for every type of value that a visitor does not expect.
macro_rules! anything_else_is_wrong {
    ($expected:literal, except $($kind:ident)*) => {
        anything_else_is_wrong!(@each $expected, [$($kind)*]);
    };
    (@each $expected:literal, [list]) => {
        anything_else_is_wrong!(@scalars $expected);
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            self.0.wrong_type($expected);
            Ok(false)
        }
    };
    (@each $expected:literal, [object]) => {
        anything_else_is_wrong!(@scalars $expected);
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<bool, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            self.0.wrong_type($expected);
            Ok(false)
        }
    };
    (@scalars $expected:literal) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str($expected)
        }
        fn visit_str<E>(self, _: &str) -> Result<bool, E> {
            self.0.wrong_type($expected);
            Ok(false)
        }
        fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
            self.0.wrong_type($expected);
            Ok(false)
        }
        fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
            self.0.wrong_type($expected);
            Ok(false)
        }
        fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
            self.0.wrong_type($expected);
            Ok(false)
        }
        fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
            self.0.wrong_type($expected);
            Ok(false)
        }
    };
}

impl<'de, O: Object> DeserializeSeed<'de> for ReadObject<'_, O> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, O: Object> Visitor<'de> for ReadObject<'_, O> {
    type Value = bool;

    anything_else_is_wrong!("an object", except object);

    fn visit_unit<E>(self) -> Result<bool, E> {
        if !O::OPTIONAL {
            self.0.wrong_type("an object");
        }
        Ok(false)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        let Self(reader, object) = self;
        let mut seen = 0_u32;
        while let Some(Text(key)) = map.next_key()? {
            let Some(field) = O::FIELDS.iter().position(|field| *field == key) else {
                let (code, message) = match object.meant(&key) {
                    Some(known) => (Code::MisnamedField, format!("the field is called {known} here")),
                    None => (Code::UnknownField, misnamed::unknown(&key)),
                };
                // A key may be long; its beginning suffices to find it.
                reader.issue_at(&key[..key.floor_char_boundary(64)], code, message);
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if seen & (1 << field) != 0 {
                reader.issue_at(&key, Code::DuplicateKey, "the object has the field twice");
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            seen |= 1 << field;
            reader.pointer.push(Step::Field(O::FIELDS[field]));
            object.field(reader, field, &mut map)?;
            reader.pointer.pop();
        }
        Ok(true)
    }
}

impl<'de, E: Elements> DeserializeSeed<'de> for ReadList<'_, E> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, L: Elements> Visitor<'de> for ReadList<'_, L> {
    type Value = bool;

    anything_else_is_wrong!("a list", except list);

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<bool, A::Error> {
        let Self(reader, elements) = self;
        for position in 0.. {
            reader.pointer.push(Step::Index(position));
            let element = elements.element(reader, &mut seq)?;
            reader.pointer.pop();
            if element.is_none() {
                break;
            }
        }
        Ok(true)
    }
}

impl<'de> DeserializeSeed<'de> for ReadScalar {
    type Value = Scalar<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Scalar<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ReadScalar {
    type Value = Scalar<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Whole(number))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Number)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Number)
    }

    fn visit_bool<E>(self, up: bool) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Flag(up))
    }

    fn visit_unit<E>(self) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Scalar<'de>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }
}

/// A key or other text, borrowed from the file unless it contains escapes.
#[derive(Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);
