//! `createdIn` and `changedIn` by plain code over the records of all versions. It shares no code with the builder.

use std::collections::BTreeMap;

use taxonomy_model::{Record, Taxonomy};

/// A category or a term, by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Id {
    Category(u64),
    Term(u64),
}

/// Everything of a node that counts as a change: its record and, of a term, the default culture and the category's name in it.
type State = (String, Option<(String, String)>);

fn states(taxonomy: &Taxonomy) -> BTreeMap<Id, State> {
    let text = |record: &Record| serde_json::to_string(record).unwrap();
    let mut states = BTreeMap::new();
    for category in taxonomy.categories() {
        let record = text(&Record::of_category(category));
        states.insert(Id::Category(category.id().get()), (record, None));
    }
    let default = &taxonomy.settings().default_culture;
    for term in taxonomy.terms() {
        let category = term.category().node.name_in(default).unwrap().name.to_owned();
        let beside = (default.to_string(), category);
        let record = text(&Record::of_term(term));
        states.insert(Id::Term(term.id().get()), (record, Some(beside)));
    }
    states
}

/// Of every id that the versions up to the last ever had: created in, changed in, whether the last one has it.
pub(crate) fn versions(taxonomies: &[&Taxonomy]) -> BTreeMap<Id, (u64, u64, bool)> {
    let mut known: BTreeMap<Id, (u64, u64, bool)> = BTreeMap::new();
    let mut before: BTreeMap<Id, State> = BTreeMap::new();
    for (number, taxonomy) in (1..).zip(taxonomies) {
        let now = states(taxonomy);
        for (id, state) in &now {
            let entry = known.entry(*id).or_insert((number, number, true));
            if before.get(id) != Some(state) {
                entry.1 = number;
            }
            entry.2 = true;
        }
        for id in before.keys().filter(|id| !now.contains_key(id)) {
            let created = known[id].0;
            known.insert(*id, (created, number, false));
        }
        before = now;
    }
    known
}
