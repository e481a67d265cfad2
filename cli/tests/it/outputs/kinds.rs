//! Links, modes, pipes, devices and standard output.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::process::Command;
use std::thread;

use serde_json::Value;

use super::{TABLE, TAXONOMY, export};
use crate::{assert_ends, folder, names, run};

#[test]
fn a_link_stays_and_its_file_is_replaced_with_its_mode() {
    let folder = folder("links");
    fs::write(folder.join("input"), TAXONOMY).unwrap();
    fs::create_dir(folder.join("releases")).unwrap();
    let old = folder.join("releases/old.csv");
    fs::write(&old, "old").unwrap();
    fs::set_permissions(&old, fs::Permissions::from_mode(0o606)).unwrap();
    symlink("releases/old.csv", folder.join("latest.csv")).unwrap();
    symlink("releases/new.csv", folder.join("next.csv")).unwrap();
    // A file of the user, behind a link with the name that a writer of fixed names would take.
    fs::write(folder.join("precious.txt"), "precious").unwrap();
    symlink("../precious.txt", folder.join("releases/old.csv.part")).unwrap();
    for (link, file) in [("latest.csv", "old.csv"), ("next.csv", "new.csv")] {
        export(&folder, link);
        let found = fs::symlink_metadata(folder.join(link)).unwrap();
        assert!(found.is_symlink(), "{link}");
        let written = fs::read_to_string(folder.join("releases").join(file)).unwrap();
        assert!(written.contains("Pears"), "{written}");
    }
    assert_eq!(fs::metadata(&old).unwrap().mode() & 0o7777, 0o606);
    let precious = fs::read_to_string(folder.join("precious.txt")).unwrap();
    assert_eq!(precious, "precious");
    let releases = names(&folder.join("releases"));
    assert_eq!(releases, ["new.csv", "old.csv", "old.csv.part"]);
}

#[test]
fn a_pipe_and_a_device_get_the_bytes_and_stay() {
    let folder = folder("special");
    fs::write(folder.join("input"), TAXONOMY).unwrap();
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = thread::spawn(move || fs::read_to_string(pipe).unwrap());
    export(&folder, "pipe");
    assert!(reader.join().unwrap().contains("Pears"));
    export(&folder, "/dev/null");
    assert_eq!(names(&folder), ["input", "pipe"]);
    // A folder is none of them, and a link that leads to itself leads nowhere.
    symlink("round", folder.join("round")).unwrap();
    for out in [".", "round", "none/out"] {
        let output = run(&folder, &["export", "csv", "input", "--out", out]);
        assert_ends(&output, 1, "");
    }
    assert_eq!(names(&folder), ["input", "pipe", "round"]);
}

#[test]
fn a_dash_is_standard_output_and_the_report_is_then_on_standard_error() {
    let folder = folder("dash");
    fs::write(folder.join("input"), TAXONOMY).unwrap();
    fs::write(folder.join("table.csv"), TABLE).unwrap();
    for out in ["-", "/dev/stdout"] {
        let exported = run(&folder, &["export", "csv", "input", "--out", out]);
        assert_eq!(exported.stdout, run(&folder, &["export", "csv", "input"]).stdout);
        let import = ["import", "csv", "en-GB=table.csv"];
        let line = [&import[..], &["--out", out, "--output", "json"]].concat();
        let imported = run(&folder, &line);
        let file: Value = serde_json::from_slice(&imported.stdout).unwrap();
        assert_eq!(file["categories"][0]["terms"][0]["id"], 2);
        let said: Value = serde_json::from_slice(&imported.stderr).unwrap();
        assert_eq!(said["accepted"], true);
    }
    assert_eq!(names(&folder), ["input", "table.csv"]);
}
