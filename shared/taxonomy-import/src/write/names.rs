//! Preferred and alternative names of a node.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use taxonomy_keys::{Culture, nearest};
use taxonomy_model::is_blank;

use super::node::NodeWriter;
use super::text;
use crate::graph::StatementKind;
use crate::report::Code;

/// Names of a term in all cultures together, tags included (docs/decisions/0003-input-file.md).
const MOST_BYTES: usize = 40_000;
const MOST_ALTERNATIVE: usize = 100;
const MOST_ALTERNATIVE_BYTES: usize = 150_000;
const PATH: usize = 2048;

/// A name as the file has it.
#[derive(Debug, Serialize)]
pub(super) struct Name<'a> {
    culture: &'a Culture,
    name: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
}

/// The names of a node; there is one in the default culture.
pub(super) struct NodeNames<'a> {
    pub(super) preferred: Vec<Name<'a>>,
    pub(super) alternative: Vec<Name<'a>>,
    /// The name in the default culture.
    pub(super) default: String,
}

/// One preferred name a culture.
type PreferredNames<'a> = BTreeMap<&'a Culture, Cow<'a, str>>;

/// The names that were stated.
#[derive(Default)]
struct StatedNames<'a> {
    /// In the order of the source, by culture.
    preferred: BTreeMap<&'a Culture, Vec<Cow<'a, str>>>,
    without_language: Vec<Cow<'a, str>>,
    exact: BTreeMap<&'a Culture, &'a str>,
    paths: BTreeMap<&'a Culture, &'a str>,
    alternative: Vec<(&'a Culture, Cow<'a, str>)>,
}

impl<'a> NodeWriter<'a> {
    /// Chooses the names of the node.
    pub(super) fn names(&mut self) -> NodeNames<'a> {
        let default = self.graph.default_culture();
        let mut stated = StatedNames::new(self);
        stated.adopt_without_language(self);
        let mut preferred = stated.choose(self);
        if !preferred.contains_key(default) {
            let name = stated.stand_in(&preferred, self);
            preferred.insert(default, name);
        }
        for (culture, exact) in &stated.exact {
            preferred.insert(culture, Cow::Borrowed(exact));
        }
        let alternative = stated.alternative(&preferred, self);
        self.check_lengths(&preferred);
        let default_name = preferred.get(default).map(|name| name.to_string());
        let name = |(culture, name): (&'a Culture, Cow<'a, str>)| Name {
            culture,
            name,
            path: stated.paths.get(culture).copied(),
        };
        NodeNames {
            default: default_name.unwrap_or_default(),
            preferred: preferred.into_iter().map(name).collect(),
            alternative,
        }
    }

    fn check_lengths(&mut self, preferred: &PreferredNames<'_>) {
        for (culture, name) in preferred {
            let len = text::characters(name);
            if len > text::NAME {
                let message = format!("the name in {culture} has {len} characters");
                self.issue(Code::NameTooLong, message);
            }
        }
        let bytes = preferred
            .iter()
            .map(|(culture, name)| culture.as_str().len() + name.len());
        let bytes = bytes.sum::<usize>();
        if bytes > MOST_BYTES {
            self.issue(Code::NamesTooLarge, format!("the names take {bytes} bytes"));
        }
    }
}

impl<'a> StatedNames<'a> {
    fn new(node: &mut NodeWriter<'a>) -> Self {
        let graph = node.graph;
        let mut stated = Self::default();
        for row in graph.rows(node.node) {
            let raw = graph.text(row);
            match (row.kind, graph.culture_of(row)) {
                (StatementKind::Name, Some(culture)) => {
                    let names = stated.preferred.entry(culture).or_default();
                    names.extend(text::name(raw, &mut node.issues));
                }
                (StatementKind::Name, None) => {
                    stated.without_language.extend(text::name(raw, &mut node.issues));
                }
                (StatementKind::AltName, culture) => {
                    if culture.is_none() {
                        node.no_language("an alternative name has no language");
                    }
                    let name = text::name(raw, &mut node.issues);
                    let culture = culture.unwrap_or(graph.default_culture());
                    stated.alternative.extend(name.map(|name| (culture, name)));
                }
                (StatementKind::ExactName, Some(culture)) => _ = stated.exact.insert(culture, raw),
                (StatementKind::Path, Some(culture)) => {
                    let path = node.value("path", raw, PATH, str::len);
                    stated.paths.extend(path.map(|path| (culture, path)));
                }
                _ => {}
            }
        }
        stated.preferred.retain(|_, names| !names.is_empty());
        stated
    }

    /// A name without a language is that of the default culture, or an alternative one beside a name in its language.
    fn adopt_without_language(&mut self, node: &mut NodeWriter<'a>) {
        let default = node.graph.default_culture();
        for name in std::mem::take(&mut self.without_language) {
            node.no_language(format!("the name {name:?} has no language"));
            let mut named = self.preferred.keys();
            if named.any(|culture| language(culture) == language(default)) {
                self.alternative.push((default, name));
            } else {
                self.preferred.insert(default, vec![name]);
            }
        }
    }

    /// One preferred name a culture; the others become alternative ones.
    fn choose(&mut self, node: &mut NodeWriter<'a>) -> PreferredNames<'a> {
        let mut chosen = BTreeMap::new();
        for (culture, mut names) in std::mem::take(&mut self.preferred) {
            if node.graph.is_unordered {
                names.sort_unstable();
            }
            let mut names = names.into_iter();
            let Some(first) = names.next() else { continue };
            for further in names.filter(|name| *name != first) {
                node.issue(
                    Code::SeveralNames,
                    format!("is called {first:?} and {further:?} in {culture}"),
                );
                self.alternative.push((culture, further));
            }
            chosen.insert(culture, first);
        }
        chosen
    }

    /// The text that stands for a name in the default culture.
    fn stand_in(&self, preferred: &PreferredNames<'a>, node: &mut NodeWriter<'a>) -> Cow<'a, str> {
        let default = node.graph.default_culture();
        if !preferred.is_empty() {
            let available: Vec<Culture> = preferred.keys().map(|culture| (*culture).clone()).collect();
            let best = nearest(default, &available, &[]);
            let best = best.and_then(|culture| preferred.get_key_value(culture));
            let same_language = preferred
                .iter()
                .find(|(culture, _)| language(culture) == language(default));
            let found = best.or(same_language).or_else(|| preferred.first_key_value());
            if let Some((culture, name)) = found {
                let message = format!("has no name in {default}; the one in {culture} is used");
                node.issue(Code::NoDefaultName, message);
                return name.clone();
            }
        }
        if let Some(exact) = self.exact.get(default) {
            return Cow::Borrowed(exact);
        }
        let of_default = self.alternative.iter().find(|(culture, _)| *culture == default);
        if let Some((_, name)) = of_default.or_else(|| self.alternative.first()) {
            node.issue(Code::NoName, "an alternative name stands for a name");
            return name.clone();
        }
        let notation = node.graph.rows_of(node.node, StatementKind::Notation).next();
        let notation = notation.and_then(|row| text::name(node.graph.text(row), &mut node.issues));
        let (name, what) = match notation {
            Some(notation) => (notation, "notation"),
            None => (last_segment(node.graph.key(node.node)).into(), "key"),
        };
        node.issue(Code::NoName, format!("the {what} stands for a name"));
        name
    }

    fn alternative(&mut self, preferred: &PreferredNames<'a>, node: &mut NodeWriter<'a>) -> Vec<Name<'a>> {
        let default = node.graph.default_culture();
        let is_own = node.graph.own_kind(node.node).is_some();
        let mut stated = std::mem::take(&mut self.alternative);
        // The sort is stable: inside a culture the order of the source stays.
        stated.sort_by_key(|(culture, _)| (*culture != default, *culture));
        let mut seen: HashSet<(&Culture, Cow<'a, str>)> = HashSet::new();
        let (mut kept, mut bytes) = (Vec::new(), 0);
        for (culture, name) in stated {
            if !is_own && preferred.get(culture) == Some(&name) {
                node.repeated += 1;
                continue;
            }
            if !seen.insert((culture, name.clone())) {
                let message = format!("the alternative name {name:?} in {culture} says nothing new");
                node.issue(Code::DuplicateLabel, message);
                continue;
            }
            if text::characters(&name) > text::NAME {
                let message = format!("an alternative name has more than {} characters", text::NAME);
                node.issue(Code::ValueLeftOut, message);
                continue;
            }
            if kept.len() == MOST_ALTERNATIVE || bytes + name.len() > MOST_ALTERNATIVE_BYTES {
                let message = format!("has more than {MOST_ALTERNATIVE} alternative names");
                node.issue(Code::TooManyValues, message);
                break;
            }
            bytes += name.len();
            kept.push(Name {
                culture,
                name,
                path: None,
            });
        }
        kept.sort_by(|one, other| one.culture.cmp(other.culture));
        kept
    }
}

fn language(culture: &Culture) -> &str {
    culture.as_str().split('-').next().unwrap_or_default()
}

/// The end of an IRI or a path, as far as it can be a name.
fn last_segment(key: &str) -> String {
    let trimmed = key.trim_end_matches(['/', '#']);
    let last = trimmed.rsplit(['/', '#']).find(|part| !is_blank(part));
    let last: String = last
        .unwrap_or(key)
        .chars()
        .filter(|c| !c.is_control())
        .take(text::NAME)
        .collect();
    match is_blank(&last) {
        true => "?".to_owned(),
        false => last,
    }
}
