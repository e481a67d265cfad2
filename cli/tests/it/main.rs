//! Commands as processes: what they read, what they write, and what they say.
#![allow(clippy::disallowed_methods, reason = "a test is no function that is frozen")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod explore;
mod files;
mod manual;
mod messages;
#[cfg(unix)]
mod outputs;
mod warnings;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;

/// An address where nothing listens.
const NOWHERE: &str = "http://127.0.0.1:9";

/// A command in a folder, without any configuration of this machine and without a stack.
fn taxonomy(folder: &Path, line: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxonomy"));
    command.current_dir(folder).args(line);
    command.env("HOME", folder).env("AWS_REGION", "eu-west-1");
    command.env("AWS_ENDPOINT_URL", NOWHERE);
    command
}

fn run(folder: &Path, line: &[&str]) -> Output {
    taxonomy(folder, line).output().unwrap()
}

/// Runs a command with this on its standard input.
fn run_with(command: &mut Command, stdin: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    // Dropped after it, so the command sees the end.
    child.stdin.take().unwrap().write_all(stdin).unwrap();
    child.wait_with_output().unwrap()
}

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("it").join(name);
    // Of an earlier run, if there was one.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn sample(name: &str) -> PathBuf {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    samples.canonicalize().unwrap().join(name)
}

/// The names of the entries of a folder, ascending.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn packed(content: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(content).unwrap();
    packer.finish().unwrap()
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// The command ended with this code, and said this somewhere.
#[track_caller]
fn assert_ends(output: &Output, code: i32, says: &str) {
    let (stdout, stderr) = texts(output);
    let said = stdout + &stderr;
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(says), "{says}: {said}");
}

/// The subcommands that `--help` of a command lists, and the arguments with a path.
fn listed(command: &[&str]) -> (Vec<String>, Vec<String>) {
    let help = texts(&run(Path::new("."), &[command, &["--help"]].concat())).0;
    let (mut commands, mut arguments, mut section) = (Vec::new(), Vec::new(), "");
    for line in help.lines() {
        let Some(first) = line.split_whitespace().next() else {
            continue;
        };
        if !line.starts_with(' ') {
            section = line;
        } else if section == "Commands:" {
            let is_command = !line.starts_with("   ") && first != "help";
            commands.extend(is_command.then(|| first.to_owned()));
        } else if ["Arguments:", "Options:", "Stack:"].contains(&section)
            && first.starts_with(['-', '<', '['])
        {
            let is_path = |kind: &&str| ["FILE", "PLAN", "FOLDER"].contains(kind);
            // Of `FILE|FOLDER` the first one.
            let value = line.split(['<', '>', '[', ']', '|']).find(is_path);
            let flag = line.split_whitespace().find(|word| word.starts_with("--"));
            arguments.extend(value.map(|value| flag.unwrap_or(value).to_owned()));
        }
    }
    (commands, arguments)
}
