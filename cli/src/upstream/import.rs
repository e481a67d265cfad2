//! `taxonomy import`: converts a foreign taxonomy to an input file of the service (docs/decisions/0022-import.md).

mod human;
mod json;
mod read;
mod values;
mod write;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{
    Bounds, Categories, Choices, Code, ConceptTree, Graph, ImportCounts, ImportOptions, ImportReport,
    Severity,
};
use taxonomy_keys::Culture;
use taxonomy_model::{Defaults, Limits, parse};

use crate::arguments::{FailOn, Output};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::file::is_stdin;
use crate::output::beside;
use read::{SourceFile, StoredIds};
use values::{base, column, column_help, delimiter, formats};
use write::{Buffer, Imported, Targets};

/// Convert a foreign taxonomy to a file of the service
///
/// Reads the files of one release of a source, and writes a file that can be pushed, an id map for the next release, and a report of
/// everything that was left out, changed or kept elsewhere. A source that is refused writes nothing but the report.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy import google en-US=taxonomy.en-US.txt de-DE=taxonomy.de-DE.txt --out google.json --ids google.ids.csv
  taxonomy import csv products.csv --column id=SKU --column name.en-GB=Title --out products.json --ids products.ids.csv
  taxonomy import open-food-facts labels.txt --default-culture en --category-name Labels --out labels.json --ids labels.ids.csv
  taxonomy import shopify new.txt --replaced moved.csv --ids shopify.ids.csv --out new.json && taxonomy plan new.json --against old.json")]
pub(crate) struct Import {
    /// The format of the files
    #[arg(value_name = "FORMAT", value_parser = formats())]
    format: SourceFormat,
    /// The files, plain or compressed by gzip, each alone or with the culture of its texts as TAG=FILE; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<SourceFile>,
    /// The file to write; `-` is standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The id map, which is read if it is there, and written
    #[arg(long, value_name = "FILE")]
    ids: Option<PathBuf>,
    /// Give ids that no id map keeps: the next import gives others
    #[arg(long, conflicts_with = "ids")]
    new_ids: bool,
    /// A CSV file with the columns old and new: keys that replaced others
    #[arg(long, value_name = "FILE")]
    replaced: Option<PathBuf>,
    /// Write the report as JSON as well; `-` is standard output
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// The culture of texts without a language, in which everything is named [default: that of the source or of the id map, else en-GB]
    #[arg(
        long,
        value_name = "TAG",
        env = "TAXONOMY_DEFAULT_CULTURE",
        hide_env_values = true
    )]
    default_culture: Option<Culture>,
    /// The concepts that become categories, unless the source or the id map defines them
    #[arg(long, value_name = "CONCEPTS", default_value = "auto")]
    categories: Become,
    /// The name of the category of `--categories one`
    #[arg(long, value_name = "NAME")]
    category_name: Option<String>,
    /// The scheme under which source identifiers are kept as relations [default: that of the format or of the source]
    #[arg(long, value_name = "NAME")]
    scheme: Option<String>,
    /// Of RDF: the address that relative IRIs are relative to, where the file names none
    #[arg(long, value_name = "IRI", value_parser = base)]
    base: Option<String>,
    /// Of a table: the column that holds a field, such as name.fr-FR=Titre; a column may hold several
    #[arg(long = "column", value_name = "FIELD=HEADER", value_parser = column, long_help = column_help())]
    columns: Vec<(String, String)>,
    /// Of a table: the lines before its header
    #[arg(long, value_name = "LINES", default_value_t = 0, hide_default_value = true)]
    skip_rows: u32,
    /// Of a table: the character between cells [default: found in the header]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// Of a table: the character between the values of a cell
    #[arg(long, value_name = "CHARACTER", default_value_t = '|')]
    separator: char,
    /// Sort siblings by their codes: the notation is the sort key, where the source states none
    #[arg(long)]
    sort_by_notation: bool,
    /// Leave out rows, lines and statements that cannot be read, each with a warning
    #[arg(long)]
    lenient: bool,
    /// The least severity that makes the command write nothing and end with 5
    #[arg(long, value_name = "SEVERITY", default_value = "error")]
    fail_on: FailOn,
    /// The form of the report
    #[arg(long, value_name = "FORM", default_value = "human")]
    output: Output,
}

/// The concepts that become categories, as a value of the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Become {
    /// As the id map says, else several schemes, else the concepts without a parent if they are few, else one category
    Auto,
    /// Those without a parent
    Tops,
    /// The concept schemes
    Schemes,
    /// None: one category for all, see --category-name
    One,
}

/// The outcome of an import, which the report shows.
struct ImportOutcome {
    format: SourceFormat,
    release: Option<String>,
    accepted: bool,
    counts: ImportCounts,
    /// None where the source could not be read to its end.
    choices: Option<Choices>,
    report: ImportReport,
}

/// Imports a source, and writes the file, the id map and the report.
///
/// # Errors
/// [`Failure`] when a file cannot be read or written.
pub(crate) fn run(arguments: &Import) -> Result<Exit, Failure> {
    let stdins = arguments
        .files
        .iter()
        .filter(|input| is_stdin(&input.path))
        .count();
    if stdins > 1 {
        return Err(Failure::usage("standard input has one file"));
    }
    let targets = Targets::new(arguments)?;
    let mut outcome = ImportOutcome {
        format: arguments.format,
        release: None,
        accepted: false,
        counts: ImportCounts::default(),
        choices: None,
        report: ImportReport::default(),
    };
    let imported = import(arguments, &mut outcome)?.filter(|_| outcome.accepted);
    targets.write(imported.as_ref(), &outcome)?;
    let mut out = beside(targets.has_stdout());
    match arguments.output {
        Output::Human => human::write(&mut out, &outcome),
        Output::Json => json::write(&mut out, &outcome),
    }?;
    Ok(match imported {
        Some(_) => Exit::Done,
        None => Exit::Refused,
    })
}

/// Imports a source that can be read and converted; its file may still be refused.
fn import(arguments: &Import, outcome: &mut ImportOutcome) -> Result<Option<Imported>, Failure> {
    let mut graph = Graph::new(options(arguments)?, Bounds::default());
    let (stored, replaced) = (
        read::ids(arguments, &mut outcome.report)?,
        read::replaced(arguments.replaced.as_deref(), &mut outcome.report)?,
    );
    let (true, Some(replaced)) = (outcome.report.accepted(), replaced) else {
        return Ok(None);
    };
    for input in &arguments.files {
        if !input.read(arguments.format, &mut graph)? {
            break;
        }
    }
    outcome.release = graph.release().map(str::to_owned);
    if !graph.report().accepted() {
        outcome.report = graph.into_report();
        return Ok(None);
    }
    let StoredIds { map, hash } = stored;
    let tree = match ConceptTree::new(graph, map, &replaced, Limits::default()) {
        Ok(tree) => tree,
        Err(report) => {
            outcome.report = *report;
            return Ok(None);
        }
    };
    let mut buffer = Buffer::default();
    let written = tree.write(&mut buffer)?;
    outcome.counts = written.counts;
    outcome.report = written.report;
    check(
        &buffer,
        written.choices.default_culture.clone(),
        &mut outcome.report,
    );
    outcome.choices = Some(written.choices);
    let fails_on_warnings = arguments.fail_on == FailOn::Warning;
    let has_warnings = outcome.report.count(Severity::Warning) > 0;
    outcome.accepted = outcome.report.accepted() && !(fails_on_warnings && has_warnings);
    Ok(Some(Imported {
        file: buffer.bytes,
        ids: written.ids,
        read_ids: hash,
    }))
}

/// Validates the imported file with the service's parser, so that every written file can be pushed.
fn check(buffer: &Buffer, default_culture: Culture, report: &mut ImportReport) {
    if buffer.is_too_large {
        let message = format_args!("the file would have more than {} bytes", crate::file::MAX_BYTES);
        report.add_unplaced(Code::Refused, None, message);
    }
    if !report.accepted() {
        return;
    }
    let defaults = Defaults {
        tenant_culture: None,
        stack_culture: default_culture,
        fallback_chain: Vec::new(),
    };
    let Err(refused) = parse(&buffer.bytes, &defaults, Limits::default()) else {
        return;
    };
    let errors = refused.issues.iter();
    for issue in errors.filter(|issue| issue.severity == taxonomy_model::Severity::Error) {
        let key = issue.id.map(|id| format!("id {id}"));
        let message = format_args!("{}: {} at {}", issue.code.as_str(), issue.message, issue.pointer);
        report.add_unplaced(Code::Refused, key.as_deref(), message);
    }
}

fn options(arguments: &Import) -> Result<ImportOptions, Failure> {
    Ok(ImportOptions {
        default_culture: arguments.default_culture.clone(),
        categories: match arguments.categories {
            Become::Auto => None,
            Become::Tops => Some(Categories::Tops),
            Become::Schemes => Some(Categories::Schemes),
            Become::One => Some(Categories::One),
        },
        category_name: arguments.category_name.clone(),
        scheme: arguments.scheme.clone(),
        base: arguments.base.clone(),
        separator: arguments.separator,
        delimiter: arguments.delimiter,
        skip_rows: arguments.skip_rows,
        columns: arguments.columns.clone(),
        is_lenient: arguments.lenient,
        sorts_by_notation: arguments.sort_by_notation,
        usual_culture: read::usual_culture()?,
    })
}
