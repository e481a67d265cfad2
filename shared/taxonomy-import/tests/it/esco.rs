//! The files of ESCO: what is read of them, and what becomes of mistakes.

use taxonomy_import::sources::esco;
use taxonomy_import::{Graph, ImportOptions, Stop};

use crate::support::{Imported, codes, graph_of, import};

const CONCEPT: &str = "http://data.europa.eu/esco";

fn options() -> ImportOptions {
    ImportOptions {
        default_culture: Some("en".parse().unwrap()),
        ..crate::support::options()
    }
}

/// Reads files, each with the language of its texts.
fn read(files: &[(&str, &str)]) -> (Graph, Result<(), Stop>) {
    let mut graph = graph_of(&options());
    for (number, (language, file)) in files.iter().enumerate() {
        graph.begin_file(&format!("{number}.csv"), Some(language.parse().unwrap()));
        if let Err(stop) = esco::read(&mut file.as_bytes(), &mut graph) {
            return (graph, Err(stop));
        }
    }
    (graph, Ok(()))
}

fn imported(files: &[(&str, &str)]) -> Imported {
    let (graph, read) = read(files);
    assert!(read.is_ok(), "{:#?}", graph.report().issues());
    import(graph, None, &[])
}

fn sample(name: &str) -> String {
    std::fs::read_to_string(format!(
        "{}/../../samples/import/esco-{name}.csv",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap()
}

#[test]
fn the_files_of_a_release_are_one_source() {
    let names = [
        "occupations_de",
        "broaderRelationsOccPillar_en",
        "occupations_en",
        "ISCOGroups_en",
    ];
    let files: Vec<(&str, String)> = names
        .iter()
        .map(|name| (name.rsplit('_').next().unwrap(), sample(name)))
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(language, file)| (*language, file.as_str()))
        .collect();
    let imported = imported(&files);
    assert_eq!(imported.codes(), Vec::<&str>::new());
    assert_eq!(
        imported.tree(),
        ["", "/cabinet maker", "/wood turner"]
            .map(|end| format!("Craft and related trades workers/Cabinet-makers and related workers{end}"))
            .join(" ")
    );
    let maker = imported.node("cabinet maker");
    assert_eq!(
        (&maker["names"][0]["culture"], &maker["names"][0]["name"]),
        (&"de".into(), &"Möbeltischler".into())
    );
    let alternative: Vec<&str> = maker["altNames"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name["name"].as_str().unwrap())
        .collect();
    assert_eq!(alternative, ["furniture maker", "joiner"]);
    assert_eq!(
        (&maker["notation"], &maker["metadata"]["naceCode"]["en"][0]),
        (&"7522.1".into(), &"31".into())
    );
    assert_eq!(maker["metadata"]["naceCode"]["en"].as_array().unwrap().len(), 1);
    assert_eq!(maker["notes"][1]["definition"], "Builds furniture of wood.");
    assert_eq!(
        maker["relations"][0],
        serde_json::json!({"type": "exact", "scheme": "esco", "id": format!("{CONCEPT}/occupation/1")})
    );
    assert_eq!(imported.node("wood turner")["deprecated"], true);
    assert!(maker.get("deprecated").is_none());
}

#[test]
fn columns_are_known_by_their_headers() {
    let expect = imported(&[("en", "conceptUri,preferredLabel,code\nurn:a,A,1\n")]);
    for file in [
        "\u{feff}code,preferredLabel,conceptUri\r\n1,A,urn:a\r\n",
        " Code ,PREFERREDLABEL,conceptUri\n1,A, urn:a\u{200b}\n",
        "conceptType,conceptUri,preferredLabel,iscoGroup,code,modifiedDate\nOccupation,urn:a,A,1,1,2024-01-01\n",
    ] {
        let found = imported(&[("en", file)]);
        assert_eq!((found.codes(), &found.json), (vec![], &expect.json), "{file:?}");
    }
    let later = imported(&[("en", "conceptUri,preferredLabel,code,esgRating\nurn:a,A,1,x\n")]);
    assert_eq!((later.codes(), later.json), (vec!["unknown-column"], expect.json));
}

#[test]
fn labels_are_lines_and_keep_their_space() {
    let file = "conceptUri,preferredLabel,altLabels,hiddenLabels\nurn:a,\" wood \",\"timber\r\n\n lumber\u{a0}\n\u{200b}\ntimber\",\"hid\n\"\n";
    let imported = imported(&[("en", file)]);
    let node = imported.node(" wood ");
    let labels: Vec<&str> = node["altNames"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name["name"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["timber", " lumber\u{a0}", "hid"]);
    assert_eq!(imported.codes(), ["duplicate-label"]);
}

#[test]
fn definition_and_description_are_the_definition() {
    let file = "conceptUri,preferredLabel,definition,description,scopeNote\nurn:a,A,One,Two,Note\nurn:b,B,,Same,\nurn:c,C,Same,Same,\n";
    let imported = imported(&[("en", file)]);
    let notes = |name: &str| imported.node(name)["notes"][0].clone();
    assert_eq!(
        (&notes("A")["definition"], &notes("A")["scopeNote"]),
        (&"One\nTwo".into(), &"Note".into())
    );
    assert_eq!(
        (&notes("B")["definition"], &notes("C")["definition"]),
        (&"Same".into(), &"Same".into())
    );
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
    let files = [
        skills,
        groups,
        occupations,
        broader,
        of_occupations,
        of_skills,
        hierarchy,
    ]
    .map(|file| ("en", file));
    let imported = imported(&files);
    assert_eq!(imported.tree(), "G/H G/H/S G/T");
    assert_eq!(imported.codes(), ["invalid-value", "further-parent"]);
    let relations = imported.node("S")["relations"].to_string();
    for expect in [
        format!(r#"{{"id":{},"type":"related"}}"#, imported.id("T")),
        r#""id":"urn:o""#.to_owned(),
    ] {
        assert!(relations.contains(&expect), "{relations}");
    }
    assert_eq!(imported.node("S")["metadata"]["skillType"]["en"][0], "knowledge");
}

#[test]
fn schemes_and_collections_are_read() {
    let schemes = "conceptType,conceptSchemeUri,preferredLabel,title,status,description,hasTopConcept\nConceptScheme,urn:scheme,,Skills,released,,\"urn:g, urn:h\"\n";
    let collection = "conceptType,conceptUri,preferredLabel,status,skillType,reuseLevel,altLabels,description,broaderConceptUri,broaderConceptPT\n\
        KnowledgeSkillCompetence,urn:s,S,released,knowledge,,,,urn:g | urn:h,G | H\n";
    let groups = "conceptUri,preferredLabel\nurn:g,G\nurn:h,H\n";
    let (mut graph, read) = read(&[
        ("en", schemes),
        ("en", collection),
        ("en", groups),
        ("en", "filename,dataheader,property,description\na,b,c,d\n"),
    ]);
    assert!(read.is_ok());
    graph.options.categories = Some(taxonomy_import::Categories::Schemes);
    graph.set_release("v1.2");
    let imported = import(graph, None, &[]);
    assert_eq!(imported.tree(), "Skills/G Skills/G/S Skills/H");
    assert_eq!(imported.codes(), ["further-parent", "ignored"]);
}

#[test]
fn mistakes_name_their_row() {
    let header = "conceptUri,preferredLabel,status\n";
    for (rows, expect) in [
        ("urn:a,\"A\nB\",\nurn:b\n", ("malformed", 4)),
        ("urn:a,A,\n,,\n,B,\n", ("missing-key", 4)),
        ("urn:a,A,\nurn:a,B,\n", ("duplicate-key", 3)),
        ("urn:a,A,draft\n", ("invalid-value", 2)),
        ("urn:a,\"A,\n", ("malformed", 2)),
    ] {
        let (graph, _) = read(&[("en", &[header, rows].concat())]);
        let issues = graph.report().issues();
        assert_eq!(
            (issues[0].code.as_str(), issues[0].line),
            (expect.0, Some(expect.1)),
            "{rows:?}"
        );
        assert!(
            issues.iter().all(|issue| issue.code == issues[0].code),
            "{rows:?} {issues:#?}"
        );
    }
    for (file, code) in [
        ("", "no-concepts"),
        ("a,b\n", "malformed"),
        ("conceptUri,title\n", "malformed"),
        ("conceptUri\u{0}preferredLabel\n", "malformed"),
    ] {
        let (graph, read) = read(&[("en", file)]);
        assert!(matches!(read, Err(Stop::Refused)), "{file:?}");
        let errors = codes(graph.report());
        assert_eq!(errors, [code], "{file:?}");
    }
    let (graph, _) = read(&[("en", "conceptUri,preferredLabel,conceptURI\nurn:a,A,urn:b\n")]);
    assert_eq!(codes(graph.report()), ["duplicate-column"]);
    let mut graph = graph_of(&options());
    graph.begin_file("a.csv", None);
    esco::read(
        &mut b"conceptUri,preferredLabel\nurn:a,A\nurn:b,\xff\n".as_slice(),
        &mut graph,
    )
    .unwrap();
    let issues = graph.report().issues();
    let error = issues
        .iter()
        .find(|issue| issue.code.as_str() == "invalid-utf8")
        .unwrap();
    assert_eq!(error.line, Some(3));
}
