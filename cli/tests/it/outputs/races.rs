//! Two commands with one file.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

use super::{TABLE, TAXONOMY, export};
use crate::{assert_ends, folder, names, run, taxonomy};

/// Overlapping runs: the file is one of theirs, whole, and each run succeeds.
#[test]
fn two_exports_to_one_file_are_never_mixed() {
    let folder = folder("exports");
    let expected = ["One", "Two"].map(|name| {
        let term = |id| format!(r#"{{"id":{id},"name":"{name} {id}"}}"#);
        let terms: Vec<String> = (0..3_000).map(term).collect();
        let terms = terms.join(",");
        let file = format!(r#"{{"categories":[{{"id":1,"name":"Sector","terms":[{terms}]}}]}}"#);
        fs::write(folder.join(name), file).unwrap();
        run(&folder, &["export", "ndjson", name]).stdout
    });
    for _ in 0..5 {
        let both = ["One", "Two"].map(|name| {
            let mut command = taxonomy(&folder, &["export", "ndjson", name, "--out", "out"]);
            command.stderr(Stdio::piped()).spawn().unwrap()
        });
        for child in both {
            assert_ends(&child.wait_with_output().unwrap(), 0, "");
        }
        let found = fs::read(folder.join("out")).unwrap();
        assert!(expected.contains(&found), "{} bytes of neither", found.len());
        assert_eq!(names(&folder), ["One", "Two", "out"]);
    }
}

/// Imports from standard input, which ends behind `meanwhile`.
fn import_while(folder: &Path, meanwhile: impl FnOnce()) -> Output {
    let line = "import csv en-GB=- --out new.json --ids map.csv";
    let mut command = taxonomy(folder, &line.split(' ').collect::<Vec<_>>());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // More than a pipe holds: when it is written, the command reads its input, and has read the id map.
    stdin.write_all(TABLE.as_bytes()).unwrap();
    stdin.write_all("\n".repeat(1 << 20).as_bytes()).unwrap();
    meanwhile();
    drop(stdin);
    child.wait_with_output().unwrap()
}

#[test]
fn an_id_map_that_another_import_wrote_meanwhile_is_kept() {
    let folder = folder("map");
    let map = folder.join("map.csv");
    let quinces = TABLE.replace("2,1,Pears", "3,1,Quinces");
    fs::write(folder.join("other.csv"), quinces).unwrap();
    let other = "import csv en-GB=other.csv --out other.json --ids map.csv";
    let other: Vec<&str> = other.split(' ').collect();
    // First there is no map, then one that the other import extends.
    let header = "kind,key,id,parent,name,replaced_by\n";
    for before in [None, Some(format!("{header}category,1,1,,Fruit,\n"))] {
        // There is none the first time.
        let _ = fs::remove_file(&map);
        if let Some(before) = before {
            fs::write(&map, before).unwrap();
        }
        let output = import_while(&folder, || assert_ends(&run(&folder, &other), 0, ""));
        let kept = fs::read_to_string(&map).unwrap();
        assert!(kept.contains("Quinces") && !kept.contains("Pears"), "{kept}");
        assert_eq!(names(&folder), ["map.csv", "other.csv", "other.json"]);
        assert_ends(&output, 5, "was changed by another command");
    }
    assert_ends(&import_while(&folder, || {}), 0, "");
    let map = fs::read_to_string(&map).unwrap();
    assert!(map.contains("Quinces") && map.contains("Pears"), "{map}");
}

/// As a run of `expand` holds its file while it writes.
#[test]
fn a_file_that_another_command_writes_into_is_not_replaced() {
    let folder = folder("locked");
    let out = folder.join("out");
    fs::write(folder.join("input"), TAXONOMY).unwrap();
    fs::write(&out, "kept").unwrap();
    let held = File::options().write(true).open(&out).unwrap();
    held.lock().unwrap();
    let output = run(&folder, &["export", "csv", "input", "--out", "out"]);
    assert_ends(&output, 1, "another command writes to out");
    assert_eq!(fs::read_to_string(&out).unwrap(), "kept");
    drop(held);
    export(&folder, "out");
}
