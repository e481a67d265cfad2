//! Tests of the parser: accepted files, refused files, and reports.

use std::fs;

use taxonomy_model::{Code, Defaults, Limits, Metadata, parse};

use taxonomy_testfiles::{defaults, issues, read, taxonomy};

pub(crate) fn sample(name: &str) -> Vec<u8> {
    fs::read(format!("{}/../../samples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// One category with the given fields beside id and names.
pub(crate) fn category(fields: &str) -> String {
    format!(r#"{{"categories":[{{"id":1,"names":[{{"culture":"en-GB","name":"Sector"}}],{fields}}}]}}"#)
}

/// One term with the given fields.
pub(crate) fn term(fields: &str) -> String {
    category(&format!(r#""terms":[{{{fields}}}]"#))
}

pub(crate) fn check(json: &str, expect: &[&str]) {
    assert_eq!(issues(json.as_bytes()), expect, "{json}");
}

#[test]
fn the_samples_are_taken_without_a_word() {
    for name in ["job-board-v1.json", "job-board-v2.json"] {
        assert_eq!(issues(&sample(name)), Vec::<String>::new(), "{name}");
    }
}

/// The table in samples/invalid/README.md is what users read, so it is what is tested.
#[test]
fn every_invalid_sample_gives_exactly_its_documented_error() {
    let readme = String::from_utf8(sample("invalid/README.md")).unwrap();
    let mut seen = 0;
    for row in readme
        .lines()
        .filter(|row| row.starts_with("| `") && row.contains(".json`"))
    {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let ticked = |cell: &str| cell.split('`').nth(1).unwrap_or_default().to_owned();
        let (file, code) = (ticked(cells[1]), ticked(cells[2]));
        let mut pointer = ticked(cells[3]);
        if cells[3].contains("32 times") {
            pointer += &"/children/0".repeat(32);
        }
        let expect = format!("{code} {pointer}").trim_end().to_owned();
        assert_eq!(issues(&sample(&format!("invalid/{file}"))), [expect], "{file}");
        seen += 1;
    }
    assert_eq!(seen, 20, "the table has lost a row, or gained one");
}

#[test]
fn one_pass_finds_everything() {
    assert_eq!(
        issues(&sample("invalid/several-mistakes.json")),
        [
            "invalid-culture /categories/0/terms/0/names/1/culture",
            "control-character /categories/0/terms/2/names/0/name",
            "duplicate-term-id /categories/0/terms/1/id",
        ]
    );
}

#[test]
fn wrong_types_are_issues_with_a_pointer_and_hide_nothing() {
    check("[]", &["wrong-type"]);
    check("{}", &["missing-field"]);
    check(r#"{"categories":{}}"#, &["wrong-type /categories"]);
    check(
        r#"{"categories":["x",7,null]}"#,
        &[
            "wrong-type /categories/0",
            "wrong-type /categories/1",
            "wrong-type /categories/2",
        ],
    );
    check(
        &term(
            r#""id":"7","names":[{"culture":1,"name":2},"x"],"children":4,"deprecated":"no","metadata":[]"#,
        ),
        &[
            "wrong-type /categories/0/terms/0/id",
            "wrong-type /categories/0/terms/0/names/0/culture",
            "wrong-type /categories/0/terms/0/names/0/name",
            "wrong-type /categories/0/terms/0/names/1",
            "wrong-type /categories/0/terms/0/children",
            "wrong-type /categories/0/terms/0/deprecated",
            "wrong-type /categories/0/terms/0/metadata",
            "missing-default-name /categories/0/terms/0",
        ],
    );
}

#[test]
fn unknown_fields_are_only_worth_a_warning() {
    check(
        &term(r#""id":1,"colour":{"deep":[1]},"names":[{"culture":"en-GB","name":"IT","lang":1}]"#),
        &[
            "unknown-field /categories/0/terms/0/colour",
            "unknown-field /categories/0/terms/0/names/0/lang",
        ],
    );
}

#[test]
fn names_are_kept_as_written_but_for_line_breaks() {
    let json = term(r#""id":5,"names":[{"culture":"en-GB","name":" a\t\nb  c\u00a0:d"}]"#);
    check(
        &json,
        &[
            "line-break-folded /categories/0/terms/0/names/0/name",
            "edge-space /categories/0/terms/0/names/0/name",
            "double-space /categories/0/terms/0/names/0/name",
            "no-break-space /categories/0/terms/0/names/0/name",
            "separator-in-name /categories/0/terms/0/names/0/name",
        ],
    );
    let taxonomy = taxonomy(&json);
    let term = taxonomy.terms().next().unwrap();
    assert_eq!(term.node.default_name().name, " a b  c\u{a0}:d");
}

#[test]
fn a_plain_name_is_the_name_in_the_default_culture() {
    let parsed = read(r#"{"categories":[{"id":1,"name":"Sector","names":[{"culture":"fr-FR","name":"Secteur"}],"terms":[{"id":2,"name":"IT"}]}]}"#).unwrap();
    assert_eq!(
        parsed.taxonomy.terms().next().unwrap().node.default_name().name,
        "IT"
    );
    let category = parsed.taxonomy.categories().next().unwrap();
    assert_eq!(category.node.default_name().name, "Sector");
    assert_eq!(category.node.names().count(), 2);
    check(
        &term(r#""id":1,"name":"I.T.","names":[{"culture":"en-GB","name":"IT"}]"#),
        &["name-differs /categories/0/terms/0/name"],
    );
}

#[test]
fn the_default_culture_comes_from_the_tenant_then_the_file_then_the_stack() {
    let json = r#"{"categories":[{"id":1,"names":[{"culture":"fr-FR","name":"Secteur"},{"culture":"en-GB","name":"Sector"}]}],"defaultCulture":"fr-fr"}"#;
    let default = |defaults| {
        parse(json.as_bytes(), &defaults, Limits::default())
            .unwrap()
            .taxonomy
            .settings()
            .default_culture
            .to_string()
    };
    assert_eq!(default(defaults()), "fr-FR");
    let tenant_culture = Some("en-GB".parse().unwrap());
    assert_eq!(
        default(Defaults {
            tenant_culture,
            ..defaults()
        }),
        "en-GB"
    );
    assert_eq!(
        taxonomy(&json.replace(r#","defaultCulture":"fr-fr""#, ""))
            .settings()
            .default_culture
            .as_str(),
        "en-GB"
    );
}

#[test]
fn children_may_come_before_the_id() {
    let taxonomy = taxonomy(&term(
        r#""children":[{"children":[],"name":"Rust","id":101}],"names":[{"name":"IT","culture":"en-gb"}],"id":100"#,
    ));
    let rust = taxonomy.terms().nth(1).unwrap();
    assert_eq!((rust.id().get(), rust.depth(), rust.is_leaf()), (101, 2, true));
    assert_eq!(rust.parent().unwrap().id().get(), 100);
}

#[test]
fn metadata_becomes_canonical() {
    let taxonomy = taxonomy(&term(
        r#""id":1,"name":"IT","metadata":{"b": [1, 2.50, -3, null, true, {"y":1,"x":"\u00e9\n"}], "a": {}}"#,
    ));
    let term = taxonomy.terms().next().unwrap();
    assert_eq!(
        term.node.details().metadata.as_ref().map(Metadata::as_str),
        Some(r#"{"a":{},"b":[1,2.5,-3,null,true,{"x":"é\n","y":1}]}"#)
    );
}

/// The limit is one of the canonical form: its last byte counts, whatever the members are.
#[test]
fn metadata_ends_at_its_limit_exactly() {
    let text = |len: usize| format!(r#"{{"a":"{}"}}"#, "x".repeat(len - 8));
    let list = |len: usize| {
        format!(
            r#"{{"a":[{}{}]}}"#,
            "[],".repeat((len - 8) / 3 - 1),
            "1".repeat((len - 8) % 3 + 3)
        )
    };
    let keys = |len: usize| {
        let members: Vec<String> = (0..(len - 1) / 9)
            .map(|n| format!(r#""{n:04}":{}"#, n % 10))
            .collect();
        let long = format!(r#"{{{}}}"#, members.join(","));
        long.replacen(":0", &format!(":{}", "1".repeat(len + 1 - long.len())), 1)
    };
    for build in [&text as &dyn Fn(usize) -> String, &list, &keys] {
        assert_eq!((build(8192).len(), build(8193).len()), (8192, 8193));
        check(&term_with_metadata(&build(8192)), &[]);
        check(
            &term_with_metadata(&build(8193)),
            &["metadata-too-large /categories/0/terms/0/metadata"],
        );
    }
}

fn term_with_metadata(metadata: &str) -> String {
    term(&format!(r#""id":1,"name":"IT","metadata":{metadata}"#))
}

#[test]
fn too_many_nodes_are_said_once() {
    let terms: Vec<String> = (0..10)
        .map(|id| format!(r#"{{"id":{id},"name":"T{id}"}}"#))
        .collect();
    let json = category(&format!(r#""terms":[{}]"#, terms.join(",")));
    let report = parse(json.as_bytes(), &defaults(), Limits { nodes: 5 }).unwrap_err();
    assert_eq!(report.errors, 1);
    assert_eq!(
        (report.issues[0].code, report.issues[0].pointer.as_str()),
        (Code::TooManyNodes, "/categories/0/terms/4")
    );
    // Also where the list of errors was full before.
    let terms: Vec<String> = (0..300).map(|_| r#"{"id":-1,"name":"T"}"#.to_owned()).collect();
    let json = category(&format!(r#""terms":[{}]"#, terms.join(",")));
    let report = parse(json.as_bytes(), &defaults(), Limits { nodes: 201 }).unwrap_err();
    assert_eq!(report.errors, 201);
}

fn names(count: usize) -> String {
    let names = (1..count).map(|n| format!(r#"{{"culture":"en-x-{n}","name":"T{n}"}}"#));
    names.collect::<Vec<_>>().join(",")
}

#[test]
fn a_node_is_named_in_500_cultures() {
    let default = r#"{"culture":"en-GB","name":"T"}"#;
    let term_of = |names: String| term(&format!(r#""id":1,"names":[{default},{names}]"#));
    let names_and = |more: &str| format!("{},{more}", names(500));
    check_errors(&term_of(names(500)), &[]);
    check_errors(
        &term_of(names_and(r#"{"culture":"fr","name":"T"}"#)),
        &["too-many-values /categories/0/terms/0/names/500"],
    );
    check_errors(
        &term_of(names_and(r#"{"culture":"EN-x-499","name":"T"}"#)),
        &["duplicate-culture /categories/0/terms/0/names/500/culture"],
    );
}

/// A plain name is one of the 500, in whatever culture it turns out to be.
#[test]
fn a_plain_name_counts_as_one_of_the_cultures() {
    let file = |names: String| {
        let fields = format!(r#""id":1,"name":"T","names":[{names}]"#);
        format!(
            r#"{{"categories":[{{"id":1,"name":"Sector","terms":[{{{fields}}},{{"id":2,"name":"U"}}]}}]}}"#
        )
    };
    check_errors(&file(names(500)), &[]);
    check_errors(&file(names(501)), &["too-many-values /categories/0/name"]);
    // Where the names alone are too many, that is all there is to say.
    check_errors(
        &file(names(502)),
        &["too-many-values /categories/0/terms/0/names/500"],
    );
}

fn check_errors(json: &str, expect: &[&str]) {
    let mut found = issues(json.as_bytes());
    found.retain(|issue| !issue.starts_with("poor-coverage"));
    assert_eq!(found, expect);
}

/// The head of a tenant lists the cultures of its file, and has to fit into an item.
#[test]
fn cultures_of_a_file_are_bounded() {
    let file = |cultures: usize| {
        let term = |n: usize| {
            let tag = format!("en-x-{n}");
            format!(
                r#"{{"id":{n},"names":[{{"culture":"en-GB","name":"T{n}"}},{{"culture":"{tag}","name":"T"}}]}}"#
            )
        };
        // en-GB is one of them.
        let terms: Vec<String> = (1..cultures).map(term).collect();
        category(&format!(r#""terms":[{}]"#, terms.join(",")))
    };
    let errors = |json: String| {
        let issues = issues(json.as_bytes()).into_iter();
        issues
            .filter(|issue| !issue.starts_with("poor-coverage"))
            .collect::<Vec<_>>()
    };
    assert_eq!(errors(file(500)), Vec::<String>::new());
    assert_eq!(
        errors(file(600)),
        ["too-many-values /categories/0/terms/499/names/1"]
    );
}

#[test]
fn thousands_of_issues_are_counted_and_a_hundred_listed() {
    let terms: Vec<String> = (0..1000)
        .map(|id| format!(r#"{{"id":{id},"colour":1}}"#))
        .collect();
    let report = read(&category(&format!(r#""terms":[{}]"#, terms.join(",")))).unwrap_err();
    // 1,000 unknown fields, and one culture that names hardly anything.
    assert_eq!(
        (report.errors, report.warnings, report.issues.len()),
        (1000, 1001, 200)
    );
    assert_eq!(report.first_error().unwrap().code, Code::MissingDefaultName);
}

#[test]
fn poor_coverage_is_told_per_culture() {
    check(
        r#"{"categories":[{"id":1,"name":"S","terms":[{"id":1,"names":[{"culture":"en-GB","name":"a"},{"culture":"fr","name":"a"}]},{"id":2,"name":"b"}]}]}"#,
        &["poor-coverage"],
    );
}

/// docs/problems.md is where the codes of a report lead their readers.
#[test]
fn every_code_is_documented() {
    let page = fs::read_to_string(format!("{}/../../docs/problems.md", env!("CARGO_MANIFEST_DIR"))).unwrap();
    for code in Code::ALL {
        assert!(
            page.contains(&format!("`{}`", code.as_str())),
            "{} is missing in docs/problems.md",
            code.as_str()
        );
    }
}
