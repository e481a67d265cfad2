//! The cost of index files: bytes, parts, the end that a reader reads first, build time and peak memory.
//!
//! `cargo run --release -p taxonomy-index --example cost -- FILE...` prints a line for each file and for three versions of it: the first, one that
//! changes nothing, and one without content. `million` in the place of a file stands for a million made-up terms. The outcome:
//! docs/decisions/0018-version-index.md.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool that prints a table"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Instant;

use peak_alloc::PeakAlloc;
use taxonomy_collation::sibling_keys;
use taxonomy_index::{
    Changed, Digest, Expected, File, Footer, IdTable, Identity, PartName, Preorder, Previous, Source, build,
};
use taxonomy_keys::Version;
use taxonomy_model::{Defaults, Hash, Limits, Taxonomy, facts_between, parse, snapshot};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

fn main() {
    println!(
        "| file | version | terms | bytes | orders, their bytes | blocks, columns, buckets | footer in memory | ids and footer | build | peak beside taxonomy and file before |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for file in std::env::args().skip(1) {
        measure(&file);
    }
}

fn measure(label: &str) {
    let taxonomy = if label == "million" {
        million()
    } else {
        read(label)
    };
    let nothing = empty(&taxonomy);
    let mut before: Option<(Identity, Vec<u8>, &Taxonomy)> = None;
    for (version, taxonomy) in (1..).zip([&taxonomy, &taxonomy, &nothing]) {
        let identity = identity(version);
        let opened = before
            .as_ref()
            .map(|(identity, body, _)| File::open(body, expected(identity)).unwrap());
        let last = before.as_ref().map(|(.., taxonomy)| *taxonomy);
        let mut changed = Changed::new(last.map(Taxonomy::settings), taxonomy.settings());
        facts_between(last, taxonomy).for_each(|fact| changed.add(&fact));
        let (start, held) = (Instant::now(), MEMORY.current_usage());
        MEMORY.reset_peak_usage();
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
        let (seconds, peak) = (start.elapsed().as_secs_f64(), MEMORY.peak_usage() - held);
        drop(opened);
        let file = File::open(&built.body, expected(&identity)).unwrap();
        print_line(label, version, file.footer(), seconds, peak);
        before = Some((identity, built.body, taxonomy));
    }
}

fn print_line(label: &str, version: u64, footer: &Footer, seconds: f64, peak: usize) {
    let buckets: u32 = IdTable::ALL.map(|table| footer.buckets_of(table)).iter().sum();
    let ids = footer
        .part(PartName::Bucket(IdTable::CategoryIds, 0))
        .map_or(footer.size(), |part| part.offset);
    let (mut orders, mut of_orders) = (BTreeSet::new(), 0);
    for part in footer.parts() {
        if let PartName::Order(order, _) = part.name {
            orders.insert(order);
            of_orders += part.packed;
        }
    }
    let label = label.rsplit('/').next().unwrap();
    println!(
        "| {label} | {version} | {} | {} | {}, {of_orders} | {}, {}, {buckets} | {} | {} | {seconds:.2} s | {peak} |",
        footer.terms().len(),
        footer.size(),
        orders.len(),
        footer.blocks(),
        footer.columns(),
        footer.bytes(),
        footer.size() - ids,
    );
}

fn identity(version: u64) -> Identity {
    Identity {
        tenant: "acme".parse().unwrap(),
        version: Version::new(version).unwrap(),
        changeset: Hash::digest(&version.to_le_bytes()),
        state: Hash::digest(&[]),
        projection_format: 1,
    }
}

fn expected(identity: &Identity) -> Expected<'_> {
    Expected {
        tenant: &identity.tenant,
        version: identity.version,
        changeset: &identity.changeset,
    }
}

fn read(path: &str) -> Taxonomy {
    let defaults = Defaults {
        tenant_culture: None,
        stack_culture: "en-GB".parse().unwrap(),
        fallback_chain: Vec::new(),
    };
    let bytes = std::fs::read(path).unwrap();
    parse(&bytes, &defaults, Limits::default()).unwrap().taxonomy
}

/// A million terms on five levels in 100 categories.
fn million() -> Taxonomy {
    let (mut categories, mut terms) = (String::new(), String::new());
    for id in 0_u64..100 {
        let comma = if id > 0 { "," } else { "" };
        write!(
            categories,
            r#"{comma}{{"id":{id},"names":[["en-GB","Category {id}","c{id}"]]}}"#
        )
        .unwrap();
    }
    for id in 0_u64..1_000_000 {
        let comma = if id > 0 { "," } else { "" };
        let (category, own) = (id / 10_000, id % 10_000);
        let parent = if own == 0 {
            String::new()
        } else {
            format!(r#""parent":{},"#, category * 10_000 + (own - 1) / 10)
        };
        write!(
            terms,
            r#"{comma}{{"id":{id},"category":{category},{parent}"names":[["en-GB","Term {own} of {category}","c{category}/t{own}"]],"notation":"N{id}"}}"#
        )
        .unwrap();
    }
    snapshot_of("en-GB", &categories, &terms)
}

fn empty(taxonomy: &Taxonomy) -> Taxonomy {
    snapshot_of(taxonomy.settings().default_culture.as_str(), "", "")
}

fn snapshot_of(culture: &str, categories: &str, terms: &str) -> Taxonomy {
    let json = format!(
        r#"{{"formatVersion":1,"projectionFormat":1,"defaultCulture":"{culture}","fallbackChain":[],"categories":[{categories}],"terms":[{terms}]}}"#
    );
    snapshot::read(json.as_bytes()).unwrap().0
}
