//! Tables with a parent column and tables with level columns.

use taxonomy_import::ImportOptions;
use taxonomy_import::sources::SourceFormat::Csv;

use crate::support::{Files, Imported, file, files};

fn table(text: &str) -> Imported {
    file(Csv, text).import()
}

/// A table with columns that hold fields, each as `field=header`.
fn with_columns(text: &str, columns: &[&str]) -> Files {
    let pairs = columns.iter().map(|pair| pair.split_once('=').unwrap());
    let pairs = pairs.map(|(field, header)| (field.to_owned(), header.to_owned()));
    file(Csv, text).with(|options| options.columns = pairs.collect())
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
    imported.shows("Fruit/Pears; green Fruit/Quinces");
    let ids = ["Fruit", "Poires", "Quinces"].map(|name| imported.id(name));
    assert_eq!(ids, [2, 10, 11]);
    for expect in [
        "names: en-GB=Pears; green, fr=Poires",
        "notation: P",
        "altNames: en-GB=Pear, en-GB=Peer",
        "notes: en-GB definition=two\nlines",
        "sortKey: b",
        r#"metadata: {"colour":{"en-GB":["green"]}}"#,
        "relations: exact source:10",
        "deprecated: ",
        "replacedBy: ",
    ] {
        imported.has(&format!("Poires {expect}"));
    }
    imported.has("Quinces deprecated: true");
    imported.has("Quinces replacedBy: #Pears; green");
    imported.has("Fruit deprecated: ");
}

#[test]
fn several_parents_related_terms_and_mappings_share_a_cell() {
    let imported =
        table("id,broader,name,related,closeMatch\na,,A,,\nb,a,B,,\nc,b|a,C,,urn:1|urn:2\nd,a,D,c,\n");
    assert_eq!(imported.tree(), "A/B A/B/C A/D");
    imported.has("C relations: exact source:c, broad source:a, close urn:urn:1, close urn:urn:2, related #D");
}

#[test]
fn level_columns_make_a_tree() {
    let imported = table("level1,level2,level3,notation\nA,B,C,1\n,,D,2\n,E,,3\nF,,,\n");
    imported.shows("A/B A/B/C A/B/D A/E F/ # keys-are-paths");
    assert_eq!(["D", "B"].map(|name| imported.field(name, "notation")), ["2", ""]);

    // With ids the levels that have no row are known by their paths, and a path may come after those below it.
    let imported = table("id,lvl0,lvl1,lvl2\n5,A,B,C\n6,A,,\n7,A,X,Y\n");
    assert_eq!(imported.tree(), "A/B A/B/C A/X A/X/Y");
    assert_eq!((imported.id("C"), imported.id("A")), (5, 6));
    imported.has("B relations: ");
    imported.has("C relations: exact source:5");
    assert!(imported.ids().contains("A > B,"), "{}", imported.ids());
}

#[test]
fn columns_can_be_named_and_others_are_reported() {
    let text = "Nr.\tTitel\tparent\tHersteller\tname\n1\tEins\t\tx\tOne\n2\tZwei\t1\ty\tTwo\n";
    let named = with_columns(text, &["id=Nr.", "name.de=Titel"]).import();
    named.shows("One/Two # unknown-column");
    assert_eq!(named.id("Zwei"), 2);
    // A column may hold several fields.
    let text = "code,parent,title\nA,,Alpha\nA1,A,Beta\n";
    let fields = ["id=code", "notation=code", "name=title"];
    for fields in [fields, [fields[1], fields[2], fields[0]]] {
        let found = with_columns(text, &fields).import();
        found.shows("Alpha/Beta");
        found.has("Beta notation: A1");
    }
    let fields = "id=code name=code altName=title metadata.source=title sortKey=title";
    let found = with_columns(text, &fields.split(' ').collect::<Vec<_>>()).import();
    found.has("A1 altNames: en-GB=Beta");
    found.has("A1 sortKey: Beta");
    found.has(r#"A1 metadata: {"source":{"en-GB":["Beta"]}}"#);
}

#[test]
fn tables_of_several_cultures_are_joined_by_id() {
    let english = (Some("en-GB"), "id,parent,name\n1,,Fruit\n2,1,Pears\n");
    let french = (Some("fr-FR"), "id,name\n2,Poires\n1,Fruits\n");
    let imported = files(Csv, &[english, french]).import();
    assert_eq!(imported.tree(), "Fruit/Pears");
    assert_eq!(imported.id("Poires"), 2);
}

#[test]
fn wrong_flags_and_unknown_parents_are_reported() {
    let found = table("id,parent,name,deprecated\n1,,A,\n2,1|9,B,maybe\n");
    found.shows("A/B # unknown-parent invalid-value");
}

#[test]
fn a_line_may_state_the_delimiter() {
    let rows = "id;parent;name;name@de;altName\nA-1;;Café & Bäckerei;Café;\"bakery|pastry, cakes\"\nA-2;A-1;Brötchen;Brötchen;\nA-3;A-1;\"Naïve \"\"quoted\"\" £5 €\";;\"line one\nline two\"\n";
    let plain = table(rows);
    for beginning in ["sep=;\n", "sep=;\r\n", "\u{feff}SEP=;\n"] {
        let found = table(&[beginning, rows].concat());
        assert_eq!(found.json, plain.json, "{beginning:?}");
        assert_eq!(found.codes(), plain.codes(), "{beginning:?}");
    }
    // Whatever else the header has; and it is a column behind others.
    assert_eq!(table("sep=|\nid|parent|name|;;;;\n1||A|\n2|1|B|\n").tree(), "A/B");
    assert_eq!(table("id,name,sep=;\n1,A,\n").codes(), ["unknown-column"]);
}

#[test]
fn words_for_no_parent_are_none_unless_they_are_keys() {
    let found = table("id,parent,name\n1,NULL,A\n2,1,B\n3,0,C\n4,-,D\n5,null,E\n");
    found.shows("A/B C/ D/ E/");
    found.has("C relations: exact source:3");
    // Zero, a hyphen and NULL are keys like others, before or behind the row that names them.
    let found = table("id,parent,name\n1,0,A\n0,,Zero\nnull,0,Nothing\n-,null,Dash\n5,-,E\n");
    found.shows("Zero/A Zero/Nothing Zero/Nothing/Dash Zero/Nothing/Dash/E");
    let [one, other] = ["id,parent,name\n1,0,A\n", "id,name\n0,Zero\n"].map(|text| (Some("en-GB"), text));
    files(Csv, &[one, other]).import().shows("Zero/A");
}

#[test]
fn a_parent_that_is_a_name_is_an_error_that_shows_the_key() {
    let clothes = "id,name,parent\n1,Clothes,\n2,Shirts,Clothes\n";
    let wine = "id,parent,name.fr\na,Vin rouge,B\nb,,Vin rouge\n";
    for (text, line, name, key) in [
        (clothes, 3, "Clothes", "1"),
        (wine, 2, "Vin rouge", "b"),
        // Where the rows belong is not known, so nothing else is said of their parents.
        ("id,name,parent\n1,A,\n2,B,1|A\n3,C,Z\n", 3, "A", "1"),
    ] {
        let files = file(Csv, text);
        assert_eq!(files.errors(), format!("parent-is-name {line}:1"));
        let report = files.report();
        let message = format!("the parent {name:?} is not a key but the name of {key}");
        assert_eq!(report.issues()[0].message, message);
        assert_eq!(report.issues().len(), 1);
    }
    // A name that is a key as well is a key.
    assert_eq!(table("id,name,parent\nA,B,\nB,C,A\nD,A,B\n").tree(), "B/C B/C/A");
    assert_eq!(table("id,name,parent\n1,A,\n2,B,Z\n").codes(), ["unknown-parent"]);
}

#[test]
fn columns_without_a_name_say_nothing_without_a_value() {
    let found = table("id,name,\n1,A,x\n2,B,\n");
    found.shows("A/ B/ # unknown-column");
    assert_eq!(found.places("unknown-column"), "file-1:2");
    found.says("unknown-column column 3, which has no name");
    table("id,name,,\n1,A,,\n2,B\n").shows("A/ B/");
    // Each is reported once.
    let found = table("id,,name,,\n1,x,A,,y\n2,z,B,,\n3,,C,v,\n");
    assert_eq!(found.places("unknown-column"), "file-1:2 file-1:2 file-1:4");
}

#[test]
fn lines_before_the_header_are_passed_over() {
    let skip = |options: &mut ImportOptions| options.skip_rows = 2;
    assert_eq!(file(Csv, "one line").with(skip).errors(), "no-concepts 1:1");
    // Lines end before the header as they do behind it, and count.
    let text = "\u{feff}Content taxonomy, version 3\n\nid,parent,name\n1,,A\n1,,A\n2,1,B";
    for end in ["\n", "\r\n", "\r"] {
        let files = file(Csv, text.replace('\n', end)).with(skip);
        let found = files.with(|options| options.is_lenient = true).import();
        found.shows("A/B # skipped");
        assert_eq!(found.places("skipped"), "file-1:5");
        found.says("skipped 1: a second row; the first one is in line 4");
    }
}

#[test]
fn a_column_that_looks_like_a_field_gets_a_hint() {
    for (header, meant) in [
        ("name_fr", "name.fr"),
        ("alt_name-pt_BR", "alt_name.pt-BR"),
        ("Label (de)", "Label.de"),
        ("definition sv", "definition.sv"),
        ("name_french", ""),
        ("parent_fr", ""),
        ("colour", ""),
    ] {
        let hint = format!("; --column {meant}={header} reads it");
        let hint = if meant.is_empty() { "" } else { &hint };
        let found = table(&format!("id,name,{header}\n1,A,x\n"));
        found.says(&format!("unknown-column the column {header:?}{hint}"));
    }
}
