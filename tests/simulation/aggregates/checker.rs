//! The invariants of the aggregates, which hold after each write, and the checks at the end of a run.

use std::collections::{BTreeMap, BTreeSet};

use taxonomy_testkit::dynamodb::line;
use taxonomy_tests::prelude::*;

use crate::raw::{is_applied, is_read, keys, number};

use super::history::{History, Past};

/// Checks the writes of a run, from a stack without aggregates on.
pub(crate) struct Invariants<'h> {
    history: &'h History,
    /// The number of exchanges that were checked.
    checked: usize,
    /// The highest version of each item.
    versions: BTreeMap<(String, String), u64>,
}

/// An item that is not the expected one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrongItem {
    pub(crate) sort: String,
    pub(crate) expected: Option<String>,
    pub(crate) found: Option<String>,
}

/// The losses and the order of a run's deliveries, for the check of the messages.
#[derive(Debug, Default)]
pub(crate) struct Delivery {
    /// Versions whose records were lost: tenant and version.
    pub(crate) lost: BTreeSet<(usize, u64)>,
    /// The ETags of refused files whose records were lost.
    pub(crate) lost_refusals: BTreeSet<String>,
    /// Whether the records of each tenant were delivered in order.
    pub(crate) is_ordered: bool,
}

impl<'h> Invariants<'h> {
    pub(crate) fn new(history: &'h History) -> Self {
        Self {
            history,
            checked: 0,
            versions: BTreeMap::new(),
        }
    }

    /// Checks the writes since the last call: no version decreases, every item is right for the version in it, and totals are written last.
    pub(crate) fn check(&mut self, world: &World) -> Result<(), String> {
        let exchanges = world.exchanges().since(self.checked);
        self.checked += exchanges.len();
        for exchange in &exchanges {
            if exchange.service != "DynamoDB" || is_read(&exchange.operation) || !is_applied(exchange) {
                continue;
            }
            for (partition, sort) in keys(exchange) {
                self.check_item(world, &partition, &sort)
                    .map_err(|violation| format!("{violation}: {exchange}"))?;
            }
        }
        Ok(())
    }

    fn check_item(&mut self, world: &World, partition: &str, sort: &str) -> Result<(), String> {
        let tenant = partition.strip_prefix("STATS#");
        let mut pasts = self.history.pasts.iter();
        let past = pasts.find(|past| Some(past.tenant.as_str()) == tenant);
        let past = past.ok_or_else(|| format!("the aggregator wrote to {partition}"))?;
        let (version, found) = stored(world, partition, sort).ok_or("an item was deleted")?;
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
            others_are_written(world, past, version)?;
        }
        Ok(())
    }
}

/// Checks that every item is stored that must be written before the totals of a version.
fn others_are_written(world: &World, past: &Past, version: u64) -> Result<(), String> {
    let partition = format!("STATS#{}", past.tenant);
    for (sort, least) in &past.expected.due[usize::try_from(version).unwrap() - 1] {
        let found = stored(world, &partition, sort).map_or(0, |(version, _)| version);
        if found < *least {
            return Err(format!(
                "the totals are those of version {version}, but {sort} is at {found} instead of {least}"
            ));
        }
    }
    Ok(())
}

/// Returns the version of an item, and the item as a line.
fn stored(world: &World, partition: &str, sort: &str) -> Option<(u64, String)> {
    let item = world.db.item(TABLE, partition, sort)?;
    Some((number(&item, "V"), line(&item)))
}

/// Returns the items that differ from the expected ones at the end of a run.
pub(crate) fn wrong_items(world: &World, history: &History) -> Vec<WrongItem> {
    let lines: Vec<String> = world.db.dump(TABLE);
    let found: BTreeMap<(&str, &str), &str> = lines
        .iter()
        .filter_map(|line| {
            let mut parts = line.splitn(3, " | ");
            let tenant = parts.next()?.strip_prefix("STATS#")?;
            Some(((tenant, parts.next()?), line.as_str()))
        })
        .collect();
    let mut expected: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for past in &history.pasts {
        let last = past.expected.last().into_iter();
        expected.extend(last.map(|(sort, line)| ((past.tenant.as_str(), sort), line)));
    }
    let keys: BTreeSet<&(&str, &str)> = found.keys().chain(expected.keys()).collect();
    let wrong = keys.into_iter().filter(|key| found.get(key) != expected.get(key));
    let line = |line: &&str| (*line).to_owned();
    wrong
        .map(|key| WrongItem {
            sort: key.1.to_owned(),
            expected: expected.get(key).map(line),
            found: found.get(key).map(line),
        })
        .collect()
}

/// The published messages of a run, each once.
#[derive(Debug, Default)]
struct Messages {
    /// The data of each published version, by tenant and version.
    versions: BTreeMap<(String, u64), Value>,
    /// Tenants and ETags of refused files.
    refusals: BTreeSet<(String, String)>,
}

impl Messages {
    /// Reads the messages; every message with one id must have the same bytes, and versions must be in order if their records were.
    fn read(world: &World, is_ordered: bool) -> Result<Self, String> {
        let mut messages = Self::default();
        let (mut known, mut newest) = (BTreeMap::new(), BTreeMap::new());
        for published in world.sns.published() {
            let message: Value = serde_json::from_str(&published.message).unwrap();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            if let Some(before) = known.insert(text(&message["id"]), published.message.clone()) {
                if before != published.message {
                    return Err(format!(
                        "one id has two messages: {before}, then {}",
                        published.message
                    ));
                }
                continue;
            }
            let (tenant, data) = (text(&message["subject"]), &message["data"]);
            if message["type"] == "taxonomy.rejected.v1" {
                messages.refusals.insert((tenant, text(&data["etag"])));
                continue;
            }
            let to = data["to"].as_u64().unwrap();
            let before = newest.insert(tenant.clone(), to).unwrap_or(0);
            if to < before && is_ordered {
                return Err(format!("version {to} was published after {before}"));
            }
            messages.versions.insert((tenant, to), data.clone());
        }
        Ok(messages)
    }
}

/// Checks the published messages: one for every version and every refused file whose record was not lost, and no other.
pub(crate) fn check_messages(world: &World, history: &History, delivery: &Delivery) -> Result<(), String> {
    let Messages {
        mut versions,
        refusals,
    } = Messages::read(world, delivery.is_ordered)?;
    for (number, past) in history.pasts.iter().enumerate() {
        for to in past.committed.iter().copied() {
            let Some(message) = versions.remove(&(past.tenant.clone(), to)) else {
                if delivery.lost.contains(&(number, to)) {
                    continue;
                }
                return Err(format!("version {to} of {} was not published", past.tenant));
            };
            let expected = expected_message(past, to);
            for (field, should) in expected.as_object().unwrap() {
                if message[field] != *should {
                    return Err(format!("{field} should be {should} in {message}"));
                }
            }
        }
        let due = past.refused.iter();
        for etag in due.filter(|etag| !delivery.lost_refusals.contains(*etag)) {
            if !refusals.contains(&(past.tenant.clone(), etag.clone())) {
                return Err(format!(
                    "the refusal of {etag} of {} was not published",
                    past.tenant
                ));
            }
        }
    }
    match versions.first_key_value() {
        Some((_, message)) => Err(format!(
            "a version was published that was not committed: {message}"
        )),
        None => Ok(()),
    }
}

fn expected_message(past: &Past, to: u64) -> Value {
    let (categories, counts, changes) = &past.expected.steps[usize::try_from(to).unwrap() - 1];
    json!({
        "from": to - 1,
        "totals": {
            "categories": categories, "terms": counts.terms, "leaves": counts.leaves, "deprecated": counts.deprecated,
        },
        "changes": {
            "added": changes.added, "changed": changes.changed, "removed": changes.removed, "renamed": changes.renamed,
            "moved": changes.moved, "deprecated": changes.deprecated, "restored": changes.restored,
            "finalNames": changes.final_names,
        },
    })
}
