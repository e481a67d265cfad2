//! What commands say where they cannot begin: what is wrong, and the next step.
#![allow(clippy::disallowed_methods, reason = "a test is no function that is frozen")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// An address where nothing listens.
const NOWHERE: &str = "http://127.0.0.1:9";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("messages").join(name);
    // Of an earlier run, if there was one.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a command in a folder without any configuration but these variables, and expects that it ends with `code` and says all of this.
fn check(folder: &Path, variables: &[(&str, &str)], line: &[&str], code: i32, says: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxonomy"));
    command.current_dir(folder).args(line).env_clear();
    command
        .env("HOME", folder)
        .env("AWS_EC2_METADATA_DISABLED", "true");
    command.envs(variables.iter().copied());
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{line:?}: {said}");
    for part in says {
        assert!(said.contains(part), "{line:?}: {part}: {said}");
    }
}

/// An identity that no service has to know.
const SIGNED_IN: [(&str, &str); 3] = [
    ("AWS_ACCESS_KEY_ID", "test"),
    ("AWS_SECRET_ACCESS_KEY", "test"),
    ("AWS_REGION", "eu-west-1"),
];

/// Outputs of a stack, as `sam list stack-outputs` writes them.
fn outputs(api: &str) -> String {
    let outputs = [
        ("ApiUrl", api),
        ("AuthMode", "none"),
        ("TableName", "table"),
        ("SourceBucketName", "source"),
    ];
    let outputs = outputs.map(|(key, value)| format!(r#"{{"OutputKey":"{key}","OutputValue":"{value}"}}"#));
    format!("[{}]", outputs.join(","))
}

#[test]
fn a_connection_that_fails_names_address_and_settings() {
    let folder = folder("nowhere");
    fs::write(folder.join("stack.json"), outputs(NOWHERE)).unwrap();
    let settings = [
        "`--endpoint-url` (AWS_ENDPOINT_URL)",
        "`--api-url` (TAXONOMY_API_URL)",
        "`--region`",
    ];
    let at_endpoint = [&SIGNED_IN[..], &[("AWS_ENDPOINT_URL", NOWHERE)]].concat();
    let says = [
        &["DescribeStacks failed", "http://127.0.0.1:9 did not answer"],
        &settings[..],
    ]
    .concat();
    check(&folder, &at_endpoint, &["tenant", "list"], 1, &says);
    // A store of the stack.
    let from_file = [&at_endpoint[..], &[("TAXONOMY_OUTPUTS", "stack.json")]].concat();
    let says = [
        &["Query failed", "http://127.0.0.1:9 did not answer"],
        &settings[..],
    ]
    .concat();
    check(&folder, &from_file, &["tenant", "show", "acme"], 1, &says);
    // The API, by its own address and by the output.
    let says = [&["the connection to http://127.0.0.1:9 failed"], &settings[..]].concat();
    let of_api = [("TAXONOMY_API_URL", NOWHERE), ("TAXONOMY_AUTH", "none")];
    check(&folder, &of_api, &["stats", "acme"], 1, &says);
    check(
        &folder,
        &[("TAXONOMY_OUTPUTS", "stack.json")],
        &["stats", "acme"],
        1,
        &says,
    );
}

/// Answers every request with a page that is none of this API.
fn other_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, mut request) = (stream.unwrap(), [0; 4096]);
            let _ = stream.read(&mut request).unwrap();
            stream
                .write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 6\r\nconnection: close\r\n\r\n<html>")
                .unwrap();
        }
    });
    address
}

#[test]
fn another_server_is_named() {
    let address = other_server();
    let of_api = [("TAXONOMY_API_URL", address.as_str()), ("TAXONOMY_AUTH", "none")];
    let says = [
        &*format!("{address} answered 404, and not as this API does"),
        "`--api-url` and TAXONOMY_API_URL",
    ];
    check(&folder("other"), &of_api, &["stats", "acme"], 1, &says);
    let no_address = [("TAXONOMY_API_URL", "stack.example"), ("TAXONOMY_AUTH", "none")];
    let says = ["an address is written https://host", "`--api-url`"];
    check(&folder("no-address"), &no_address, &["stats", "acme"], 2, &says);
}

#[test]
fn files_of_windows_are_read_or_told() {
    let folder = folder("windows");
    let marked = |text: &str| format!("\u{feff}{text}").into_bytes();
    fs::write(folder.join("stack.json"), marked(&outputs(NOWHERE))).unwrap();
    fs::write(folder.join("config.toml"), marked("outputs = \"stack.json\"\n")).unwrap();
    let says = ["the connection to http://127.0.0.1:9 failed"];
    check(
        &folder,
        &[],
        &["stats", "acme", "--config", "config.toml"],
        1,
        &says,
    );
    let utf16: Vec<u8> = "[".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(folder.join("utf16.json"), [b"\xff\xfe", &*utf16].concat()).unwrap();
    let says = ["utf16.json cannot be read", "Write the file in UTF-8"];
    check(
        &folder,
        &[],
        &["stats", "acme", "--outputs", "utf16.json"],
        1,
        &says,
    );
}

#[test]
fn a_folder_is_told_from_a_file() {
    let folder = folder("folder");
    fs::create_dir(folder.join("files")).unwrap();
    fs::write(folder.join("file.json"), r#"{"categories":[]}"#).unwrap();
    let says = [
        "files cannot be read: Is a directory",
        "FOLDER/*;",
        "`taxonomy push`",
    ];
    for line in [
        &["validate", "files"][..],
        &["plan", "files", "--against", "empty"],
        &["export", "csv", "files"],
    ] {
        check(&folder, &[], line, 1, &says);
    }
    let says = ["files cannot be written to", "Name a file in the folder."];
    check(
        &folder,
        &[],
        &["export", "csv", "file.json", "--out", "files"],
        1,
        &says,
    );
}

#[test]
fn a_word_of_another_command_leads_to_it() {
    let folder = folder("words");
    for (word, command) in [("list", "list"), ("thaw", "thaw"), ("purge", "purge")] {
        let tip = format!("tip: there is a command 'taxonomy tenant {command}'");
        check(&folder, &[], &[word], 2, &[&tip]);
    }
    check(&folder, &[], &["validat", "x.json"], 2, &["'validate'"]);
    for line in [&["get", "acme", "12"][..], &["children", "acme"]] {
        check(&folder, &[], line, 2, &["an id is a whole number", "`--tenant`"]);
    }
    check(
        &folder,
        &[],
        &["plan", "x.json"],
        2,
        &["name the tenant by `--tenant`"],
    );
}
