//! The versions of a tenant and the response that each gives to a query, from the uploaded files alone.

use std::collections::{BTreeMap, BTreeSet};

use taxonomy_tests::prelude::*;

use crate::content::{Content, Node, Term};
use crate::draft::DEFAULT_CULTURE;

/// A part of responses that the service stores as one item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Entity {
    Term(u64),
    /// A term for readers of a culture other than the default.
    TermIn(u64, String),
    Category(u64),
}

/// The query of a request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Query {
    Tenant,
    Term(u64),
    Terms(Vec<u64>),
    Category(u64),
    /// A page of this many categories, and the page before it.
    Categories(usize, Option<Page>),
}

/// A page of categories: its version, its last category, and the cursor to the next page.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Page {
    pub(crate) version: u64,
    pub(crate) last: u64,
    pub(crate) cursor: String,
}

/// The entities of a version, with those of earlier versions that were removed.
#[derive(Debug, Clone, Default)]
struct Entities {
    entities: BTreeMap<Entity, Value>,
    cultures: BTreeSet<String>,
    categories: usize,
    terms: usize,
}

/// A version that was served.
#[derive(Debug, Clone)]
pub(crate) struct Served {
    /// The first digits of the id of its changeset.
    pub(crate) changeset: String,
    /// The time at which its projection had ended, in milliseconds.
    pub(crate) at: u64,
}

/// The versions of a tenant. Version 0 is that of a tenant without any.
#[derive(Debug)]
pub(crate) struct Versions {
    pub(crate) tenant: &'static str,
    committed: Vec<Entities>,
    pub(crate) served: BTreeMap<u64, Served>,
}

impl Versions {
    pub(crate) fn new(tenant: &'static str) -> Self {
        Self {
            tenant,
            committed: vec![Entities::default()],
            served: BTreeMap::new(),
        }
    }

    pub(crate) fn latest(&self) -> u64 {
        self.committed.len() as u64 - 1
    }

    /// Adds the next version.
    pub(crate) fn commit(&mut self, content: &Content) {
        let mut next = Entities::of(content);
        for (key, value) in &self.at(self.latest()).entities {
            if !matches!(key, Entity::TermIn(..)) {
                let removed = || {
                    let mut removed = value.clone();
                    (removed["removed"], removed["deprecated"]) = (json!(true), json!(true));
                    removed
                };
                next.entities.entry(key.clone()).or_insert_with(removed);
            }
        }
        self.committed.push(next);
    }

    /// Records that a version is served.
    pub(crate) fn serve(&mut self, version: u64, changeset: &str, at: u64) {
        let changeset = changeset.to_owned();
        self.served.insert(version, Served { changeset, at });
    }

    /// Returns the version that was served at a time; 0 before the first.
    pub(crate) fn served_at(&self, time: u64) -> u64 {
        let mut served = self.served.iter().rev();
        let served = served.find(|(_, served)| served.at <= time);
        served.map_or(0, |(version, _)| *version)
    }

    fn at(&self, version: u64) -> &Entities {
        &self.committed[usize::try_from(version).unwrap()]
    }

    /// Returns whether a version has an entity.
    pub(crate) fn has(&self, version: u64, entity: &Entity) -> bool {
        self.at(version).entities.contains_key(entity)
    }

    /// Returns the body of a version's response, without the fields that only the service knows; `None` for 404.
    pub(crate) fn response(&self, version: u64, query: &Query, culture: Option<&str>) -> Option<Value> {
        let Entities {
            entities,
            cultures,
            categories,
            terms,
        } = self.at(version);
        let known = culture.filter(|culture| cultures.contains(*culture));
        match query {
            Query::Tenant => Some(json!({
                "tenant": self.tenant, "version": version,
                "defaultCulture": DEFAULT_CULTURE, "fallbackChain": [], "cultures": cultures,
                "totals": {"categories": categories, "terms": terms},
            })),
            Query::Term(id) => self.term(version, *id, known, culture),
            Query::Terms(ids) => {
                let item = |id: &u64| match self.term(version, *id, known, culture) {
                    Some(term) => json!({"id": id, "status": 200, "term": term}),
                    None => json!({"id": id, "status": 404}),
                };
                Some(json!({"items": ids.iter().map(item).collect::<Vec<_>>()}))
            }
            Query::Category(id) => {
                let mut category = in_culture(entities.get(&Entity::Category(*id))?, known);
                let fields = category.as_object_mut().unwrap();
                fields.retain(|name, _| !COUNTS.contains(&name.as_str()));
                Some(self.complete(category, version, culture))
            }
            Query::Categories(limit, after) => {
                let after = after.as_ref().map_or(0, |after| after.last);
                let items = entities.iter().filter_map(|(key, value)| match key {
                    Entity::Category(id) if *id > after && value["removed"] == false => {
                        Some(listed(in_culture(value, known)))
                    }
                    _ => None,
                });
                Some(json!({"items": items.take(*limit).collect::<Vec<_>>()}))
            }
        }
    }

    fn term(&self, version: u64, id: u64, known: Option<&str>, culture: Option<&str>) -> Option<Value> {
        let entities = &self.at(version).entities;
        let in_culture = known.and_then(|known| entities.get(&Entity::TermIn(id, known.to_owned())));
        let term = in_culture.or_else(|| entities.get(&Entity::Term(id)))?;
        Some(self.complete(term.clone(), version, culture))
    }

    fn complete(&self, mut body: Value, version: u64, culture: Option<&str>) -> Value {
        body["tenant"] = json!(self.tenant);
        body["version"] = json!(version);
        if let Some(culture) = culture {
            body["requestedCulture"] = json!(culture);
        }
        body
    }
}

impl Entities {
    fn of(content: &Content) -> Self {
        let mut entities = BTreeMap::new();
        for (id, category) in &content.categories {
            let within = content.terms.values().filter(|term| term.category == *id);
            let top = within.clone().filter(|term| term.parent.is_none());
            let mut value = json!({"id": id, "names": category.names});
            value[COUNTS[0]] = json!(top.count());
            value[COUNTS[1]] = json!(within.count());
            add_fields(&mut value, category);
            entities.insert(Entity::Category(*id), value);
        }
        for (id, term) in &content.terms {
            for culture in &content.cultures() {
                let entity = match culture.as_str() {
                    DEFAULT_CULTURE => Entity::Term(*id),
                    further => Entity::TermIn(*id, further.to_owned()),
                };
                entities.insert(entity, term_in(content, *id, term, culture));
            }
        }
        Self {
            entities,
            cultures: content.cultures(),
            categories: content.categories.len(),
            terms: content.terms.len(),
        }
    }
}

/// Returns a category with its name in the best culture.
fn in_culture(category: &Value, known: Option<&str>) -> Value {
    let mut category = category.clone();
    let names = category.as_object_mut().unwrap().remove("names").unwrap();
    let culture = known.filter(|known| names[known].is_string());
    let culture = culture.unwrap_or(DEFAULT_CULTURE);
    category["culture"] = json!(culture);
    category["name"] = names[culture].clone();
    category
}

/// What only a list shows of a category.
const COUNTS: [&str; 2] = ["childCount", "descendantCount"];

/// Returns the fields of a category that a list shows.
fn listed(mut category: Value) -> Value {
    let shown = ["id", "name", "culture", "notation", "deprecated"];
    let fields = category.as_object_mut().unwrap();
    fields.retain(|name, _| shown.contains(&name.as_str()) || COUNTS.contains(&name.as_str()));
    category
}

/// Returns a term for readers of a culture: it and each node above it in that culture, or in the default one.
fn term_in(content: &Content, id: u64, term: &Term, culture: &str) -> Value {
    let best = |node| Node::best(node, culture, DEFAULT_CULTURE);
    let (category_culture, category) = best(&content.categories[&term.category]);
    let ancestors: Vec<Value> = content
        .ancestors(term)
        .into_iter()
        .map(|id| {
            let (culture, name) = best(&content.terms[&id].node);
            json!({"id": id, "name": name, "finalName": format!("{category}:{name}"), "culture": culture})
        })
        .collect();
    let (culture, name) = best(&term.node);
    let mut value = json!({
        "id": id, "name": name, "culture": culture, "finalName": format!("{category}:{name}"),
        "category": {"id": term.category, "name": category, "culture": category_culture},
        "depth": ancestors.len() + 1, "ancestors": ancestors,
    });
    add_fields(&mut value, &term.node);
    value
}

/// Adds the fields that do not depend on a culture.
fn add_fields(value: &mut Value, node: &Node) {
    value["altNames"] = json!([]);
    value["metadata"] = json!({});
    value["deprecated"] = json!(node.is_deprecated);
    value["replacedBy"] = json!([]);
    value["relations"] = json!([]);
    value["removed"] = json!(false);
    for (name, other) in &node.others {
        value[name] = other.clone();
    }
}
