//! Laws that hold between any two versions.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use taxonomy_keys::{ItemKey, Key};
use taxonomy_model::items::Item;
use taxonomy_model::writes::{self, Write};
use taxonomy_model::{
    Census, Changes, Counts, Fact, NodeId, Record, Taxonomy, apply, diff, snapshot, touched,
};

use crate::golden::{acme, all_items};
use taxonomy_testfiles::{files, taxonomy};

type Table = BTreeMap<Key, Item>;

fn items_of(taxonomy: &Taxonomy) -> Table {
    let items = all_items(&acme(), taxonomy).into_iter();
    items.map(|item| (item.key.key(), item)).collect()
}

/// The reference: a table that takes every write, and what of it readers see.
fn write(table: &mut Table, write: &Write) {
    table.insert(write.item().key.key(), write.item().clone());
}

fn live(table: &Table) -> Table {
    let mut live = table.clone();
    live.retain(|_, item| !item.attributes.contains_key("Removed"));
    live
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn facts_applied_to_one_version_give_the_other(old in proptest::option::of(files()), new in files()) {
        let (old, new) = (old.map(|old| taxonomy(&old)), taxonomy(&new));
        let facts = diff(old.as_ref(), &new);
        let stored: Vec<Fact> = serde_json::from_str(&serde_json::to_string(&facts).unwrap()).unwrap();
        let applied = apply(old.as_ref(), &stored).unwrap();
        prop_assert_eq!(snapshot::hash(&applied), snapshot::hash(&new));
        prop_assert_eq!(items_of(&applied), items_of(&new));
        let terms = |matches: fn(&Fact) -> bool| {
            let subjects = facts.iter().filter(|fact| matches(fact)).filter_map(Fact::subject);
            subjects.filter(|node| matches!(node, NodeId::Term(_))).collect::<BTreeSet<_>>().len() as u64
        };
        let counted = Changes {
            added: terms(|fact| matches!(fact, Fact::TermAdded(_))),
            removed: terms(|fact| matches!(fact, Fact::TermRemoved { .. })),
            changed: terms(|fact| !matches!(fact, Fact::TermAdded(_) | Fact::TermRemoved { .. })),
            renamed: terms(|fact| matches!(fact, Fact::Renamed { .. })),
            moved: terms(|fact| matches!(fact, Fact::TermMoved { .. })),
            deprecated: terms(|fact| matches!(fact, Fact::Deprecated { .. })),
            restored: terms(|fact| matches!(fact, Fact::Reinstated { .. })),
            // No facts say it: `final_names.rs` counts it from the files.
            final_names: 0,
        };
        let changes = Changes::between(old.as_ref(), &new);
        prop_assert_eq!(Changes { final_names: 0, ..changes }, counted);
        // A category is touched exactly if what is stored of it, or of a term in it, is not the same before and after.
        let records = |taxonomy: Option<&Taxonomy>| -> BTreeMap<u64, Vec<String>> {
            let mut records: BTreeMap<u64, Vec<String>> = BTreeMap::new();
            for category in taxonomy.into_iter().flat_map(Taxonomy::categories) {
                let text = serde_json::to_string(&Record::of_category(category)).unwrap();
                records.entry(category.id().get()).or_default().push(text);
            }
            for term in taxonomy.into_iter().flat_map(Taxonomy::terms) {
                let text = serde_json::to_string(&Record::of_term(term)).unwrap();
                records.entry(term.category().id().get()).or_default().push(text);
            }
            records
        };
        let (before, after) = (records(old.as_ref()), records(Some(&new)));
        let ids: BTreeSet<u64> = before.keys().chain(after.keys()).copied().collect();
        let differing: Vec<u64> = ids.into_iter().filter(|id| before.get(id) != after.get(id)).collect();
        prop_assert_eq!(touched(old.as_ref(), &new), differing);
        let same = old.is_some_and(|old| snapshot::hash(&old) == snapshot::hash(&new));
        prop_assert_eq!(facts.is_empty(), same, "no facts exactly between equal versions");
    }

    /// Counted again from the stored records, which know nothing of depths and leaves.
    #[test]
    fn a_census_counts_every_term_once(file in files()) {
        let taxonomy = taxonomy(&file);
        let records: Vec<Record> = taxonomy.terms().map(Record::of_term).collect();
        let above: BTreeMap<u64, Option<u64>> = records.iter().map(|record| (record.id, record.parent)).collect();
        let depth = |id: u64| std::iter::successors(Some(id), |id| above[id]).count();
        let count = |mine: &dyn Fn(&Record) -> bool| {
            let mine: Vec<&Record> = records.iter().filter(|record| mine(record)).collect();
            let deepest = mine.iter().map(|record| depth(record.id)).max().unwrap_or(0);
            let mut names = BTreeMap::new();
            for record in &mine {
                for name in serde_json::to_value(&record.names).unwrap().as_array().unwrap() {
                    *names.entry(name[0].as_str().unwrap().to_owned()).or_insert(0) += 1;
                }
            }
            Counts {
                terms: mine.len() as u64,
                leaves: mine.iter().filter(|record| !above.values().any(|parent| *parent == Some(record.id))).count() as u64,
                deprecated: mine.iter().filter(|record| record.details.deprecated).count() as u64,
                depths: (1..=deepest).map(|at| mine.iter().filter(|record| depth(record.id) == at).count() as u64).collect(),
                names: names.into_iter().map(|(tag, named)| (tag.parse().unwrap(), named)).collect(),
            }
        };
        let census = Census::new(&taxonomy);
        prop_assert_eq!(census.totals.categories, taxonomy.categories().len() as u64);
        prop_assert_eq!(&census.totals.counts, &count(&|_| true));
        for category in census.categories {
            prop_assert_eq!(&category.counts, &count(&|record| record.category == Some(category.id)));
        }
    }

    #[test]
    fn a_snapshot_reads_back_as_it_was(file in files()) {
        let original = taxonomy(&file);
        let mut bytes = Vec::new();
        let hash = snapshot::write(&original, &mut bytes).unwrap();
        let (read, _) = snapshot::read(&*bytes).unwrap();
        prop_assert_eq!(taxonomy_model::Hash::digest(&bytes), snapshot::hash(&original));
        prop_assert_eq!(snapshot::hash(&read), hash);
        prop_assert_eq!(items_of(&read), items_of(&original));
    }

    #[test]
    fn writes_are_exactly_the_items_that_differ(old in files(), new in files()) {
        let (old, new) = (taxonomy(&old), taxonomy(&new));
        let (before, after) = (items_of(&old), items_of(&new));
        let mut table = before.clone();
        for change in writes::between(&acme(), Some(&old), &new, 99) {
            let key = change.item().key.key();
            match &change {
                Write::Put(item) => prop_assert_ne!(before.get(&key), Some(item), "unchanged, but written"),
                Write::Remove(item) => {
                    prop_assert!(before.contains_key(&key) && !after.contains_key(&key));
                    let stays = matches!(item.key, ItemKey::Term { .. } | ItemKey::Category { .. });
                    prop_assert_eq!(item.attributes.contains_key("ExpiresAt"), !stays);
                    prop_assert_eq!(item.attributes.contains_key("FinalName"), matches!(item.key, ItemKey::Term { .. }));
                }
            }
            write(&mut table, &change);
        }
        prop_assert_eq!(live(&table), after);
    }

    #[test]
    fn the_order_of_siblings_and_keys_means_nothing(file in files()) {
        let value: serde_json::Value = serde_json::from_str(&file).unwrap();
        let reversed = reverse(value).to_string();
        prop_assert_eq!(snapshot::hash(&taxonomy(&reversed)), snapshot::hash(&taxonomy(&file)));
    }
}

/// Every list of objects backwards; objects come out in another order of keys by themselves.
fn reverse(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value::{Array, Object};
    match value {
        Array(values) if values.iter().all(serde_json::Value::is_object) => {
            Array(values.into_iter().rev().map(reverse).collect())
        }
        Object(fields) => {
            let fields = fields.into_iter();
            Object(fields.map(|(key, value)| (key, reverse(value))).collect())
        }
        other => other,
    }
}
