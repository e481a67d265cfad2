//! SKOS in Turtle, TriG, N-Quads, JSON-LD and RDF/XML: one vocabulary, several syntaxes.
//!
//! Parsers emit triples, `Statements` makes statements about concepts of them. The parsers are lenient, which
//! means that they check neither IRIs nor language tags: one mistake in a text would else end the import of a thesaurus. IRIs are
//! checked where they matter, and tags as everywhere (docs/decisions/0022-import.md).

mod defer;
pub(crate) mod deferred;
mod failure;
mod guard;
mod iri;
mod pieces;
mod statements;
mod vocabulary;

use std::io::{self, BufRead};

use oxjsonld::{JsonLdErrorCode, JsonLdParseError, JsonLdParser};
use oxrdf::{Quad, Triple};
use oxrdfxml::{RdfXmlParseError, RdfXmlParser};
use oxttl::{NQuadsParser, TriGParser, TurtleParseError};

use crate::concept::SourcePlace;
use crate::graph::{Graph, Stop};
use crate::report::Code;
use crate::sources::lines::MOST_UNSTATED;
use failure::Failure;
use guard::{Guard, JsonGuard, Xml};
use pieces::{FileBounds, Pieces, ReadProgress};
use statements::Statements;

pub(crate) use defer::{authority, state_deferred};

/// The maximum number of times that a statement follows itself.
const MOST_REPEATED: u32 = 100_000;
/// The largest JSON-LD file, in bytes: its context may be at its end, so an object is kept until it ends, and most files are one object. That takes
/// 22 times its bytes (docs/formats.md).
const MOST_JSON: u64 = 64 << 20;

/// An error of a parser.
enum ParseError {
    Io(io::Error),
    /// The message, and the place where the parser knows it.
    Syntax(String, Option<SourcePlace>),
}

/// Reads a file of Turtle, N-Triples or TriG; the graph of a statement does not count.
///
/// # Errors
/// [`Stop`] if the file cannot be read to its end; the report has line and column.
pub fn read_turtle(input: &mut dyn BufRead, graph: &mut Graph) -> Result<(), Stop> {
    let parser = with_base(TriGParser::new().lenient(), TriGParser::with_base_iri, graph)?;
    let progress = ReadProgress::default();
    let quads = parser.for_reader(pieces(input, Guard::Turtle, graph, &progress));
    read(quads.map(|quad| placed(quad, &progress)), &progress, true, graph)
}

/// Reads a file of N-Quads or N-Triples; the graph of a statement does not count.
///
/// # Errors
/// [`Stop`] if the file cannot be read to its end; the report has line and column.
pub fn read_n_quads(input: &mut dyn BufRead, graph: &mut Graph) -> Result<(), Stop> {
    let progress = ReadProgress::default();
    let pieces = pieces(input, Guard::Turtle, graph, &progress);
    let quads = NQuadsParser::new().lenient().for_reader(pieces);
    read(quads.map(|quad| placed(quad, &progress)), &progress, true, graph)
}

/// A statement with its place.
fn placed(
    quad: Result<Quad, TurtleParseError>,
    progress: &ReadProgress,
) -> Result<(Triple, SourcePlace), ParseError> {
    match quad {
        Ok(quad) => Ok((quad.into(), progress.place())),
        Err(TurtleParseError::Io(error)) => Err(ParseError::Io(error)),
        Err(TurtleParseError::Syntax(error)) => {
            let start = error.location().start;
            let place = SourcePlace::at(start.line + 1, start.column + 1);
            Err(ParseError::Syntax(error.message().to_owned(), Some(place)))
        }
    }
}

/// Reads a file of JSON-LD. A context at another address is an error: nothing is requested.
///
/// # Errors
/// [`Stop`] if the file cannot be read to its end; the report has line and column.
pub fn read_json_ld(input: &mut dyn BufRead, graph: &mut Graph) -> Result<(), Stop> {
    let parser = with_base(JsonLdParser::new().lenient(), JsonLdParser::with_base_iri, graph)?;
    let progress = ReadProgress::default();
    let quads = parser.for_reader(pieces(input, Guard::Json(JsonGuard::default()), graph, &progress));
    let error = |error| match error {
        JsonLdParseError::Io(error) => ParseError::Io(error),
        JsonLdParseError::Syntax(error) => match (error.location(), error.code()) {
            (None, Some(JsonLdErrorCode::LoadingRemoteContextFailed)) => {
                let message = "the context is at another address; put it into the file".to_owned();
                ParseError::Syntax(message, Some(progress.context()))
            }
            (location, _) => {
                let start = location.map(|location| location.start);
                let place = start.map(|start| SourcePlace::at(start.line + 1, start.column + 1));
                ParseError::Syntax(error.to_string(), place)
            }
        },
    };
    // The statements of an object come when it ends.
    let place = |quad: Quad| (quad.into(), SourcePlace::UNKNOWN);
    let triples = quads.map(|quad| quad.map(place).map_err(error));
    read(triples, &progress, false, graph)
}

/// Reads a file of RDF/XML.
///
/// # Errors
/// [`Stop`] if the file cannot be read to its end; the report has line and column.
pub fn read_rdf_xml(input: &mut dyn BufRead, graph: &mut Graph) -> Result<(), Stop> {
    let parser = with_base(RdfXmlParser::new().lenient(), RdfXmlParser::with_base_iri, graph)?;
    let progress = ReadProgress::default();
    let triples = parser.for_reader(pieces(input, Guard::Xml(Xml::default()), graph, &progress));
    let error = |error| match error {
        RdfXmlParseError::Io(error) => ParseError::Io(error),
        RdfXmlParseError::Syntax(error) => ParseError::Syntax(error.to_string(), None),
    };
    let triples = triples.map(|triple| triple.map(|triple| (triple, progress.place())).map_err(error));
    read(triples, &progress, false, graph)
}

/// Returns true if relative IRIs can be relative to a text.
pub fn is_base(text: &str) -> bool {
    TriGParser::new().with_base_iri(text).is_ok()
}

/// A parser with the base of the options.
fn with_base<P, E>(
    parser: P,
    add: impl FnOnce(P, String) -> Result<P, E>,
    graph: &mut Graph,
) -> Result<P, Stop> {
    let Some(base) = graph.options.base.clone() else {
        return Ok(parser);
    };
    add(parser, base.clone()).map_err(|_| {
        let message = format_args!("the base {base:?} is not an absolute IRI");
        graph.refuse(Code::Malformed, SourcePlace::at(1, 1), message)
    })
}

/// The bytes of a file within the bounds of its syntax.
fn pieces<'a>(
    input: &'a mut dyn BufRead,
    guard: Guard,
    graph: &Graph,
    progress: &'a ReadProgress,
) -> Pieces<'a> {
    let (most, unstated) = match guard {
        Guard::Json(_) => (MOST_JSON, MOST_JSON),
        Guard::Turtle | Guard::Xml(_) => (u64::MAX, MOST_UNSTATED),
    };
    let file = graph.bounds.file_bytes.min(most);
    Pieces::new(input, guard, FileBounds { file, unstated }, progress)
}

/// Adds the triples of a file to the graph, each with its place. A parser that resumes behind a syntax error has statements there.
fn read(
    triples: impl Iterator<Item = Result<(Triple, SourcePlace), ParseError>>,
    progress: &ReadProgress,
    resumes: bool,
    graph: &mut Graph,
) -> Result<(), Stop> {
    let skips = resumes && graph.options.is_lenient;
    let mut statements = Statements::new(graph);
    let (mut last, mut repeated) = (None, 0);
    for triple in triples {
        match triple {
            Ok((triple, place)) => {
                progress.stated();
                if last.as_ref() == Some(&triple) {
                    repeated += 1;
                    if repeated > MOST_REPEATED {
                        let message = format_args!("a statement is repeated {MOST_REPEATED} times");
                        return Err(graph.refuse(Code::TooLarge, place, message));
                    }
                    continue;
                }
                repeated = 0;
                let (subject, object) = (triple.subject.as_ref(), triple.object.as_ref());
                statements.add(subject, triple.predicate.as_str(), object, place)?;
                last = Some(triple);
            }
            Err(ParseError::Syntax(message, place)) if skips && progress.failure().is_none() => {
                let place = place.unwrap_or(progress.place());
                statements.unreadable(place, &message)?;
            }
            Err(error) => return Err(refuse(error, progress, graph)),
        }
    }
    Ok(())
}

/// Refuses a file for an error of its parser, unless its bytes were refused before the parser read them.
fn refuse(error: ParseError, progress: &ReadProgress, graph: &mut Graph) -> Stop {
    let at = progress.place();
    match (progress.failure(), error) {
        (Some(failure), _) => {
            let place = match failure {
                Failure::InvalidUtf8(place) => place,
                _ => at,
            };
            graph.refuse(failure.code(), place, failure)
        }
        (None, ParseError::Io(error)) if error.kind() != io::ErrorKind::OutOfMemory => Stop::Io(error),
        (None, ParseError::Io(_)) => {
            graph.refuse(Code::Malformed, at, "a text is longer than its parser holds")
        }
        (None, ParseError::Syntax(message, place)) => {
            graph.refuse(Code::Malformed, place.unwrap_or(at), message)
        }
    }
}
