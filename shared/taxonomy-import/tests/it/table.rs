//! Tables with a parent column and tables with level columns.

use serde_json::json;
use taxonomy_import::sources::SourceFormat;

use crate::support::{Imported, import, import_text, options, read};

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
    let imported = import(graph, &options, None, &[]);
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
    let imported = import(read(SourceFormat::Csv, &options, &files), &options, None, &[]);
    assert_eq!(imported.tree(), "Fruit/Pears");
    assert_eq!(imported.node("Poires")["id"], 2);
}

#[test]
fn wrong_flags_and_unknown_parents_are_reported() {
    let imported = table("id,parent,name,deprecated\n1,,A,\n2,1|9,B,maybe\n");
    assert_eq!(imported.codes(), ["unknown-parent", "invalid-value"]);
}
