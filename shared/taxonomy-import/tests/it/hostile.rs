//! Files that would take their parser much longer than they are long.

use std::io::{BufReader, Read};

use taxonomy_import::Code;
use taxonomy_import::sources::SourceFormat;

use crate::support::{graph_of, options, read};

/// The codes of the errors of a file with the line of each, and the number of concepts.
fn errors(format: SourceFormat, text: &str) -> (Vec<(Code, u32)>, usize) {
    let graph = read(format, &options(), &[(Some("en-GB"), text)]);
    let issues = graph.report().issues().into_iter();
    let found = issues.map(|issue| (issue.code, issue.line.unwrap()));
    let concepts = (0..10_000).filter(|number| {
        let concept = graph.known(&format!("urn:{number}"));
        concept.is_some_and(|concept| graph.is_declared(concept))
    });
    (found.collect(), concepts.count())
}

/// A text that repeats without end, given in pieces.
struct Endless<'a> {
    text: &'a [u8],
    times: usize,
    given: usize,
}

impl Read for Endless<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.given == self.text.len() && self.times > 0 {
            (self.times, self.given) = (self.times - 1, 0);
        }
        let left = &self.text[self.given..];
        let count = left.len().min(into.len());
        into[..count].copy_from_slice(&left[..count]);
        self.given += count;
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
        (
            SourceFormat::OpenFoodFacts,
            "en: A\n\n",
            "vegan:en: yes\n",
            11_000,
        ),
        (SourceFormat::OpenFoodFacts, "en: A\n\n", "< en: A\n", 11_000),
        (SourceFormat::Turtle, "", &label, 100_100),
        (SourceFormat::Turtle, "", &pair, 250_000),
        (SourceFormat::Turtle, "", &title, 100_100),
        (SourceFormat::Csv, "id,name\n1,A\n", "1,A\n", 100_100),
        (SourceFormat::Google, "1 - A\n", "nonsense\n", 100_100),
    ] {
        let mut input = BufReader::new(beginning.as_bytes().chain(Endless {
            text: text.as_bytes(),
            times: usize::MAX,
            given: text.len(),
        }));
        let mut graph = graph_of(&options());
        graph.begin_file("endless", Some("en".parse().unwrap()));
        assert!(format.read(&mut input, &mut graph).is_err(), "{format:?} {text}");
        let issues = graph.report().issues();
        let last = issues.iter().filter_map(|issue| issue.line).max().unwrap();
        assert!(last <= most, "{format:?} {text:?} ends on line {last}");
    }
}

/// RDF/XML with so many namespaces on its second line, and concepts each a line.
fn rdf_xml(namespaces: usize, concepts: &str) -> String {
    let namespaces: String = (0..namespaces)
        .map(|number| format!(" xmlns:n{number}='urn:'"))
        .collect();
    format!(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'\n{namespaces} xmlns:s='http://www.w3.org/2004/02/skos/core#'>\n{concepts}</rdf:RDF>"
    )
}

#[test]
fn elements_of_xml_have_few_attributes_while_they_are_open() {
    let concepts: String = (0..2_000)
        .map(|number| format!("<s:Concept rdf:about='urn:{number}' xmlns:a='urn:'/>\n"))
        .collect();
    assert_eq!(
        errors(SourceFormat::RdfXml, &rdf_xml(900, &concepts)),
        (vec![], 2_000)
    );
    assert_eq!(
        errors(SourceFormat::RdfXml, &rdf_xml(999, &concepts)),
        (vec![(Code::Malformed, 2)], 0)
    );
}

#[test]
fn elements_of_xml_are_not_deep() {
    let nested = |count: usize| {
        let open: String = (0..count)
            .map(|number| format!("<s:Concept rdf:about='urn:{number}'><s:narrower>\n"))
            .collect();
        rdf_xml(0, &(open + &"</s:narrower></s:Concept>\n".repeat(count)))
    };
    // The property of the innermost one is empty, which is a text and no concept.
    let (found, concepts) = errors(SourceFormat::RdfXml, &nested(60));
    assert_eq!((found, concepts), (vec![(Code::InvalidValue, 63)], 60));
    let (found, _) = errors(SourceFormat::RdfXml, &nested(100));
    assert!(found.contains(&(Code::Malformed, 66)), "{found:?}");
}

/// JSON-LD with so many terms in its context, a list of so many objects, and the beginning of each.
fn json_ld(terms: usize, objects: usize, begin: &str) -> String {
    let terms: String = (0..terms)
        .map(|number| format!(", \"t{number}\": \"urn:t\""))
        .collect();
    let objects: Vec<String> = (0..objects)
        .map(|number| format!("{{{begin}\"id\": \"urn:{number}\", \"@type\": \"s:Concept\"}}"))
        .collect();
    let scoped = "\"p\": {\"@id\": \"urn:p\", \"@context\": {}}";
    let scoped = if begin.contains("\"p\"") {
        scoped
    } else {
        "\"p\": \"urn:p\""
    };
    let context =
        format!("{{\"s\": \"http://www.w3.org/2004/02/skos/core#\", \"id\": \"@id\", {scoped}{terms}}}");
    format!(
        "{{\"@context\":\n{context},\n\"@graph\": [\n{}]}}",
        objects.join(",\n")
    )
}

#[test]
fn contexts_of_json_ld_are_copied_rarely() {
    for (terms, objects, begin, expect) in [
        // One large context, many contexts, and one in another.
        (10_000, 5_000, "", (vec![], 5_000)),
        (10, 5_000, "\"@context\": {}, ", (vec![], 5_000)),
        (100, 2_000, "\"p\": 1, ", (vec![], 2_000)),
    ] {
        assert_eq!(
            errors(SourceFormat::JsonLd, &json_ld(terms, objects, begin)),
            expect,
            "{begin}"
        );
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
    let chain = |count: usize, context: &dyn Fn(usize) -> String| {
        let terms: Vec<String> = (0..count).map(context).collect();
        let terms = terms.join(", ");
        format!(
            "{{\"@context\":\n{{{terms}, \"@vocab\": \"urn:\", \"s\": \"http://www.w3.org/2004/02/skos/core#\"}}, \"@id\": \"urn:1\", \"@type\": \"s:Concept\"}}"
        )
    };
    let next = |number: usize| number + 1;
    let forms: [(bool, &dyn Fn(usize) -> String); 6] = [
        (false, &|number| format!("\"a{number}\": \"a{}:x\"", next(number))),
        (false, &|number| {
            format!("\"a{number}\": {{\"@id\": \"a{}\"}}", next(number))
        }),
        (false, &|number| {
            format!(
                "\"a{number}\": {{\"@id\": \"urn:x\", \"@type\": \"a{}\"}}",
                next(number)
            )
        }),
        (false, &|number| {
            format!("\"\\u0061{number}\": \"a{}:x\"", next(number))
        }),
        // Very many terms of one prefix, and terms that are defined by themselves.
        (true, &|number| format!("\"a{number}\": \"s:x\"")),
        (true, &|number| {
            format!("\"a{number}\": {{\"@id\": \"a{number}\"}}")
        }),
    ];
    for (is_read, form) in forms {
        assert_eq!(
            errors(SourceFormat::JsonLd, &chain(120, form)),
            (vec![], 1),
            "{}",
            form(1)
        );
        let (found, concepts) = errors(SourceFormat::JsonLd, &chain(20_000, form));
        let expect = if is_read {
            vec![]
        } else {
            vec![(Code::Malformed, 2)]
        };
        assert_eq!((found, concepts), (expect, usize::from(is_read)), "{}", form(1));
    }
}
