//! The counts of categories, and the version that touched each last, against plain code over all versions.

use std::collections::BTreeMap;

use proptest::prelude::*;
use taxonomy_index::StoredCounts;
use taxonomy_keys::CategoryId;
use taxonomy_model::{Counts, Record, Taxonomy};

use crate::chain::{Link, chain, version};
use crate::steps::{histories, version_of};

/// A category and its terms, with all their fields.
type Content = (String, BTreeMap<u64, String>);

fn contents(taxonomy: &Taxonomy) -> BTreeMap<u64, Content> {
    let text = |record: &Record| serde_json::to_string(record).unwrap();
    let mut contents: BTreeMap<u64, Content> = BTreeMap::new();
    for category in taxonomy.categories() {
        let own = text(&Record::of_category(category));
        contents.insert(category.id().get(), (own, BTreeMap::new()));
    }
    for term in taxonomy.terms() {
        let of = contents.get_mut(&term.category().id().get()).unwrap();
        of.1.insert(term.id().get(), text(&Record::of_term(term)));
    }
    contents
}

fn counts(taxonomy: &Taxonomy, category: u64) -> Counts {
    let mut names: BTreeMap<_, u64> = BTreeMap::new();
    let mut counts = Counts::default();
    for term in taxonomy
        .terms()
        .filter(|term| term.category().id().get() == category)
    {
        counts.terms += 1;
        counts.leaves += u64::from(
            !taxonomy
                .terms()
                .any(|other| other.parent().is_some_and(|parent| parent.id() == term.id())),
        );
        counts.deprecated += u64::from(term.node.details().deprecated);
        let depth = usize::from(term.depth());
        counts.depths.resize(counts.depths.len().max(depth), 0);
        counts.depths[depth - 1] += 1;
        for name in term.node.names() {
            *names.entry(name.culture.clone()).or_default() += 1;
        }
    }
    counts.names = names.into_iter().collect();
    counts
}

/// Of every category that the versions up to the last ever had.
fn expected(links: &[Link]) -> BTreeMap<u64, StoredCounts> {
    let mut known: BTreeMap<u64, StoredCounts> = BTreeMap::new();
    let mut before = BTreeMap::new();
    for (number, link) in (1..).zip(links) {
        let now = contents(&link.taxonomy);
        for id in before.keys().chain(now.keys()).copied().collect::<Vec<u64>>() {
            if before.get(&id) != now.get(&id) {
                let touched_in = version(number);
                let counts = None;
                known.insert(
                    id,
                    StoredCounts {
                        id,
                        touched_in,
                        counts,
                    },
                );
            }
        }
        before = now;
    }
    let last = &links.last().unwrap().taxonomy;
    for id in before.keys() {
        known.get_mut(id).unwrap().counts = Some(counts(last, *id));
    }
    known
}

fn found(link: &Link) -> BTreeMap<u64, StoredCounts> {
    let file = link.file();
    let parts: Vec<_> = (0..file.footer().counts_parts())
        .map(|number| file.counts(number).unwrap())
        .collect();
    let mut found = BTreeMap::new();
    for id in 0..1_000 {
        let id = CategoryId::new(id).unwrap();
        let part = file
            .footer()
            .counts_of(id)
            .map(|(number, _)| &parts[number as usize]);
        if let Some(counted) = part.and_then(|part| part.get(id).cloned()) {
            found.insert(id.get(), counted);
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_category_has_the_counts_that_a_plain_reading_of_all_versions_finds(history in histories()) {
        let links = chain(history.iter().map(|json| version_of(json)));
        for last in 1..=links.len() {
            let expected = expected(&links[..last]);
            prop_assert!(expected.keys().all(|id| *id < 1_000));
            prop_assert_eq!(found(&links[last - 1]), expected);
        }
    }
}

/// More categories than a part holds, some of them removed.
#[test]
fn many_categories_take_several_parts() {
    let file = |ids: &mut dyn Iterator<Item = u64>| {
        let categories: Vec<String> = ids
            .map(|id| format!(r#"{{"id":{id},"name":"C{id}","terms":[{{"id":{id},"name":"T"}}]}}"#))
            .collect();
        taxonomy_testfiles::taxonomy(&format!(
            r#"{{"defaultCulture":"en-GB","categories":[{}]}}"#,
            categories.join(",")
        ))
    };
    let links = chain([
        file(&mut (0..300)),
        file(&mut (0..300).filter(|id| id % 3 > 0)),
        file(&mut (0..300).filter(|id| id % 5 > 0)),
    ]);
    for last in 1..=links.len() {
        assert_eq!(found(&links[last - 1]), expected(&links[..last]), "{last}");
        assert_eq!(links[last - 1].file().footer().counts_parts(), 5);
    }
}

/// As many cultures with tags as long as a file may have: their counts take more than a part may hold.
#[test]
fn categories_in_many_cultures_of_long_tags_take_more_parts() {
    let names: Vec<String> = (0..499)
        .map(|number| format!(r#"{{"culture":"en-x-aaaaaaaa-bbbbbbbb-cccccccc-{number:03}","name":"T"}}"#))
        .collect();
    let names = format!(r#"[{{"culture":"en-GB","name":"T"}},{}]"#, names.join(","));
    let categories: Vec<String> = (0..64)
        .map(|id| format!(r#"{{"id":{id},"name":"C{id}","terms":[{{"id":{id},"names":{names}}}]}}"#))
        .collect();
    let file = format!(
        r#"{{"defaultCulture":"en-GB","categories":[{}]}}"#,
        categories.join(",")
    );
    let links = chain([taxonomy_testfiles::taxonomy(&file)]);
    assert_eq!(found(&links[0]), expected(&links));
    assert_eq!(links[0].file().footer().counts_parts(), 3);
}
