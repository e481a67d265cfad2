//! `createdIn`, `changedIn`, commit times, and the errors of a chain that does not fit.

use std::collections::BTreeMap;

use proptest::prelude::*;
use taxonomy_index::{BuildError, Changed, IdTable, PartName};
use taxonomy_model::{Taxonomy, diff};

use crate::chain::{built, chain, find, identity, version};
use crate::oracle::{Id, versions};
use crate::steps::{histories, version_of};
use taxonomy_testfiles::taxonomy;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn every_id_has_the_versions_that_a_plain_reading_of_all_versions_finds(history in histories()) {
        let links = chain(history.iter().map(|json| version_of(json)));
        for last in 0..links.len() {
            let taxonomies: Vec<&Taxonomy> = links[..=last].iter().map(|link| &link.taxonomy).collect();
            let file = links[last].file();
            let mut found = BTreeMap::new();
            for id in versions(&taxonomies).keys() {
                let (ordinal, row) = match id {
                    Id::Category(id) => find(&file, IdTable::CategoryIds, *id).unwrap(),
                    Id::Term(id) => find(&file, IdTable::TermIds, *id).unwrap(),
                };
                found.insert(*id, (row.created_in.get(), row.changed_in.get(), !row.removed));
                // A difference skips columns by the highest version in them.
                for earlier in 1..=last as u64 {
                    let (column, _) = file.footer().column_of(ordinal).unwrap();
                    let mut read = file.footer().columns_changed_after(version(earlier));
                    prop_assert!(row.changed_in.get() <= earlier || read.any(|(number, _)| number == column));
                }
            }
            prop_assert_eq!(&found, &versions(&taxonomies));
            prop_assert_eq!(found.len(), file.footer().ordinals().len());
            prop_assert_eq!(file.footer().columns_changed_after(links[last].identity.version).count(), 0);
        }
    }
}

const FIRST: &str =
    r#"{"defaultCulture":"en-GB","categories":[{"id":1,"name":"A","terms":[{"id":1,"name":"B"}]}]}"#;

/// The file cannot contain its own commit time: it is written before the commit.
#[test]
fn a_moment_leads_to_the_version_before_that_was_the_last_then() {
    let links = chain((0..4).map(|_| taxonomy(FIRST)));
    let file = links[3].file();
    let times: Vec<_> = file.times().flat_map(Result::unwrap).collect();
    assert_eq!(times, [(1_000, 1), (2_000, 2), (3_000, 3)]);
    let at = |moment| {
        let (number, _) = file.footer().bucket_at(IdTable::Times, moment)?;
        let bucket = file.bucket(IdTable::Times, number).unwrap();
        bucket.predecessor(moment)
    };
    assert_eq!(at(999), None);
    assert_eq!(at(1_000), Some((1_000, 1)));
    assert_eq!(at(2_999), Some((2_000, 2)));
    assert_eq!(at(u64::MAX), Some((3_000, 3)));
}

#[test]
fn a_file_that_is_not_the_one_before_is_refused() {
    let links = chain([taxonomy(FIRST), taxonomy(FIRST)]);
    let taxonomy = &links[0].taxonomy;
    let changed = Changed::from_facts(&[], None, taxonomy.settings());
    let file = links[0].file();
    let mut other = identity(2, taxonomy);
    other.tenant = "other".parse().unwrap();
    for (what, identity, file) in [
        ("the same version", identity(1, taxonomy), Some(&file)),
        ("a later version", identity(3, taxonomy), Some(&file)),
        ("another tenant", other, Some(&file)),
        ("no file", identity(2, taxonomy), None),
    ] {
        let result = built(&identity, taxonomy, &changed, file);
        assert!(matches!(result, Err(BuildError::Order)), "{what}");
    }
}

#[test]
fn facts_that_lack_an_addition_a_removal_or_a_restoration_are_refused() {
    let more = r#"]},{"id":2,"name":"C","terms":[{"id":2,"name":"D"}]}]}"#;
    let full = FIRST.replace("]}]}", more);
    let histories: [&[&str]; 4] = [&[&full], &[FIRST, &full], &[&full, FIRST], &[&full, FIRST, &full]];
    for history in histories {
        let mut taxonomies: Vec<Taxonomy> = history.iter().map(|json| taxonomy(json)).collect();
        let last = taxonomies.pop().unwrap();
        let links = chain(taxonomies);
        let before = links.last().map(|link| &link.taxonomy);
        let facts = diff(before, &last);
        let file = links.last().map(|link| link.file());
        let identity = identity(history.len() as u64, &last);
        for lacking in 0..facts.len() {
            let mut facts = facts.clone();
            let Some(node) = facts.remove(lacking).subject() else {
                continue;
            };
            let changed = Changed::from_facts(&facts, before.map(Taxonomy::settings), last.settings());
            let result = built(&identity, &last, &changed, file.as_ref());
            let is_named = matches!(&result, Err(BuildError::Facts(named)) if *named == node);
            assert!(is_named, "{history:?} without {node:?}");
        }
    }
}

#[test]
fn removed_ids_stay_in_the_order_of_their_removal() {
    let file = |ids: &[u64]| {
        let term = |id: &u64| format!(r#"{{"id":{id},"name":"T{}"}}"#, 9 - id);
        let terms: Vec<String> = ids.iter().map(term).collect();
        taxonomy(&FIRST.replace(r#"{"id":1,"name":"B"}"#, &terms.join(",")))
    };
    // Ordinals descend by id, since names do.
    let versions: [&[u64]; 5] = [&[1, 2, 3, 4, 5], &[1, 2, 4, 5], &[1, 4], &[1, 3], &[3]];
    let links = chain(versions.map(file));
    let removed = |link: &crate::chain::Link| -> Vec<u64> {
        let file = link.file();
        let id = |ordinal| file.block_of(ordinal).unwrap().removed(ordinal).unwrap().0;
        file.footer().removed_terms().map(id).collect()
    };
    let order: Vec<Vec<u64>> = links.iter().map(removed).collect();
    let expect: [&[u64]; 5] = [&[], &[3], &[3, 5, 2], &[5, 2, 4], &[5, 2, 4, 1]];
    assert_eq!(order, expect);
}

#[test]
fn a_damaged_file_before_is_named() {
    let links = chain([taxonomy(FIRST)]);
    let mut body = links[0].body.clone();
    let (_, column) = links[0].file().footer().column_of(0).unwrap();
    body[usize::try_from(column.offset).unwrap() + 8] ^= 1;
    let file = taxonomy_index::File::open(&body, crate::chain::expected(&links[0].identity)).unwrap();
    let next = taxonomy(FIRST);
    let changed = Changed::from_facts(&[], Some(next.settings()), next.settings());
    let result = built(&identity(2, &next), &next, &changed, Some(&file));
    let Err(BuildError::Previous(damaged)) = result else {
        panic!("a damaged file is used")
    };
    assert_eq!(damaged.part, PartName::Column(0));
}
