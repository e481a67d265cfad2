//! Tests of lists of terms by their depth and by whether they are deprecated: every branch and position, and the parts that a page reads.

use lookup::files::{Branch, FilePage, ListedNode, VersionFiles, Walk};
use taxonomy_index::search::Deprecated;
use taxonomy_keys::{CategoryId, TermId};
use taxonomy_testkit::S3Fake;
use taxonomy_tests::prelude::*;

use crate::changes_bounds::{open, store};

/// A term of a tree in the order of its ids. The ordinal of a term is its id, since the one category has the ordinal 0.
#[derive(Debug, Clone, Copy)]
struct Plain {
    id: u32,
    parent: Option<u32>,
    depth: u8,
    deprecated: bool,
}

/// Draws a tree whose terms are in its order: each below one of the terms on the way to the one before.
fn draw(seed: u64, terms: u32) -> Vec<Plain> {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut all, mut way) = (Vec::new(), Vec::<u32>::new());
    for id in 1..=terms {
        way.truncate(way.len().saturating_sub(random.usize(0..4).saturating_sub(1)));
        let (parent, depth) = (way.last().copied(), u8::try_from(way.len()).unwrap() + 1);
        let deprecated = random.u8(0..3) == 0;
        all.push(Plain {
            id,
            parent,
            depth,
            deprecated,
        });
        way.push(id);
    }
    all
}

fn below(terms: &[Plain], parent: Option<u32>) -> Vec<Value> {
    let own = terms.iter().filter(|term| term.parent == parent);
    let node = |term: &Plain| {
        let children = below(terms, Some(term.id));
        json!({"id": term.id, "name": format!("{:05}", term.id), "deprecated": term.deprecated, "children": children})
    };
    own.map(node).collect()
}

/// The terms of a branch with their levels in it.
fn within(terms: &[Plain], branch: Option<Plain>) -> Vec<(Plain, u8)> {
    let above = branch.map_or(0, |branch| branch.depth);
    let first = branch.map_or(0, |branch| branch.id as usize);
    let own = terms[first..].iter().take_while(|term| term.depth > above);
    own.map(|term| (*term, term.depth - above)).collect()
}

fn outcome(page: &FilePage<ListedNode>) -> (Vec<u64>, Option<u32>) {
    let ids = page.items.iter().map(|item| item.node.term().unwrap().id().get());
    (ids.collect(), page.next)
}

/// A cursor may be made up, so a page may begin anywhere in its branch.
#[tokio::test]
async fn every_page_of_every_branch_has_the_terms_of_its_levels() {
    let filters = [Deprecated::Include, Deprecated::Exclude, Deprecated::Only];
    for seed in 0..3 {
        let (terms, s3) = (draw(seed, 30), S3Fake::new());
        assert!(terms.iter().any(|term| term.depth > 4), "seed {seed}");
        let content = json!({"categories": [{"id": 1, "name": "All", "terms": below(&terms, None)}]});
        store(&s3, &[read(content.to_string().as_bytes())]);
        let versions = VersionFiles::new(Archive::new(s3.client(), CHANGESETS_BUCKET), 16 << 20);
        let file = open(&versions, 1).await;
        for above in [None].into_iter().chain(terms.iter().copied().map(Some)) {
            let within = within(&terms, above);
            let branch = match above {
                None => Branch::Category(CategoryId::new(1).unwrap()),
                Some(term) => Branch::Below(TermId::new(term.id.into()).unwrap()),
            };
            for (depth, deprecated) in [1, 2, 3, 32]
                .into_iter()
                .flat_map(|depth| filters.map(|filter| (depth, filter)))
            {
                let is_listed = |(term, level): &&(Plain, u8)| {
                    let is_kept = match deprecated {
                        Deprecated::Include => true,
                        Deprecated::Exclude => !term.deprecated,
                        Deprecated::Only => term.deprecated,
                    };
                    is_kept && *level <= depth
                };
                let listed: Vec<u32> = within.iter().filter(is_listed).map(|(term, _)| term.id).collect();
                for (from, limit) in within.iter().flat_map(|(term, _)| [(term.id, 1), (term.id, 3)]) {
                    let mut left = listed.iter().copied().filter(|id| *id >= from);
                    let items: Vec<u64> = left.by_ref().take(limit).map(u64::from).collect();
                    let expected = (items, left.next());
                    let walk = Walk {
                        branch,
                        depth,
                        deprecated,
                        limit,
                        order: None,
                        from: Some(from),
                    };
                    let page = file.walk(walk).await.unwrap().unwrap();
                    assert_eq!(outcome(&page), expected, "seed {seed}: {walk:?}");
                    if let (Branch::Below(term), 1 | 32) = (branch, depth) {
                        let page = file.walk_by_all_parents(term, walk).await.unwrap().unwrap();
                        assert_eq!(outcome(&page), expected, "seed {seed}: all parents, {walk:?}");
                    }
                }
            }
        }
    }
}

/// Two deprecated terms at the ends of a branch with the rows of five columns.
#[tokio::test]
async fn a_page_of_deprecated_terms_reads_the_columns_that_have_some() {
    const TERMS: u64 = 33_000;
    // Ids in no order make the tables large, so that the end of the file, which is read first, holds no column.
    let id = |number: u64| 2 + number * 48_271 % 65_537;
    let child = |number: u64| {
        let is_end = number == 1 || number == TERMS;
        json!({"id": id(number), "name": format!("{number:05}"), "deprecated": is_end})
    };
    let children: Vec<Value> = (1..=TERMS).map(child).collect();
    let top = json!([{"id": 1, "name": "Top", "children": children}]);
    let content = json!({"categories": [{"id": 1, "name": "All", "terms": top}]});
    let s3 = S3Fake::new();
    store(&s3, &[read(content.to_string().as_bytes())]);
    let (category, top) = (CategoryId::new(1).unwrap(), TermId::new(1).unwrap());
    for (branch, depth, by_all_parents) in [
        (Branch::Category(category), 32, false),
        (Branch::Category(category), 2, false),
        (Branch::Below(top), 1, false),
        (Branch::Below(top), 1, true),
        (Branch::Below(top), 32, true),
    ] {
        let versions = VersionFiles::new(Archive::new(s3.client(), CHANGESETS_BUCKET), 16 << 20);
        let file = open(&versions, 1).await;
        s3.exchanges().clear();
        let walk = Walk {
            branch,
            depth,
            deprecated: Deprecated::Only,
            limit: 100,
            order: None,
            from: None,
        };
        let page = match by_all_parents {
            true => file.walk_by_all_parents(top, walk).await,
            false => file.walk(walk).await,
        };
        assert_eq!(
            outcome(&page.unwrap().unwrap()),
            (vec![id(1), id(TERMS)], None),
            "{walk:?}"
        );
        // The bucket of the id, the map, the columns and the blocks of both ends.
        let reads = s3.exchanges().count("GetObject");
        assert!((4..=6).contains(&reads), "{reads} reads of {walk:?}");
    }
}
