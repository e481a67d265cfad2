//! What each version says, computed from what was uploaded and from nothing else: no code is shared with the service.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::files::{DEFAULT, Draft, MARKER, Names, sort_key};

/// An item of the table that answers are made of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Term(u64),
    TermIn(u64, String),
    Category(u64),
}

/// What there is, and what there was and is kept as removed.
#[derive(Debug, Clone, Default)]
struct Contents {
    items: BTreeMap<Key, Value>,
    cultures: BTreeSet<String>,
    categories: usize,
    terms: usize,
}

/// A version that was served.
#[derive(Debug, Clone)]
pub(crate) struct Published {
    /// The first digits of its changeset.
    pub(crate) changeset: String,
    /// When its projection had ended.
    pub(crate) at: u64,
}

/// A tenant's versions. Version 0 is nothing at all.
#[derive(Debug)]
pub(crate) struct History {
    pub(crate) tenant: &'static str,
    committed: Vec<Contents>,
    pub(crate) published: BTreeMap<u64, Published>,
    /// When a head first said that the index files up to a version are there.
    indexed: BTreeMap<u64, u64>,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Question {
    Head,
    Term(u64),
    Terms(Vec<u64>),
    Category(u64),
    /// How many, and behind which category by which cursor.
    Categories(usize, Option<(u64, String)>),
}

impl History {
    pub(crate) fn new(tenant: &'static str) -> Self {
        Self {
            tenant,
            committed: vec![Contents::default()],
            published: BTreeMap::new(),
            indexed: BTreeMap::new(),
        }
    }

    pub(crate) fn latest(&self) -> u64 {
        self.committed.len() as u64 - 1
    }

    /// The next version is this.
    pub(crate) fn commit(&mut self, draft: &Draft) {
        let mut next = contents(draft);
        for (key, value) in &self.committed[self.committed.len() - 1].items {
            if !matches!(key, Key::TermIn(..)) {
                next.items.entry(key.clone()).or_insert_with(|| {
                    let mut removed = value.clone();
                    (removed["removed"], removed["deprecated"]) = (json!(true), json!(true));
                    removed
                });
            }
        }
        self.committed.push(next);
    }

    /// A version is served.
    pub(crate) fn publish(&mut self, version: u64, changeset: &str, at: u64) {
        let changeset = changeset.to_owned();
        let published = Published { changeset, at };
        self.published.insert(version, published);
    }

    /// The index files up to a version are there.
    pub(crate) fn index(&mut self, version: u64, at: u64) {
        self.indexed.entry(version).or_insert(at);
    }

    /// True if the index file of a version was there already at this time.
    pub(crate) fn is_indexed_at(&self, version: u64, time: u64) -> bool {
        self.indexed.range(version..).any(|(_, at)| *at <= time)
    }

    /// The version that was served already at this time; 0 before the first.
    pub(crate) fn served_at(&self, time: u64) -> u64 {
        let served = self
            .published
            .iter()
            .rev()
            .find(|(_, published)| published.at <= time);
        served.map_or(0, |(version, _)| *version)
    }

    fn at(&self, version: u64) -> &Contents {
        &self.committed[usize::try_from(version).unwrap()]
    }

    /// The answer that a version gives; none where there is nothing. Of a page only `items` is known.
    pub(crate) fn answer(&self, version: u64, question: &Question, culture: Option<&str>) -> Option<Value> {
        let contents = self.at(version);
        let wanted = culture.filter(|culture| contents.cultures.contains(*culture));
        match question {
            Question::Head => Some(json!({
                "tenant": self.tenant, "version": version, "projectedVersion": version, "settled": true,
                "defaultCulture": DEFAULT, "fallbackChain": [], "cultures": contents.cultures,
                "totals": {"categories": contents.categories, "terms": contents.terms},
            })),
            Question::Term(id) => self.term(version, *id, wanted, culture),
            Question::Terms(ids) => {
                let items = ids
                    .iter()
                    .map(|id| match self.term(version, *id, wanted, culture) {
                        Some(term) => json!({"id": id, "status": 200, "term": term}),
                        None => json!({"id": id, "status": 404}),
                    });
                Some(json!({"items": items.collect::<Vec<_>>()}))
            }
            Question::Category(id) => {
                let mut answer = named(contents.items.get(&Key::Category(*id))?, wanted);
                self.complete(&mut answer, version, culture);
                Some(answer)
            }
            Question::Categories(limit, after) => {
                let after = after.as_ref().map_or(0, |(after, _)| *after);
                let items = contents.items.iter().filter_map(|(key, value)| match key {
                    Key::Category(id) if *id > after && value["removed"] == false => {
                        let named = named(value, wanted);
                        Some(json!({
                            "id": id, "name": named["name"], "culture": named["culture"], "deprecated": false,
                        }))
                    }
                    _ => None,
                });
                Some(json!({"items": items.take(*limit).collect::<Vec<_>>()}))
            }
        }
    }

    fn term(&self, version: u64, id: u64, wanted: Option<&str>, culture: Option<&str>) -> Option<Value> {
        let items = &self.at(version).items;
        let further = wanted.map(|wanted| Key::TermIn(id, wanted.to_owned()));
        let key = further
            .filter(|key| items.contains_key(key))
            .unwrap_or(Key::Term(id));
        let mut answer = items.get(&key)?.clone();
        answer.as_object_mut().unwrap().remove(LISTED);
        self.complete(&mut answer, version, culture);
        Some(answer)
    }

    fn complete(&self, answer: &mut Value, version: u64, culture: Option<&str>) {
        answer["tenant"] = json!(self.tenant);
        answer["version"] = json!(version);
        if let Some(culture) = culture {
            answer["requestedCulture"] = json!(culture);
        }
    }

    /// Whether something of `key` is what any version from `least` on says of it.
    pub(crate) fn says(&self, least: u64, key: &Key, culture: Option<&str>, part: &Value) -> bool {
        (least..=self.latest()).any(|version| {
            let contents = self.at(version);
            let Some(item) = contents.items.get(key) else {
                return false;
            };
            let same = |known: &Value| {
                let known = known.as_object().unwrap().iter();
                known
                    .filter(|(name, _)| !part[name.as_str()].is_null())
                    .all(|(name, value)| part[name] == *value)
            };
            match key {
                Key::Category(_) => same(&named(item, culture)) || same(&named(item, None)),
                _ => same(item),
            }
        })
    }

    /// Whether there is such an item in a version.
    pub(crate) fn has(&self, version: u64, key: &Key) -> bool {
        self.at(version).items.contains_key(key)
    }
}

/// The attributes of a term's own item that only listings show: no answer has them, and yet a change of them is a change of the item.
const LISTED: &str = "listed";

/// A category in the best culture.
fn named(category: &Value, wanted: Option<&str>) -> Value {
    let mut answer = category.clone();
    let names = answer.as_object_mut().unwrap().remove("names").unwrap();
    let culture = wanted
        .filter(|wanted| names[wanted].is_string())
        .unwrap_or(DEFAULT);
    answer["culture"] = json!(culture);
    answer["name"] = names[culture].clone();
    answer
}

fn best<'n>(names: &'n Names, culture: &'n str) -> (&'n str, &'n str) {
    names
        .get_key_value(culture)
        .or_else(|| names.get_key_value(DEFAULT))
        .map(|(culture, name)| (culture.as_str(), name.as_str()))
        .unwrap()
}

fn contents(draft: &Draft) -> Contents {
    let mut contents = Contents {
        categories: draft.categories.len(),
        terms: draft.terms.len(),
        ..Contents::default()
    };
    for (id, names) in &draft.categories {
        contents.cultures.extend(names.keys().cloned());
        let category = json!({
            "id": id, "names": names, "sortKey": sort_key(*id), "altNames": [], "metadata": {},
            "deprecated": false, "replacedBy": [], "relations": [], "removed": false,
        });
        contents.items.insert(Key::Category(*id), category);
    }
    for (id, term) in &draft.terms {
        contents.cultures.extend(term.names.keys().cloned());
        for culture in term.names.keys() {
            let mut value = said(draft, *id, culture);
            let key = match culture.as_str() {
                DEFAULT => {
                    let is_parent = draft.terms.values().any(|term| term.parent == Some(*id));
                    value[LISTED] = json!({"names": term.names, "isParent": is_parent});
                    Key::Term(*id)
                }
                further => Key::TermIn(*id, further.to_owned()),
            };
            contents.items.insert(key, value);
        }
    }
    contents
}

/// A term in a culture in which it has a name.
fn said(draft: &Draft, id: u64, culture: &str) -> Value {
    let term = &draft.terms[&id];
    let (category_culture, category) = best(&draft.categories[&term.category], culture);
    let mut ancestors = Vec::new();
    let mut above = term.parent;
    while let Some(id) = above {
        let ancestor = &draft.terms[&id];
        let (culture, name) = best(&ancestor.names, culture);
        let final_name = format!("{category}:{name}");
        ancestors.push(json!({"id": id, "name": name, "finalName": final_name, "culture": culture}));
        above = ancestor.parent;
    }
    let name = &term.names[culture];
    let metadata = if id == MARKER {
        json!({"upload": draft.upload})
    } else {
        json!({})
    };
    json!({
        "id": id, "name": name, "culture": culture, "finalName": format!("{category}:{name}"),
        "category": {"id": term.category, "name": category, "culture": category_culture},
        "depth": ancestors.len() + 1, "ancestors": ancestors, "altNames": [], "metadata": metadata,
        "deprecated": false, "replacedBy": [], "relations": [], "removed": false,
    })
}
