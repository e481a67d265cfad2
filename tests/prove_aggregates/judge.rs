//! What holds after each write, and what in the end.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use taxonomy_testkit::Exchange;
use taxonomy_testkit::dynamodb::line;
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_tests::world::World;

use crate::history::{History, Past};

/// Follows what is written, from a world in which nothing is counted.
pub(crate) struct Watch<'h> {
    history: &'h History,
    /// Exchanges that were looked at.
    seen: usize,
    /// The highest version of each item.
    versions: BTreeMap<(String, String), u64>,
}

/// An item that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) sort: String,
    pub(crate) expected: Option<String>,
    pub(crate) found: Option<String>,
}

/// Which versions were to be told of, and whether in their order.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Records of them were dropped: tenant and version.
    pub(crate) lost: BTreeSet<(usize, u64)>,
    /// Records of refusals were: their ETags.
    pub(crate) lost_refusals: BTreeSet<String>,
    /// No record came before one that stands before it in the stream.
    pub(crate) is_ordered: bool,
}

impl<'h> Watch<'h> {
    pub(crate) fn new(history: &'h History) -> Self {
        Self {
            history,
            seen: 0,
            versions: BTreeMap::new(),
        }
    }

    /// Looks at what was sent since the last time: nothing goes back, whatever is stored is right for the version that it says, and totals
    /// come last.
    pub(crate) fn step(&mut self, world: &World) -> Result<(), String> {
        let sent = world.exchanges().since(self.seen);
        self.seen += sent.len();
        for exchange in &sent {
            let applied = exchange.effect.as_deref().unwrap_or_default().starts_with('2');
            let writes = ["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"];
            if !applied || exchange.service != "DynamoDB" || !writes.contains(&exchange.operation.as_str()) {
                continue;
            }
            for (partition, sort) in keys(exchange) {
                self.written(world, &partition, &sort)
                    .map_err(|wrong| format!("{wrong}: {exchange}"))?;
            }
        }
        Ok(())
    }

    fn written(&mut self, world: &World, partition: &str, sort: &str) -> Result<(), String> {
        let tenant = partition.strip_prefix("STATS#");
        let past = self.history.pasts.iter();
        let past = past
            .clone()
            .find(|past| Some(past.tenant.as_str()) == tenant)
            .ok_or_else(|| format!("{partition} is none of the aggregator's business"))?;
        let (version, found) = stored(world, partition, sort).ok_or("an item is gone")?;
        let key = (partition.to_owned(), sort.to_owned());
        let before = self.versions.insert(key, version).unwrap_or(0);
        if version < before {
            return Err(format!("it went from version {before} back to {version}"));
        }
        let truth = past.expected.truth.get(&(sort.to_owned(), version));
        if truth != Some(&found) {
            return Err(format!("{found} should be {truth:?}"));
        }
        if sort == "TENANT" {
            is_done(world, past, version)?;
        }
        Ok(())
    }
}

/// Everything up to a version is stored that is to be stored before its totals.
fn is_done(world: &World, past: &Past, version: u64) -> Result<(), String> {
    let partition = format!("STATS#{}", past.tenant);
    for (sort, least) in &past.expected.due[usize::try_from(version).unwrap() - 1] {
        let is = stored(world, &partition, sort).map_or(0, |(version, _)| version);
        if is < *least {
            return Err(format!(
                "the totals are those of version {version}, but {sort} is at {is} instead of {least}"
            ));
        }
    }
    Ok(())
}

/// The version of an item, and all of it.
fn stored(world: &World, partition: &str, sort: &str) -> Option<(u64, String)> {
    let item = world.db.item(TABLE, partition, sort)?;
    let version = item["V"].as_n().unwrap().parse().unwrap();
    Some((version, line(&item)))
}

/// What is not stored as it should be now that everything is done.
pub(crate) fn wrong(world: &World, history: &History) -> Vec<Wrong> {
    let lines: Vec<String> = world.db.dump(TABLE);
    let found: BTreeMap<(&str, &str), &str> = lines
        .iter()
        .filter_map(|line| {
            let mut parts = line.splitn(3, " | ");
            let partition = parts.next()?.strip_prefix("STATS#")?;
            Some(((partition, parts.next()?), line.as_str()))
        })
        .collect();
    let mut expected: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for past in &history.pasts {
        let last = past.expected.last().into_iter();
        expected.extend(last.map(|(sort, line)| ((past.tenant.as_str(), sort), line)));
    }
    let keys: BTreeSet<&(&str, &str)> = found.keys().chain(expected.keys()).collect();
    let wrong = keys.into_iter().filter(|key| found.get(key) != expected.get(key));
    wrong
        .map(|key| Wrong {
            sort: key.1.to_owned(),
            expected: expected.get(key).map(|line| (*line).to_owned()),
            found: found.get(key).map(|line| (*line).to_owned()),
        })
        .collect()
}

/// Others were told of every version that is projected, in the same bytes each time, and of one after the other; and of every refusal.
pub(crate) fn told(world: &World, history: &History, told: &Told) -> Result<(), String> {
    let mut said: BTreeMap<String, String> = BTreeMap::new();
    let mut order: BTreeMap<String, u64> = BTreeMap::new();
    let (mut versions, mut refusals) = (BTreeMap::new(), BTreeSet::new());
    for published in world.sns.published() {
        let message: Value = serde_json::from_str(&published.message).unwrap();
        let (text, data) = (
            |value: &Value| value.as_str().unwrap().to_owned(),
            &message["data"],
        );
        if let Some(before) = said.insert(text(&message["id"]), published.message.clone()) {
            if before != published.message {
                return Err(format!("told otherwise: {before}, then {}", published.message));
            }
            continue;
        }
        let tenant = text(&message["subject"]);
        if message["type"] == "taxonomy.rejected.v1" {
            refusals.insert((tenant, text(&data["etag"])));
            continue;
        }
        let to = data["to"].as_u64().unwrap();
        let last = order.insert(tenant.clone(), to).unwrap_or(0);
        if to < last && told.is_ordered {
            return Err(format!("{to} was told of after {last}"));
        }
        versions.insert((tenant, to), data.clone());
    }
    for (number, past) in history.pasts.iter().enumerate() {
        for projected in &past.projected {
            let to = projected.to;
            let Some(message) = versions.remove(&(past.tenant.clone(), to)) else {
                if told.lost.contains(&(number, to)) {
                    continue;
                }
                return Err(format!("nobody was told of version {to} of {}", past.tenant));
            };
            let expected = expected_message(past, to, projected.from);
            for (field, should) in expected.as_object().unwrap() {
                if message[field] != *should {
                    return Err(format!("{field} should be {should} in {message}"));
                }
            }
        }
        for etag in past
            .refused
            .iter()
            .filter(|etag| !told.lost_refusals.contains(*etag))
        {
            if !refusals.contains(&(past.tenant.clone(), etag.clone())) {
                return Err(format!(
                    "nobody was told that {etag} of {} is refused",
                    past.tenant
                ));
            }
        }
    }
    match versions.first_key_value() {
        Some((_, message)) => Err(format!("told of what was not projected: {message}")),
        None => Ok(()),
    }
}

fn expected_message(past: &Past, to: u64, from: u64) -> Value {
    let (categories, counts, step) = &past.expected.steps[usize::try_from(to).unwrap() - 1];
    json!({
        "from": from,
        "totals": {"categories": categories, "terms": counts.terms, "leaves": counts.leaves, "deprecated": counts.deprecated},
        "changes": {
            "added": step.added, "changed": step.changed, "removed": step.removed, "renamed": step.renamed, "moved": step.moved,
            "deprecated": step.deprecated, "restored": step.restored, "finalNames": step.final_names,
        },
    })
}

/// PK and SK of everything that a request is about.
fn keys(exchange: &Exchange) -> impl Iterator<Item = (String, String)> {
    exchange.target.split(", ").map(|target| {
        let mut words = target.split(' ').skip(1).map(str::to_owned);
        (words.next().unwrap_or_default(), words.next().unwrap_or_default())
    })
}
