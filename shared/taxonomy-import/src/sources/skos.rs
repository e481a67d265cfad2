//! SKOS in Turtle, JSON-LD and RDF/XML: one vocabulary, three syntaxes.
//!
//! Parsers emit triples, `Statements` makes statements about concepts of them. The parsers are lenient, which
//! means that they check neither IRIs nor language tags: one mistake in a text would else end the import of a thesaurus. IRIs are
//! checked where they matter, and tags as everywhere (docs/decisions/0022-import.md).

mod defer;
pub(crate) mod deferred;
mod failure;
mod guard;
mod pieces;
mod statements;
mod vocabulary;

use std::io::{self, BufRead};
use std::rc::Rc;

use oxjsonld::{JsonLdErrorCode, JsonLdParseError, JsonLdParser};
use oxrdfxml::{RdfXmlParseError, RdfXmlParser};
use oxttl::{TurtleParseError, TurtleParser};

use crate::concept::SourcePlace;
use crate::graph::{Graph, Stop};
use crate::options::ImportOptions;
use crate::report::Code;
use failure::Failure;
use guard::limits::{DEEPEST, LONGEST_CONTEXT, LONGEST_ENTITY, MOST_ATTRIBUTES, MOST_COPIED};
use guard::{Guard, Nesting, Xml};
use pieces::{Bounds, Pieces, Progress};
use statements::Statements;

pub(crate) use defer::state_deferred;

/// The maximum number of bytes of Turtle or RDF/XML without a statement.
const MOST_UNSTATED: u64 = 16 << 20;
/// The largest JSON-LD file, in bytes: its context may be at its end, so an object is kept until it ends, and most files are one object. That takes
/// 22 times its bytes (docs/formats.md).
const MOST_JSON: u64 = 64 << 20;

/// Reads a file of Turtle.
///
/// # Errors
/// [`Stop`] if the file cannot be read to its end; the report has line and column.
pub fn read_turtle(input: &mut dyn BufRead, _: &ImportOptions, graph: &mut Graph) -> Result<(), Stop> {
    let bounds = bounds(graph, u64::MAX, MOST_UNSTATED);
    let (pieces, progress) = Pieces::new(input, Guard::Turtle, bounds);
    let mut statements = Statements::new(graph);
    for triple in TurtleParser::new().lenient().for_reader(pieces) {
        match triple {
            Ok(triple) => {
                progress.stated();
                let (subject, object) = (triple.subject.as_ref(), triple.object.as_ref());
                statements.add(subject, triple.predicate.as_str(), object, progress.place())?;
            }
            Err(TurtleParseError::Io(error)) => return Err(unreadable(error, &progress, statements.graph())),
            Err(TurtleParseError::Syntax(error)) => {
                let start = error.location().start;
                let place = SourcePlace::at(start.line + 1, start.column + 1);
                return Err(malformed(error.message(), place, &progress, statements.graph()));
            }
        }
    }
    Ok(())
}

/// Reads a file of JSON-LD. A context at another address is an error: nothing is requested.
///
/// # Errors
/// [`Stop`] if the file cannot be read to its end; the report has line and column.
pub fn read_json_ld(input: &mut dyn BufRead, _: &ImportOptions, graph: &mut Graph) -> Result<(), Stop> {
    let bounds = bounds(graph, MOST_JSON, MOST_JSON);
    let (pieces, progress) = Pieces::new(input, Guard::Json(Nesting::default()), bounds);
    let mut statements = Statements::new(graph);
    for quad in JsonLdParser::new().lenient().for_reader(pieces) {
        match quad {
            Ok(quad) => {
                progress.stated();
                let (subject, object) = (quad.subject.as_ref(), quad.object.as_ref());
                // The statements of an object come when it ends.
                statements.add(subject, quad.predicate.as_str(), object, SourcePlace::UNKNOWN)?;
            }
            Err(JsonLdParseError::Io(error)) => return Err(unreadable(error, &progress, statements.graph())),
            Err(JsonLdParseError::Syntax(error)) => {
                let start = error.location().map(|location| location.start);
                let place = match (start, error.code()) {
                    (Some(start), _) => SourcePlace::at(start.line + 1, start.column + 1),
                    (None, Some(JsonLdErrorCode::LoadingRemoteContextFailed)) => {
                        let message = "the context is at another address; put it into the file";
                        let place = progress.context();
                        return Err(malformed(message, place, &progress, statements.graph()));
                    }
                    (None, _) => progress.place(),
                };
                return Err(malformed(
                    &error.to_string(),
                    place,
                    &progress,
                    statements.graph(),
                ));
            }
        }
    }
    Ok(())
}

/// Reads a file of RDF/XML.
///
/// # Errors
/// [`Stop`] if the file cannot be read to its end; the report has line and column.
pub fn read_rdf_xml(input: &mut dyn BufRead, _: &ImportOptions, graph: &mut Graph) -> Result<(), Stop> {
    let bounds = bounds(graph, u64::MAX, MOST_UNSTATED);
    let (pieces, progress) = Pieces::new(input, Guard::Xml(Xml::default()), bounds);
    let mut statements = Statements::new(graph);
    for triple in RdfXmlParser::new().lenient().for_reader(pieces) {
        match triple {
            Ok(triple) => {
                progress.stated();
                let (subject, object) = (triple.subject.as_ref(), triple.object.as_ref());
                statements.add(subject, triple.predicate.as_str(), object, progress.place())?;
            }
            Err(RdfXmlParseError::Io(error)) => return Err(unreadable(error, &progress, statements.graph())),
            Err(RdfXmlParseError::Syntax(error)) => {
                return Err(malformed(
                    &error.to_string(),
                    progress.place(),
                    &progress,
                    statements.graph(),
                ));
            }
        }
    }
    Ok(())
}

fn bounds(graph: &Graph, most: u64, unstated: u64) -> Bounds {
    Bounds {
        file: graph.bounds().file_bytes.min(most),
        unstated,
    }
}

/// An error of the input itself, or the reason for which the reading ended.
fn unreadable(error: io::Error, progress: &Rc<Progress>, graph: &mut Graph) -> Stop {
    if progress.failure().is_none() && error.kind() != io::ErrorKind::OutOfMemory {
        return Stop::Io(error);
    }
    malformed(
        "a text is longer than its parser holds",
        progress.place(),
        progress,
        graph,
    )
}

/// Refuses a file for an error of the parser, unless its bytes were refused before the parser read them.
fn malformed(message: &str, place: SourcePlace, progress: &Rc<Progress>, graph: &mut Graph) -> Stop {
    let Some(failure) = progress.failure() else {
        return graph.refuse(Code::Malformed, place, || message.to_owned());
    };
    let at = progress.place();
    match failure {
        Failure::InvalidUtf8(place) => {
            graph.refuse(Code::InvalidUtf8, place, || "the file is no UTF-8".to_owned())
        }
        Failure::TooLarge => graph.refuse(Code::TooLarge, at, || {
            "the file is longer than an import takes".to_owned()
        }),
        Failure::NothingStated => {
            let message = || format!("{} MiB state nothing", MOST_UNSTATED >> 20);
            graph.refuse(Code::TooLarge, at, message)
        }
        Failure::Entity => {
            let message =
                || format!("an XML entity has at most {LONGEST_ENTITY} bytes, and names no other entity");
            graph.refuse(Code::Malformed, at, message)
        }
        Failure::TooDeep => {
            let message = || format!("objects, arrays or elements lie more than {DEEPEST} deep");
            graph.refuse(Code::Malformed, at, message)
        }
        Failure::TooManyAttributes => {
            let message = || format!("the open elements have more than {MOST_ATTRIBUTES} attributes");
            graph.refuse(Code::Malformed, at, message)
        }
        Failure::Contexts => {
            let (one, all) = (LONGEST_CONTEXT >> 20, MOST_COPIED >> 30);
            let message = || {
                format!(
                    "a context has more than {one} MiB, or contexts below others copy more than {all} GiB"
                )
            };
            graph.refuse(Code::Malformed, at, message)
        }
        Failure::InvalidContext => graph.refuse(Code::Malformed, at, || "a context is no JSON".to_owned()),
        Failure::TermChain => {
            let message = || format!("the terms of a context are defined by more than {DEEPEST} others");
            graph.refuse(Code::Malformed, at, message)
        }
    }
}
