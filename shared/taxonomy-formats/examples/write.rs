//! Prints a download of a file: `cargo run -p taxonomy-formats --example write -- FILE... FORMAT`.
//!
//! `history` takes the files of several versions, in order, and pretends that one was committed each day from 2026-01-01 on; the other
//! formats take one file. `spreadsheet` is CSV in the dialect for spreadsheets. SKOS is that of a tenant `acme`.

use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::{env, fs};

use taxonomy_collation::sibling_keys;
use taxonomy_formats::csv::Dialect;
use taxonomy_formats::history::HistoryWriter;
use taxonomy_formats::{Format, SortedTaxonomy, csv, json, ndjson, skos};
use taxonomy_keys::Version;
use taxonomy_model::Taxonomy;

const NEW_YEAR_MS: u64 = 1_767_225_600_000;
const DAY_MS: u64 = 86_400_000;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = env::args().skip(1).collect();
    let Some(format) = arguments.pop().filter(|_| !arguments.is_empty()) else {
        return refused("FILE... FORMAT are missing");
    };
    match write(&arguments, &format) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refused(&error.to_string()),
    }
}

fn refused(message: &str) -> ExitCode {
    // An exit code says it even where standard error is closed.
    let _ = writeln!(io::stderr(), "error: {message}");
    ExitCode::FAILURE
}

fn write(files: &[String], format: &str) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(io::stdout().lock());
    if format == Format::History.as_str() {
        history(files, &mut out)?;
        return Ok(out.flush()?);
    }
    let [file] = files else {
        return Err(format!("{format} takes one file").into());
    };
    let taxonomy = read(file)?;
    let tree = SortedTaxonomy::new(&taxonomy, sibling_keys);
    if format == "spreadsheet" {
        csv::write(&tree, Dialect::Spreadsheet, &mut out)?;
        return Ok(out.flush()?);
    }
    match format.parse()? {
        Format::Json => json::write(&tree, &mut out)?,
        Format::Ndjson => ndjson::write(&tree, &mut out)?,
        Format::Csv | Format::History => csv::write(&tree, Dialect::Data, &mut out)?,
        Format::Skos => {
            let (tenant, base) = ("acme".parse()?, skos::Base::default());
            let options = skos::Options {
                tenant: &tenant,
                base: &base,
                label: "",
            };
            let left_out = skos::write(&tree, &options, &mut out)?;
            writeln!(io::stderr(), "{left_out:?}")?;
        }
    }
    Ok(out.flush()?)
}

fn history(files: &[String], out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut writer = HistoryWriter::new(Dialect::Data);
    let mut old: Option<Taxonomy> = None;
    let (mut version, mut at) = (Version::FIRST, NEW_YEAR_MS);
    for file in files {
        let new = read(file)?;
        writer.step(version, at, old.as_ref(), &new, out)?;
        (old, version, at) = (Some(new), version.next(), at + DAY_MS);
    }
    Ok(writer.finish(old.as_ref(), out)?)
}

fn read(file: &str) -> Result<Taxonomy, Box<dyn Error>> {
    let parsed = taxonomy_testfiles::read(&fs::read_to_string(file)?);
    let parsed = parsed.map_err(|report| format!("{file} is refused: {:?}", report.issues.first()))?;
    Ok(parsed.taxonomy)
}
