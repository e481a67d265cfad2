//! The default culture: that of an option, of the source, of the last release, or of most names.

use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{ChosenBy, IdMap, ImportOptions};

use crate::support::{Imported, graph_of, import, options};

/// Imports files, each with its culture, without naming a default one.
fn imported(format: SourceFormat, files: &[(Option<&str>, &str)], ids: Option<IdMap>) -> Imported {
    let mut graph = graph_of(&ImportOptions {
        default_culture: None,
        ..options()
    });
    for (number, (culture, text)) in files.iter().enumerate() {
        graph.begin_file(&format!("{number}"), culture.map(|tag| tag.parse().unwrap()));
        format.read(&mut text.as_bytes(), &mut graph).unwrap();
    }
    import(graph, ids, &[])
}

fn turtle(body: &str) -> Imported {
    let prefixes = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix dct: <http://purl.org/dc/terms/> . @prefix e: <https://voc.test/k/> .\n";
    imported(SourceFormat::Turtle, &[(None, &[prefixes, body].concat())], None)
}

/// The default culture with what chose it, the number of names, and the codes of the report.
fn chosen(imported: &Imported) -> (&str, ChosenBy, u64, Vec<&'static str>) {
    let (choices, names) = (&imported.written.choices, imported.written.counts.names);
    (
        choices.default_culture.as_str(),
        choices.default_culture_by,
        names,
        imported.codes(),
    )
}

const FRENCH: &str = "e:a a skos:Concept ; skos:prefLabel 'artisanat'@fr . e:b a skos:Concept ; skos:broader e:a ; skos:prefLabel 'menuisier'@fr ; skos:altLabel 'ébéniste'@fr .";
const NO_CODES: Vec<&str> = Vec::new();

#[test]
fn names_of_one_language_are_written_once() {
    assert_eq!(chosen(&turtle(FRENCH)), ("fr", ChosenBy::Source, 2, NO_CODES));
    for (format, culture, text) in [
        (SourceFormat::Google, Some("en-US"), "1 - Pets\n2 - Pets > Fish\n"),
        (
            SourceFormat::Shopify,
            Some("sv"),
            "gid://shopify/TaxonomyCategory/a : A\ngid://shopify/TaxonomyCategory/a-1 : A > B\n",
        ),
        (SourceFormat::Csv, None, "id,parent,name.pl\n1,,A\n2,1,B\n"),
        (SourceFormat::Csv, Some("ja"), "id,level1,level2\n1,A,\n2,A,B\n"),
        (
            SourceFormat::OpenFoodFacts,
            None,
            "it: Uva\n\n< it:Uva\nit: Uva passa\n",
        ),
    ] {
        let found = imported(format, &[(culture, text)], None);
        assert_eq!(
            (
                found.written.counts.names,
                found.written.choices.default_culture_by
            ),
            (2, ChosenBy::Source),
            "{format:?}"
        );
        assert!(!found.codes().contains(&"no-default-name"), "{format:?}");
    }
}

#[test]
fn the_language_of_a_scheme_is_that_of_its_texts() {
    let of = |language: &str| {
        turtle(&format!(
            "e:s a skos:ConceptScheme ; dct:title 'Regelwerk' {language} . e:a a skos:Concept ; skos:inScheme e:s ; skos:prefLabel 'Forstwirtschaft' ; skos:altLabel 'Waldbau' .
             e:b a skos:Concept ; skos:inScheme e:s ; skos:broader e:a ; skos:prefLabel 'Holzernte' ; skos:altLabel 'timber harvest'@en .
             e:c a skos:Concept ; skos:inScheme e:s ; skos:broader e:a ; skos:prefLabel 'Setzling', 'sapling'@en ."
        ))
    };
    for stated in [
        "; dct:language 'de'",
        "; dct:language <http://lexvo.org/id/iso639-1/de>",
        "; dct:language 'de', 'de'",
    ] {
        assert_eq!(
            chosen(&of(stated)),
            ("de", ChosenBy::Source, 4, NO_CODES),
            "{stated}"
        );
    }
    // Several languages, one of three letters, and none say nothing.
    for stated in [
        "; dct:language 'de', 'fr'",
        "; dct:language <http://x.example/DEU>",
        "",
    ] {
        assert_eq!(
            chosen(&of(stated)),
            (
                "en-GB",
                ChosenBy::Default,
                4,
                vec!["no-language", "no-default-name"]
            ),
            "{stated}"
        );
    }
}

#[test]
fn the_culture_of_most_names_counts_and_stays() {
    let two = [
        (Some("de"), "1 - A\n2 - A > B\n"),
        (Some("fr"), "1 - A\n2 - A > C\n"),
    ];
    let first = imported(SourceFormat::Google, &two, None);
    assert_eq!(
        chosen(&first),
        ("de", ChosenBy::Source, 4, NO_CODES),
        "the first file of two"
    );
    let usual = [
        (Some("de"), "1 - A\n2 - A > B\n"),
        (Some("en-GB"), "1 - A\n2 - A > C\n"),
    ];
    assert_eq!(chosen(&imported(SourceFormat::Google, &usual, None)).0, "en-GB");
    // In RDF the order says nothing.
    assert_eq!(
        chosen(&turtle("e:a a skos:Concept ; skos:prefLabel 'a'@sv , 'b'@da .")).0,
        "da"
    );

    // The next release has more names in another.
    let more = [
        (Some("de"), "1 - A\n"),
        (Some("fr"), "1 - A\n2 - A > C\n3 - A > D\n"),
    ];
    let second = imported(SourceFormat::Google, &more, first.id_map());
    assert_eq!((chosen(&second).0, chosen(&second).1), ("de", ChosenBy::IdMap));
    assert_eq!(chosen(&imported(SourceFormat::Google, &more, None)).0, "fr");

    // As many names without a language as with one: nothing is known of them.
    let untagged = imported(
        SourceFormat::Csv,
        &[(None, "id,parent,name,name.de\n1,,A,A\n2,1,B,C\n")],
        None,
    );
    assert_eq!(
        chosen(&untagged),
        ("en-GB", ChosenBy::Default, 4, vec!["file-culture"])
    );
    let mostly = turtle(
        "e:a a skos:Concept ; skos:prefLabel 'a'@sv . e:b a skos:Concept ; skos:broader e:a ; skos:prefLabel 'b'@sv . e:c a skos:Concept ; skos:broader e:a ; skos:prefLabel 'c' .",
    );
    assert_eq!(chosen(&mostly), ("sv", ChosenBy::Source, 3, vec!["no-language"]));
}
