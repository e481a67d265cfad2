//! What commands say where they cannot begin: what is wrong, and the next step.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::thread;

use super::{NOWHERE, folder, texts};

/// Runs a command in a folder without any configuration but these variables, and expects that it ends with `code` and says all of this.
fn check(folder: &Path, variables: &[(&str, &str)], line: &[&str], code: i32, says: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxonomy"));
    command.current_dir(folder).args(line).env_clear();
    command.env("HOME", folder);
    command.env("AWS_EC2_METADATA_DISABLED", "true");
    command.envs(variables.iter().copied());
    let output = command.output().unwrap();
    let (_, said) = texts(&output);
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
    let of_api = [("TAXONOMY_API_URL", NOWHERE), ("TAXONOMY_AUTH", "none")];
    let from_file = [("TAXONOMY_OUTPUTS", "stack.json")];
    let of_store = [&at_endpoint[..], &from_file].concat();
    let endpoint = format!("{NOWHERE} did not answer");
    let api = format!("the connection to {NOWHERE} failed");
    let described = "DescribeStacks failed";
    // The stack, a store of it, and the API, by its own address and by the output.
    for (variables, line, says) in [
        (&at_endpoint[..], "tenant list", [described, &endpoint]),
        (&of_store, "tenant show acme", ["Query failed", &endpoint]),
        (&of_api, "stats acme", [&api; 2]),
        (&from_file, "stats acme", [&api; 2]),
    ] {
        let line: Vec<&str> = line.split(' ').collect();
        check(&folder, variables, &line, 1, &[&says[..], &settings].concat());
    }
}

/// Answers every request with a page that is none of this API.
fn other_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, mut request) = (stream.unwrap(), [0; 4096]);
            let _ = stream.read(&mut request).unwrap();
            let answer = b"HTTP/1.1 404 Not Found\r\ncontent-length: 6\r\nconnection: close\r\n\r\n<html>";
            stream.write_all(answer).unwrap();
        }
    });
    address
}

#[test]
fn another_server_is_named() {
    let address = other_server();
    let of_api = [("TAXONOMY_API_URL", address.as_str()), ("TAXONOMY_AUTH", "none")];
    let answered = format!("{address} answered 404, and not as this API does");
    let says = [&*answered, "`--api-url` and TAXONOMY_API_URL"];
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
    let line = ["stats", "acme", "--config", "config.toml"];
    check(&folder, &[], &line, 1, &says);
    let utf16: Vec<u8> = "[".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(folder.join("utf16.json"), [b"\xff\xfe", &*utf16].concat()).unwrap();
    let says = ["utf16.json cannot be read", "Write the file in UTF-8"];
    let line = ["stats", "acme", "--outputs", "utf16.json"];
    check(&folder, &[], &line, 1, &says);
}

#[test]
fn a_folder_is_told_from_a_file() {
    let folder = folder("folder");
    fs::create_dir(folder.join("files")).unwrap();
    fs::write(folder.join("file.json"), r#"{"categories":[]}"#).unwrap();
    let directory = "files cannot be read: Is a directory";
    let says = [directory, "FOLDER/*;", "`taxonomy push`"];
    for line in [
        &["validate", "files"][..],
        &["plan", "files", "--against", "empty"],
        &["export", "csv", "files"],
    ] {
        check(&folder, &[], line, 1, &says);
    }
    let says = ["files cannot be written to", "Name a file in the folder."];
    let line = ["export", "csv", "file.json", "--out", "files"];
    check(&folder, &[], &line, 1, &says);
}

#[test]
fn a_word_of_another_command_leads_to_it() {
    let folder = folder("words");
    for word in ["list", "thaw", "purge"] {
        let tip = format!("tip: there is a command 'taxonomy tenant {word}'");
        check(&folder, &[], &[word], 2, &[&tip]);
    }
    check(&folder, &[], &["validat", "x.json"], 2, &["'validate'"]);
    for line in [&["get", "acme", "12"][..], &["children", "acme"]] {
        check(&folder, &[], line, 2, &["an id is a whole number", "`--tenant`"]);
    }
    let says = ["name the tenant by `--tenant`"];
    check(&folder, &[], &["plan", "x.json"], 2, &says);
}
