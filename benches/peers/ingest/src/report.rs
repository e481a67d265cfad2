//! All measurements as one JSON document.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::children;
use crate::failure::Failure;
use crate::generate::{Arrangement, Generated};
use crate::parse::Reader;

/// The build, for readers of the figures.
const PROFILE: &str = "measure: opt-level 3, no link-time optimisation, 16 codegen units, panic = abort";
/// Terms of the generated files.
const SIZES: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// Spare memory of a function, in percent of the measured peak.
const SPARE: u64 = 25;
/// Every so many terms have another name in the second version of a real file.
const RENAMED: u64 = 100;

/// Two versions of a file.
struct Versions {
    name: String,
    /// The number of generated terms; none for real data.
    terms: Option<u64>,
    first: PathBuf,
    second: PathBuf,
}

/// Measures everything, or the two smaller sizes. The readers run beside the ingests: all figures are counts, peaks, or times of the processor.
pub fn everything(is_quick: bool) -> Result<Value, Failure> {
    let folder = Scratch::new()?;
    let files = files(&folder, is_quick)?;
    let (parse, rest) = std::thread::scope(|scope| {
        let parse = scope.spawn(|| -> Result<Vec<Value>, Failure> {
            let rows: Result<Vec<_>, Failure> =
                files.iter().map(|file| parsed(&file.name, &file.first)).collect();
            Ok(rows?.into_iter().flatten().collect())
        });
        let rest = ingests_and_loads(&folder, &files);
        (parse.join(), rest)
    });
    let parse = parse.map_err(|_| "the readers panicked")??;
    let (ingest, load) = rest?;
    let memory = memory(&ingest);
    Ok(json!({"profile": PROFILE, "parse": parse, "ingest": ingest, "memory": memory, "load": load}))
}

/// Writes the files of both versions.
fn files(folder: &Scratch, is_quick: bool) -> Result<Vec<Versions>, Failure> {
    let sizes = if is_quick { &SIZES[..2] } else { &SIZES[..] };
    let mut files = Vec::new();
    for terms in sizes {
        progress(&format!("generate {terms} terms"));
        let tree = Generated::tree(*terms);
        files.push(Versions {
            name: format!("generated {terms} x 5 cultures"),
            terms: Some(*terms),
            first: folder.generated(tree)?,
            second: folder.generated(Generated { version: 2, ..tree })?,
        });
    }
    let real = data().join("icd10cm/taxonomy.json");
    if !is_quick && real.exists() {
        let second = folder.0.join("icd10cm-2.json");
        children::run(&[Path::new("edit"), &real, &second])?;
        files.push(Versions {
            name: "icd10cm".to_owned(),
            terms: None,
            first: real,
            second,
        });
    }
    Ok(files)
}

fn ingests_and_loads(folder: &Scratch, files: &[Versions]) -> Result<(Vec<Value>, Vec<Value>), Failure> {
    let (mut ingest, mut load) = (Vec::new(), Vec::new());
    for file in files {
        let versions = ingested(folder, &file.name, &file.first, &file.second)?;
        if let Some(terms) = file.terms {
            load.extend(loads(folder, terms, &versions)?);
        }
        ingest.extend(versions);
    }
    Ok((ingest, load))
}

/// Measures the readers over a file.
fn parsed(name: &str, file: &Path) -> Result<Vec<Value>, Failure> {
    let bytes = fs::metadata(file)?.len();
    let row = |reader: Reader| -> Result<Value, Failure> {
        progress(&format!("parse {name}, {}", reader.name()));
        let ran = children::run(&[Path::new("parse"), Path::new(reader.name()), file])?;
        let terms = ran["terms"].as_u64().ok_or("no terms")?;
        let instructions = children::instructions(reader, file)?;
        let allocations = children::allocations(reader, file)?;
        Ok(json!({
            "file": name,
            "terms": terms,
            "bytes": bytes,
            "reader": reader.name(),
            "instructions_per_byte": rounded(instructions as f64 / bytes as f64),
            "allocations_per_term": rounded(allocations as f64 / terms.max(1) as f64),
            "peak_bytes": ran["peak_bytes"],
        }))
    };
    Reader::PARSERS.into_iter().map(row).collect()
}

/// Ingests two versions, each in a process of its own.
fn ingested(folder: &Scratch, name: &str, first: &Path, second: &Path) -> Result<Vec<Value>, Failure> {
    let store = folder.0.join("store");
    let version = |number: u64, file: &Path, old: Option<&Path>| -> Result<Value, Failure> {
        progress(&format!("ingest {name}, version {number}"));
        let mut ran = children::run(&[Path::new("ingest"), &store, file])?;
        let mut arguments = vec![Path::new("cost"), file];
        arguments.extend(old);
        let cost = children::run(&arguments)?;
        if ran["items"] != cost["items"] {
            return Err(format!("{} items were put and not {}", ran["items"], cost["items"]).into());
        }
        ran["file"] = name.into();
        ran["version"] = number.into();
        for field in ["terms", "units"] {
            ran[field] = cost[field].clone();
        }
        Ok(ran)
    };
    let versions = vec![version(1, first, None)?, version(2, second, Some(first))?];
    fs::remove_dir_all(store)?;
    Ok(versions)
}

/// Simulates first loads of trees and flat lists, with the preparation and the processor time that were measured for as many terms.
fn loads(folder: &Scratch, terms: u64, versions: &[Value]) -> Result<Vec<Value>, Failure> {
    let measured = versions.first().ok_or("no version")?;
    let spent = |phase: &str| measured["phases"][phase]["processor_seconds"].as_f64();
    let compare = spent("compare").ok_or("no comparison")?;
    let first_write = (compare + spent("files").ok_or("no files")?).to_string();
    let preparation = compare.to_string();
    let pushed = measured["items_per_second"].as_f64().ok_or("no items")?;
    let processor = (1e6 / pushed.max(1.0)).ceil().to_string();
    let shapes = [Arrangement::Tree, Arrangement::Flat].into_iter();
    let shapes = shapes.flat_map(|arrangement| [(arrangement, 5), (arrangement, 1)]);
    let row = |(arrangement, cultures): (Arrangement, usize)| -> Result<Value, Failure> {
        progress(&format!(
            "load {terms}, {}, {cultures} cultures",
            arrangement.name()
        ));
        let file = folder.generated(Generated {
            terms,
            arrangement,
            cultures,
            version: 1,
        })?;
        let text = file.to_str().ok_or("a path that is no text")?;
        let mut ran = children::run(&["load", text, &first_write, &preparation, &processor])?;
        ran["terms"] = terms.into();
        ran["shape"] = arrangement.name().into();
        ran["cultures"] = cultures.into();
        Ok(ran)
    };
    shapes.map(row).collect()
}

/// Returns the function memory that follows from the larger peak of both versions of a file, in megabytes.
fn memory(ingest: &[Value]) -> Vec<Value> {
    let pairs = ingest.chunks(2).map(|versions| {
        let peaks = versions
            .iter()
            .filter_map(|version| version["peak_bytes"].as_u64());
        let peak = peaks.max().unwrap_or_default();
        let megabytes = (peak * (100 + SPARE) / 100).div_ceil(64 << 20) * 64;
        json!({
            "file": versions[0]["file"],
            "bytes": versions[0]["bytes"],
            "peak_bytes": peak,
            "megabytes": megabytes.max(256),
        })
    });
    pairs.collect()
}

/// Writes a file with another default name for every hundredth term.
pub fn edit(file: &Path, other: &Path) -> Result<(), Failure> {
    let mut content: Value = serde_json::from_slice(&fs::read(file)?)?;
    let mut seen = 0;
    let categories = content["categories"].as_array_mut().ok_or("no categories")?;
    for category in categories {
        rename(category, "terms", &mut seen);
    }
    Ok(serde_json::to_writer(
        BufWriter::new(File::create(other)?),
        &content,
    )?)
}

fn rename(node: &mut Value, field: &str, seen: &mut u64) {
    let Some(terms) = node.get_mut(field).and_then(Value::as_array_mut) else {
        return;
    };
    for term in terms {
        *seen += 1;
        if seen.is_multiple_of(RENAMED)
            && let Some(name) = term.pointer("/names/0/name").and_then(Value::as_str)
        {
            term["names"][0]["name"] = format!("{name} (revised)").into();
        }
        rename(term, "children", seen);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "where the data lies is the caller's to say"
)]
fn data() -> PathBuf {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data");
    std::env::var_os("TAXONOMY_DATA").map_or_else(beside, PathBuf::from)
}

fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

fn progress(what: &str) {
    eprintln!("{what}");
}

/// A folder that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("taxonomy-ingest-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    fn generated(&self, generated: Generated) -> Result<PathBuf, Failure> {
        let Generated {
            terms,
            arrangement,
            cultures,
            version,
        } = generated;
        let name = format!("{}-{terms}-{cultures}-{version}.json", arrangement.name());
        let file = self.0.join(name);
        if !file.exists() {
            let mut out = BufWriter::new(File::create(&file)?);
            generated.write(&mut out)?;
            out.flush()?;
        }
        Ok(file)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::service;

    #[test]
    fn an_edit_renames_every_hundredth_term_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("ingest-edit-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (file, other) = (folder.join("a.json"), folder.join("b.json"));
        Generated::tree(1_000)
            .write(&mut File::create(&file).unwrap())
            .unwrap();
        edit(&file, &other).unwrap();
        let read = |file: &Path| service(&fs::read(file).unwrap()).unwrap().taxonomy;
        let (old, new) = (read(&file), read(&other));
        fs::remove_dir_all(&folder).unwrap();
        let pairs = old.terms().zip(new.terms());
        let renamed = pairs.filter(|(old, new)| old.node.default_name().name != new.node.default_name().name);
        assert_eq!((renamed.count(), new.terms().len()), (10, 1_000));
    }

    #[test]
    fn memory_has_a_quarter_to_spare_in_steps_of_64() {
        let version = |peak: u64| json!({"file": "f", "bytes": 1, "peak_bytes": peak});
        let rows = memory(&[version(400 << 20), version(500 << 20), version(1), version(2)]);
        assert_eq!(
            (&rows[0]["megabytes"], &rows[1]["megabytes"]),
            (&json!(640), &json!(256))
        );
    }
}
