//! The notation as the sort key, on request, whatever the format of the source is.

use taxonomy_import::sources::SourceFormat;

use crate::support::{file, sample};

#[test]
fn the_notation_is_the_sort_key_where_it_is_asked_for() {
    // The key of the source itself stays, and nothing comes of no notation.
    let table = "id,name,notation,sortKey\n1,Carpentry,10,\n2,B,J9,first\n3,C,,\n".to_owned();
    let esco = "conceptUri,code,preferredLabel\nurn:a,10,Carpentry\n".to_owned();
    for (format, text) in [
        (SourceFormat::Turtle, sample("crafts.ttl")),
        (SourceFormat::NQuads, sample("crafts.nq")),
        (SourceFormat::JsonLd, sample("crafts.jsonld")),
        (SourceFormat::RdfXml, sample("crafts.rdf")),
        (SourceFormat::Esco, esco),
        (SourceFormat::Csv, table.clone()),
    ] {
        for sorts_by_notation in [false, true] {
            let files = file(format, &text).with(|options| options.sorts_by_notation = sorts_by_notation);
            let imported = files.import();
            assert_eq!(imported.field("Carpentry", "notation"), "10", "{format:?}");
            let expect = if sorts_by_notation { "10" } else { "" };
            assert_eq!(imported.field("Carpentry", "sortKey"), expect, "{format:?}");
        }
    }
    let files = file(SourceFormat::Csv, table).with(|options| options.sorts_by_notation = true);
    let imported = files.import();
    imported.has("B sortKey: first");
    imported.has("C sortKey: ");
}
