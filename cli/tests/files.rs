//! Files as they come: packed, piped, damaged, too large.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;

fn sample() -> Vec<u8> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    fs::read(samples.join("job-board-v1.json")).unwrap()
}

fn packed(content: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(content).unwrap();
    packer.finish().unwrap()
}

fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).unwrap();
    path
}

fn validate(path: &Path, stdin: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxonomy"));
    command.args(["validate", "--output", "json"]).arg(path);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Dropped after it, so the command sees the end.
    child.stdin.take().unwrap().write_all(stdin).unwrap();
    child.wait_with_output().unwrap()
}

fn assert_ends(output: &Output, code: i32, says: &str) {
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(output.status.code(), Some(code), "{stdout}{stderr}");
    assert!(stdout.contains(says) || stderr.contains(says), "{stdout}{stderr}");
}

#[test]
fn packed_files_are_decoded_whatever_their_name() {
    let path = file("packed.json", &packed(&sample()));
    assert_ends(&validate(&path, b""), 0, r#""terms": 144"#);
}

#[test]
fn a_dash_is_standard_input() {
    assert_ends(
        &validate(Path::new("-"), &sample()),
        0,
        r#""file": "standard input""#,
    );
    assert_ends(
        &validate(Path::new("-"), &packed(&sample())),
        0,
        r#""terms": 144"#,
    );
    assert_ends(&validate(Path::new("-"), b"{"), 5, "invalid-json");
}

#[test]
fn a_damaged_file_is_refused() {
    let mut damaged = packed(&sample());
    damaged.truncate(damaged.len() / 2);
    let path = file("damaged.json.gz", &damaged);
    assert_ends(&validate(&path, b""), 5, "invalid-encoding");
}

/// A few kilobytes may decode to gigabytes, so the size is known before anything is kept: 400 MB of addresses have to do.
#[cfg(target_os = "linux")]
#[test]
fn a_file_too_large_is_refused_stored_or_decoded() {
    const MOST: u64 = 512 << 20;
    let validate = |path: &Path| {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v 400000 && exec \"$0\" \"$@\""]);
        command.args([env!("CARGO_BIN_EXE_taxonomy"), "validate", "--output", "json"]);
        command.arg(path).output().unwrap()
    };
    let path = file("large.json", b"");
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(MOST + 1)
        .unwrap();
    assert_ends(&validate(&path), 5, "file-too-large");
    let zeros = vec![0; usize::try_from(MOST + 1).unwrap()];
    let path = file("large.json.gz", &packed(&zeros));
    assert_ends(&validate(&path), 5, "file-too-large");
}
