//! The counts of categories, and the version that touched each last, over whole histories.

use std::collections::BTreeMap;

use proptest::prelude::*;
use taxonomy_index::StoredCounts;
use taxonomy_keys::CategoryId;
use taxonomy_model::{Census, Taxonomy, touched};

use crate::chain::{Link, chain, version};
use crate::steps::{histories, version_of};
use taxonomy_testfiles::taxonomy;

/// Of every category that the versions up to the last ever had: what the model's own tests count again by plain code.
fn expected(links: &[Link]) -> BTreeMap<u64, StoredCounts> {
    let mut known: BTreeMap<u64, StoredCounts> = BTreeMap::new();
    let mut before = None;
    for (number, link) in (1..).zip(links) {
        for id in touched(before, &link.taxonomy) {
            let counted = StoredCounts {
                id,
                touched_in: version(number),
                counts: None,
            };
            known.insert(id, counted);
        }
        before = Some(&link.taxonomy);
    }
    for category in Census::new(before.unwrap()).categories {
        known.get_mut(&category.id).unwrap().counts = Some(category.counts);
    }
    known
}

fn found(link: &Link) -> BTreeMap<u64, StoredCounts> {
    let file = link.file();
    let parts = 0..file.footer().counts_parts();
    let parts: Vec<_> = parts.map(|number| file.counts(number).unwrap()).collect();
    let ids = (0..1_000).map(|id| CategoryId::new(id).unwrap());
    let found = ids.filter_map(|id| {
        let (number, _) = file.footer().counts_of(id)?;
        parts[number as usize].get(id).cloned()
    });
    found.map(|counted| (counted.id, counted)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_category_has_its_counts_and_the_version_that_touched_it_last(history in histories()) {
        let links = chain(history.iter().map(|json| version_of(json)));
        for last in 1..=links.len() {
            let expected = expected(&links[..last]);
            prop_assert!(expected.keys().all(|id| *id < 1_000));
            prop_assert_eq!(found(&links[last - 1]), expected);
        }
    }
}

/// Categories of one term each.
fn categories(ids: impl Iterator<Item = u64>, names: &str) -> Taxonomy {
    let category = |id| format!(r#"{{"id":{id},"name":"C{id}","terms":[{{"id":{id},"names":[{names}]}}]}}"#);
    let categories = ids.map(category).collect::<Vec<_>>().join(",");
    let file = format!(r#"{{"defaultCulture":"en-GB","categories":[{categories}]}}"#);
    taxonomy(&file)
}

const NAME: &str = r#"{"culture":"en-GB","name":"T"}"#;

/// More categories than a part holds, some of them removed.
#[test]
fn many_categories_take_several_parts() {
    let links = chain([
        categories(0..300, NAME),
        categories((0..300).filter(|id| id % 3 > 0), NAME),
        categories((0..300).filter(|id| id % 5 > 0), NAME),
    ]);
    for last in 1..=links.len() {
        assert_eq!(found(&links[last - 1]), expected(&links[..last]), "{last}");
        assert_eq!(links[last - 1].file().footer().counts_parts(), 5);
    }
}

/// As many cultures with tags as long as a file may have: their counts take more than a part may hold.
#[test]
fn categories_in_many_cultures_of_long_tags_take_more_parts() {
    let tags = (0..499).map(|number| format!("en-x-aaaaaaaa-bbbbbbbb-cccccccc-{number:03}"));
    let names = tags.map(|tag| NAME.replace("en-GB", &tag));
    let names: Vec<String> = names.chain([NAME.to_owned()]).collect();
    let links = chain([categories(0..64, &names.join(","))]);
    assert_eq!(found(&links[0]), expected(&links));
    assert_eq!(links[0].file().footer().counts_parts(), 3);
}
