//! Tests of the cost of a page of changes over large versions: requests to S3 and bytes of their responses, wherever the page begins.

use std::collections::{BTreeMap, BTreeSet};

use lookup::files::{Different, FilePage, PageBounds, VersionFile, VersionFiles, Wanted};
use taxonomy_collation::sibling_keys;
use taxonomy_index::{
    Changed, Digest, Expected, File, INDEX_FORMAT, Identity, Preorder, Previous, Source, build,
};
use taxonomy_model::{ChangeKind, Taxonomy};
use taxonomy_testkit::S3Fake;
use taxonomy_tests::prelude::*;

/// The number of terms: more than the 8,192 ordinals of a column.
const TERMS: u64 = 9_000;

/// Reads a large file. Its terms compress badly, so that the end of the index file, which a reader requests first, holds few blocks.
fn large(notation: impl Fn(u64) -> Option<String>) -> Taxonomy {
    let term = |id: u64| {
        // The order of names differs from that of ids.
        let mut rng = fastrand::Rng::with_seed(id);
        let mut random = |length| (0..length).map(|_| rng.alphanumeric()).collect::<String>();
        let mut term = json!({"id": id, "name": random(60), "metadata": {"random": random(350)}});
        if let Some(notation) = notation(id) {
            term["notation"] = json!(notation);
        }
        term
    };
    let category = |number: u64| {
        let terms: Vec<Value> = (1..=TERMS).filter(|id| id % 10 == number).map(term).collect();
        json!({"id": number + 1, "name": format!("Category {number}"), "terms": terms})
    };
    let categories: Vec<Value> = (0..10).map(category).collect();
    read(json!({"categories": categories}).to_string().as_bytes())
}

/// Stores four versions: without notations, one term in three with one, without them again, and few terms with one.
fn four_versions() -> S3Fake {
    let s3 = S3Fake::new();
    let one_in = |every: u64| large(|id| id.is_multiple_of(every).then(|| format!("N{id}")));
    store(&s3, &[one_in(u64::MAX), one_in(3), one_in(u64::MAX), one_in(97)]);
    s3
}

fn version(number: u64) -> Version {
    Version::new(number).unwrap()
}

fn changeset(version: Version) -> Hash {
    Hash::digest(version.to_string().as_bytes())
}

/// Returns the key of a file, of any name: its head would name it.
fn key(version: Version) -> String {
    format!("indexes/{TENANT}/{INDEX_FORMAT}/{version}.index")
}

/// Stores the index files of versions, each built after the one before.
pub(crate) fn store(s3: &S3Fake, service: &[Taxonomy]) {
    let mut before = None::<(Vec<u8>, &Taxonomy)>;
    for (position, taxonomy) in service.iter().enumerate() {
        let version = version(position as u64 + 1);
        let identity = Identity {
            tenant: TENANT.parse().unwrap(),
            version,
            changeset: changeset(version),
            state: Hash::digest(b"state"),
            projection_format: 1,
        };
        let old = before.as_ref().map(|(_, old)| *old);
        let facts = taxonomy_model::diff(old, taxonomy);
        let changed = Changed::from_facts(&facts, old.map(Taxonomy::settings), taxonomy.settings());
        let previous = before.as_ref().map(|(bytes, _)| {
            let previous = Version::new(version.get() - 1).unwrap();
            let expected = Expected {
                tenant: &identity.tenant,
                version: previous,
                changeset: &changeset(previous),
            };
            File::open(bytes, expected).unwrap()
        });
        let built = build(&Source {
            identity: &identity,
            taxonomy,
            order: &Preorder::new(taxonomy, sibling_keys),
            changed: &changed,
            search: &vec![Digest::from_content(b""); taxonomy.cultures().len()],
            previous: previous.as_ref().map(|file| Previous {
                file,
                committed_at: version.get() - 1,
            }),
        });
        let built = built.unwrap();
        s3.put(CHANGESETS_BUCKET, &key(version), built.body.clone());
        before = Some((built.body, taxonomy));
    }
}

pub(crate) async fn open(versions: &VersionFiles, number: u64) -> VersionFile<'_> {
    let (tenant, version): (TenantId, _) = (TENANT.parse().unwrap(), version(number));
    let expected = Expected {
        tenant: &tenant,
        version,
        changeset: &changeset(version),
    };
    versions.open(&key(version), expected).await.unwrap()
}

/// Reads a page with an empty memory; returns it with the number of its requests and the bytes of their responses.
async fn cold(s3: &S3Fake, [earlier, later]: [u64; 2], from: u32) -> (FilePage<Different>, usize, usize) {
    let versions = VersionFiles::new(Archive::new(s3.client(), CHANGESETS_BUCKET), 16 << 20);
    let seen = s3.exchanges().len();
    let (earlier, later) = (open(&versions, earlier).await, open(&versions, later).await);
    let page = later
        .differences(Some(&earlier), from, PageBounds::of_items(100), Wanted::default())
        .await
        .unwrap();
    let reads = s3.exchanges().since(seen);
    let bytes = reads.iter().map(|read| read.bytes).sum();
    (page, reads.len(), bytes)
}

/// Returns the number of items on all pages within bounds, and the number of pages.
async fn warm(versions: &VersionFiles, [earlier, later]: [u64; 2], bounds: PageBounds) -> (usize, usize) {
    let (earlier, later) = (open(versions, earlier).await, open(versions, later).await);
    let (mut items, mut pages, mut next) = (BTreeSet::new(), 0, Some(0));
    while let Some(from) = next {
        let page = later
            .differences(Some(&earlier), from, bounds, Wanted::default())
            .await
            .unwrap();
        assert!(page.items.len() <= bounds.items);
        assert!(
            page.items
                .iter()
                .all(|item| item.earlier.is_some() && item.later.is_some())
        );
        items.extend(page.items.iter().map(|item| item.id));
        (pages, next) = (pages + 1, page.next);
    }
    (items.len(), pages)
}

/// Returns the number of items, and requests and bytes of every page.
async fn every_page(s3: &S3Fake, versions: [u64; 2]) -> (usize, Vec<(usize, usize)>) {
    let (mut items, mut costs, mut next) = (BTreeSet::new(), Vec::new(), Some(0));
    while let Some(from) = next {
        let (page, reads, bytes) = cold(s3, versions, from).await;
        assert!(page.items.len() <= 100);
        for item in &page.items {
            assert!(items.insert(item.id), "{:?} occurs twice", item.id);
        }
        costs.push((reads, bytes));
        next = page.next;
        assert!(costs.len() < 1_000, "the pages do not end");
    }
    (items.len(), costs)
}

#[tokio::test]
async fn a_page_costs_the_same_wherever_it_begins() {
    let s3 = four_versions();
    // Each page reads the ends of two files, and the blocks of 300 neighbours in each, which one read takes.
    let (items, costs) = every_page(&s3, [1, 2]).await;
    assert_eq!((items as u64, costs.len()), (TERMS / 3, 30));
    let (first, middle) = (costs[0], costs[15]);
    for (reads, bytes) in &costs {
        assert!(*reads <= first.0 + 1 && *bytes <= first.1 * 12 / 10, "{costs:?}");
    }
    assert!((4..=6).contains(&middle.0), "{costs:?}");
    assert!((256 << 10..512 << 10).contains(&middle.1), "{costs:?}");

    // A change that was reverted has no item, so the pages are few and empty.
    let (items, costs) = every_page(&s3, [1, 3]).await;
    assert_eq!((items, costs.len()), (0, 3));
    // A page reads 1,000 changed terms, which lie in half of the blocks of both files.
    assert!(costs.iter().all(|(reads, _)| *reads <= 150), "{costs:?}");

    // Scattered changes need a block of each file for one or two items.
    let (items, costs) = every_page(&s3, [3, 4]).await;
    assert_eq!(items as u64, TERMS / 97);
    assert!(costs.iter().all(|(reads, _)| *reads <= 202), "{costs:?}");

    // A page may end where a column ends.
    let versions = VersionFiles::new(Archive::new(s3.client(), CHANGESETS_BUCKET), 16 << 20);
    let all = usize::try_from(TERMS / 97).unwrap();
    for limit in 60..93 {
        let (items, _) = warm(&versions, [3, 4], PageBounds::of_items(limit)).await;
        assert_eq!(items, all, "limit {limit}");
    }

    // Each of the other bounds also ends pages, and no item is lost or repeated.
    let (usual, sixty) = (PageBounds::of_items(100), PageBounds::of_items(60));
    let of_bytes = |bytes| PageBounds { bytes, ..usual };
    let third = usize::try_from(TERMS / 3).unwrap();
    for (pair, bounds, expected) in [
        ([3, 4], usual, (all, 1..=1)),
        ([3, 4], PageBounds { rows: 1, ..usual }, (all, 2..=2)),
        ([3, 4], of_bytes(1), (all, 60..=all)),
        // The bound on all rounds of a page together.
        ([1, 3], PageBounds { rows: 2_000, ..usual }, (0, 5..=6)),
        ([3, 4], of_bytes(1 << 20), (all, 5..=10)),
        // The terms of a block of the later file lie in two blocks of the earlier one.
        ([1, 2], of_bytes(70_000), (third, 150..=300)),
        ([1, 3], PageBounds { compared: 1, ..sixty }, (0, 50..=50)),
        ([1, 3], PageBounds { blocks: 1, ..sixty }, (0, 50..=50)),
    ] {
        let (items, pages) = warm(&versions, pair, bounds).await;
        assert_eq!(items, expected.0, "{bounds:?}");
        assert!(expected.1.contains(&pages), "{pages} pages within {bounds:?}");
    }
}

/// Totals are exact within the bounds of a page; beyond them they are the numbers of ids that changed, those that changed back included.
#[tokio::test]
async fn totals_are_exact_or_upper_bounds() {
    let s3 = four_versions();
    let versions = VersionFiles::new(Archive::new(s3.client(), CHANGESETS_BUCKET), 16 << 20);
    let bounds = PageBounds::of_items(50);
    for (pair, terms, kinds) in [
        (
            [3, 4],
            TERMS / 97,
            Some(BTreeMap::from([(ChangeKind::Changed, TERMS / 97)])),
        ),
        ([1, 2], TERMS / 3, None),
        ([1, 3], TERMS / 3, None),
    ] {
        let [earlier, later] = [open(&versions, pair[0]).await, open(&versions, pair[1]).await];
        let totals = Box::pin(later.difference_totals(Some(&earlier), bounds, false)).await;
        let found = totals.unwrap();
        let expected = (0, terms, kinds);
        assert_eq!((found.categories, found.terms, found.kinds), expected, "{pair:?}");
    }
    let first = open(&versions, 1).await;
    let totals = Box::pin(first.difference_totals(None, bounds, false))
        .await
        .unwrap();
    assert_eq!((totals.categories, totals.terms, totals.kinds), (10, TERMS, None));
}
