//! Beside the taxonomy and the order of its siblings, a writer's memory does not grow with its output.

use peak_alloc::PeakAlloc;
use taxonomy_collation::sibling_keys;
use taxonomy_formats::csv::{self, Dialect};
use taxonomy_formats::history::HistoryWriter;
use taxonomy_formats::{SortedTaxonomy, json, ndjson, skos};
use taxonomy_keys::Version;
use taxonomy_model::Taxonomy;
use taxonomy_testfiles::memory::{self, Counted};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The buffers of a writer and one node.
const MOST_BYTES: usize = 256 << 10;

/// Half of the terms lie in one flat list, the others in chains of 20.
fn taxonomy(terms: u64) -> Taxonomy {
    let term = |id: u64| {
        format!(
            r#"{{"id":{id},"name":"Term number {id}","notation":"{id}","altNames":[{{"culture":"fr-FR","name":"Terme {id}"}}]"#
        )
    };
    let flat = (0..terms / 2).map(|id| term(id) + "}");
    let chains = (0..terms / 40).map(|chain| {
        let ids = (0..20).map(|depth| terms / 2 + chain * 20 + depth);
        let nested: Vec<String> = ids.map(term).collect();
        format!("{}}}{}", nested.join(r#","children":["#), "]}".repeat(19))
    });
    let terms: Vec<String> = flat.chain(chains).collect();
    let terms = terms.join(",");
    let category = format!(r#"{{"id":1,"name":"Sector","terms":[{terms}]}}"#);
    let file = format!(r#"{{"defaultCulture":"en-GB","categories":[{category}]}}"#);
    taxonomy_testfiles::taxonomy(&file)
}

fn measured(write: impl FnOnce(&mut Counted)) -> (usize, usize) {
    memory::measured(&MEMORY, write)
}

#[test]
fn writers_are_streams() {
    let (tenant, base) = ("acme".parse().unwrap(), skos::Base::default());
    let options = skos::Options {
        tenant: &tenant,
        base: &base,
        label: "",
    };
    let taxonomy = taxonomy(40_000);
    assert_eq!(taxonomy.terms().len(), 40_000);
    let tree = SortedTaxonomy::new(&taxonomy, sibling_keys);
    let csv = measured(|out| csv::write(&tree, Dialect::Data, out).unwrap());
    let skos = measured(|out| _ = skos::write(&tree, &options, out).unwrap());
    for (format, (peak, bytes)) in [
        ("json", measured(|out| json::write(&tree, out).unwrap())),
        ("ndjson", measured(|out| ndjson::write(&tree, out).unwrap())),
        ("csv", csv),
        ("skos", skos),
    ] {
        assert!(bytes > 8 * MOST_BYTES, "{format} is too short: {bytes}");
        assert!(peak <= MOST_BYTES, "{format}: {peak} for {bytes} bytes");
    }
    drop(tree);

    // Four bytes a row before a version, as many after it.
    let rows = taxonomy.terms().len();
    let (peak, bytes) = measured(|out| {
        let (mut writer, all) = (HistoryWriter::default(), Some(&taxonomy));
        writer.step(Version::FIRST, 1, None, &taxonomy, out).unwrap();
        let step = writer.step(Version::FIRST.next(), 2, all, &taxonomy, out);
        step.unwrap();
        writer.finish(all, out).unwrap();
    });
    assert!(bytes > 8 * MOST_BYTES);
    assert!(peak <= MOST_BYTES + 8 * rows, "{peak} bytes for {rows} rows");
}
