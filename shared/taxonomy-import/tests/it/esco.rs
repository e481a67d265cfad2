//! The files of ESCO: what is read of them.

use taxonomy_import::Categories;
use taxonomy_import::sources::SourceFormat::Esco;

use crate::support::{Files, Imported, files, sample};

/// Files in English.
fn english(texts: &[&str]) -> Files {
    let texts: Vec<(Option<&str>, &str)> = texts.iter().map(|text| (Some("en"), *text)).collect();
    files(Esco, &texts).by_default(Some("en"))
}

fn import(text: &str) -> Imported {
    english(&[text]).import()
}

#[test]
fn the_files_of_a_release_are_one_source() {
    let names = "occupations_de broaderRelationsOccPillar_en occupations_en ISCOGroups_en".split(' ');
    let texts = names.map(|name| (name.split('_').nth(1), sample(&format!("esco-{name}.csv"))));
    let texts: Vec<(Option<&str>, String)> = texts.collect();
    let all = texts.iter().map(|(culture, text)| (*culture, text.as_str()));
    let all = files(Esco, &all.collect::<Vec<_>>());
    let imported = all.by_default(Some("en")).import();
    let group = "Craft and related trades workers/Cabinet-makers and related workers";
    imported.shows(&format!("{group} {group}/cabinet maker {group}/wood turner"));
    let maker = |field| imported.field("cabinet maker", field);
    assert!(maker("names").starts_with("de=Möbeltischler, en="));
    assert_eq!(maker("altNames"), "en=furniture maker, en=joiner");
    assert_eq!(maker("notation"), "7522.1");
    assert!(maker("metadata").starts_with(r#"{"naceCode":{"en":["31"]},"#));
    assert!(maker("notes").contains("en definition=Builds furniture of wood."));
    assert!(maker("relations").starts_with("exact esco:http://data.europa.eu/esco/occupation/1"));
    imported.has("wood turner deprecated: true");
    imported.has("cabinet maker deprecated: ");
}

#[test]
fn columns_are_known_by_their_headers() {
    let expect = import("conceptUri,preferredLabel,code\nurn:a,A,1\n");
    for file in [
        "\u{feff}code,preferredLabel,conceptUri\r\n1,A,urn:a\r\n",
        " Code ,PREFERREDLABEL,conceptUri\n1,A, urn:a\u{200b}\n",
        "conceptType,conceptUri,preferredLabel,iscoGroup,code,modifiedDate\nOccupation,urn:a,A,1,1,2024-01-01\n",
    ] {
        let found = import(file);
        assert_eq!((found.codes(), &found.json), (vec![], &expect.json), "{file:?}");
    }
    let later = import("conceptUri,preferredLabel,code,esgRating\nurn:a,A,1,x\n");
    assert_eq!((later.codes(), later.json), (vec!["unknown-column"], expect.json));
}

#[test]
fn labels_are_lines_and_keep_their_space() {
    let file = "conceptUri,preferredLabel,altLabels,hiddenLabels\nurn:a,\" wood \",\"timber\r\n\n lumber\u{a0}\n\u{200b}\ntimber\",\"hid\n\"\n";
    let imported = import(file);
    imported.has(" wood  altNames: en=timber, en= lumber\u{a0}, en=hid");
    assert_eq!(imported.codes(), ["duplicate-label"]);
}

#[test]
fn definition_and_description_are_the_definition() {
    let rows = "urn:a,A,One,Two,Note\nurn:b,B,,Same,\nurn:c,C,Same,Same,\n";
    let header = "conceptUri,preferredLabel,definition,description,scopeNote\n";
    let imported = import(&[header, rows].concat());
    imported.has("A notes: en definition=One\nTwo scopeNote=Note");
    imported.has("B notes: en definition=Same");
    imported.has("C notes: en definition=Same");
}

/// Skills lie below several groups; relations of occupations and skills are files of their own.
#[test]
fn relations_come_from_their_files() {
    let skills = "conceptType,conceptUri,skillType,reuseLevel,preferredLabel\nKnowledgeSkillCompetence,urn:s,knowledge,cross-sector,S\n\
        KnowledgeSkillCompetence,urn:t,skill/competence,,T\n";
    let groups = "conceptType,conceptUri,preferredLabel,code\nSkillGroup,urn:g,G,S1\nSkillGroup,urn:h,H,S2\n";
    let occupations = "conceptUri,preferredLabel\nurn:o,O\n";
    let broader = "conceptType,conceptUri,broaderType,broaderUri\nKnowledgeSkillCompetence,urn:s,SkillGroup,urn:h\n\
        KnowledgeSkillCompetence,urn:s,SkillGroup,urn:g\nKnowledgeSkillCompetence,urn:t,SkillGroup,urn:g\n,urn:t,,\n";
    let of_occupations = "occupationUri,relationType,skillType,skillUri\nurn:o,essential,knowledge,urn:s\n";
    let of_skills = "originalSkillUri,originalSkillType,relationType,relatedSkillType,relatedSkillUri\nurn:s,knowledge,optional,skill,urn:t\n";
    let hierarchy = "Level 0 URI,Level 0 preferred term,Level 1 URI,Level 1 preferred term,Level 2 URI,Level 3 URI,Description,Scope note\nurn:g,G,,,,,,\nurn:g,G,urn:h,H,,,,\n";
    let relations = [broader, of_occupations, of_skills, hierarchy];
    let imported = english(&[&[skills, groups, occupations][..], &relations].concat()).import();
    imported.shows("G/H G/H/S G/T O/ # invalid-value further-parent");
    let relations = imported.field("S", "relations");
    for expect in ["related #T", "related esco:urn:o"] {
        assert!(relations.contains(expect), "{relations}");
    }
    imported.has(r#"S metadata: {"reuseLevel":{"en":["cross-sector"]},"skillType":{"en":["knowledge"]}}"#);
}

#[test]
fn schemes_and_collections_are_read() {
    let schemes = "conceptType,conceptSchemeUri,preferredLabel,title,status,description,hasTopConcept\nConceptScheme,urn:scheme,,Skills,released,,\"urn:g, urn:h\"\n";
    let collection = "conceptType,conceptUri,preferredLabel,status,skillType,reuseLevel,altLabels,description,broaderConceptUri,broaderConceptPT\n\
        KnowledgeSkillCompetence,urn:s,S,released,knowledge,,,,urn:g | urn:h,G | H\n";
    let groups = "conceptUri,preferredLabel\nurn:g,G\nurn:h,H\n";
    let dictionary = "filename,dataheader,property,description\na,b,c,d\n";
    let imported = english(&[schemes, collection, groups, dictionary]);
    let imported = imported.in_categories(Some(Categories::Schemes)).import();
    imported.shows("Skills/G Skills/G/S Skills/H # further-parent ignored");
    let states = import("conceptUri,preferredLabel,status\nurn:a,A,draft\n");
    states.shows("A/ # invalid-value");
    assert_eq!(states.places("invalid-value"), "file-1:2");
}
