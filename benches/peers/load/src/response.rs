//! A response of the function, and its comparison with the file of its version.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::history::{History, Seen};
use crate::oracle::{Kind, Taxonomy, difference};
use crate::request::{Request, Subject};

/// A response in payload format 2.0.
pub(crate) struct Response {
    pub(crate) status: u64,
    /// `Taxonomy-Version`.
    pub(crate) version: Option<u64>,
    pub(crate) tag: Option<String>,
    body: Value,
}

impl Response {
    /// Parses the answer of the function.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let answer: Value =
            serde_json::from_slice(bytes).map_err(|error| format!("the answer is no JSON: {error}"))?;
        let header = |name: &str| answer["headers"][name].as_str();
        let body = answer["body"].as_str().unwrap_or_default();
        let body = match body {
            "" => Value::Null,
            text => serde_json::from_str(text).map_err(|error| format!("the body is no JSON: {error}"))?,
        };
        Ok(Self {
            status: answer["statusCode"].as_u64().ok_or("the answer has no status")?,
            version: header("taxonomy-version").and_then(|version| version.parse().ok()),
            tag: header("etag").map(str::to_owned),
            body,
        })
    }

    /// Compares the response with the file of the version that it names. Returns that version; none for a term that no version had.
    ///
    /// # Errors
    /// Says what is different.
    pub(crate) fn check(&self, request: &Request, history: &History) -> Result<Option<u64>, String> {
        match self.status {
            200 => {}
            304 => return self.check_unchanged(request, history),
            404 => return self.check_unknown(request, history),
            other => return Err(format!("status {other}: {}", self.body)),
        }
        let version = self.version.ok_or("a 200 names no version")?;
        let taxonomy = history
            .taxonomy(version)
            .ok_or_else(|| format!("version {version} was never published"))?;
        if request.pinned.is_some_and(|pinned| pinned != version) {
            return Err(format!("version {version} instead of {:?}", request.pinned));
        }
        let body = &self.body;
        match &request.subject {
            Subject::Term { id, culture } => same_term(body, history, version, *id, culture.as_deref())?,
            Subject::Batch { ids } => batch(body, history, version, ids)?,
            Subject::Children { id } => children(body, &taxonomy, *id)?,
            Subject::Categories => categories(body, &taxonomy)?,
            Subject::Suggest { query, named } => suggestions(body, &taxonomy, query, *named)?,
            Subject::Changes { after } => changes(body, history, *after, version)?,
            Subject::Head => head(body, history)?,
        }
        Ok(Some(version))
    }

    /// A 304 says that the caller has the response of the version that it names.
    fn check_unchanged(&self, request: &Request, history: &History) -> Result<Option<u64>, String> {
        let (known, version) = (request.known.ok_or("a 304 without If-None-Match")?, self.version);
        let version = version.ok_or("a 304 names no version")?;
        let Subject::Term { id, culture } = &request.subject else {
            return Err("a 304 to another request than that of a term".to_owned());
        };
        let [before, now] =
            [known, version].map(|version| match history.term(version, *id, culture.as_deref()) {
                Seen::Live(term) => Some(term),
                _ => None,
            });
        match before.is_some() && before == now {
            true => Ok(Some(version)),
            false => Err(format!(
                "a 304 although version {version} has another content than {known}"
            )),
        }
    }

    fn check_unknown(&self, request: &Request, history: &History) -> Result<Option<u64>, String> {
        let (Subject::Term { id, .. } | Subject::Children { id }) = &request.subject else {
            return Err(format!("status 404: {}", self.body));
        };
        let version = request.pinned.or(self.version);
        let newest = history.newest_served().map(|(version, _)| version);
        // Without a version in the response it may be of the one before the newest, which may not have the term either.
        let candidates = version.map_or(
            newest.map(|newest| newest.saturating_sub(1)..=newest),
            |version| Some(version..=version),
        );
        let is_unknown = |version| matches!(history.term(version, *id, None), Seen::Unknown);
        match candidates.into_iter().flatten().any(is_unknown) {
            true => Ok(None),
            false => Err(format!("status 404 for a term of the version: {}", self.body)),
        }
    }
}

fn same(expected: &Value, found: &Value) -> Result<(), String> {
    difference(expected, found).map_or(Ok(()), Err)
}

fn items(body: &Value) -> Result<&Vec<Value>, String> {
    body["items"]
        .as_array()
        .ok_or_else(|| format!("no items in {body}"))
}

fn same_term(
    found: &Value,
    history: &History,
    version: u64,
    id: u64,
    culture: Option<&str>,
) -> Result<(), String> {
    if found["version"].as_u64() != Some(version) {
        return Err(format!(
            "version {} in the body, {version} in the header",
            found["version"]
        ));
    }
    match history.term(version, id, culture) {
        Seen::Live(expected) => same(&expected, found),
        Seen::Removed(last) if found["removed"] == true && found["id"] == id => {
            match found["finalName"] == last["finalName"] {
                true => Ok(()),
                false => Err(format!("the removed term {id} is named {}", found["finalName"])),
            }
        }
        Seen::Removed(_) => Err(format!("term {id} was removed, the response has it")),
        Seen::Unknown => Err(format!("no version up to {version} has term {id}")),
    }
}

fn batch(body: &Value, history: &History, version: u64, ids: &[u64]) -> Result<(), String> {
    let items = items(body)?;
    if items.len() != ids.len() {
        return Err(format!("{} items for {} ids", items.len(), ids.len()));
    }
    for (item, id) in items.iter().zip(ids) {
        match (item["id"].as_u64() == Some(*id), item["status"].as_u64()) {
            (true, Some(200)) => same_term(&item["term"], history, version, *id, None)?,
            (true, Some(404)) if matches!(history.term(version, *id, None), Seen::Unknown) => {}
            _ => return Err(format!("item {item} for term {id} of version {version}")),
        }
    }
    Ok(())
}

fn children(body: &Value, taxonomy: &Taxonomy, id: u64) -> Result<(), String> {
    let items = items(body)?;
    for item in items {
        let child = item["id"].as_u64().unwrap_or_default();
        let expected = taxonomy
            .child(child)
            .ok_or_else(|| format!("child {child} is not in the version"))?;
        same(&expected, item)?;
    }
    let found: BTreeSet<u64> = items.iter().filter_map(|item| item["id"].as_u64()).collect();
    let expected: BTreeSet<u64> = taxonomy.children(id).iter().copied().collect();
    match found == expected || (!body["nextCursor"].is_null() && found.is_subset(&expected)) {
        true => Ok(()),
        false => Err(format!("children {found:?} instead of {expected:?}")),
    }
}

fn categories(body: &Value, taxonomy: &Taxonomy) -> Result<(), String> {
    let items = items(body)?;
    for (id, expected) in taxonomy.categories() {
        let found = items.iter().find(|item| item["id"] == id);
        let found = found.ok_or_else(|| format!("category {id} is missing"))?;
        same(&expected.unwrap_or_default(), found)?;
    }
    match items.len() == taxonomy.totals().0 {
        true => Ok(()),
        false => Err(format!("{} categories", items.len())),
    }
}

fn suggestions(body: &Value, taxonomy: &Taxonomy, query: &str, named: Option<u64>) -> Result<(), String> {
    let items = items(body)?;
    for item in items {
        let (id, culture) = (item["id"].as_u64().unwrap_or_default(), item["culture"].as_str());
        let term = taxonomy
            .term(id, culture)
            .ok_or_else(|| format!("term {id} is suggested, the version has none"))?;
        for name in ["name", "culture", "finalName"] {
            if item[name] != term[name] {
                return Err(format!(
                    "{name} of the suggested term {id}: {} instead of {}",
                    item[name], term[name]
                ));
            }
        }
    }
    // A query that is the name of a term in this version finds the term.
    let named = named.filter(|id| taxonomy.name(*id) == Some(query));
    match named.is_none_or(|id| items.iter().any(|item| item["id"] == id)) {
        true => Ok(()),
        false => Err(format!("{query} does not find the term of this name")),
    }
}

fn changes(body: &Value, history: &History, after: u64, version: u64) -> Result<(), String> {
    if body["from"].as_u64() != Some(after) || body["to"].as_u64() != Some(version) {
        return Err(format!(
            "changes from {} to {} instead of {after} to {version}",
            body["from"], body["to"]
        ));
    }
    let [Some(from), Some(to)] = [after, version].map(|version| history.taxonomy(version)) else {
        return Err(format!("version {after} was never published"));
    };
    for item in items(body)? {
        let kind = if item["kind"] == "category" {
            Kind::Category
        } else {
            Kind::Term
        };
        let id = item["id"].as_u64().unwrap_or_default();
        if !from.differs_in(&to, kind, id) {
            return Err(format!("{item} is the same in versions {after} and {version}"));
        }
        for (side, taxonomy) in [("before", &from), ("after", &to)] {
            match (taxonomy.state(kind, id), item.get(side)) {
                (Some(expected), Some(found)) => {
                    same(&expected, found).map_err(|differs| format!("{side} of {id}: {differs}"))?
                }
                (None, None) => {}
                (expected, found) => {
                    return Err(format!("{side} of {id}: {found:?} instead of {expected:?}"));
                }
            }
        }
    }
    Ok(())
}

fn head(body: &Value, history: &History) -> Result<(), String> {
    let newest = body["version"]
        .as_u64()
        .and_then(|version| history.taxonomy(version));
    let (categories, terms) = newest.ok_or_else(|| format!("the head is {body}"))?.totals();
    let totals = &body["totals"];
    match totals["categories"] == categories && totals["terms"] == terms {
        true => Ok(()),
        false => Err(format!(
            "totals {totals} instead of {categories} categories and {terms} terms"
        )),
    }
}
