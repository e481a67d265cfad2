//! The output lines.

use std::fs;
use std::future::pending;
use std::path::Path;

use serde_json::Value;

use super::super::engine::{End, WrittenLines};
use super::super::summary::Summary;
use super::{Book, expanded, refusal};
use taxonomy_client::expander::Statistics;

fn written(arguments: &[&str], input: &str) -> String {
    let (output, end) = expanded(arguments, &Book::of(1_000), input.as_bytes());
    assert_eq!(end.unwrap(), End::Complete);
    output
}

#[test]
fn a_metric_keeps_its_fields_as_they_are_written() {
    let own =
        r#"{ "b" : 1.50e+03, "a":12345678901234567890.10, "t":[ 42 ],"s":"\u00e9\/é", "b":{"z":[ ] ,"y":-0}"#;
    let names = r#","names":["Job:T42","Job:G4","Job:A0"],"taxonomyVersion":7}"#;
    let output = written(&["--field", "t"], &format!("{own} }}\n"));
    assert_eq!(output, format!("{own} {names}\n"));
}

#[test]
fn fields_are_added_where_they_say_something() {
    let unknown = r#"{"t":5000,"names":[],"unknown":[5000],"taxonomyVersion":7}"#;
    let text = r#"{"t":"6f96-19ff","names":[],"unknown":["6f96-19ff"]}"#;
    let several = r#"{"t":[5000,1,"4000",5000],"names":["Job:T1","Job:G0","Job:A0"],"unknown":[5000,4000],"taxonomyVersion":7}"#;
    // What is no id fails itself.
    let no_ids = r#"{"t":[1,"x",5000,-2,"x",1.5],"names":["Job:T1","Job:G0","Job:A0"],"unknown":[5000,"x",-2,1.5],"taxonomyVersion":7}"#;
    for (input, expect) in [
        ("{}", r#"{"names":[]}"#),
        ("{ }", r#"{ "names":[]}"#),
        (r#"{"t":[]}"#, r#"{"t":[],"names":[]}"#),
        (r#"{"t":[5000,1,"4000",5000]}"#, several),
        (r#"{"t":5000}"#, unknown),
        (r#"{"t":[1,"x",5000,-2,"x",1.5]}"#, no_ids),
        (r#"{"t":"6f96-19ff"}"#, text),
    ] {
        let output = written(&["--field", "t"], input);
        assert_eq!(output, format!("{expect}\n"));
    }
    let own = r#"{"t":1,"names":0}"#;
    let output = written(&["--field", "t", "--into", "final \"names\""], own);
    let start = r#"{"t":1,"names":0,"final \"names\"":["Job:T1""#;
    assert!(output.starts_with(start), "{output}");
}

#[test]
fn a_byte_order_mark_is_left_out() {
    let output = written(&["--field", "t"], "\u{feff}{\"t\":[]}\n{\"t\":[]}");
    assert_eq!(output, "{\"t\":[],\"names\":[]}\n".repeat(2));
    assert_eq!(written(&[], "\u{feff}"), "\n");
    // Nowhere else is it one.
    let (_, end) = expanded(&[], &Book::of(1), "{}\n\u{feff}{}".as_bytes());
    assert_eq!(refusal(end), (2, 1, "not JSON: a value is expected".to_owned()));
}

#[test]
fn each_line_has_a_line() {
    let input = "\n{\"t\":1}\r\n  \t\r\n\r\n{\"t\":2} \n\n{\"t\":3}";
    let output = written(&["--field", "t"], input);
    let lines: Vec<&str> = output.split('\n').collect();
    let starts = ["", "{\"t\":1,", "", "", "{\"t\":2,", "", "{\"t\":3,", ""];
    assert_eq!(lines.len(), starts.len(), "{output}");
    for (line, start) in lines.iter().zip(starts) {
        assert!(line.starts_with(start), "{line:?} {start:?}");
        assert_eq!(line.is_empty(), start.is_empty(), "{line:?}");
        assert!(!line.contains('\r'));
    }
    assert_eq!(written(&[], ""), "");
    assert_eq!(written(&[], "\n"), "\n");
}

#[test]
fn a_refused_line_comes_after_the_lines_before_it() {
    let refused = |input: &[u8], line: u64, column: usize, says: &str| {
        let (output, end) = expanded(&["--field", "t"], &Book::of(1_000), input);
        let failure = end.as_ref().unwrap_err();
        assert_eq!(failure.exit(), crate::exit::Exit::Refused);
        let (at_line, at_column, reason) = refusal(end);
        assert_eq!((at_line, at_column), (line, column), "{reason}");
        assert!(reason.contains(says), "{reason}");
        assert_eq!(output.lines().count() as u64, line - 1, "{output}");
    };
    refused(b"{\"t\":1}\n\n{\"t\":2}\n[]\n{\"t\":3}\n", 4, 1, "a JSON object");
    refused("{\"é\":\"é\",\"t\":{}}".as_bytes(), 1, 14, "a term id");
    refused(b"{\"t\":1}\n{\"a\":\"\xc3\xa9\xff\"}\n", 2, 8, "UTF-8");
    let long = |bytes: usize| [&vec![b'\n'; 2][..], b"{", &vec![b' '; bytes - 2], b"}\n"].concat();
    refused(&long((1 << 20) + 1), 3, (1 << 20) + 1, "1048576 bytes");
    let (output, end) = expanded(&[], &Book::of(1), &long(1 << 20));
    let length = 2 + (1 << 20) + "\"names\":[]".len() + 1;
    assert_eq!((output.len(), end.unwrap()), (length, End::Complete));
}

#[test]
fn an_error_of_the_source_comes_after_the_lines_before_it() {
    let input: String = (0..1_000).map(|id| format!("{{\"t\":{id}}}\n")).collect();
    let book = Book {
        broken: Some(750),
        ..Book::of(1_000)
    };
    let (output, end) = expanded(&["--field", "t"], &book, input.as_bytes());
    let text = "the book cannot be read: it is closed";
    assert_eq!(end.unwrap_err().to_string(), text);
    assert_eq!(output.lines().count(), 700);
}

#[test]
fn lines_fit_the_published_schema() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/expanded-metric.schema.json");
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    let metric = |id| format!("{{\"n\":{id},\"t\":[{},{id}]}}\n", id * 7);
    let mut input: String = (0..500).map(metric).collect();
    input += "{}\n{\"t\":[9999]}\n{\"t\":[1,\"x\",-1.5]}\n{\"t\":\"x\"}";
    let output = written(&["--field", "t"], &input);
    assert_eq!(output.lines().count(), 504);
    for line in output.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(schema.is_valid(&line), "{line}");
    }
    let refused = [
        r#"{}"#,
        r#"{"names":["A:B"]}"#,
        r#"{"names":[],"unknown":[],"taxonomyVersion":1}"#,
        r#"{"names":["A:B","A:B"],"taxonomyVersion":1}"#,
        r#"{"names":[1],"taxonomyVersion":1}"#,
        r#"{"names":[],"unknown":[true],"taxonomyVersion":1}"#,
    ];
    for line in refused {
        assert!(!schema.is_valid(&serde_json::from_str(line).unwrap()), "{line}");
    }
}

#[test]
fn the_summary_counts_metrics_ids_and_requests() {
    let statistics = Statistics {
        metrics: 12_000,
        ids: 30_001,
        unknown: 1,
        requests: 40,
        version_requests: 2,
        ..Statistics::default()
    };
    let shown = |statistics: &Statistics, no_ids, without_ids, skipped| {
        let written = WrittenLines { no_ids, without_ids };
        let summary = Summary {
            statistics,
            written,
            skipped,
        };
        summary.to_string()
    };
    let many = "12,000 metrics, 30,001 ids";
    let requests = "42 requests (3.500 per thousand metrics)";
    let no_ids = format!("{many}, 4 unknown ids, {requests}, 1 metric without ids");
    assert_eq!(shown(&statistics, 3, 1, 0), no_ids);
    let all_ids = format!("{many}, 1 unknown id, {requests}");
    assert_eq!(shown(&statistics, 0, 0, 0), all_ids);
    let resumed = "0 metrics, 0 ids, 0 unknown ids, 0 requests, resumed after 5 lines";
    assert_eq!(shown(&Statistics::default(), 0, 0, 5), resumed);
}

#[test]
fn metrics_without_ids_are_counted() {
    let counts = |input: &str| {
        let (book, mut output) = (Book::of(1_000), Vec::new());
        let ended = super::expand(&["--field", "t"], &book, input.as_bytes(), &mut output, pending());
        let ended = super::runtime().block_on(ended);
        (ended.written.without_ids, ended.written.no_ids)
    };
    let input = "{\"t\":1}\n\n{\"t\":[]}\n{\"x\":1}\n{\"t\":[\"x\",-1]}\n{\"t\":5000}\n";
    assert_eq!(counts(input), (2, 2));
    assert_eq!(counts("\n"), (0, 0));
}
