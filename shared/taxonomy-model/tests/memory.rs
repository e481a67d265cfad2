//! The memory of parsing and comparing a large file, a real taxonomy of 98,000 nodes.
#![expect(
    clippy::print_stderr,
    clippy::cast_precision_loss,
    reason = "a measurement that prints its figure"
)]

use std::{fs, io};

use peak_alloc::PeakAlloc;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::{self, Cause, Header};
use taxonomy_model::{Census, Changes, Limits, Provenance, facts_between, parse, snapshot, touched, writes};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

#[test]
#[ignore = "peak memory: make prove NAMES=memory"]
fn parsing_comparing_and_writing_take_at_most_one_and_a_half_times_the_file() {
    let folder = taxonomy_testfiles::real::folder();
    let bytes = fs::read(format!("{folder}/icd10cm/taxonomy.json")).unwrap();
    let (file, tenant): (f64, TenantId) = (bytes.len() as f64, "acme".parse().unwrap());
    let defaults = taxonomy_testfiles::defaults();

    let new = parse(&bytes, &defaults, Limits::default()).unwrap().taxonomy;
    let parsing = MEMORY.peak_usage() as f64 / file;
    drop(bytes);
    let alone = MEMORY.current_usage() as f64 / file;

    // A first version's facts are as large as the version, and are written one by one.
    MEMORY.reset_peak_usage();
    let header = Header {
        tenant: tenant.clone(),
        version: Version::FIRST,
        parent: None,
        cause: Cause::Rebuild,
        provenance: Provenance::default(),
        full: false,
        before: None,
        after: snapshot::hash(&new),
        projection_format: 1,
        census: Census::new(&new),
        changes: Changes::between(None, &new),
        touched: Some(touched(None, &new)),
    };
    let written = changeset::write(&header, facts_between(None, &new), io::sink()).unwrap();
    assert_eq!(written.facts, 97_903);
    let chaining = MEMORY.peak_usage() as f64 / file;

    let mut stored = Vec::new();
    snapshot::write(&new, &mut stored).unwrap();
    MEMORY.reset_peak_usage();
    let (old, _) = snapshot::read(&*stored).unwrap();
    // The store reads it out of a compressed body, piece by piece.
    let reading = (MEMORY.peak_usage() - stored.capacity()) as f64 / file;
    drop(stored);
    MEMORY.reset_peak_usage();
    assert_eq!(writes::between(&tenant, Some(&old), &new, 0).count(), 0);
    assert_eq!(Changes::between(Some(&old), &new), Changes::default());
    let comparing = MEMORY.peak_usage() as f64 / file;

    eprintln!(
        "peak memory / file size: parsing {parsing:.2}, one version {alone:.2}, comparing two {comparing:.2}"
    );
    eprintln!("writing the changeset of a first load: {chaining:.2}");
    eprintln!("reading the version before: {reading:.2}");
    for (what, peak) in [
        ("parsing", parsing),
        ("chaining", chaining),
        ("reading", reading),
        ("comparing", comparing),
    ] {
        assert!(peak <= 1.5, "{what} takes {peak:.2} times the file");
    }
}
