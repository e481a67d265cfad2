//! The default culture: that of an option, of the source, of the last release, or of most names.

use taxonomy_import::sources::SourceFormat::{self, Csv, Google, OpenFoodFacts, Shopify};

use crate::support::{self, Files, Imported};

/// Files with the culture of each, without a default one.
fn files(format: SourceFormat, files: &[(Option<&str>, &str)]) -> Files {
    support::files(format, files).by_default(None)
}

fn turtle(body: &str) -> Imported {
    support::turtle(body).without_culture().by_default(None).import()
}

/// The default culture with what chose it, the number of names, and the codes of the report.
fn chosen(imported: &Imported) -> String {
    let (choices, names) = (&imported.written.choices, imported.written.counts.names);
    let (culture, by) = (&choices.default_culture, choices.default_culture_by);
    let codes = imported.codes().join(" ");
    let chosen = format!("{culture} by {by:?}, {names} names {codes}");
    chosen.trim_end().to_owned()
}

#[test]
fn names_of_one_language_are_written_once() {
    let french = "e:a a s:Concept ; s:prefLabel 'artisanat'@fr . e:b a s:Concept ; s:broader e:a ; s:prefLabel 'menuisier'@fr ; s:altLabel 'ébéniste'@fr .";
    assert_eq!(chosen(&turtle(french)), "fr by Source, 2 names");
    let gids = "gid://shopify/TaxonomyCategory/a : A\ngid://shopify/TaxonomyCategory/a-1 : A > B\n";
    for (format, culture, text) in [
        (Google, Some("en-US"), "1 - Pets\n2 - Pets > Fish\n"),
        (Shopify, Some("sv"), gids),
        (Csv, None, "id,parent,name.pl\n1,,A\n2,1,B\n"),
        (Csv, Some("ja"), "id,level1,level2\n1,A,\n2,A,B\n"),
        (OpenFoodFacts, None, "it: Uva\n\n< it:Uva\nit: Uva passa\n"),
    ] {
        let found = files(format, &[(culture, text)]).import();
        let chosen = chosen(&found);
        assert!(chosen.contains("by Source, 2 names"), "{format:?} {chosen}");
        assert!(!chosen.contains("no-default-name"), "{format:?} {chosen}");
    }
}

#[test]
fn the_language_of_a_scheme_is_that_of_its_texts() {
    let of = |language: &str| {
        turtle(&format!(
            "e:s a s:ConceptScheme ; dct:title 'Regelwerk' {language} . e:a a s:Concept ; s:inScheme e:s ; s:prefLabel 'Forstwirtschaft' ; s:altLabel 'Waldbau' .
             e:b a s:Concept ; s:inScheme e:s ; s:broader e:a ; s:prefLabel 'Holzernte' ; s:altLabel 'timber harvest'@en .
             e:c a s:Concept ; s:inScheme e:s ; s:broader e:a ; s:prefLabel 'Setzling', 'sapling'@en ."
        ))
    };
    let known = "de by Source, 4 names";
    // Several languages, one of three letters, and none say nothing.
    let unknown = "en-GB by Default, 4 names no-language no-default-name";
    for (stated, expect) in [
        ("; dct:language 'de'", known),
        ("; dct:language <http://lexvo.org/id/iso639-1/de>", known),
        ("; dct:language 'de', 'de'", known),
        ("; dct:language 'de', 'fr'", unknown),
        ("; dct:language <http://x.example/DEU>", unknown),
        ("", unknown),
    ] {
        assert_eq!(chosen(&of(stated)), expect, "{stated}");
    }
}

#[test]
fn the_culture_of_most_names_counts_and_stays() {
    let two = |one, other| {
        let other = (Some(other), "1 - A\n2 - A > C\n");
        files(Google, &[(Some(one), "1 - A\n2 - A > B\n"), other])
    };
    let first = two("de", "fr").import();
    assert_eq!(chosen(&first), "de by Source, 4 names", "the first file of two");
    assert_eq!(chosen(&two("de", "en-GB").import()), "en-GB by Source, 4 names");
    // In RDF the order says nothing.
    let unordered = turtle("e:a a s:Concept ; s:prefLabel 'a'@sv , 'b'@da .");
    assert_eq!(chosen(&unordered), "da by Source, 2 names");

    // The next release has more names in another.
    let french = (Some("fr"), "1 - A\n2 - A > C\n3 - A > D\n");
    let more = files(Google, &[(Some("de"), "1 - A\n"), french]);
    assert!(chosen(&more.after(&first, &[])).starts_with("de by IdMap"));
    assert!(chosen(&more.import()).starts_with("fr by Source"));

    // As many names without a language as with one: nothing is known of them.
    let untagged = files(Csv, &[(None, "id,parent,name,name.de\n1,,A,A\n2,1,B,C\n")]).import();
    assert_eq!(chosen(&untagged), "en-GB by Default, 4 names file-culture");
    let mostly = "e:a a s:Concept ; s:prefLabel 'a'@sv . e:b a s:Concept ; s:broader e:a ; s:prefLabel 'b'@sv . e:c a s:Concept ; s:broader e:a ; s:prefLabel 'c' .";
    assert_eq!(chosen(&turtle(mostly)), "sv by Source, 3 names no-language");
}
