//! Files that would take their parser much longer than they are long.

use std::io::{BufReader, Read};

use taxonomy_import::Code;
use taxonomy_import::sources::SourceFormat;

use crate::support::{file, graph};

/// The errors of a file, and the number of concepts up to them.
fn errors(format: SourceFormat, text: &str) -> (Vec<(Code, u32)>, usize) {
    let graph = file(format, text).read();
    let issues = graph.report().issues().into_iter();
    let found = issues.map(|issue| (issue.code, issue.line.unwrap()));
    let concepts = (0..10_000).filter(|number| {
        let concept = graph.known(&format!("urn:{number}"));
        concept.is_some_and(|concept| graph.is_declared(concept))
    });
    (found.collect(), concepts.count())
}

/// A text that repeats without end, and the number of bytes given so far.
struct Endless<'a>(&'a [u8], usize);

impl Read for Endless<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = (&self.0[self.1 % self.0.len()..]).read(into)?;
        self.1 += count;
        Ok(count)
    }
}

#[test]
fn a_file_that_repeats_itself_without_end_is_refused_early() {
    let names = "http://www.w3.org/2004/02/skos/core#";
    let label = format!("<urn:a> <{names}prefLabel> \"A\" .\n");
    let pair = format!("{label}<urn:a> <{names}altLabel> \"B\" .\n");
    let title = "<urn:a> <http://purl.org/dc/terms/title> \"A\" .\n".to_owned();
    // The lines that are read: one more than a statement may be repeated, and those of 16 MiB.
    for (format, beginning, text, most) in [
        (SourceFormat::OpenFoodFacts, "en: A\n", "\n", 17 << 20),
        (SourceFormat::Google, "1 - A\n", "# nothing\n", 2 << 20),
        (SourceFormat::Csv, "id,name\n1,A\n", "\n", 17 << 20),
        (SourceFormat::Csv, "id,name\n1,A\n", ",\n", 3 << 20),
        (SourceFormat::OpenFoodFacts, "en: A\n", "fr: A, B\n", 110_000),
        (SourceFormat::OpenFoodFacts, "en: A\n\n", "ean:en: b\n", 11_000),
        (SourceFormat::OpenFoodFacts, "en: A\n\n", "< en: A\n", 11_000),
        (SourceFormat::Turtle, "", &label, 100_100),
        (SourceFormat::Turtle, "", &pair, 250_000),
        (SourceFormat::Turtle, "", &title, 100_100),
        (SourceFormat::Csv, "id,name\n1,A\n", "1,A\n", 100_100),
        (SourceFormat::Google, "1 - A\n", "nonsense\n", 100_100),
    ] {
        let block = text.repeat(4096);
        let endless = Endless(block.as_bytes(), 0);
        let mut graph = graph();
        graph.begin_file("endless", Some("en".parse().unwrap()));
        let mut input = BufReader::new(beginning.as_bytes().chain(endless));
        let read = format.read(&mut input, &mut graph);
        assert!(read.is_err(), "{format:?} {text}");
        let issues = graph.report().issues();
        let last = issues.iter().filter_map(|issue| issue.line).max().unwrap();
        assert!(last <= most, "{format:?} {text:?} ends on line {last}");
    }
}

/// RDF/XML with so many namespaces on its second line, and concepts each a line.
fn rdf_xml(namespaces: usize, concepts: &str) -> String {
    let namespaces = (0..namespaces).map(|number| format!(" xmlns:n{number}='urn:'"));
    let namespaces: String = namespaces.collect();
    format!(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'\n{namespaces} xmlns:s='http://www.w3.org/2004/02/skos/core#'>\n{concepts}</rdf:RDF>"
    )
}

#[test]
fn elements_of_xml_have_few_attributes_while_they_are_open() {
    let concept = |number| format!("<s:Concept rdf:about='urn:{number}' xmlns:a='urn:'/>\n");
    let concepts: String = (0..2_000).map(concept).collect();
    for (namespaces, expect) in [(900, (vec![], 2_000)), (999, (vec![(Code::Malformed, 2)], 0))] {
        let text = rdf_xml(namespaces, &concepts);
        assert_eq!(errors(SourceFormat::RdfXml, &text), expect);
    }
}

#[test]
fn elements_of_xml_are_not_deep() {
    let nested = |count: usize| {
        let concept = |number| format!("<s:Concept rdf:about='urn:{number}'><s:narrower>\n");
        let open: String = (0..count).map(concept).collect();
        let concepts = open + &"</s:narrower></s:Concept>\n".repeat(count);
        errors(SourceFormat::RdfXml, &rdf_xml(0, &concepts))
    };
    // The property of the innermost one is empty, which is a text and no concept.
    assert_eq!(nested(60), (vec![(Code::InvalidValue, 63)], 60));
    assert!(nested(100).0.contains(&(Code::Malformed, 66)));
}

/// JSON-LD with so many terms in its context, a list of so many objects, and the beginning of each.
fn json_ld(terms: usize, objects: usize, begin: &str) -> String {
    let terms = (0..terms).map(|number| format!(", \"t{number}\": \"urn:t\""));
    let objects =
        (0..objects).map(|number| format!("{{{begin}\"id\": \"urn:{number}\", \"@type\": \"s:Concept\"}}"));
    let of_p = match begin.contains("\"p\"") {
        true => r#""p": {"@id": "urn:p", "@context": {}}"#,
        false => r#""p": "urn:p""#,
    };
    let terms = terms.collect::<String>();
    let context = format!(r#"{{"s": "http://www.w3.org/2004/02/skos/core#", "id": "@id", {of_p}{terms}}}"#);
    let objects = objects.collect::<Vec<_>>().join(",\n");
    format!("{{\"@context\":\n{context},\n\"@graph\": [\n{objects}]}}")
}

#[test]
fn contexts_of_json_ld_are_copied_rarely() {
    // One large context, many contexts, and one in another.
    for (terms, objects, begin) in [
        (10_000, 5_000, ""),
        (10, 5_000, "\"@context\": {}, "),
        (100, 2_000, "\"p\": 1, "),
    ] {
        let found = errors(SourceFormat::JsonLd, &json_ld(terms, objects, begin));
        assert_eq!(found, (vec![], objects), "{begin}");
    }
    for begin in [
        "\"@context\": {}, ",
        "\"\\u0040context\" : [], ",
        "\"p\": 1, \"p\": 2, \"p\": 3, ",
    ] {
        let (found, concepts) = errors(SourceFormat::JsonLd, &json_ld(40_000, 40_000, begin));
        let [(Code::Malformed, line)] = found.as_slice() else {
            panic!("{begin}: {found:?}");
        };
        // At the object at which the copies become too many, and not at the end.
        assert!((4..40_000).contains(line), "{begin}: {line}");
        assert!(concepts < 10_000);
    }
}

#[test]
fn terms_of_json_ld_are_defined_by_few_others() {
    // Each term with its number N by the next one.
    let chain = |count: usize, term: &str| {
        let term = |number: usize| {
            let with_next = term.replace("NEXT", &(number + 1).to_string());
            with_next.replace('N', &number.to_string())
        };
        let terms: Vec<String> = (0..count).map(term).collect();
        format!(
            "{{\"@context\":\n{{{}, \"@vocab\": \"urn:\", \"s\": \"http://www.w3.org/2004/02/skos/core#\"}}, \"@id\": \"urn:1\", \"@type\": \"s:Concept\"}}",
            terms.join(", ")
        )
    };
    let malformed = (vec![(Code::Malformed, 2)], 0);
    for (term, expect) in [
        (r#""aN": "aNEXT:x""#, &malformed),
        (r#""aN": {"@id": "aNEXT"}"#, &malformed),
        (r#""aN": {"@id": "urn:x", "@type": "aNEXT"}"#, &malformed),
        (r#""\u0061N": "aNEXT:x""#, &malformed),
        // Very many terms of one prefix, and terms that are defined by themselves.
        (r#""aN": "s:x""#, &(vec![], 1)),
        (r#""aN": {"@id": "aN"}"#, &(vec![], 1)),
    ] {
        let found = |count| errors(SourceFormat::JsonLd, &chain(count, term));
        assert_eq!(found(120), (vec![], 1), "{term}");
        assert_eq!(&found(20_000), expect, "{term}");
    }
}
