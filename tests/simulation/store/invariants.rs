//! The invariants of the event store that hold after each request, whichever processes run: nothing goes back, nothing is deleted, no item or
//! object of another tenant is written, and work that is left is listed.

use std::collections::{BTreeMap, BTreeSet};

use taxonomy_testkit::Exchange;
use taxonomy_tests::budget::effect;
use taxonomy_tests::prelude::*;

use crate::raw::{head, is_applied, is_read, keys, number, text};

/// Checks the requests of one tenant's run.
#[derive(Debug, Clone)]
pub(crate) struct Invariants {
    tenant: String,
    /// The number of exchanges that were checked.
    checked: usize,
    /// The highest version of each item.
    versions: BTreeMap<(String, String), u64>,
    /// The keys of all stored index files and search objects.
    files: BTreeSet<String>,
    /// The keys of what was lost, and may be stored again at any time.
    lost: BTreeSet<String>,
    head: u64,
    projected: u64,
}

impl Invariants {
    /// Begins with the next request.
    pub(crate) fn new(world: &World, tenant: &str) -> Self {
        Self {
            tenant: tenant.to_owned(),
            checked: world.exchanges().len(),
            versions: BTreeMap::new(),
            files: BTreeSet::new(),
            lost: BTreeSet::new(),
            head: 0,
            projected: 0,
        }
    }

    /// Returns the same rules for a copy of the stack, which has recorded nothing.
    pub(crate) fn of_copy(&self) -> Self {
        Self {
            checked: 0,
            ..self.clone()
        }
    }

    /// Begins anew after a change by hand, which the next call does not check.
    pub(crate) fn forget(&mut self, world: &World) {
        self.checked = world.exchanges().len();
        self.versions.clear();
        (self.head, self.projected) = (0, 0);
        let prefix = format!("indexes/{}/", self.tenant);
        let keys = world.s3.keys(CHANGESETS_BUCKET).into_iter();
        self.files = keys
            .filter_map(|key| Some(key.strip_prefix(&prefix)?.to_owned()))
            .collect();
    }

    /// Lets lost objects be stored again.
    pub(crate) fn allow<'k>(&mut self, lost: impl Iterator<Item = &'k str>) {
        self.lost.extend(lost.map(str::to_owned));
    }

    /// Checks the requests since the last call.
    pub(crate) fn check(&mut self, world: &World) -> Result<(), String> {
        let exchanges = world.exchanges().since(self.checked);
        self.checked += exchanges.len();
        let (mut written, mut last) = (BTreeMap::new(), None);
        for exchange in &exchanges {
            if is_read(&exchange.operation) || !is_applied(exchange) {
                continue;
            }
            self.writes_own_keys(exchange)
                .map_err(|rule| format!("{rule}: {exchange}"))?;
            match exchange.service {
                "DynamoDB" => {
                    self.names_existing_files(world, exchange)?;
                    written.extend(keys(exchange).map(|key| (key, exchange)));
                    last = Some(exchange);
                }
                "S3" => self.precedes_the_index_file(exchange)?,
                _ => {}
            }
        }
        if let Some(last) = last {
            self.head_does_not_go_back(world)
                .map_err(|rule| format!("{rule}: {last}"))?;
        }
        for (key, exchange) in written {
            self.does_not_go_back(world, key)
                .map_err(|rule| format!("{rule}: {exchange}"))?;
        }
        Ok(())
    }

    fn writes_own_keys(&self, exchange: &Exchange) -> Result<(), &'static str> {
        let deletes = exchange.operation.starts_with("Delete") || exchange.operation.starts_with("Batch");
        if deletes && effect().is_none() {
            return Err("something is deleted");
        }
        let tenant = &self.tenant;
        let is_own = match exchange.service {
            "DynamoDB" => keys(exchange).all(|(partition, _)| {
                partition == format!("TAXONOMY#{tenant}")
                    || partition == format!("STATS#{tenant}")
                    || partition.starts_with(&format!("TERM#{tenant}#"))
                    || partition.starts_with(&format!("CATEGORY#{tenant}#"))
            }),
            "S3" => ["snapshots", "changesets", "reports", "indexes"]
                .iter()
                .any(|kind| {
                    let prefix = format!("{CHANGESETS_BUCKET}/{kind}/{tenant}/");
                    exchange.target.starts_with(&prefix)
                }),
            "SQS" => exchange.operation == "SendMessage",
            _ => false,
        };
        if is_own {
            Ok(())
        } else {
            Err("something of another tenant is written")
        }
    }

    /// Checks that no search object is stored after the index file that names it.
    fn precedes_the_index_file(&mut self, exchange: &Exchange) -> Result<(), String> {
        let prefix = format!("{CHANGESETS_BUCKET}/indexes/{}/", self.tenant);
        let Some(name) = exchange.target.strip_prefix(&prefix) else {
            return Ok(());
        };
        let version = |name: &str| name.rsplit_once('-').map(|(version, _)| version.to_owned());
        let was_lost = self.lost.iter().any(|lost| lost.ends_with(name));
        let is_late = name.contains(".search-")
            && !was_lost
            && self.files.iter().any(|file| {
                let index = file.strip_suffix(".index").and_then(version);
                index.is_some_and(|index| name.starts_with(&index))
            });
        self.files.insert(name.to_owned());
        match is_late {
            true => Err(format!("after its index file: {exchange}")),
            false => Ok(()),
        }
    }

    /// Checks that the index file of a version exists before its log entry and head name it.
    fn names_existing_files(&self, world: &World, exchange: &Exchange) -> Result<(), String> {
        for (partition, sort) in keys(exchange).filter(|(_, sort)| sort.starts_with("CHANGESET#")) {
            let entry = world.db.item(TABLE, &partition, &sort).unwrap_or_default();
            let key = text(&entry, "IndexKey");
            let name = key.strip_prefix(&format!("indexes/{}/", self.tenant));
            if !name.is_some_and(|name| self.files.contains(name)) {
                return Err(format!("{key} does not exist: {exchange}"));
            }
        }
        Ok(())
    }

    /// Checks that the version of an item does not decrease, and that the item does not vanish.
    fn does_not_go_back(&mut self, world: &World, key: (String, String)) -> Result<(), String> {
        let item = world.db.item(TABLE, &key.0, &key.1);
        let version = item.map_or(0, |item| number(&item, "V"));
        let before = self.versions.get(&key).copied().unwrap_or(0);
        // For a mutant that deletes, a deletion is no violation; an item that returns with an older version is one.
        if version == 0 && effect().is_some() {
            return Ok(());
        }
        if version < before {
            return Err(format!("{key:?} went from version {before} to {version}"));
        }
        self.versions.insert(key, version);
        Ok(())
    }

    /// Checks that head and projection only advance, that the projection does not overtake the head, and that a tenant with work left is in the
    /// list of those behind.
    fn head_does_not_go_back(&mut self, world: &World) -> Result<(), String> {
        let item = head(world, &self.tenant);
        let (head, projected) = (number(&item, "V"), number(&item, "Projected"));
        if head < self.head || projected < self.projected || projected > head {
            return Err(format!(
                "head and projection went from {} and {} to {head} and {projected}",
                self.head, self.projected
            ));
        }
        (self.head, self.projected) = (head, projected);
        let is_behind = projected < head || item.contains_key("Asked");
        match is_behind && text(&item, "GSI1SK") != format!("behind#{}", self.tenant) {
            true => Err("behind, and not listed".to_owned()),
            false => Ok(()),
        }
    }
}
