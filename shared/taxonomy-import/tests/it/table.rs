//! Tables with a parent column and tables with level columns.

use serde_json::json;
use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{ConceptTree, Replacements};
use taxonomy_model::Limits;

use crate::support::{Imported, codes, graph_of, import, import_text, options, read};

fn table(text: &str) -> Imported {
    import_text(SourceFormat::Csv, text)
}

#[test]
fn a_parent_column_makes_a_tree() {
    let imported = table(
        "\u{feff}id;parent;name;name.fr;altName;altName.fr;notation;deprecated;replacedBy;definition;sortKey;metadata.colour\r\n\
         10;2;\"Pears; green\";Poires;Pear|Peer;;P;;;\"two\nlines\";b;green\r\n\
         2;;Fruit;;;;;no;;;;\r\n\
         ;;;;;;;;;;;\r\n\
         11;2;Quinces;;;;;x;10;;;\r\n",
    );
    assert_eq!(imported.tree(), "Fruit/Pears; green Fruit/Quinces");
    assert_eq!(
        imported.json["categories"][0]["terms"],
        json!([
            {
                "id": 10,
                "names": [{"culture": "en-GB", "name": "Pears; green"}, {"culture": "fr", "name": "Poires"}],
                "notation": "P",
                "altNames": [{"culture": "en-GB", "name": "Pear"}, {"culture": "en-GB", "name": "Peer"}],
                "notes": [{"culture": "en-GB", "definition": "two\nlines"}],
                "sortKey": "b",
                "metadata": {"colour": {"en-GB": ["green"]}},
                "relations": [{"type": "exact", "scheme": "source", "id": "10"}],
            },
            {
                "id": 11,
                "names": [{"culture": "en-GB", "name": "Quinces"}],
                "deprecated": true,
                "replacedBy": [10],
                "relations": [{"type": "exact", "scheme": "source", "id": "11"}],
            },
        ])
    );
    assert_eq!(imported.codes(), [""; 0]);
}

#[test]
fn several_parents_related_terms_and_mappings_share_a_cell() {
    let imported = table(
        "id,broader,name,related,closeMatch\na,,A,,\nb,a,B,,\nc,b|a,C,,http://x.example/1|http://x.example/2\nd,a,D,c,\n",
    );
    assert_eq!(imported.tree(), "A/B A/B/C A/D");
    let expect = json!([
        {"type": "exact", "scheme": "source", "id": "c"},
        {"type": "broad", "scheme": "source", "id": "a"},
        {"type": "close", "scheme": "x.example", "id": "http://x.example/1"},
        {"type": "close", "scheme": "x.example", "id": "http://x.example/2"},
        {"type": "related", "id": imported.id("D")},
    ]);
    assert_eq!(imported.node("C")["relations"], expect);
}

#[test]
fn level_columns_make_a_tree() {
    let imported = table("level1,level2,level3,notation\nA,B,C,1\n,,D,2\n,E,,3\nF,,,\n");
    assert_eq!(imported.tree(), "A/B A/B/C A/B/D A/E");
    assert_eq!(imported.codes(), ["keys-are-paths"]);
    assert_eq!(imported.node("D")["notation"], "2");
    assert!(imported.node("B").get("notation").is_none());

    // With ids the levels that have no row are known by their paths, and a path may come after those below it.
    let imported = table("id,lvl0,lvl1,lvl2\n5,A,B,C\n6,A,,\n7,A,X,Y\n");
    assert_eq!(imported.tree(), "A/B A/B/C A/X A/X/Y");
    assert_eq!((imported.id("C"), imported.id("A")), (5, 6));
    assert!(imported.node("B").get("relations").is_none());
    assert!(imported.node("C").get("relations").is_some());
    assert!(imported.ids().contains("A > B,"), "{}", imported.ids());
}

#[test]
fn columns_can_be_named_and_others_are_reported() {
    let mut options = options();
    options.columns = vec![
        ("id".to_owned(), "Nr.".to_owned()),
        ("name.de".to_owned(), "Titel".to_owned()),
    ];
    options.separator = '/';
    let text = "Nr.\tTitel\tparent\tHersteller\tname\n1\tEins\t\tx\tOne\n2\tZwei\t1\ty\tTwo\n";
    let graph = read(SourceFormat::Csv, &options, &[(Some("en-GB"), text)]);
    let imported = import(graph, None, &[]);
    assert_eq!(imported.tree(), "One/Two");
    assert_eq!(imported.codes(), ["unknown-column"]);
    assert_eq!(imported.node("Zwei")["id"], 2);
}

#[test]
fn tables_of_several_cultures_are_joined_by_id() {
    let options = options();
    let files = [
        (Some("en-GB"), "id,parent,name\n1,,Fruit\n2,1,Pears\n"),
        (Some("fr-FR"), "id,name\n2,Poires\n1,Fruits\n"),
    ];
    let imported = import(read(SourceFormat::Csv, &options, &files), None, &[]);
    assert_eq!(imported.tree(), "Fruit/Pears");
    assert_eq!(imported.node("Poires")["id"], 2);
}

#[test]
fn wrong_flags_and_unknown_parents_are_reported() {
    let imported = table("id,parent,name,deprecated\n1,,A,\n2,1|9,B,maybe\n");
    assert_eq!(imported.codes(), ["unknown-parent", "invalid-value"]);
}

/// A table that is refused: the first error with its place.
fn first_error(text: impl AsRef<[u8]>) -> (String, u32, String) {
    let options = options();
    let mut graph = graph_of(&options);
    graph.begin_file("file.csv", Some("en-GB".parse().unwrap()));
    let read = SourceFormat::Csv.read(&mut text.as_ref(), &mut graph);
    let report = match read {
        Err(_) => graph.into_report(),
        Ok(()) => *ConceptTree::new(graph, None, &Replacements::default(), Limits::default()).unwrap_err(),
    };
    let issue = report.issues()[0];
    (
        issue.code.as_str().to_owned(),
        issue.line.unwrap(),
        issue.message.clone(),
    )
}

#[test]
fn a_line_may_state_the_delimiter() {
    let rows = "id;parent;name;name@de;altName\nA-1;;Café & Bäckerei;Café;\"bakery|pastry, cakes\"\nA-2;A-1;Brötchen;Brötchen;\nA-3;A-1;\"Naïve \"\"quoted\"\" £5 €\";;\"line one\nline two\"\n";
    let plain = table(rows);
    for beginning in ["sep=;\n", "sep=;\r\n", "\u{feff}SEP=;\n"] {
        let found = table(&[beginning, rows].concat());
        assert_eq!(
            (found.json.clone(), found.codes()),
            (plain.json.clone(), plain.codes()),
            "{beginning:?}"
        );
    }
    // Whatever else the header has; and lines count from the first one.
    assert_eq!(table("sep=|\nid|parent|name|;;;;\n1||A|\n2|1|B|\n").tree(), "A/B");
    assert_eq!(
        first_error("sep=;\nid;name\n1;A\n1;B\n"),
        (
            "duplicate-key".to_owned(),
            4,
            "a second row; the first one is in line 3".to_owned()
        )
    );
    assert_eq!(table("id,name,sep=;\n1,A,\n").codes(), ["unknown-column"]);
}

#[test]
fn words_for_no_parent_are_none_unless_they_are_keys() {
    let found = table("id,parent,name\n1,NULL,A\n2,1,B\n3,0,C\n4,-,D\n5,null,E\n");
    assert_eq!((found.tree().as_str(), found.codes()), ("A/B", vec![]));
    for name in ["A", "C", "D", "E"] {
        assert_eq!(
            found.node(name)["relations"].as_array().unwrap().len(),
            1,
            "{name}"
        );
    }
    // Zero, a hyphen and NULL are keys like others, before or behind the row that names them.
    let found = table("id,parent,name\n1,0,A\n0,,Zero\nnull,0,Nothing\n-,null,Dash\n5,-,E\n");
    assert_eq!(
        found.tree(),
        "Zero/A Zero/Nothing Zero/Nothing/Dash Zero/Nothing/Dash/E"
    );
    let options = options();
    let files = [
        (Some("en-GB"), "id,parent,name\n1,0,A\n"),
        (Some("en-GB"), "id,name\n0,Zero\n"),
    ];
    assert_eq!(
        import(read(SourceFormat::Csv, &options, &files), None, &[]).tree(),
        "Zero/A"
    );
}

#[test]
fn a_parent_that_is_a_name_is_an_error_that_shows_the_key() {
    let code = || "parent-is-name".to_owned();
    let message = |name, key| format!("the parent {name:?} is not a key but the name of {key}");
    assert_eq!(
        first_error("id,name,parent\n1,Clothing,\n2,Shirts,Clothing\n"),
        (code(), 3, message("Clothing", "1"))
    );
    assert_eq!(
        first_error("id,parent,name.fr\na,Vin rouge,Bourgogne\nb,,Vin rouge\n"),
        (code(), 2, message("Vin rouge", "b"))
    );
    assert_eq!(
        first_error("id,name,parent\n1,A,\n2,B,1|A\n"),
        (code(), 3, message("A", "1"))
    );
    // Where the rows belong is not known, so nothing else is said of their parents.
    let graph = read(
        SourceFormat::Csv,
        &options(),
        &[(Some("en-GB"), "id,name,parent\n1,A,\n2,B,A\n3,C,Z\n")],
    );
    let refused = ConceptTree::new(graph, None, &Replacements::default(), Limits::default());
    assert_eq!(codes(&refused.unwrap_err()), ["parent-is-name"]);
    // A name that is a key as well is a key.
    assert_eq!(table("id,name,parent\nA,B,\nB,C,A\nD,A,B\n").tree(), "B/C B/C/A");
    assert_eq!(table("id,name,parent\n1,A,\n2,B,Z\n").codes(), ["unknown-parent"]);
}

#[test]
fn a_column_may_hold_several_fields() {
    let text = "code,parent,title\nA,,Alpha\nA1,A,Beta\n";
    let columns = |fields: &[&str]| {
        let pairs = fields.iter().map(|pair| pair.split_once('=').unwrap());
        pairs
            .map(|(field, header)| (field.to_owned(), header.to_owned()))
            .collect::<Vec<_>>()
    };
    for fields in [
        ["id=code", "notation=code", "name=title"],
        ["notation=code", "name=title", "id=code"],
    ] {
        let options = taxonomy_import::ImportOptions {
            columns: columns(&fields),
            ..options()
        };
        let found = import(
            read(SourceFormat::Csv, &options, &[(Some("en-GB"), text)]),
            None,
            &[],
        );
        assert_eq!(
            (found.tree().as_str(), found.codes()),
            ("Alpha/Beta", vec![]),
            "{fields:?}"
        );
        assert_eq!(found.node("Beta")["notation"], "A1");
    }
    let options = taxonomy_import::ImportOptions {
        columns: columns(&[
            "id=code",
            "name=code",
            "altName=title",
            "metadata.source=title",
            "sortKey=title",
        ]),
        ..options()
    };
    let found = import(
        read(SourceFormat::Csv, &options, &[(Some("en-GB"), text)]),
        None,
        &[],
    );
    let node = found.node("A1");
    assert_eq!(
        (&node["altNames"][0]["name"], &node["sortKey"]),
        (&"Beta".into(), &"Beta".into())
    );
    assert_eq!(node["metadata"]["source"]["en-GB"][0], "Beta");
}

#[test]
fn columns_without_a_name_and_lines_before_the_header_are_no_errors() {
    let found = table("id,name,\n1,A,x\n2,B,\n");
    assert_eq!(
        (found.written.counts.concepts, found.codes()),
        (2, vec!["unknown-column"])
    );
    let issue = &found.written.report.issues()[0];
    assert_eq!(
        (issue.line, issue.message.as_str()),
        (Some(2), "column 3, which has no name")
    );
    // Without a value they say nothing, and each is reported once.
    assert_eq!(table("id,name,,\n1,A,,\n2,B\n").codes(), [""; 0]);
    let found = table("id,,name,,\n1,x,A,,y\n2,z,B,,\n3,,C,v,\n");
    let lines: Vec<Option<u32>> = found
        .written
        .report
        .issues()
        .iter()
        .map(|issue| issue.line)
        .collect();
    assert_eq!(
        (found.written.counts.concepts, lines),
        (3, vec![Some(2), Some(2), Some(4)])
    );
    assert_eq!(first_error("id,name,\n1,A,x,y\n").0, "malformed");
    assert_eq!(first_error("id,name,\n1\n").0, "malformed");

    let options = taxonomy_import::ImportOptions {
        skip_rows: 2,
        ..options()
    };
    assert_eq!(
        crate::support::refused(SourceFormat::Csv, &options, b"one line"),
        [("no-concepts", 1, 1)]
    );
    // Lines end before the header as they do behind it.
    for end in ["\n", "\r\n", "\r"] {
        let text = ["Content taxonomy", "", "id,parent,name", "1,,A", "2,1,B"].join(end);
        let found = import(
            read(SourceFormat::Csv, &options, &[(Some("en-GB"), &text)]),
            None,
            &[],
        );
        assert_eq!(found.tree(), "A/B", "{end:?}");
    }
    let text = "\u{feff}Content taxonomy, version 3\n\nid,parent,name\n1,,A\n1,,A\n2,1,B\n";
    let mut graph = graph_of(&options);
    graph.options.is_lenient = true;
    graph.begin_file("file.csv", Some("en-GB".parse().unwrap()));
    SourceFormat::Csv.read(&mut text.as_bytes(), &mut graph).unwrap();
    let found = import(graph, None, &[]);
    assert_eq!(
        (found.tree().as_str(), found.written.report.issues()[0].line),
        ("A/B", Some(5))
    );
}

#[test]
fn a_column_that_looks_like_a_field_gets_a_hint() {
    let check = |header: &str, meant: Option<&str>| {
        let found = table(&format!("id,name,{header}\n1,A,x\n"));
        let issue = &found.written.report.issues()[0];
        let expect = match meant {
            Some(meant) => format!("the column {header:?}; --column {meant}={header} reads it"),
            None => format!("the column {header:?}"),
        };
        assert_eq!(
            (issue.code.as_str(), issue.message.as_str()),
            ("unknown-column", expect.as_str())
        );
    };
    check("name_fr", Some("name.fr"));
    check("alt_name-pt_BR", Some("alt_name.pt-BR"));
    check("Label (de)", Some("Label.de"));
    check("definition sv", Some("definition.sv"));
    check("name_french", None);
    check("parent_fr", None);
    check("colour", None);
}

#[test]
fn workbooks_and_archives_are_called_so() {
    for (bytes, what) in [
        (
            &b"PK\x03\x04\x14\0\x06\0[Content_Types].xml"[..],
            "the file is a workbook (.xlsx)",
        ),
        (b"PK\x03\x04\0\0xl/workbook.xml", "the file is a workbook (.xlsx)"),
        (
            b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
            "the file is a workbook (.ods)",
        ),
        (b"PK\x03\x04occupations_en.csv", "the file is a zip archive"),
        (
            b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
            "the file is a workbook (.xls)",
        ),
    ] {
        assert_eq!(first_error(bytes), ("packed-file".to_owned(), 1, what.to_owned()));
        for format in SourceFormat::ALL {
            assert_eq!(
                crate::support::refused(*format, &options(), bytes)[0].0,
                "packed-file"
            );
        }
    }
}
