//! `fields=`: the members of a response that the caller selects, by the names in the description. Pure.
//!
//! Works on the serialised response of any route, so handlers need no code for it and a request without `fields=` does not pay for it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::members::MemberName;
use crate::response::compression::MAX_BODY;
use crate::response::problem::Problem;

/// The fields that a request selects from a value, each with those that it selects inside of it; a field without any is kept whole. From a list,
/// they are selected from each element.
#[derive(Debug, Default, PartialEq, Eq)]
struct Fields(BTreeMap<String, Fields>);

const WHOLE: &Fields = &Fields(BTreeMap::new());

/// The fields that a request selects from a response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    fields: Fields,
    /// Whether the response is a list, of whose items the fields are.
    is_of_items: bool,
}

impl Selection {
    /// Parses a comma-separated list of fields; a name is a path such as `category.name`. The id is always kept, and the kind that it is an
    /// id of, where items have several.
    ///
    /// # Errors
    /// `invalid-parameter` for the first name that is not `known`; its detail lists the names that exist.
    pub(crate) fn parse(known: &[&str], is_of_items: bool, text: &str) -> Result<Self, Problem> {
        let mut names = BTreeSet::from(["id"]);
        names.extend(known.iter().filter(|name| **name == "kind"));
        for (position, name) in text.split(',').enumerate() {
            if !known.contains(&name) {
                let pointer = format!("/query/fields/{position}");
                return Err(Problem::invalid_parameter(unknown(known, name), pointer));
            }
            names.insert(name);
        }
        let (mut fields, mut whole) = (Fields::default(), "");
        for name in names {
            // A member that is kept whole comes before those inside of it.
            if name.strip_prefix(whole).is_some_and(|rest| rest.starts_with('.')) {
                continue;
            }
            whole = name;
            let mut place = &mut fields;
            for member in name.split('.') {
                place = place.0.entry(member.to_owned()).or_default();
            }
        }
        Ok(Self { fields, is_of_items })
    }

    /// Keeps these members of a serialised response.
    ///
    /// # Errors
    /// `answer-too-large` where they are longer than a response may be; `internal-error` where the response is not JSON.
    pub(crate) fn select(&self, answer: &str) -> Result<String, Problem> {
        let mut out = Vec::with_capacity(answer.len() / 4);
        let level = if self.is_of_items {
            Level::List
        } else {
            Level::Object
        };
        let writer = FieldWriter::new(&self.fields, level, &mut out);
        let kept = writer.deserialize(&mut serde_json::Deserializer::from_str(answer));
        if out.len() > MAX_BODY {
            return Err(Problem::answer_too_large());
        }
        kept.map_err(Problem::internal)?;
        String::from_utf8(out).map_err(Problem::internal)
    }
}

/// Where an object lies in a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// A list, of whose items the fields are.
    List,
    /// An item of a list, or of a batch before its status.
    Item,
    /// An item of a batch behind its status: the fields are those of what is beside it.
    BatchItem,
    /// The object with the fields, or one inside of it.
    Object,
}

/// Writes what some fields keep of a value while it reads the value, once.
struct FieldWriter<'f, 'o> {
    fields: &'f Fields,
    level: Level,
    out: &'o mut Vec<u8>,
}

impl<'f, 'o> FieldWriter<'f, 'o> {
    fn new(fields: &'f Fields, level: Level, out: &'o mut Vec<u8>) -> Self {
        Self { fields, level, out }
    }

    /// Returns what is kept of a member, and its level.
    fn member(&self, name: &str) -> Option<(&'f Fields, Level)> {
        match (self.level, name) {
            (Level::List, "items") => Some((self.fields, Level::Item)),
            (Level::List, _) | (Level::Item, "status") | (Level::BatchItem, "problem") => {
                Some((WHOLE, Level::Object))
            }
            (Level::BatchItem, _) => Some((self.fields, Level::Object)),
            (Level::Item | Level::Object, _) => Some((self.fields.0.get(name)?, Level::Object)),
        }
    }

    fn separate(&mut self) {
        if !self.out.ends_with(b"{") && !self.out.ends_with(b"[") {
            self.out.push(b',');
        }
    }
}

impl<'de> DeserializeSeed<'de> for FieldWriter<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.fields != WHOLE {
            return deserializer.deserialize_any(self);
        }
        let whole = <&RawValue>::deserialize(deserializer)?;
        self.out.extend_from_slice(whole.get().as_bytes());
        Ok(())
    }
}

/// A value with members that are selected: an object, a list of such, or none.
impl<'de> Visitor<'de> for FieldWriter<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object, a list or null")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        self.out.push(b'{');
        while let Some(MemberName(name)) = members.next_key()? {
            let kept = self.member(&name);
            if self.level == Level::Item && name == "status" {
                self.level = Level::BatchItem;
            }
            let Some((fields, level)) = kept else {
                members.next_value::<IgnoredAny>()?;
                continue;
            };
            self.separate();
            serde_json::to_writer(&mut *self.out, &name).map_err(A::Error::custom)?;
            self.out.push(b':');
            members.next_value_seed(FieldWriter::new(fields, level, self.out))?;
        }
        self.out.push(b'}');
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        self.out.push(b'[');
        loop {
            // The serialised response takes its memory at the same time.
            if self.out.len() > MAX_BODY {
                return Err(A::Error::custom("what is selected is too large"));
            }
            let length = self.out.len();
            self.separate();
            let element = FieldWriter::new(self.fields, self.level, self.out);
            if elements.next_element_seed(element)?.is_none() {
                self.out.truncate(length);
                break;
            }
        }
        self.out.push(b']');
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.out.extend_from_slice(b"null");
        Ok(())
    }
}

/// Returns the reason why a name is unknown, with the names that there are in its place.
fn unknown(known: &[&str], name: &str) -> String {
    let members = name.match_indices('.').map(|(end, _)| &name[..=end]);
    let is_known = |member: &&str| member.strip_suffix('.').is_some_and(|name| known.contains(&name));
    let above = members.take_while(is_known).last().unwrap_or_default();
    let beside = known.iter().filter_map(|known| known.strip_prefix(above));
    let beside: Vec<&str> = beside.filter(|name| !name.contains('.')).collect();
    match &*beside {
        [] => "This member has no members to choose from.".to_owned(),
        names => format!("There is no such member. There are: {}.", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::{field_names, selection};
    use crate::response::problem::ProblemCode;
    use crate::routes::ROUTES;

    fn parse(path: &str, fields: &str) -> Result<Selection, Problem> {
        let path = format!("/v1/tenants/{{tenant}}{path}");
        let route = ROUTES.iter().find(|route| route.path == path).unwrap();
        selection(route, fields)
    }

    const TERM: &str = r#"{"id":1,"name":"a\"b,","category":{"id":2,"name":"c"},"ancestors":[{"id":3,"name":"d"},{"id":4,"name":"e"}],"altNames":["x"],"metadata":{"id":[1,2.50]}}"#;

    #[test]
    fn an_answer_keeps_what_is_named_and_its_id() {
        for (fields, expect) in [
            ("name", r#"{"id":1,"name":"a\"b,"}"#),
            ("id", r#"{"id":1}"#),
            ("altNames,name", r#"{"id":1,"name":"a\"b,","altNames":["x"]}"#),
            ("metadata", r#"{"id":1,"metadata":{"id":[1,2.50]}}"#),
            ("notation", r#"{"id":1}"#),
            ("category.name", r#"{"id":1,"category":{"name":"c"}}"#),
            (
                "category.name,category",
                r#"{"id":1,"category":{"id":2,"name":"c"}}"#,
            ),
            (
                "category,category.name",
                r#"{"id":1,"category":{"id":2,"name":"c"}}"#,
            ),
            (
                "ancestors.name",
                r#"{"id":1,"ancestors":[{"name":"d"},{"name":"e"}]}"#,
            ),
        ] {
            let selection = parse("/terms/{id}", fields).unwrap();
            assert_eq!(selection.select(TERM).unwrap(), expect);
        }
    }

    /// A few members of the largest batch, a hundred terms of 541,000 bytes, are a short response; copying all of them stops at the limit.
    #[test]
    fn a_selection_that_cannot_be_sent_is_not_made() {
        let name = "x".repeat(541_000);
        let item = format!(r#"{{"id":1,"status":200,"term":{{"id":1,"depth":1,"name":"{name}"}}}}"#);
        let batch = format!(r#"{{"items":[{}]}}"#, vec![item; 100].join(","));
        let select = |fields| parse("/terms", fields).unwrap().select(&batch);
        assert!(select("depth").unwrap().len() < 10_000);
        assert_eq!(select("name").unwrap_err().code(), ProblemCode::AnswerTooLarge);
    }

    #[test]
    fn an_unknown_name_is_refused_with_those_that_there_are() {
        let refused = |path: &str, fields: &str| {
            let problem = parse(path, fields).unwrap_err();
            let document = serde_json::to_value(problem.document()).unwrap();
            let text = |name: &str| document[name].as_str().unwrap().to_owned();
            (problem.code().as_str(), text("pointer"), text("detail"))
        };
        let (code, pointer, detail) = refused("/terms/{id}", "name,colour");
        assert_eq!((code, &*pointer), ("invalid-parameter", "/query/fields/1"));
        assert!(detail.contains("altNames, ancestors, category, "), "{detail}");
        let members = "There is no such member. There are: culture, id, name, path.";
        assert_eq!(refused("/terms/{id}", "category.colour").2, members);
        let none = "This member has no members to choose from.";
        assert_eq!(refused("/terms/{id}", "metadata.colour").2, none);
        let malformed = [
            "",
            "name,",
            ",name",
            "name.",
            "name.x",
            ".name",
            "category..name",
            " name",
        ];
        for fields in malformed.into_iter().chain(["category,category.x", "items"]) {
            assert_eq!(refused("/terms/{id}", fields).0, "invalid-parameter", "{fields}");
        }
        assert_eq!(refused("/terms", "status").0, "invalid-parameter");
    }

    /// The rule that finds the fields holds for every route.
    #[test]
    fn every_answer_about_a_tenant_has_fields() {
        for route in ROUTES.iter().filter(|route| !route.is_public()) {
            let all = field_names(route);
            assert!(!all.is_empty(), "{route:?}");
            for name in &all {
                assert!(selection(route, name).is_ok(), "{route:?} {name}");
            }
            assert!(selection(route, &all.join(",")).is_ok(), "{route:?} {all:?}");
        }
    }
}
