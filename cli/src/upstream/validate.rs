//! `taxonomy validate`: validates files with the validator of the service.

mod excerpt;
mod github;
mod human;
mod sarif;
mod validated;

use std::io;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::arguments::{Configured, FailOn};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{print_document, stdout};
pub(crate) use human::warn;
use validated::validate;
pub(crate) use validated::{AcceptedFile, Validated, read_accepted, read_and_warn, validate_content};

/// Validate files as the service does, without the service
///
/// Validates files by the code that the service validates uploads with. Reads plain and gzip files.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy validate acme.json
  taxonomy validate --fail-on warning taxonomies/*.json
  taxonomy validate --output sarif acme.json > acme.sarif
  zcat acme.json.gz | taxonomy validate -")]
pub(crate) struct Validate {
    /// The files; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The configuration of the stack and the tenant.
    #[command(flatten)]
    configured: Configured,
    /// The least severity that makes the command end with 5
    #[arg(long, value_name = "SEVERITY", default_value = "error")]
    fail_on: FailOn,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "human")]
    output: Form,
}

/// A form of the output of `validate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For reading, with the offending place
    Human,
    /// One JSON document, for programs
    Json,
    /// Annotations of GitHub Actions
    Github,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ValidatedFiles<'a> {
    files: &'a [Validated],
}

/// Validates every file, and continues after a file that is refused or cannot be read.
///
/// # Errors
/// [`Failure`] when the output cannot be written.
pub(crate) fn run(arguments: &Validate) -> Result<Exit, Failure> {
    let defaults = arguments.configured.defaults();
    let mut files = Vec::with_capacity(arguments.files.len());
    let mut is_complete = true;
    for path in &arguments.files {
        match validate(path, &defaults) {
            Ok((_, validated)) => files.push(validated),
            Err(failure) => {
                failure.report();
                is_complete = false;
            }
        }
    }
    match arguments.output {
        Form::Human => human::write(&mut stdout(), &files),
        Form::Json => print_document(&ValidatedFiles { files: &files }),
        Form::Github => github::write(&mut io::stdout().lock(), &files),
        Form::Sarif => sarif::write(&mut io::stdout().lock(), &files),
    }?;
    Ok(if !is_complete {
        Exit::Failed
    } else if files.iter().any(|file| file.fails(arguments.fail_on)) {
        Exit::Refused
    } else {
        Exit::Done
    })
}

/// Writes the report of a file that another command refuses, in the human form.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn explain(out: &mut impl io::Write, refused: &Validated) -> io::Result<()> {
    human::write(out, std::slice::from_ref(refused))
}
