//! Beside the taxonomy and the order of its siblings, a writer's memory does not grow with its output.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::io::{self, Write};

use peak_alloc::PeakAlloc;
use taxonomy_collation::sibling_keys;
use taxonomy_formats::csv::{self, Dialect};
use taxonomy_formats::history::HistoryWriter;
use taxonomy_formats::{SortedTaxonomy, json, ndjson, skos};
use taxonomy_keys::Version;
use taxonomy_model::Taxonomy;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The buffers of a writer and one node.
const MOST_BYTES: usize = 256 << 10;

/// Half of the terms lie in one flat list, the others in chains of 20.
fn taxonomy(terms: u64) -> Taxonomy {
    let mut file = r#"{"defaultCulture":"en-GB","categories":[{"id":1,"name":"Sector","terms":["#.to_owned();
    let name = |id: u64| {
        format!(
            r#"{{"id":{id},"name":"Term number {id}","notation":"{id}","altNames":[{{"culture":"fr-FR","name":"Terme {id}"}}]"#
        )
    };
    for id in 0..terms / 2 {
        write!(file, "{}}},", name(id)).unwrap();
    }
    for chain in 0..terms / 40 {
        let ids = (0..20).map(|depth| terms / 2 + chain * 20 + depth);
        let nested: Vec<String> = ids.map(name).collect();
        write!(file, "{}}}{},", nested.join(r#","children":["#), "]}".repeat(19)).unwrap();
    }
    file.pop();
    file.push_str("]}]}");
    taxonomy_testfiles::taxonomy(&file)
}

/// Counts bytes instead of keeping them.
#[derive(Default)]
struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The maximum number of bytes that are in use at once while something is written, and the bytes written.
fn measured(write: impl FnOnce(&mut Counted)) -> (usize, usize) {
    let mut out = Counted::default();
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    write(&mut out);
    (MEMORY.peak_usage() - before, out.0)
}

/// One test, since the peak is the process's.
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
    for (format, (peak, bytes)) in [
        ("json", measured(|out| json::write(&tree, out).unwrap())),
        ("ndjson", measured(|out| ndjson::write(&tree, out).unwrap())),
        (
            "csv",
            measured(|out| csv::write(&tree, Dialect::Data, out).unwrap()),
        ),
        (
            "skos",
            measured(|out| _ = skos::write(&tree, &options, out).unwrap()),
        ),
    ] {
        assert!(
            bytes > 8 * MOST_BYTES,
            "{format} is too short to show anything: {bytes}"
        );
        assert!(
            peak <= MOST_BYTES,
            "{format} takes {peak} bytes for {bytes} of output"
        );
    }
    drop(tree);

    // Four bytes a row before a version, as many after it.
    let rows = taxonomy.terms().len();
    let (peak, bytes) = measured(|out| {
        let mut writer = HistoryWriter::default();
        writer.step(Version::FIRST, 1, None, &taxonomy, out).unwrap();
        writer
            .step(Version::FIRST.next(), 2, Some(&taxonomy), &taxonomy, out)
            .unwrap();
        writer.finish(Some(&taxonomy), out).unwrap();
    });
    assert!(bytes > 8 * MOST_BYTES);
    assert!(
        peak <= MOST_BYTES + 8 * rows,
        "the history takes {peak} bytes for {rows} rows"
    );
}
