//! `fields=`: the members of a response that the caller selects, by the names in the description. Pure.
//!
//! Works on the serialised response of any route, so handlers need no code for it and a request without `fields=` does not pay for it.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::Error as _;
use serde_json::Error;
use serde_json::value::RawValue;

use crate::members::Members;
use crate::response::compression::MAX_BODY;
use crate::response::problem::Problem;

/// The fields that a request selects from a value, each with those that it selects inside of it; a field without any is kept whole. From a list,
/// they are selected from each element.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields(BTreeMap<String, Fields>);

type Object<'a> = Members<'a, &'a RawValue>;

/// Writes what some fields keep of an object.
type Write = fn(&Fields, &Object<'_>, &mut Vec<u8>) -> Result<(), Error>;

const WHOLE: &Fields = &Fields(BTreeMap::new());

impl Fields {
    /// Parses a comma-separated list of fields; a name is a path such as `category.name`. The id is always kept.
    ///
    /// # Errors
    /// `invalid-parameter` for the first name that is not `known`; its detail lists the names that exist.
    pub(crate) fn parse(known: &[&str], text: &str) -> Result<Self, Problem> {
        let mut names = BTreeSet::from(["id"]);
        for (position, name) in text.split(',').enumerate() {
            if !known.contains(&name) {
                let pointer = format!("/query/fields/{position}");
                return Err(Problem::invalid_parameter(unknown(known, name), pointer));
            }
            names.insert(name);
        }
        let (mut fields, mut whole) = (Self::default(), "");
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
        Ok(fields)
    }

    /// Keeps these members of a serialised response.
    ///
    /// # Errors
    /// `answer-too-large` where they are longer than a response may be; `internal-error` where the response is not JSON.
    pub(crate) fn select(&self, answer: &str) -> Result<String, Problem> {
        let mut out = Vec::with_capacity(answer.len() / 4);
        let kept = self.keep_of_answer(answer, &mut out);
        if out.len() > MAX_BODY {
            return Err(Problem::answer_too_large());
        }
        kept.map_err(Problem::internal)?;
        String::from_utf8(out).map_err(Problem::internal)
    }

    /// Writes these members of a single object or, where the response is a list, of its `items`.
    fn keep_of_answer(&self, answer: &str, out: &mut Vec<u8>) -> Result<(), Error> {
        let answer = serde_json::from_str(answer)?;
        if !has(&answer, "items") {
            return self.keep_of_object(&answer, out);
        }
        let selected = |name: &str| Some(if name == "items" { self } else { WHOLE });
        write_object(&answer, out, selected, |fields, items, out| {
            fields.keep_of_each(items, out, Self::keep_of_item)
        })
    }

    /// Writes these members of an item of a list: of a batch, whose items have a status, those of what is beside the status.
    fn keep_of_item(&self, item: &Object<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        if !has(item, "status") {
            return self.keep_of_object(item, out);
        }
        let selected = |name: &str| match name {
            "id" | "status" | "problem" => Some(WHOLE),
            _ => Some(self),
        };
        write_object(item, out, selected, Self::keep)
    }

    fn keep_of_object(&self, object: &Object<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        write_object(object, out, |name| self.0.get(name), Self::keep)
    }

    fn keep(&self, value: &RawValue, out: &mut Vec<u8>) -> Result<(), Error> {
        self.keep_of_each(value, out, Self::keep_of_object)
    }

    /// Writes a value: whole, or what `write` keeps of an object and of each object of a list.
    fn keep_of_each(&self, value: &RawValue, out: &mut Vec<u8>, write: Write) -> Result<(), Error> {
        let text = value.get();
        if self == WHOLE || !text.starts_with(['{', '[']) {
            out.extend_from_slice(text.as_bytes());
            return Ok(());
        }
        if text.starts_with('{') {
            return write(self, &serde_json::from_str(text)?, out);
        }
        out.push(b'[');
        for element in serde_json::from_str::<Vec<&RawValue>>(text)? {
            // The serialised response takes its memory at the same time.
            if out.len() > MAX_BODY {
                return Err(Error::custom("what is selected is too large"));
            }
            separate(out);
            self.keep_of_each(element, out, write)?;
        }
        out.push(b']');
        Ok(())
    }
}

fn has(object: &Object<'_>, name: &str) -> bool {
    object.0.iter().any(|(known, _)| known == name)
}

/// Writes the members of an object that have fields, each by its fields.
fn write_object<'f>(
    object: &Object<'_>,
    out: &mut Vec<u8>,
    selected: impl Fn(&str) -> Option<&'f Fields>,
    write: impl Fn(&Fields, &RawValue, &mut Vec<u8>) -> Result<(), Error>,
) -> Result<(), Error> {
    out.push(b'{');
    for (name, value) in &object.0 {
        if let Some(fields) = selected(name) {
            separate(out);
            serde_json::to_writer(&mut *out, name)?;
            out.push(b':');
            write(fields, value, out)?;
        }
    }
    out.push(b'}');
    Ok(())
}

fn separate(out: &mut Vec<u8>) {
    if !out.ends_with(b"{") && !out.ends_with(b"[") {
        out.push(b',');
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
    use crate::openapi::field_names;
    use crate::response::problem::ProblemCode;
    use crate::routes::ROUTES;

    fn parse(path: &str, fields: &str) -> Result<Fields, Problem> {
        let path = format!("/v1/tenants/{{tenant}}{path}");
        let route = ROUTES.iter().find(|route| route.path == path).unwrap();
        Fields::parse(&field_names(route), fields)
    }

    #[track_caller]
    fn check(path: &str, fields: &str, answer: &str, expect: &str) {
        assert_eq!(parse(path, fields).unwrap().select(answer).unwrap(), expect);
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
            let all = field_names(route);
            assert!(!all.is_empty(), "{route:?}");
            for name in &all {
                assert!(Fields::parse(&all, name).is_ok(), "{route:?} {name}");
            }
            assert!(Fields::parse(&all, &all.join(",")).is_ok(), "{route:?} {all:?}");
        }
    }
}
