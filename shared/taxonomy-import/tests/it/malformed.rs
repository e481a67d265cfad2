//! Malformed files end in errors with a place.

use taxonomy_import::sources::SourceFormat;

use crate::support::{options, refused};

fn check(format: SourceFormat, text: impl AsRef<[u8]>, expect: &[(&str, u32, u32)]) {
    let text = text.as_ref();
    let found = refused(format, &options(), text);
    assert_eq!(
        found,
        expect,
        "{}",
        String::from_utf8_lossy(&text[..text.len().min(200)])
    );
}

#[test]
fn texts_of_paths_name_line_and_column() {
    let google = SourceFormat::Google;
    check(google, "1 - A\nB\n2 - A > B\n", &[("malformed", 2, 1)]);
    check(google, "A\nA > B\n1 - C\n", &[("malformed", 3, 1)]);
    check(google, "1 - A\n2 - A >  > C\n", &[("malformed", 2, 5)]);
    check(google, "1 - A\n1 - B\n", &[("duplicate-key", 2, 1)]);
    check(google, "A\nA > B\nA > B\n", &[("duplicate-key", 3, 1)]);
    check(
        google,
        b"1 - \xC3\xA9A\n2 - \xC3\xA9\xFF\n",
        &[("invalid-utf8", 2, 6)],
    );
    check(google, "x".repeat(1 << 21), &[("too-large", 1, 1)]);
    check(
        SourceFormat::Shopify,
        "gid://a : A\nap-2 : B\ngid://b:C\n",
        &[("malformed", 2, 1), ("malformed", 3, 1)],
    );
    check(google, vec!["A"; 65].join(" > "), &[("malformed", 1, 1)]);
    // UTF-16, as some spreadsheets write it.
    check(google, b"\xFF\xFE1\0 \0-\0 \0A\0\n\0", &[("invalid-utf8", 1, 1)]);
}

#[test]
fn tables_name_their_row() {
    let csv = SourceFormat::Csv;
    check(csv, "", &[("no-concepts", 1, 1)]);
    check(csv, "name\nA\n", &[("missing-column", 1, 1)]);
    check(csv, "id,name,ID\n1,A,2\n", &[("duplicate-column", 1, 1)]);
    check(csv, "id,level1,level01\n1,A,2\n", &[("duplicate-column", 1, 1)]);
    check(
        csv,
        "id,name\n1,A\n2\n3,C,D\n",
        &[("malformed", 3, 1), ("malformed", 4, 1)],
    );
    check(csv, "id,name\n1,A\n ,B\n", &[("missing-key", 3, 1)]);
    check(csv, "id,name\n1,\"A\nB\"\n1,C\n", &[("duplicate-key", 4, 1)]);
    check(csv, "level1,level2\nA > B,C\n", &[("malformed", 2, 1)]);
    let deep = (0..=64)
        .map(|level| format!("level{level}"))
        .collect::<Vec<_>>()
        .join(",");
    check(csv, deep, &[("too-large", 1, 1)]);
    check(csv, "level1,level2,level3\nA,,C\n", &[("malformed", 2, 1)]);
    check(csv, "level1,level2,level3\n,,C\n", &[("malformed", 2, 1)]);
    // A quote that is not closed would swallow the rest of the file.
    check(csv, "id,name\n1,A\n2,\"B\n3,C\n4,D\n", &[("malformed", 3, 1)]);
    check(csv, "id,name\n1,A\n2,\"B", &[("malformed", 3, 1)]);
    // Text after a closing quote: of a quote that nobody doubled, and of one that swallows the rows up to the next quote.
    check(
        csv,
        "id,name\n1,\"M5 \"zinc\" bolt\"\n2,B\n",
        &[("malformed", 2, 1)],
    );
    check(
        csv,
        "id,name\n1,A\n2,\"5 pipe\n3,\"6 pipe\"\n4,D\n",
        &[("malformed", 3, 1)],
    );
    check(csv, "id,name\n1,\"A\" \n2,B\n", &[("malformed", 2, 1)]);
    check(csv, b"id,name\n1,A\n2,\xFF\n", &[("invalid-utf8", 3, 1)]);
    let long = format!("id,name\n1,\"{}\"\n", "x".repeat(5 << 20));
    check(csv, long, &[("too-large", 2, 1)]);
    // Blank lines belong to no row.
    let blank = format!("id,name\n{}1\n", "\n".repeat(5 << 20));
    check(csv, blank, &[("malformed", (5 << 20) + 2, 1)]);
    // Two quotes are one inside of a cell, so the last one is still open here.
    check(
        csv,
        "id,name\n1,A\n2,\"B \"\"C\"\" D\n3,E\n",
        &[("malformed", 3, 1)],
    );
    check(csv, "id,name\n1,\"B \"\"C\"\"\"\n", &[]);
    // Quotes inside of cells without quotes are text, as tables with TABs have them.
    check(csv, "id\tname\n1\t5\" pipe\n", &[]);
}
