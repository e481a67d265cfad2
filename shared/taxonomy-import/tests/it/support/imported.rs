//! What became of an import, as text.

use std::collections::BTreeMap;

use serde_json::Value;
use taxonomy_import::{IdMap, ImportIssue, ImportReport, WrittenImport};
use taxonomy_model::Taxonomy;

use super::codes;

/// An import that was accepted by the service's parser.
pub(crate) struct Imported {
    pub(crate) written: WrittenImport,
    pub(crate) taxonomy: Taxonomy,
    pub(crate) json: Value,
}

/// A text with codes of a report behind a hash.
pub(crate) fn with_codes(text: String, codes: &[&str]) -> String {
    match codes {
        [] => text,
        _ => format!("{text} # {}", codes.join(" ")),
    }
}

fn join(texts: impl Iterator<Item = String>, separator: &str) -> String {
    texts.collect::<Vec<_>>().join(separator)
}

impl Imported {
    /// The path of names of each term, with its category and its id.
    pub(crate) fn paths(&self) -> BTreeMap<u64, String> {
        let terms = self.taxonomy.terms().map(|term| {
            let above = term.ancestors().map(|above| above.node);
            let nodes = [term.node].into_iter().chain(above).chain([term.category().node]);
            let mut names: Vec<&str> = nodes.map(|node| node.default_name().name).collect();
            names.reverse();
            (term.id().get(), names.join("/"))
        });
        terms.collect()
    }

    /// The same without ids, sorted, with a slash behind each category that has no terms.
    pub(crate) fn sorted_paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.paths().into_values().collect();
        for category in self.taxonomy.categories() {
            let mut terms = self.taxonomy.terms();
            if !terms.any(|term| term.category().id() == category.id()) {
                paths.push(format!("{}/", category.node.default_name().name));
            }
        }
        paths.sort();
        paths
    }

    /// The same in one line.
    pub(crate) fn tree(&self) -> String {
        self.sorted_paths().join(" ")
    }

    /// The same with the codes of the report behind a hash.
    pub(crate) fn shown(&self) -> String {
        with_codes(self.tree(), &self.codes())
    }

    #[track_caller]
    pub(crate) fn shows(&self, expect: &str) {
        assert_eq!(self.shown(), expect, "{}", self.json);
    }

    /// Checks a field of a node: `NAME FIELD: WORDS`, the words as of [`Self::field`].
    #[track_caller]
    pub(crate) fn has(&self, expect: &str) {
        let (place, words) = expect.split_once(": ").unwrap();
        let (name, field) = place.rsplit_once(' ').unwrap();
        assert_eq!(self.field(name, field), words, "{place}");
    }

    /// The node of a name in the default culture, as it was written.
    pub(crate) fn node(&self, name: &str) -> &Value {
        fn find<'a>(node: &'a Value, name: &str) -> Option<&'a Value> {
            let mut names = node["names"].as_array().into_iter().flatten();
            if names.any(|entry| entry["name"] == name) {
                return Some(node);
            }
            let lists = ["categories", "terms", "children"].map(|list| node[list].as_array());
            let mut nodes = lists.into_iter().flatten().flatten();
            nodes.find_map(|node| find(node, name))
        }
        find(&self.json, name).unwrap_or_else(|| panic!("{name} is not in {}", self.json))
    }

    /// A field of a node in few words: `en-GB=name`, `en-GB definition=text`, `exact scheme:id`, and `broad #NAME` of a relation to a term.
    pub(crate) fn field(&self, name: &str, field: &str) -> String {
        self.in_words(&self.node(name)[field])
    }

    fn in_words(&self, value: &Value) -> String {
        match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Number(id) => self.term(id.as_u64().unwrap()),
            Value::Array(items) => join(items.iter().map(|item| self.in_words(item)), ", "),
            Value::Object(item) if item.contains_key("type") => {
                let scheme = item.get("scheme").map(|scheme| self.in_words(scheme) + ":");
                let [kind, id] = ["type", "id"].map(|member| self.in_words(&item[member]));
                format!("{kind} {}{id}", scheme.unwrap_or_default())
            }
            Value::Object(item) if item.contains_key("culture") => {
                let members = item.iter().filter(|(member, _)| *member != "culture");
                let words = members.map(|(member, value)| format!(" {member}={}", self.in_words(value)));
                let words = self.in_words(&item["culture"]) + &words.collect::<String>();
                words.replace(" name=", "=")
            }
            other => other.to_string(),
        }
    }

    fn term(&self, id: u64) -> String {
        let term = self.taxonomy.terms().find(|term| term.id().get() == id);
        let name = term.map(|term| format!("#{}", term.node.default_name().name));
        name.unwrap_or_else(|| id.to_string())
    }

    pub(crate) fn id(&self, name: &str) -> u64 {
        self.node(name)["id"].as_u64().unwrap()
    }

    pub(crate) fn codes(&self) -> Vec<&'static str> {
        codes(&self.written.report)
    }

    pub(crate) fn issues(&self, code: &str) -> Vec<&ImportIssue> {
        let issues = self.written.report.issues().into_iter();
        issues.filter(|issue| issue.code.as_str() == code).collect()
    }

    /// The file and the line of each issue of a code.
    pub(crate) fn places(&self, code: &str) -> String {
        let place = |issue: &ImportIssue| {
            let file = issue.file.as_ref().unwrap().trim_end_matches(".txt");
            format!("{file}:{}", issue.line.unwrap_or_default())
        };
        join(self.issues(code).into_iter().map(place), " ")
    }

    /// Checks the issues of a code: `CODE KEY: MESSAGE | ..`, without a key where there is none.
    #[track_caller]
    pub(crate) fn says(&self, expect: &str) {
        let (code, expect) = expect.split_once(' ').unwrap();
        let said = self.issues(code).into_iter().map(|issue| match &issue.key {
            Some(key) => format!("{key}: {}", issue.message),
            None => issue.message.clone(),
        });
        assert_eq!(join(said, " | "), expect);
    }

    pub(crate) fn ids(&self) -> String {
        let mut csv = Vec::new();
        self.written.ids.write(&mut csv).unwrap();
        String::from_utf8(csv).unwrap()
    }

    /// The id map as the next import reads it.
    pub(crate) fn id_map(&self) -> Option<IdMap> {
        Some(IdMap::read(self.ids().as_bytes(), "ids.csv", &mut ImportReport::default()).unwrap())
    }
}
