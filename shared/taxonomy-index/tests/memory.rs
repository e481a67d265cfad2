//! The memory that building takes beside the taxonomy and the file before, on a real taxonomy of 98,000 nodes, and the memory that parts report.
//! In a process of its own, since the allocator counts the process's.
#![expect(clippy::print_stderr, reason = "a measurement that prints its figure")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use peak_alloc::PeakAlloc;
use taxonomy_collation::sibling_keys;
use taxonomy_index::search::{self, Entry, FOOTER_BYTES, Index, Kind, Language, SearchFooter};
use taxonomy_index::{Changed, Digest, File, IdTable, Identity, Preorder, Previous, Source, build};
use taxonomy_model::{Limits, Taxonomy, facts_between, parse, snapshot};

use crate::chain::{chain, expected, identity};

#[path = "it/chain.rs"]
#[expect(dead_code, reason = "the order of a test is not read")]
mod chain;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

#[test]
#[ignore = "peak memory: make prove NAMES=memory"]
fn building_takes_less_than_half_the_file_beside_the_taxonomy() {
    let folder = taxonomy_testfiles::real::folder();
    let bytes = fs::read(format!("{folder}/icd10cm/taxonomy.json")).unwrap();
    let file = bytes.len();
    let defaults = taxonomy_testfiles::defaults();
    let full = parse(&bytes, &defaults, Limits::default()).unwrap().taxonomy;
    drop(bytes);
    let culture = &full.settings().default_culture;
    let nothing = format!(
        r#"{{"formatVersion":1,"projectionFormat":1,"defaultCulture":"{culture}","fallbackChain":[],"categories":[],"terms":[]}}"#
    );
    let (nothing, _) = snapshot::read(nothing.as_bytes()).unwrap();

    // The first version, the same again, and one that removes everything.
    let mut before: Option<(Identity, Vec<u8>, &Taxonomy)> = None;
    for (version, taxonomy) in (1..).zip([&full, &full, &nothing]) {
        let identity = identity(version, taxonomy);
        let held = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let opened = before
            .as_ref()
            .map(|(identity, body, _)| File::open(body, expected(identity)).unwrap());
        let last = before.as_ref().map(|(.., taxonomy)| *taxonomy);
        let mut changed = Changed::new(last.map(Taxonomy::settings), taxonomy.settings());
        facts_between(last, taxonomy).for_each(|fact| changed.add(&fact));
        let order = Preorder::new(taxonomy, sibling_keys);
        let source = Source {
            identity: &identity,
            taxonomy,
            order: &order,
            changed: &changed,
            search: &vec![Digest::from_content(&[]); taxonomy.cultures().len()],
            previous: opened.as_ref().map(|file| Previous {
                file,
                committed_at: version,
            }),
        };
        let built = build(&source).unwrap();
        drop(order);
        let peak = MEMORY.peak_usage() - held;
        drop(opened);
        eprintln!(
            "version {version}: {peak} bytes, of which the index file takes {}; the input file has {file}",
            built.body.len()
        );
        assert!(
            peak < file / 2,
            "version {version}: {peak} bytes for a file of {file}"
        );
        check_parts(&File::open(&built.body, expected(&identity)).unwrap());
        before = Some((identity, built.body, taxonomy));
    }
}

/// Of a file without details; the test of a real one compares those. One test, since what runs beside it would be measured as well.
#[test]
fn what_is_read_reports_the_memory_that_it_takes() {
    let term = |id: u64| format!(r#"{{"id":{id},"name":"Term {id}","metadata":{{"number":{id}}}}}"#);
    let terms: Vec<String> = (1..=100_000).map(term).collect();
    let file = format!(
        r#"{{"categories":[{{"id":1,"name":"Skill","terms":[{}]}}]}}"#,
        terms.join(",")
    );
    let links = chain([taxonomy_testfiles::taxonomy(&file)]);
    check_parts(&links[0].file());
    check_root_of_search();
}

/// A cache sums the sizes that parts report, so they must be near the actual ones.
fn check_parts(file: &File<'_>) {
    let held = || MEMORY.current_usage();
    for number in (0..file.footer().blocks()).step_by(97) {
        let before = held();
        let block = file.block(number).unwrap();
        check_size("block", number, block.bytes(), held() - before);
    }
    for number in 0..file.footer().columns() {
        let before = held();
        let column = file.column(number).unwrap();
        check_size("column", number, column.bytes(), held() - before);
    }
    let before = held();
    let bucket = file.bucket(IdTable::TermIds, 0).unwrap();
    check_size("bucket", 0, bucket.bytes(), held() - before);
    let before = held();
    let footer = file.footer().clone();
    check_size("footer", 0, footer.bytes(), held() - before);
}

fn check_size(kind: &str, number: u32, bytes: usize, taken: usize) {
    let is_near = bytes * 4 >= taken * 3 && bytes <= taken * 2 + 1_000;
    assert!(is_near, "{kind} {number} takes {taken} bytes and says {bytes}");
}

/// The size of the root is the actual one.
fn check_root_of_search() {
    let names: Vec<String> = (0..20_000).map(|number| format!("Term {number}")).collect();
    let entries = (0..).zip(&names).map(|(ordinal, name)| Entry {
        ordinal,
        id: u64::from(ordinal),
        name,
        kind: Kind::Preferred,
        depth: 1,
        deprecated: false,
        sort_key: "",
    });
    let object = search::write(Language::parse("en"), 20_000, entries.collect()).unwrap();
    let footer = SearchFooter::read(&object[object.len() - FOOTER_BYTES..], object.len() as u64).unwrap();
    let root = footer.root();
    let root = &object[usize::try_from(root.start).unwrap()..usize::try_from(root.end).unwrap()];
    let before = MEMORY.current_usage();
    let index = Index::open(&footer, root).unwrap();
    let taken = MEMORY.current_usage() - before;
    assert_eq!(index.size_in_memory(), taken + size_of::<Index>());
}
