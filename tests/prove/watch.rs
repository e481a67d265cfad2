//! What holds at every step, whoever is in the middle of what: nothing goes back, nothing is deleted, nobody touches what is not his.

use std::collections::BTreeMap;

use taxonomy_testkit::Exchange;
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, TABLE};
use taxonomy_tests::world::World;

use crate::stored::{head, number};

/// Which rules count. Against known mistakes the requests themselves are not held, only what they lead to: that somebody deletes is
/// easily seen, that it does harm is what the proof has to notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    All,
    EffectsOnly,
}

/// Follows one tenant through a run.
#[derive(Debug)]
pub(crate) struct Watch {
    tenant: String,
    rules: Rules,
    /// Exchanges that were looked at.
    seen: usize,
    /// The highest version each item ever had.
    versions: BTreeMap<(String, String), u64>,
    head: u64,
    projected: u64,
}

impl Watch {
    /// From now on; what was sent before is somebody else's.
    pub(crate) fn new(world: &World, tenant: &str, rules: Rules) -> Self {
        Self {
            tenant: tenant.to_owned(),
            rules,
            seen: world.exchanges().len(),
            versions: BTreeMap::new(),
            head: 0,
            projected: 0,
        }
    }

    /// The record of the wire begins anew.
    pub(crate) fn forget(&mut self) {
        self.seen = 0;
    }

    /// Looks at what was sent since the last time.
    pub(crate) fn step(&mut self, world: &World) -> Result<(), String> {
        let sent = world.exchanges().since(self.seen);
        self.seen += sent.len();
        for exchange in &sent {
            let applied = exchange
                .effect
                .as_deref()
                .is_some_and(|effect| effect.starts_with('2'));
            if is_read(&exchange.operation) || !applied {
                continue;
            }
            self.is_mine(exchange)
                .map_err(|rule| format!("{rule}: {exchange}"))?;
            if exchange.service == "DynamoDB" {
                self.does_not_go_back(world, exchange)?;
            }
        }
        Ok(())
    }

    /// Nothing is written outside the tenant's own keys, and nothing is deleted.
    fn is_mine(&self, exchange: &Exchange) -> Result<(), &'static str> {
        let deletes = exchange.operation.starts_with("Delete") || exchange.operation.starts_with("Batch");
        if deletes && self.rules == Rules::All {
            return Err("something is deleted");
        }
        let tenant = &self.tenant;
        let mine = match exchange.service {
            "DynamoDB" => keys(exchange).all(|(partition, _)| {
                partition == format!("TAXONOMY#{tenant}")
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
        if mine {
            Ok(())
        } else {
            Err("something is written that is not the tenant's")
        }
    }

    /// The version of an item never decreases, nor does an item vanish; head and projection only move on, the projection
    /// behind the head.
    fn does_not_go_back(&mut self, world: &World, exchange: &Exchange) -> Result<(), String> {
        for (partition, sort) in keys(exchange) {
            let item = world.db.item(TABLE, &partition, &sort);
            let version = item.map_or(0, |item| number(&item, "V"));
            let key = (partition, sort);
            let before = self.versions.get(&key).copied().unwrap_or(0);
            // Gone is what it is only where nothing may go; what comes back older is wrong under any rules.
            if version == 0 && self.rules == Rules::EffectsOnly {
                continue;
            }
            if version < before {
                return Err(format!(
                    "{key:?} went from version {before} to {version}: {exchange}"
                ));
            }
            self.versions.insert(key, version);
        }
        let item = head(world, &self.tenant);
        let (head, projected) = (number(&item, "V"), number(&item, "Projected"));
        if head < self.head || projected < self.projected || projected > head {
            return Err(format!(
                "head and projection went from {} and {} to {head} and {projected}: {exchange}",
                self.head, self.projected
            ));
        }
        (self.head, self.projected) = (head, projected);
        Ok(())
    }
}

pub(crate) fn is_read(operation: &str) -> bool {
    ["Get", "Head", "List", "Query", "Scan", "BatchGet"]
        .iter()
        .any(|read| operation.starts_with(read))
}

/// PK and SK of everything that a request of DynamoDB is about.
fn keys(exchange: &Exchange) -> impl Iterator<Item = (String, String)> {
    exchange.target.split(", ").map(|target| {
        let mut words = target.split(' ').skip(1).map(str::to_owned);
        (words.next().unwrap_or_default(), words.next().unwrap_or_default())
    })
}
