//! `fields=`: the members of an answer that the caller wants, by the names that the description has. Pure.
//!
//! Works on the written answer of any route, so that a handler knows nothing of it and a request without `fields=` does not pay for it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::OpenApi;

use crate::openapi::Description;
use crate::problem::{Code, Problem};
use crate::reply::MAX_BODY;
use crate::routes::Route;

/// How many references and nullable wrappers stand before a schema at most.
const MAX_WRAPPERS: usize = 8;

/// How deep the members of members are that the description names.
const MAX_DEPTH: usize = 4;

/// The members that are kept of a value.
#[derive(Debug, PartialEq, Eq)]
enum Selected {
    All,
    Members(BTreeMap<String, Selected>),
}

/// The place of what is selected from.
#[derive(Debug, PartialEq, Eq)]
enum Place<'d> {
    /// The answer itself.
    Answer,
    /// Each item of a list.
    Items,
    /// This member of each item of a batch, beside its id, its status and its problem.
    ItemsOfBatch(&'d str),
}

/// The fields that a request asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fields {
    selected: Selected,
    place: Place<'static>,
}

static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::to_value(Description::openapi()).unwrap_or_default());

impl Fields {
    /// The fields of `route` that a comma-separated list names; a name is a path such as `category.name`. The id stays in any case.
    ///
    /// # Errors
    /// `invalid-parameter` for the first that no answer of the route has; it lists those that there are.
    pub(crate) fn parse(route: &Route, text: &str) -> Result<Self, Problem> {
        let document = &*DOCUMENT;
        let (place, schema) = place(document, answer_of(document, route.path, route.method));
        let mut selected = BTreeMap::from([("id".to_owned(), Selected::All)]);
        for (position, path) in text.split(',').enumerate() {
            let names: Vec<&str> = path.split('.').collect();
            select(&mut selected, schema, &names)
                .map_err(|problem| problem.at(format!("/query/fields/{position}")))?;
        }
        let selected = Selected::Members(selected);
        Ok(Self { selected, place })
    }

    /// Keeps these of a written answer.
    ///
    /// # Errors
    /// `answer-too-large` where they are more than can be sent; `internal-error` where the answer is no JSON.
    pub(crate) fn of(&self, answer: &str) -> Result<String, Problem> {
        let mut out = String::new();
        match self.place {
            Place::Answer => keep(answer, &self.selected, &mut out),
            Place::Items => each(answer, "items", &mut out, &|item, out| {
                keep(item, &self.selected, out)
            }),
            Place::ItemsOfBatch(member) => each(answer, "items", &mut out, &|items, out| {
                array(items, out, &|item, out| {
                    each(item, member, out, &|value, out| keep(value, &self.selected, out))
                })
            }),
        }?;
        Ok(out)
    }
}

/// The names of all fields of an operation, those of members of members included.
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

/// Adds a path to what is selected, if the schema has it.
fn select(
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
        return Err(Problem::new(Code::InvalidParameter, detail));
    };
    if rest.is_empty() {
        selected.insert((*name).to_owned(), Selected::All);
        return Ok(());
    }
    let inner = selected
        .entry((*name).to_owned())
        .or_insert_with(|| Selected::Members(BTreeMap::new()));
    match inner {
        // All of it was asked for as well; the rest is only looked up.
        Selected::All => select(&mut BTreeMap::new(), unwrapped(&DOCUMENT, member), rest),
        Selected::Members(inner) => select(inner, unwrapped(&DOCUMENT, member), rest),
    }
}

/// The schema of the successful answer of an operation.
fn answer_of<'d>(document: &'d Value, path: &str, method: &str) -> &'d Value {
    let operation = &document["paths"][path][method.to_ascii_lowercase()];
    unwrapped(
        document,
        &operation["responses"]["200"]["content"]["application/json"]["schema"],
    )
}

/// Where an answer with this schema has its fields, and the schema of those.
fn place<'d>(document: &'d Value, answer: &'d Value) -> (Place<'d>, &'d Value) {
    let items = &answer["properties"]["items"];
    if items.is_null() {
        return (Place::Answer, answer);
    }
    let item = unwrapped(document, items);
    let members = item["properties"].as_object();
    let is_batch = members.is_some_and(|all| all.contains_key("status") && all.contains_key("problem"));
    let payload = members.into_iter().flatten().find(|(name, _)| {
        let name = name.as_str();
        is_batch && !["id", "status", "problem"].contains(&name)
    });
    match payload {
        None => (Place::Items, item),
        Some((name, schema)) => (Place::ItemsOfBatch(name), unwrapped(document, schema)),
    }
}

/// The schema of one value, behind references, what may be null, and lists.
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

type Written = Result<(), Problem>;

/// Writes what is selected of a value; of a list that of each element.
fn keep(value: &str, selected: &Selected, out: &mut String) -> Written {
    let members = match selected {
        Selected::Members(members) if value.starts_with('{') => members,
        Selected::Members(_) if value.starts_with('[') => {
            return array(value, out, &|element, out| keep(element, selected, out));
        }
        _ => {
            out.push_str(value);
            return Ok(());
        }
    };
    object(value, out, &|name, value, out| match members.get(name) {
        Some(selected) => {
            begin(name, out)?;
            keep(value, selected, out)
        }
        None => Ok(()),
    })
}

/// Writes an object with one of its members changed.
fn each(
    value: &str,
    member: &str,
    out: &mut String,
    change: &dyn Fn(&str, &mut String) -> Written,
) -> Written {
    object(value, out, &|name, value, out| {
        begin(name, out)?;
        match name == member {
            true => change(value, out),
            false => {
                out.push_str(value);
                Ok(())
            }
        }
    })
}

/// Writes an object of the members that `write` writes.
fn object(value: &str, out: &mut String, write: &dyn Fn(&str, &str, &mut String) -> Written) -> Written {
    let Members(members) = serde_json::from_str(value).map_err(Problem::internal)?;
    out.push('{');
    for (name, value) in members {
        write(&name, value.get(), out)?;
    }
    out.push('}');
    Ok(())
}

fn array(value: &str, out: &mut String, write: &dyn Fn(&str, &mut String) -> Written) -> Written {
    let elements: Vec<&RawValue> = serde_json::from_str(value).map_err(Problem::internal)?;
    out.push('[');
    for element in elements {
        // The answer before takes its memory at the same time.
        if out.len() > MAX_BODY {
            return Err(Problem::answer_too_large());
        }
        separate(out);
        write(element.get(), out)?;
    }
    out.push(']');
    Ok(())
}

/// Writes the name of a member.
fn begin(name: &str, out: &mut String) -> Written {
    separate(out);
    out.push_str(&serde_json::to_string(name).map_err(Problem::internal)?);
    out.push(':');
    Ok(())
}

fn separate(out: &mut String) {
    if !out.ends_with(['{', '[']) {
        out.push(',');
    }
}

/// The members of an object in their order, unread.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Unread;

        impl<'de> Visitor<'de> for Unread {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Name(name), value)) = all.next_entry()? {
                    members.push((name, value));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Unread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::ROUTES;

    fn route(path: &str) -> &'static Route {
        let path = format!("/v1/tenants/{{tenant}}{path}");
        ROUTES.iter().find(|route| route.path == path).unwrap()
    }

    #[track_caller]
    fn check(path: &str, fields: &str, answer: &str, expect: &str) {
        let fields = Fields::parse(route(path), fields).unwrap();
        assert_eq!(fields.of(answer).unwrap(), expect);
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

    /// Of the largest batch there is, a hundred terms of 541,000 bytes, a few members are a short answer; all of them are not copied to the end.
    #[test]
    fn a_selection_that_cannot_be_sent_is_not_made() {
        let item = format!(
            r#"{{"id":1,"status":200,"term":{{"id":1,"depth":1,"name":"{}"}}}}"#,
            "x".repeat(541_000)
        );
        let batch = format!(r#"{{"items":[{}]}}"#, vec![item; 100].join(","));
        let select = |fields| Fields::parse(route("/terms"), fields).unwrap().of(&batch);
        assert!(select("depth").unwrap().len() < 10_000);
        assert_eq!(select("name").unwrap_err().code(), Code::AnswerTooLarge);
    }

    #[test]
    fn an_unknown_name_is_refused_with_those_that_there_are() {
        let refused = |path: &str, fields: &str| {
            let problem = Fields::parse(route(path), fields).unwrap_err();
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

    /// The rule by which fields are found holds for every route that there is.
    #[test]
    fn every_answer_about_a_tenant_has_fields() {
        for route in ROUTES.iter().filter(|route| !route.is_public()) {
            let (_, schema) = place(&DOCUMENT, answer_of(&DOCUMENT, route.path, route.method));
            let known = schema["properties"].as_object().unwrap();
            assert!(!known.is_empty(), "{route:?}");
            for name in known.keys() {
                assert!(Fields::parse(route, name).is_ok(), "{route:?} {name}");
            }
            let all = names(&DOCUMENT, route.path, route.method);
            assert!(Fields::parse(route, &all.join(",")).is_ok(), "{route:?} {all:?}");
        }
    }
}
