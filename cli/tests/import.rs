//! Imports of packed and piped files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;

const TEXT: &[u8] = b"1 - Pets\n7 - Pets > Fish\n";

fn packed(content: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(content).unwrap();
    packer.finish().unwrap()
}

/// Imports what comes from standard input, and returns what was written as well.
fn import(out: &str, stdin: &[u8]) -> (Output, Option<String>) {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(out);
    // Of an earlier run, if there was one.
    let _ = fs::remove_file(&out);
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxonomy"));
    command.args(["import", "google", "fr-FR=-", "--out"]).arg(&out);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Dropped after it, so the command sees the end.
    child.stdin.take().unwrap().write_all(stdin).unwrap();
    let output = child.wait_with_output().unwrap();
    (output, fs::read_to_string(out).ok())
}

#[test]
fn packed_and_piped_files_are_read() {
    let (output, plain) = import("plain.json", TEXT);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let plain = plain.unwrap();
    assert!(plain.contains(r#"{"culture":"fr-FR","name":"Fish"}"#), "{plain}");
    let (_, unpacked) = import("packed.json", &packed(TEXT));
    assert_eq!(unpacked.unwrap(), plain);
}

#[test]
fn a_damaged_packed_file_writes_nothing() {
    let mut damaged = packed(&TEXT.repeat(100));
    damaged.truncate(damaged.len() / 2);
    let (output, written) = import("damaged.json", &damaged);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(written, None);
}

/// As Shopify publishes them: `dist/<locale>/categories.txt`.
#[test]
fn a_folder_of_shopify_names_the_culture_of_its_files() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shopify");
    let mut files = Vec::new();
    for (locale, name) in [("en", "Pets"), ("ja", "ペット"), ("pt-BR", "Animais")] {
        let locale = folder.join("dist").join(locale);
        fs::create_dir_all(&locale).unwrap();
        let file = locale.join("categories.txt");
        let gid = "gid://shopify/TaxonomyCategory/ap";
        fs::write(&file, format!("{gid} : {name}\n{gid}-1 : {name} > {name}\n")).unwrap();
        files.push(file);
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxonomy"));
    command.args(["import", "shopify"]).args(&files);
    command.args(["--new-ids", "--out"]).arg(folder.join("out.json"));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let written = fs::read_to_string(folder.join("out.json")).unwrap();
    let names = r#""names":[{"culture":"en","name":"Pets"},{"culture":"ja","name":"ペット"},{"culture":"pt-BR","name":"Animais"}]"#;
    assert_eq!(written.matches(names).count(), 2, "{written}");
}
