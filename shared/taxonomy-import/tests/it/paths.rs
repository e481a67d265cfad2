//! The texts of Google and Shopify.

use serde_json::json;
use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{Categories, Code};

use crate::support::{import, import_text, options, read};

const ENGLISH: &str = "# Google_Product_Taxonomy_Version: 2031-05-01\n\
    1 - Pets & Animals\n\
    7 - Pets & Animals > Fish-keeping\n\
    9 - Pets & Animals > Fish-keeping > Tanks - Glass\n\
    \n\
    4 - Clothes\n";
const GERMAN: &str = "# Google_Product_Taxonomy_Version: 2031-05-01\n\
    4 - Kleidung\n\
    1 - Tiere\n\
    9 - Tiere > Fischhaltung > Becken - Glas\n\
    7 - Tiere > Fischhaltung\n";

#[test]
fn cultures_are_joined_by_id_and_ids_stay() {
    let options = options();
    let graph = read(
        SourceFormat::Google,
        &options,
        &[(Some("en-GB"), ENGLISH), (Some("de-DE"), GERMAN)],
    );
    let imported = import(graph, None, &[]);
    assert_eq!(
        imported.tree(),
        "Pets & Animals/Fish-keeping Pets & Animals/Fish-keeping/Tanks - Glass"
    );
    assert_eq!(imported.codes(), [""; 0]);
    let ids = ["Pets & Animals", "Clothes", "Fish-keeping", "Tanks - Glass"].map(|name| imported.id(name));
    assert_eq!(ids, [1, 4, 7, 9]);
    assert_eq!(
        imported.node("Tanks - Glass")["names"],
        json!([{"culture": "de-DE", "name": "Becken - Glas"}, {"culture": "en-GB", "name": "Tanks - Glass"}])
    );
    assert_eq!(
        imported.node("Fish-keeping")["relations"],
        json!([{"type": "exact", "scheme": "google-product-taxonomy", "id": "7"}])
    );
}

#[test]
fn a_culture_of_another_release_is_reported() {
    let options = options();
    let german = GERMAN.replace("7 -", "8 -");
    let graph = read(
        SourceFormat::Google,
        &options,
        &[(Some("en-GB"), ENGLISH), (Some("de-DE"), &german)],
    );
    let imported = import(graph, None, &[]);
    assert_eq!(imported.codes(), ["no-default-name", "extra-culture"]);
    assert_eq!(imported.id("Fischhaltung"), 8);
    // In the file that describes it, at the line there.
    let issues = imported.written.report.issues();
    let extra = issues
        .iter()
        .find(|issue| issue.code == Code::ExtraCulture)
        .unwrap();
    assert_eq!((extra.file.as_deref(), extra.line), (Some("file-2.txt"), Some(5)));
    assert!(imported.tree().contains("Pets & Animals/Fischhaltung"));
}

#[test]
fn without_ids_paths_are_keys() {
    let text = "Pets\nPets > Fish - Fresh water\nPets > Fish - Fresh water > Tanks\n";
    let imported = import_text(SourceFormat::Google, text);
    assert_eq!(
        imported.tree(),
        "Pets/Fish - Fresh water Pets/Fish - Fresh water/Tanks"
    );
    assert_eq!(imported.codes(), ["keys-are-paths"]);
    assert!(imported.node("Tanks").get("relations").is_none());

    // A path that was replaced takes along what lies below it.
    let renamed = "Pets\nPets > Fish\nPets > Fish > Tanks\n";
    let options = options();
    let graph = read(SourceFormat::Google, &options, &[(Some("en-GB"), renamed)]);
    let new = import(
        graph,
        imported.id_map(),
        &[("Pets > Fish - Fresh water", "Pets > Fish")],
    );
    assert_eq!(new.id("Fish"), imported.id("Fish - Fresh water"));
    assert_eq!(new.id("Tanks"), imported.id("Tanks"));
    assert_eq!(new.written.counts.ids.renumbered, 2);
}

#[test]
fn a_path_without_a_row_is_passed_over() {
    let imported = import_text(SourceFormat::Google, "1 - A\n2 - A > B > C > D\n");
    assert_eq!(imported.tree(), "A/D");
    assert_eq!(imported.codes(), ["implied-parent"]);
}

#[test]
fn shopify_is_read_by_its_gids() {
    let text = "# Shopify Product Taxonomy - Categories: 2031-05\n\
        # Format: {GID} : {Ancestor name} > ... > {Category name}\n\n\
        gid://shopify/TaxonomyCategory/ap      : Pets : small\n\
        gid://shopify/TaxonomyCategory/ap-2    : Pets : small > Joggers\n\
        gid://shopify/TaxonomyCategory/ap-2-10 : Pets : small > Joggers > Joggers\n";
    let mut one = options();
    one.categories = Some(Categories::One);
    one.category_name = Some("Products".to_owned());
    let graph = read(SourceFormat::Shopify, &one, &[(Some("en-GB"), text)]);
    let imported = import(graph, None, &[]);
    assert_eq!(
        imported.tree(),
        "Products/Pets : small Products/Pets : small/Joggers Products/Pets : small/Joggers/Joggers"
    );
    assert_eq!(
        imported.node("Joggers")["relations"],
        json!([{"type": "exact", "scheme": "shopify-product-taxonomy", "id": "gid://shopify/TaxonomyCategory/ap-2"}])
    );
}

/// A translation may give two siblings one name; the text of a path is then that of both.
#[test]
fn children_are_below_the_parent_that_the_gid_names() {
    let options = options();
    let spanish = (
        Some("es-ES"),
        "gid://shopify/TaxonomyCategory/tr : Transporte\n\
         gid://shopify/TaxonomyCategory/tr-9 : Transporte > Barco\n\
         gid://shopify/TaxonomyCategory/tr-10 : Transporte > Barco\n\
         gid://shopify/TaxonomyCategory/tr-10-1 : Transporte > Barco > Remo\n\
         gid://shopify/TaxonomyCategory/tr-10-1-2 : Transporte > Barco > Remo > Pala\n",
    );
    let english = (
        Some("en-GB"),
        "gid://shopify/TaxonomyCategory/tr : Transport\n\
         gid://shopify/TaxonomyCategory/tr-9 : Transport > Ship\n\
         gid://shopify/TaxonomyCategory/tr-10 : Transport > Boat\n\
         gid://shopify/TaxonomyCategory/tr-10-1 : Transport > Boat > Oar\n\
         gid://shopify/TaxonomyCategory/tr-10-1-2 : Transport > Boat > Oar > Blade\n",
    );
    let expect = "Transport/Boat Transport/Boat/Oar Transport/Boat/Oar/Blade Transport/Ship";
    for files in [[spanish, english], [english, spanish]] {
        let imported = import(read(SourceFormat::Shopify, &options, &files), None, &[]);
        assert_eq!(imported.tree(), expect);
        assert_eq!(imported.codes(), [""; 0]);
    }
}

#[test]
fn a_gid_without_the_row_of_its_parent_is_below_the_nearest_one() {
    let text = "gid://shopify/TaxonomyCategory/tr : Transport\n\
         gid://shopify/TaxonomyCategory/tr-1-4-2 : Transport > Ships > Boats > Oars\n";
    let imported = import_text(SourceFormat::Shopify, text);
    assert_eq!(imported.tree(), "Transport/Oars");
    assert_eq!(imported.codes(), ["implied-parent"]);
}

/// Numbers of Google name no parent, and neither does a path without an id.
#[test]
fn a_path_that_two_rows_have_is_reported_where_it_decides_the_parent() {
    let text =
        "1 - Transporte\n2 - Transporte > Barco\n3 - Transporte > Barco\n4 - Transporte > Barco > Remo\n";
    let options = options();
    let english = "1 - Transport\n2 - Transport > Ship\n3 - Transport > Boat\n4 - Transport > Boat > Oar\n";
    let files = [(Some("es-ES"), text), (Some("en-GB"), english)];
    let imported = import(read(SourceFormat::Google, &options, &files), None, &[]);
    assert_eq!(imported.codes(), ["ambiguous-parent"]);
    let table = import_text(
        SourceFormat::Csv,
        "id,level1,level2,level3\n1,A,,\n2,A,B,\n3,A,B,\n4,A,B,C\n",
    );
    assert_eq!(table.codes(), ["duplicate-name", "ambiguous-parent"]);
}

#[test]
fn byte_order_mark_and_line_ends_of_windows_are_no_text() {
    let imported = import_text(SourceFormat::Google, "\u{feff}1 - A\r\n2 - A > B\r\n");
    assert_eq!(imported.tree(), "A/B");
}

#[test]
fn an_issue_has_file_and_line_of_the_first_description() {
    let options = options();
    let (english, german) = ("1 - A\n2 - A > X > B\n", "# a comment\n2 - A > B\n1 - A\n");
    let graph = read(
        SourceFormat::Google,
        &options,
        &[(Some("en-GB"), english), (Some("de-DE"), german)],
    );
    let imported = import(graph, None, &[]);
    let issues = imported.written.report.issues();
    let implied = issues
        .iter()
        .find(|issue| issue.code == Code::ImpliedParent)
        .unwrap();
    assert_eq!(
        (implied.file.as_deref(), implied.line),
        (Some("file-1.txt"), Some(2))
    );
}

#[test]
fn a_file_without_a_culture_is_said_once() {
    let options = options();
    let imported = import(
        read(SourceFormat::Google, &options, &[(None, ENGLISH)]),
        None,
        &[],
    );
    assert_eq!(imported.codes(), ["file-culture"]);
    assert_eq!(imported.taxonomy.cultures().len(), 1);
}

#[test]
fn two_files_of_one_culture_are_refused() {
    let options = options();
    for (format, row) in [
        (SourceFormat::Google, "1 - A\n"),
        (SourceFormat::Shopify, "gid://shopify/TaxonomyCategory/a : A\n"),
    ] {
        for (one, other, message) in [
            (Some("fr"), Some("fr"), "file-1.txt is in fr as well"),
            (None, None, "file-1.txt names no culture either"),
        ] {
            let graph = read(format, &options, &[(one, row), (other, row)]);
            let issues = graph.report().issues();
            let issue = issues
                .iter()
                .find(|issue| issue.code == Code::SameCulture)
                .unwrap();
            assert_eq!(
                (issue.file.as_deref(), issue.message.as_str()),
                (Some("file-2.txt"), message)
            );
        }
        let graph = read(
            format,
            &options,
            &[(Some("fr"), row), (Some("fr-CA"), row), (None, row)],
        );
        assert!(graph.report().accepted(), "{:?}", graph.report().issues());
    }
}

#[test]
fn files_of_two_releases_are_told_apart() {
    let options = options();
    let of = |release: &str| format!("# Google_Product_Taxonomy_Version: {release}\n1 - A\n2 - A > B\n");
    let (old, new) = (of("2019-07-10"), of("2021-09-21"));
    let check = |files: &[(Option<&str>, &str)], message: Option<&str>| {
        let imported = import(read(SourceFormat::Google, &options, files), None, &[]);
        let issues = imported.written.report.issues();
        let found = issues.iter().find(|issue| issue.code == Code::SeveralReleases);
        let found = found.map(|issue| (issue.file.as_deref().unwrap(), issue.line, issue.message.as_str()));
        assert_eq!(found, message.map(|message| ("file-2.txt", Some(1), message)));
    };
    check(
        &[(Some("en-GB"), &new), (Some("de"), &old)],
        Some("the file is of release 2019-07-10, the first of 2021-09-21"),
    );
    check(&[(Some("en-GB"), &new), (Some("de"), &new)], None);
    check(&[(Some("en-GB"), &new), (Some("de"), "1 - A\n2 - A > C\n")], None);
    let shopify = |release: &str| {
        format!("# Shopify Product Taxonomy - Categories: {release}\ngid://shopify/TaxonomyCategory/a : A\n")
    };
    let graph = read(
        SourceFormat::Shopify,
        &options,
        &[
            (Some("en"), &shopify("2024-07")),
            (Some("de"), &shopify("2025-08")),
        ],
    );
    assert_eq!(graph.report().count_of(Code::SeveralReleases), 1);
}

#[test]
fn a_file_of_shopify_is_none_of_google() {
    let text =
        "# Shopify Product Taxonomy - Categories: 2031-05\n\ngid://shopify/TaxonomyCategory/ap : Pets\n";
    let found = crate::support::refused(SourceFormat::Google, &options(), text.as_bytes());
    assert_eq!(found, [("malformed", 3, 1)]);
    let values = "gid://shopify/TaxonomyValue/1 : Black [Color]\n";
    assert_eq!(
        crate::support::refused(SourceFormat::Google, &options(), values.as_bytes()),
        [("malformed", 1, 1)]
    );
    // And the other way round.
    let google = "1 - Pets\n2 - Pets > Fish\n";
    let found = crate::support::refused(SourceFormat::Shopify, &options(), google.as_bytes());
    assert_eq!(found, [("malformed", 1, 1), ("malformed", 2, 1)]);
}
