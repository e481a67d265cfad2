//! The texts of Google and Shopify.

use taxonomy_import::Categories;
use taxonomy_import::sources::SourceFormat::{Csv, Google, Shopify};

use crate::support::{Files, file, files};

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

fn google(english: &str, german: &str) -> Files {
    files(Google, &[(Some("en-GB"), english), (Some("de-DE"), german)])
}

#[test]
fn cultures_are_joined_by_id_and_ids_stay() {
    let imported = google(ENGLISH, GERMAN).import();
    imported.shows("Clothes/ Pets & Animals/Fish-keeping Pets & Animals/Fish-keeping/Tanks - Glass");
    let ids = ["Pets & Animals", "Clothes", "Fish-keeping", "Tanks - Glass"].map(|name| imported.id(name));
    assert_eq!(ids, [1, 4, 7, 9]);
    imported.has("Tanks - Glass names: de-DE=Becken - Glas, en-GB=Tanks - Glass");
    imported.has("Tanks - Glass relations: exact google-product-taxonomy:9");
}

#[test]
fn a_culture_of_another_release_is_reported() {
    let imported = google(ENGLISH, &GERMAN.replace("7 -", "8 -")).import();
    assert_eq!(imported.codes(), ["no-default-name", "extra-culture"]);
    assert_eq!(imported.id("Fischhaltung"), 8);
    // In the file that describes it, at the line there.
    assert_eq!(imported.places("extra-culture"), "file-2:5");
    assert!(imported.tree().contains("Pets & Animals/Fischhaltung"));
}

#[test]
fn without_ids_paths_are_keys() {
    let text = "Pets\nPets > Fish - Fresh water\nPets > Fish - Fresh water > Tanks\n";
    let imported = file(Google, text).import();
    imported.shows("Pets/Fish - Fresh water Pets/Fish - Fresh water/Tanks # keys-are-paths");
    imported.has("Tanks relations: ");
    // A path that was replaced takes along what lies below it.
    let renamed = file(Google, "Pets\nPets > Fish\nPets > Fish > Tanks\n");
    let new = renamed.after(&imported, &[("Pets > Fish - Fresh water", "Pets > Fish")]);
    assert_eq!(new.id("Fish"), imported.id("Fish - Fresh water"));
    assert_eq!(new.id("Tanks"), imported.id("Tanks"));
    assert_eq!(new.written.counts.ids.renumbered, 2);
}

#[test]
fn a_path_without_a_row_is_passed_over() {
    let imported = google("1 - A\n2 - A > B > C > D\n", "# a\n2 - A > D\n1 - A\n").import();
    imported.shows("A/D # implied-parent");
    // Where it is described first.
    assert_eq!(imported.places("implied-parent"), "file-1:2 file-1:2");
}

/// A file of Shopify, its rows each behind the beginning that all GIDs have.
fn shopify(rows: &str) -> String {
    let row = |row: &str| format!("gid://shopify/TaxonomyCategory/{row}\n");
    rows.lines().map(row).collect()
}

#[test]
fn shopify_is_read_by_its_gids() {
    let rows = "ap      : Pets : small\n\
        ap-2    : Pets : small > Joggers\n\
        ap-2-10 : Pets : small > Joggers > Joggers\n";
    let comments = "# Shopify Product Taxonomy - Categories: 2031-05\n\
        # Format: {GID} : {Ancestor name} > ... > {Category name}\n\n";
    let imported = file(Shopify, [comments, &shopify(rows)].concat());
    let imported = imported.in_categories(Some(Categories::One)).import();
    let top = "shopify-product-taxonomy/Pets : small";
    imported.shows(&format!("{top} {top}/Joggers {top}/Joggers/Joggers"));
    imported.has("Joggers relations: exact shopify-product-taxonomy:gid://shopify/TaxonomyCategory/ap-2");
    // Without the row of its parent a concept is below the nearest one.
    let text = shopify("tr : Transport\ntr-1-4-2 : Transport > Ships > Boats > Oars\n");
    let imported = file(Shopify, text).import();
    imported.shows("Transport/Oars # implied-parent");
}

/// A translation may give two siblings one name; the text of a path is then that of both.
#[test]
fn children_are_below_the_parent_that_the_gid_names() {
    let path = |names: [&str; 5]| {
        let [top, one, other, below, last] = names;
        shopify(&format!(
            "tr : {top}\ntr-9 : {top} > {one}\ntr-10 : {top} > {other}\n\
             tr-10-1 : {top} > {other} > {below}\ntr-10-1-2 : {top} > {other} > {below} > {last}\n"
        ))
    };
    let spanish = path(["Transporte", "Barco", "Barco", "Remo", "Pala"]);
    let english = path(["Transport", "Ship", "Boat", "Oar", "Blade"]);
    let spanish = (Some("es-ES"), spanish.as_str());
    let english = (Some("en-GB"), english.as_str());
    for pair in [[spanish, english], [english, spanish]] {
        let imported = files(Shopify, &pair).import();
        imported.shows("Transport/Boat Transport/Boat/Oar Transport/Boat/Oar/Blade Transport/Ship");
    }
}

/// Numbers of Google name no parent, and neither does a path without an id.
#[test]
fn a_path_that_two_rows_have_is_reported_where_it_decides_the_parent() {
    let spanish = "1 - A\n2 - A > Barco\n3 - A > Barco\n4 - A > Barco > Remo\n";
    let english = "1 - A\n2 - A > Ship\n3 - A > Boat\n4 - A > Boat > Oar\n";
    let imported = files(Google, &[(Some("es-ES"), spanish), (Some("en-GB"), english)]).import();
    assert_eq!(imported.codes(), ["ambiguous-parent"]);
    let table = "id,level1,level2,level3\n1,A,,\n2,A,B,\n3,A,B,\n4,A,B,C\n";
    let table = file(Csv, table).import();
    assert_eq!(table.codes(), ["duplicate-name", "ambiguous-parent"]);
}

#[test]
fn a_file_without_a_culture_is_said_once() {
    let imported = file(Google, ENGLISH).without_culture().import();
    assert_eq!(imported.codes(), ["file-culture"]);
    assert_eq!(imported.taxonomy.cultures().len(), 1);
}

#[test]
fn files_of_two_releases_are_told_apart() {
    let of = |release: &str| format!("# Google_Product_Taxonomy_Version: {release}\n1 - A\n2 - A > B\n");
    let (old, new) = (of("2019-07-10"), of("2021-09-21"));
    let imported = google(&new, &old).import();
    assert_eq!(imported.places("several-releases"), "file-2:1");
    imported.says("several-releases the file is of release 2019-07-10, the first of 2021-09-21");
    for german in [new.as_str(), "1 - A\n2 - A > C\n"] {
        let imported = google(&new, german).import();
        assert_eq!(imported.places("several-releases"), "");
    }
    let begin = "# Shopify Product Taxonomy - Categories:";
    let of = |release: &str| format!("{begin} {release}\ngid://shopify/a : A");
    let (old, new) = (of("2024-07"), of("2025-08"));
    let imported = files(Shopify, &[(Some("en-GB"), &new), (Some("de"), &old)]).import();
    assert_eq!(imported.codes(), ["several-releases"]);
}
