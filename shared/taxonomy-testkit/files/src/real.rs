//! Real taxonomies, where they are.

use std::path::{Path, PathBuf};
use std::{env, fs};

use taxonomy_model::{Limits, Taxonomy, parse};

use crate::defaults;

/// A file of each real taxonomy: what is missing would make tests pass that checked less.
const EXPECTED: [&str; 4] = [
    "esco/occupations-v1.json",
    "google/taxonomy-v1.json",
    "iab/taxonomy-v1.json",
    "icd10cm/taxonomy.json",
];

/// The folder of the real taxonomies.
#[expect(
    clippy::disallowed_methods,
    reason = "where the real taxonomies are is the caller's to say"
)]
pub fn folder() -> String {
    env::var("TAXONOMY_DATA")
        .unwrap_or_else(|_| format!("{}/../../../../shared/data", env!("CARGO_MANIFEST_DIR")))
}

/// Every file of the folder of real taxonomies. Panics where one that is expected is missing.
pub fn files() -> Vec<PathBuf> {
    let folder = folder();
    let mut files = json_files(Path::new(&folder));
    files.sort();
    for name in EXPECTED {
        let is_there = Path::new(&folder).join(name).exists();
        assert!(is_there, "no {folder}/{name}: TAXONOMY_DATA names the folder");
    }
    files
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let paths = entries
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| match path.is_dir() {
            true => json_files(&path),
            false => vec![path],
        });
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect()
}

pub fn taxonomy(file: &Path) -> Taxonomy {
    let parsed = parse(&fs::read(file).unwrap(), &defaults(), Limits::default());
    parsed
        .unwrap_or_else(|report| panic!("{}: {report:#?}", file.display()))
        .taxonomy
}
