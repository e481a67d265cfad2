//! The statements of a download as SKOS.

use std::collections::{BTreeMap, BTreeSet};

use oxrdf::{NamedOrBlankNode, Term};
use oxttl::TurtleParser;

/// The objects of each subject and predicate, names of namespaces cut to their prefixes.
pub(crate) struct Graph(pub(crate) BTreeMap<String, BTreeMap<String, BTreeSet<Object>>>);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Object {
    Node(String),
    /// Text and language, or text and none.
    Text(String, Option<String>),
}

impl Object {
    pub(crate) fn text(&self) -> &str {
        let (Self::Node(text) | Self::Text(text, _)) = self;
        text
    }
}

pub(crate) fn short(iri: &str) -> String {
    let prefixes = [
        ("http://www.w3.org/2004/02/skos/core#", "skos:"),
        ("urn:x-taxonomy:vocabulary#", "tax:"),
        ("http://purl.org/dc/terms/", "dct:"),
        ("http://www.w3.org/2002/07/owl#", "owl:"),
        ("urn:x-taxonomy:tenants/acme/", ""),
    ];
    let mut prefixes = prefixes.iter();
    let found = prefixes.find_map(|(long, short)| Some((iri.strip_prefix(long)?, short)));
    found.map_or_else(|| iri.to_owned(), |(local, short)| format!("{short}{local}"))
}

impl Graph {
    pub(crate) fn of(turtle: &str) -> Self {
        let mut graph: BTreeMap<String, BTreeMap<String, BTreeSet<Object>>> = BTreeMap::new();
        for triple in TurtleParser::new().for_slice(turtle.as_bytes()) {
            let triple = triple.unwrap_or_else(|error| panic!("{error}\n{turtle}"));
            let NamedOrBlankNode::NamedNode(subject) = triple.subject else {
                panic!("a blank node");
            };
            let object = match triple.object {
                Term::NamedNode(node) => Object::Node(short(node.as_str())),
                Term::Literal(literal) => {
                    Object::Text(literal.value().to_owned(), literal.language().map(str::to_owned))
                }
                other => panic!("{other}"),
            };
            let subject = graph.entry(short(subject.as_str())).or_default();
            let objects = subject.entry(short(triple.predicate.as_str())).or_default();
            objects.insert(object);
        }
        Self(graph)
    }

    pub(crate) fn objects(&self, subject: &str, predicate: &str) -> impl Iterator<Item = &Object> {
        let objects = self.0.get(subject).and_then(|subject| subject.get(predicate));
        objects.into_iter().flatten()
    }

    pub(crate) fn texts(&self, subject: &str, predicate: &str) -> Vec<&str> {
        self.objects(subject, predicate).map(Object::text).collect()
    }

    pub(crate) fn one(&self, subject: &str, predicate: &str) -> Option<&str> {
        let objects = self.texts(subject, predicate);
        assert!(objects.len() <= 1, "{subject} {predicate} {objects:?}");
        objects.first().copied()
    }

    /// Pairs of subject and object of some predicates, turned round for their inverses.
    pub(crate) fn pairs(&self, forward: &[&str], inverse: &[&str]) -> BTreeSet<(String, String)> {
        let mut pairs = BTreeSet::new();
        for subject in self.0.keys() {
            let objects = |predicate: &&str| self.texts(subject, predicate).into_iter().map(str::to_owned);
            let (forward, inverse) = (forward.iter().flat_map(objects), inverse.iter().flat_map(objects));
            pairs.extend(forward.map(|object| (subject.clone(), object)));
            pairs.extend(inverse.map(|object| (object, subject.clone())));
        }
        pairs
    }
}

/// Everything above everything, by repetition until nothing is new.
pub(crate) fn closure(pairs: &BTreeSet<(String, String)>) -> BTreeSet<(String, String)> {
    let mut all = pairs.clone();
    loop {
        let further = all.iter().flat_map(|(low, middle)| {
            let above = pairs.range((middle.clone(), String::new())..);
            let above = above.take_while(move |(start, _)| start == middle);
            above.map(move |(_, high)| (low.clone(), high.clone()))
        });
        let further: Vec<(String, String)> = further.filter(|pair| !all.contains(pair)).collect();
        if further.is_empty() {
            return all;
        }
        all.extend(further);
    }
}
