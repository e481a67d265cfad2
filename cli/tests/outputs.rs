//! Files that commands write: never one that they read, whole or not at all, and with the links, modes and kinds that they had.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "a test is no function that is frozen")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod outputs {
    mod arguments;
    mod kinds;
    mod races;

    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Output};

    const TABLE: &str = "id,parent,name\n1,,Fruit\n2,1,Pears\n";
    const TAXONOMY: &str = r#"{"categories":[{"id":1,"name":"Fruit","terms":[{"id":2,"name":"Pears"}]}],"defaultCulture":"en-GB"}"#;

    fn words(line: &[&str]) -> Vec<String> {
        line.iter().map(|word| (*word).to_owned()).collect()
    }

    fn taxonomy(folder: &Path, line: &[String]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taxonomy"));
        command.current_dir(folder).args(line);
        // No configuration of this machine, and no stack.
        command.env("HOME", folder).env("AWS_REGION", "eu-west-1");
        command.env("AWS_ENDPOINT_URL", "http://127.0.0.1:9");
        command
    }

    fn run(folder: &Path, line: &[&str]) -> Output {
        taxonomy(folder, &words(line)).output().unwrap()
    }

    /// An empty folder.
    fn folder(name: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outputs").join(name);
        // Of an earlier run, if there was one.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    fn text(output: &Output) -> String {
        let (stdout, stderr) = (&output.stdout, &output.stderr);
        String::from_utf8_lossy(stdout).into_owned() + &String::from_utf8_lossy(stderr)
    }

    fn assert_code(output: &Output, code: i32) {
        assert_eq!(output.status.code(), Some(code), "{}", text(output));
    }

    /// Exports the input of the folder to a place in it.
    fn export(folder: &Path, out: &str) {
        assert_code(&run(folder, &["export", "csv", "input", "--out", out]), 0);
    }
}
