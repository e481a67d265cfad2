//! `taxonomy plan`: compares a file with what there is.

mod human;

use std::io;

use serde::Serialize;
use taxonomy_model::operations::{self, Operation};
use taxonomy_model::units::{self, Cost};
use taxonomy_model::{Changes, Taxonomy, exceeds_removal_limit};

use crate::arguments::{Output, Plan};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::file;
use crate::output::{FORMAT_VERSION, document, stderr, stdout};
use crate::validate::{Validated, explain, json, validate};

/// Stands for a tenant without a taxonomy.
const EMPTY: &str = "empty";

/// The difference between what there is and a file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Difference {
    format_version: u32,
    /// Every operation; what destroys something comes last.
    operations: Vec<Operation>,
    terms: Terms,
    /// Terms of both whose FinalName is another in some culture.
    changed_final_names: u64,
    /// Writes of the projection.
    writes: Cost,
    /// True if the service would refuse the removals.
    exceeds_removal_limit: bool,
}

/// Compares two files and summarises the difference.
///
/// # Errors
/// [`Failure`] when a file cannot be read or the output cannot be written.
pub(crate) fn run(arguments: &Plan) -> Result<Exit, Failure> {
    if file::is_stdin(&arguments.file) && file::is_stdin(&arguments.against) {
        return Err(Failure::Usage(
            "standard input has one file, and two are to be compared",
        ));
    }
    let defaults = arguments.configured.defaults();
    let old = if arguments.against.as_os_str() == EMPTY {
        None
    } else {
        match validate(&arguments.against, &defaults)? {
            (None, refused) => return refuse(arguments.output, refused),
            (old, _) => old,
        }
    };
    let new = match validate(&arguments.file, &defaults)? {
        (None, refused) => return refuse(arguments.output, refused),
        (Some(new), _) => new,
    };
    let difference = Difference::between(old.as_ref(), &new, arguments);
    match arguments.output {
        Output::Human => human::write(&mut stdout(), &difference, arguments.full),
        Output::Json => document(&mut io::stdout().lock(), &difference),
    }?;
    Ok(if difference.exceeds_removal_limit {
        Exit::Refused
    } else if arguments.detailed_exitcode && !difference.operations.is_empty() {
        Exit::Different
    } else {
        Exit::Done
    })
}

/// The report of a file that cannot be compared, instead of a difference.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Refusal<'a> {
    format_version: u32,
    refused: json::File<'a>,
}

fn refuse(output: Output, refused: Validated) -> Result<Exit, Failure> {
    match output {
        Output::Human => explain(&mut stderr(), refused),
        Output::Json => {
            let refusal = Refusal {
                format_version: FORMAT_VERSION,
                refused: json::file(&refused),
            };
            document(&mut io::stdout().lock(), &refusal)
        }
    }?;
    Ok(Exit::Refused)
}

/// Terms, by what happened to them.
#[derive(Debug, Serialize)]
struct Terms {
    added: u64,
    /// Renamed, moved, deprecated, reinstated, or with another field.
    changed: u64,
    renamed: u64,
    moved: u64,
    deprecated: u64,
    reinstated: u64,
    removed: u64,
}

impl Difference {
    fn between(old: Option<&Taxonomy>, new: &Taxonomy, arguments: &Plan) -> Self {
        let changes = Changes::between(old, new);
        let terms = Terms {
            added: changes.added,
            changed: changes.changed,
            renamed: changes.renamed,
            moved: changes.moved,
            deprecated: changes.deprecated,
            reinstated: changes.restored,
            removed: changes.removed,
        };
        let had = old.map_or(0, |old| old.terms().len() as u64);
        Self {
            format_version: FORMAT_VERSION,
            operations: operations::between(old, new),
            terms,
            changed_final_names: old.map_or(0, |old| operations::changed_final_names(old, new)),
            writes: units::cost(&arguments.tenant, old, new, 1),
            exceeds_removal_limit: exceeds_removal_limit(
                had,
                changes.removed,
                u64::from(arguments.removal_percent),
                arguments.removal_terms,
            ),
        }
    }
}
