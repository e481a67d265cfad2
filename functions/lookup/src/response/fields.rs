//! `fields=`: the members of a response that the caller selects, by the names in the description. Pure.
//!
//! Works on the serialised response of any route, so handlers need no code for it and a request without `fields=` does not pay for it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::response::compression::MAX_BODY;
use crate::response::problem::{Problem, ProblemCode};

/// The maximum number of references and nullable wrappers around a schema.
const MAX_WRAPPERS: usize = 8;

/// The deepest nesting of members in the description.
const MAX_DEPTH: usize = 4;

/// The selection from a value; from a list, the selection from each element.
#[derive(Debug, PartialEq, Eq)]
enum Selected {
    All,
    Members(BTreeMap<String, Selected>),
    /// All members, and a selection from this one.
    AllBut(&'static str, Box<Selected>),
}

/// The fields that a request selects.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fields(Selected);

impl Fields {
    /// Parses a comma-separated list of fields of the operation of a path and a method; a name is a path such as `category.name`. The id is always kept.
    ///
    /// # Errors
    /// `invalid-parameter` for the first name that no response of the route has; its detail lists the names that exist.
    pub(crate) fn parse(
        document: &'static Value,
        (path, method): (&str, &str),
        text: &str,
    ) -> Result<Self, Problem> {
        let (around, schema) = place(document, answer_of(document, path, method));
        let mut selected = BTreeMap::from([("id".to_owned(), Selected::All)]);
        for (position, path) in text.split(',').enumerate() {
            let names: Vec<&str> = path.split('.').collect();
            select(document, &mut selected, schema, &names)
                .map_err(|problem| problem.at(format!("/query/fields/{position}")))?;
        }
        let of_item = Selected::Members(selected);
        let all_but = |inner, name: &&'static str| Selected::AllBut(name, Box::new(inner));
        Ok(Self(around.iter().rev().fold(of_item, all_but)))
    }

    /// Keeps these members of a serialised response.
    ///
    /// # Errors
    /// `answer-too-large` where they are longer than a response may be; `internal-error` where the response is not JSON.
    pub(crate) fn select(&self, answer: &str) -> Result<String, Problem> {
        let mut out = Vec::with_capacity(answer.len() / 4);
        let kept = Keep::new(&self.0, &mut out).deserialize(&mut serde_json::Deserializer::from_str(answer));
        if out.len() > MAX_BODY {
            return Err(Problem::answer_too_large());
        }
        kept.map_err(Problem::internal)?;
        String::from_utf8(out).map_err(Problem::internal)
    }
}

/// Returns the names of all fields of an operation, including nested members.
pub(crate) fn names(document: &Value, path: &str, method: &str) -> Vec<String> {
    let (_, schema) = place(document, answer_of(document, path, method));
    let mut names = Vec::new();
    add_names(document, schema, "", MAX_DEPTH, &mut names);
    names
}

fn add_names(document: &Value, schema: &Value, above: &str, depth: usize, names: &mut Vec<String>) {
    let members = schema["properties"].as_object().into_iter().flatten();
    for (name, member) in members {
        let name = format!("{above}{name}");
        if depth > 1 {
            let member = unwrapped(document, member);
            add_names(document, member, &format!("{name}."), depth - 1, names);
        }
        names.push(name);
    }
}

/// Adds a path to the selection, if the schema has it.
fn select(
    document: &'static Value,
    selected: &mut BTreeMap<String, Selected>,
    schema: &'static Value,
    path: &[&str],
) -> Result<(), Problem> {
    let known = schema["properties"].as_object();
    let [name, rest @ ..] = path else {
        return Ok(());
    };
    let Some(member) = known.and_then(|known| known.get(*name)) else {
        let names: Vec<&str> = known
            .into_iter()
            .flat_map(|known| known.keys())
            .map(String::as_str)
            .collect();
        let detail = match &*names {
            [] => "This member has no members to choose from.".to_owned(),
            names => format!("There is no such member. There are: {}.", names.join(", ")),
        };
        return Err(Problem::new(ProblemCode::InvalidParameter, detail));
    };
    if rest.is_empty() {
        selected.insert((*name).to_owned(), Selected::All);
        return Ok(());
    }
    let inner = selected
        .entry((*name).to_owned())
        .or_insert_with(|| Selected::Members(BTreeMap::new()));
    match inner {
        // The whole member is selected already; the rest of the path is only validated.
        Selected::All | Selected::AllBut(..) => {
            select(document, &mut BTreeMap::new(), unwrapped(document, member), rest)
        }
        Selected::Members(inner) => select(document, inner, unwrapped(document, member), rest),
    }
}

/// Returns the schema of the successful response of an operation.
fn answer_of<'d>(document: &'d Value, path: &str, method: &str) -> &'d Value {
    let operation = &document["paths"][path][method.to_ascii_lowercase()];
    unwrapped(
        document,
        &operation["responses"]["200"]["content"]["application/json"]["schema"],
    )
}

/// Returns the members that lead from a response with this schema to the object with the fields, and its schema: none for a single object, `items`
/// for a list, and `items` and the member beside id, status and problem for a batch.
fn place<'d>(document: &'d Value, answer: &'d Value) -> (Vec<&'d str>, &'d Value) {
    let items = &answer["properties"]["items"];
    if items.is_null() {
        return (Vec::new(), answer);
    }
    let item = unwrapped(document, items);
    let members = item["properties"].as_object();
    let is_batch = members.is_some_and(|all| all.contains_key("status") && all.contains_key("problem"));
    let payload = members.into_iter().flatten().find(|(name, _)| {
        let name = name.as_str();
        is_batch && !["id", "status", "problem"].contains(&name)
    });
    match payload {
        None => (vec!["items"], item),
        Some((name, schema)) => (vec!["items", name], unwrapped(document, schema)),
    }
}

/// Returns the schema of one value, behind references, nullable wrappers and lists.
fn unwrapped<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    let mut schema = schema;
    for _ in 0..MAX_WRAPPERS {
        let choices = schema["oneOf"].as_array();
        let choice = choices
            .into_iter()
            .flatten()
            .find(|choice| choice["type"] != "null");
        let reference = schema["$ref"].as_str().map(|text| text.trim_start_matches('#'));
        let next = match (reference, choice) {
            (Some(pointer), _) => document.pointer(pointer),
            (None, Some(choice)) => Some(choice),
            (None, None) => schema.get("items"),
        };
        match next {
            Some(next) => schema = next,
            None => break,
        }
    }
    schema
}

/// Writes the selection while it reads the value, once.
struct Keep<'s, 'o> {
    selected: &'s Selected,
    out: &'o mut Vec<u8>,
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'s, 'o> Keep<'s, 'o> {
    fn new(selected: &'s Selected, out: &'o mut Vec<u8>) -> Self {
        Self { selected, out }
    }

    /// Returns the selection from a member.
    fn member(&self, name: &str) -> Option<&'s Selected> {
        match self.selected {
            Selected::All => Some(&Selected::All),
            Selected::Members(members) => members.get(name),
            Selected::AllBut(member, inner) if *member == name => Some(inner),
            Selected::AllBut(..) => Some(&Selected::All),
        }
    }

    fn write<E: Error>(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), E> {
        serde_json::to_writer(&mut *self.out, value).map_err(E::custom)
    }

    fn separate(&mut self) {
        if !self.out.ends_with(b"{") && !self.out.ends_with(b"[") {
            self.out.push(b',');
        }
    }
}

impl<'de> DeserializeSeed<'de> for Keep<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if *self.selected != Selected::All {
            return deserializer.deserialize_any(self);
        }
        let whole = <&RawValue>::deserialize(deserializer)?;
        self.out.extend_from_slice(whole.get().as_bytes());
        Ok(())
    }
}

impl<'de> Visitor<'de> for Keep<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an answer")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        self.out.push(b'{');
        while let Some(Name(name)) = members.next_key()? {
            let Some(selected) = self.member(&name) else {
                members.next_value::<IgnoredAny>()?;
                continue;
            };
            self.separate();
            self.write(&name)?;
            self.out.push(b':');
            members.next_value_seed(Keep::new(selected, self.out))?;
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
            let element = Keep::new(self.selected, self.out);
            if elements.next_element_seed(element)?.is_none() {
                self.out.truncate(length);
                break;
            }
        }
        self.out.push(b']');
        Ok(())
    }

    fn visit_unit<E: Error>(mut self) -> Result<(), E> {
        self.write(&())
    }

    fn visit_bool<E: Error>(mut self, value: bool) -> Result<(), E> {
        self.write(&value)
    }

    fn visit_u64<E: Error>(mut self, value: u64) -> Result<(), E> {
        self.write(&value)
    }

    fn visit_i64<E: Error>(mut self, value: i64) -> Result<(), E> {
        self.write(&value)
    }

    fn visit_f64<E: Error>(mut self, value: f64) -> Result<(), E> {
        self.write(&value)
    }

    fn visit_str<E: Error>(mut self, value: &str) -> Result<(), E> {
        self.write(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::DOCUMENT;
    use crate::routes::ROUTES;

    fn operation(path: &str) -> (&'static str, &'static str) {
        let path = format!("/v1/tenants/{{tenant}}{path}");
        let route = ROUTES.iter().find(|route| route.path == path).unwrap();
        (route.path, route.method)
    }

    #[track_caller]
    fn check(path: &str, fields: &str, answer: &str, expect: &str) {
        let fields = Fields::parse(&DOCUMENT, operation(path), fields).unwrap();
        assert_eq!(fields.select(answer).unwrap(), expect);
    }

    const TERM: &str = r#"{"id":1,"name":"a\"b,","category":{"id":2,"name":"c"},"ancestors":[{"id":3,"name":"d"},{"id":4,"name":"e"}],"altNames":["x"],"metadata":{"id":[1,2.50]}}"#;

    #[test]
    fn an_answer_keeps_what_is_named_and_its_id() {
        let check = |fields, expect| check("/terms/{id}", fields, TERM, expect);
        check("name", r#"{"id":1,"name":"a\"b,"}"#);
        check("id", r#"{"id":1}"#);
        check("altNames,name", r#"{"id":1,"name":"a\"b,","altNames":["x"]}"#);
        check("metadata", r#"{"id":1,"metadata":{"id":[1,2.50]}}"#);
        check("notation", r#"{"id":1}"#);
        check("category.name", r#"{"id":1,"category":{"name":"c"}}"#);
        check(
            "category.name,category",
            r#"{"id":1,"category":{"id":2,"name":"c"}}"#,
        );
        check(
            "category,category.name",
            r#"{"id":1,"category":{"id":2,"name":"c"}}"#,
        );
        check(
            "ancestors.name",
            r#"{"id":1,"ancestors":[{"name":"d"},{"name":"e"}]}"#,
        );
    }

    #[test]
    fn a_list_keeps_them_of_each_item_and_its_cursor() {
        let page = r#"{"items":[{"id":1,"name":"a","culture":"en"},{"id":2,"name":"b","culture":"en"}],"nextCursor":"c"}"#;
        let expect = r#"{"items":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"nextCursor":"c"}"#;
        check("/categories", "name", page, expect);
        check("/terms/{id}/children", "name", page, expect);
        check("/categories", "name", r#"{"items":[]}"#, r#"{"items":[]}"#);
    }

    #[test]
    fn a_batch_keeps_them_of_each_term_beside_its_status() {
        let batch = r#"{"items":[{"id":1,"status":200,"term":{"id":1,"name":"a","depth":1}},{"id":2,"status":404,"problem":{"detail":"x"}}]}"#;
        let expect = r#"{"items":[{"id":1,"status":200,"term":{"id":1,"depth":1}},{"id":2,"status":404,"problem":{"detail":"x"}}]}"#;
        check("/terms", "depth", batch, expect);
        check("/terms:batchGet", "depth", batch, expect);
    }

    /// A few members of the largest batch, a hundred terms of 541,000 bytes, are a short response; copying all of them stops at the limit.
    #[test]
    fn a_selection_that_cannot_be_sent_is_not_made() {
        let item = format!(
            r#"{{"id":1,"status":200,"term":{{"id":1,"depth":1,"name":"{}"}}}}"#,
            "x".repeat(541_000)
        );
        let batch = format!(r#"{{"items":[{}]}}"#, vec![item; 100].join(","));
        let select = |fields| {
            Fields::parse(&DOCUMENT, operation("/terms"), fields)
                .unwrap()
                .select(&batch)
        };
        assert!(select("depth").unwrap().len() < 10_000);
        assert_eq!(select("name").unwrap_err().code(), ProblemCode::AnswerTooLarge);
    }

    #[test]
    fn an_unknown_name_is_refused_with_those_that_there_are() {
        let refused = |path: &str, fields: &str| {
            let problem = Fields::parse(&DOCUMENT, operation(path), fields).unwrap_err();
            let document = serde_json::to_value(problem.document()).unwrap();
            let text = |name: &str| document[name].as_str().unwrap().to_owned();
            (problem.code().as_str(), text("pointer"), text("detail"))
        };
        let (code, pointer, detail) = refused("/terms/{id}", "name,colour");
        assert_eq!((code, &*pointer), ("invalid-parameter", "/query/fields/1"));
        assert!(detail.contains("altNames, ancestors, category, "), "{detail}");
        let (_, _, detail) = refused("/terms/{id}", "category.colour");
        assert_eq!(
            detail,
            "There is no such member. There are: culture, id, name, path."
        );
        let (_, _, detail) = refused("/terms/{id}", "metadata.colour");
        assert_eq!(detail, "This member has no members to choose from.");
        for fields in [
            "",
            "name,",
            ",name",
            "name.",
            "name.x",
            ".name",
            "category..name",
            "category,category.x",
            " name",
            "items",
        ] {
            assert_eq!(refused("/terms/{id}", fields).0, "invalid-parameter", "{fields}");
        }
        assert_eq!(refused("/terms", "status").0, "invalid-parameter");
    }

    /// The rule that finds the fields holds for every route.
    #[test]
    fn every_answer_about_a_tenant_has_fields() {
        for route in ROUTES.iter().filter(|route| !route.is_public()) {
            let (_, schema) = place(&DOCUMENT, answer_of(&DOCUMENT, route.path, route.method));
            let known = schema["properties"].as_object().unwrap();
            assert!(!known.is_empty(), "{route:?}");
            for name in known.keys() {
                assert!(
                    Fields::parse(&DOCUMENT, (route.path, route.method), name).is_ok(),
                    "{route:?} {name}"
                );
            }
            let all = names(&DOCUMENT, route.path, route.method);
            assert!(
                Fields::parse(&DOCUMENT, (route.path, route.method), &all.join(",")).is_ok(),
                "{route:?} {all:?}"
            );
        }
    }
}
