//! Files as they come: packed, piped, damaged, too large.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output};

use super::{assert_ends, folder, packed, run, run_with, sample, taxonomy};

fn job_board() -> Vec<u8> {
    fs::read(sample("job-board-v1.json")).unwrap()
}

fn validate(path: &Path, stdin: &[u8]) -> Output {
    let line = ["validate", "--output", "json", path.to_str().unwrap()];
    run_with(&mut taxonomy(Path::new("."), &line), stdin)
}

#[test]
fn packed_and_piped_files_are_validated_whatever_their_name() {
    let folder = folder("packed");
    let (path, damaged) = (folder.join("packed.json"), folder.join("damaged.json.gz"));
    let packed = packed(&job_board());
    fs::write(&path, &packed).unwrap();
    fs::write(&damaged, &packed[..packed.len() / 2]).unwrap();
    let dash = Path::new("-");
    for (path, stdin, code, says) in [
        (&*path, &b""[..], 0, r#""terms": 144"#),
        (&damaged, b"", 5, "invalid-encoding"),
        (dash, &job_board(), 0, r#""file": "standard input""#),
        (dash, &packed, 0, r#""terms": 144"#),
        (dash, b"{", 5, "invalid-json"),
    ] {
        assert_ends(&validate(path, stdin), code, says);
    }
}

/// A few kilobytes may decode to gigabytes, so the size is known before anything is kept: 400 MB of addresses have to do.
#[cfg(target_os = "linux")]
#[test]
fn a_file_too_large_is_refused_stored_or_decoded() {
    const MOST: u64 = 512 << 20;
    let folder = folder("large");
    let validate = |path: &Path| {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v 400000 && exec \"$0\" \"$@\""]);
        command.args([env!("CARGO_BIN_EXE_taxonomy"), "validate", "--output", "json"]);
        command.arg(path).output().unwrap()
    };
    let (stored, decoded) = (folder.join("large.json"), folder.join("large.json.gz"));
    File::create(&stored).unwrap().set_len(MOST + 1).unwrap();
    assert_ends(&validate(&stored), 5, "file-too-large");
    let zeros = vec![0; usize::try_from(MOST + 1).unwrap()];
    fs::write(&decoded, packed(&zeros)).unwrap();
    assert_ends(&validate(&decoded), 5, "file-too-large");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn packed_and_piped_files_are_imported_and_a_damaged_one_writes_nothing() {
    const TEXT: &[u8] = b"1 - Pets\n7 - Pets > Fish\n";
    let folder = folder("import");
    let import = |out: &str, stdin: &[u8], code: i32| {
        let line = ["import", "google", "fr-FR=-", "--out", out];
        let output = run_with(&mut taxonomy(&folder, &line), stdin);
        assert_ends(&output, code, "");
        fs::read_to_string(folder.join(out)).ok()
    };
    let plain = import("plain.json", TEXT, 0).unwrap();
    assert!(plain.contains(r#"{"culture":"fr-FR","name":"Fish"}"#), "{plain}");
    assert_eq!(import("packed.json", &packed(TEXT), 0).unwrap(), plain);
    let damaged = packed(&TEXT.repeat(100));
    assert_eq!(import("damaged.json", &damaged[..damaged.len() / 2], 1), None);
}

/// As Shopify publishes them: `dist/<locale>/categories.txt`.
#[test]
fn a_folder_of_shopify_names_the_culture_of_its_files() {
    let folder = folder("shopify");
    let mut line = vec!["import", "shopify"];
    for (locale, name) in [("en", "Pets"), ("ja", "ペット"), ("pt-BR", "Animais")] {
        let locale = folder.join("dist").join(locale);
        fs::create_dir_all(&locale).unwrap();
        let gid = "gid://shopify/TaxonomyCategory/ap";
        let text = format!("{gid} : {name}\n{gid}-1 : {name} > {name}\n");
        fs::write(locale.join("categories.txt"), text).unwrap();
    }
    let files = ["en", "ja", "pt-BR"].map(|locale| format!("dist/{locale}/categories.txt"));
    line.extend(files.iter().map(String::as_str));
    line.extend(["--new-ids", "--out", "out.json"]);
    assert_ends(&run(&folder, &line), 0, "");
    let written = fs::read_to_string(folder.join("out.json")).unwrap();
    let names = r#""names":[{"culture":"en","name":"Pets"},{"culture":"ja","name":"ペット"},{"culture":"pt-BR","name":"Animais"}]"#;
    assert_eq!(written.matches(names).count(), 2, "{written}");
}
