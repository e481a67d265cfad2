//! Every command as a person types it, with what it writes and how it ends. `TRYCMD=overwrite` accepts what it writes now.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The page of a command that writes files, which runs over a copy of the samples.
const WRITES: &str = "tests/commands/import.md";

#[test]
fn commands_write_what_the_pages_show() {
    trycmd::TestCases::new()
        .default_bin_name("taxonomy")
        .case("tests/commands/*.md")
        .skip(WRITES);
}

#[test]
fn imports_write_what_the_page_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("import");
    let page = root.join(WRITES);
    let (copy, work) = (folder.join("import.md"), folder.join("import.in"));
    // Of an earlier run, if there was one.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&work).unwrap();
    fs::copy(&page, &copy).unwrap();
    for sample in fs::read_dir(root.join("../samples/import")).unwrap() {
        let sample = sample.unwrap();
        fs::copy(sample.path(), work.join(sample.file_name())).unwrap();
    }
    let cases = trycmd::TestCases::new();
    cases.default_bin_name("taxonomy").case(&copy);
    cases.run();
    // Another one only where trycmd accepts what the commands write now.
    fs::copy(&copy, &page).unwrap();
    // What was refused wrote nothing, and nothing is left beside what was written.
    let written = fs::read_dir(&work).unwrap();
    let written = written.map(|file| file.unwrap().file_name().into_string().unwrap());
    let samples = root.join("../samples/import");
    let written: BTreeSet<String> = written.filter(|name| !samples.join(name).exists()).collect();
    let expect = [
        "crafts.ids.csv crafts.json crafts.jsonld.json crafts.rdf.json esco.ids.csv esco.json",
        "food.ids.csv food.json google-1.json google-2.json google.ids.csv levels.json",
        "parents.ids.csv parents.json shopify-1.json shopify-2.json shopify.ids.csv",
    ];
    let expect = expect.iter().flat_map(|names| names.split(' '));
    assert_eq!(written, expect.map(str::to_owned).collect());
}
