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
    let rows = readme.lines();
    let rows = rows.filter(|row| row.starts_with("| `") && row.contains(".json`"));
    let mut seen = 0;
    for row in rows {
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
    let json = String::from_utf8(sample("invalid/several-mistakes.json")).unwrap();
    let mistakes = [
        "invalid-culture /categories/0/terms/0/names/1/culture",
        "control-character /categories/0/terms/2/names/0/name",
        "duplicate-term-id /categories/0/terms/1/id",
    ];
    check(&json, &mistakes);
}

/// What is told of a file; behind a `+` stand the fields of its only term, to which `T` leads.
const TOLD: &str = r#"
{"categories":["x",7,null]} -> wrong-type /categories/0, wrong-type /categories/1, wrong-type /categories/2
+ "id":"7","names":[{"culture":1,"name":2},"x"],"children":4,"deprecated":"no","metadata":[] -> wrong-type T/id, \
    wrong-type T/names/0/culture, wrong-type T/names/0/name, wrong-type T/names/1, wrong-type T/children, wrong-type T/deprecated, \
    wrong-type T/metadata, missing-default-name T
+ "id":1,"name":"I.T.","names":[{"culture":"en-GB","name":"IT"}] -> name-differs T/name
{"categories":[{"id":1,"name":"S","terms":[{"id":1,"name":"a","names":[{"culture":"fr","name":"a"}]},{"id":2,"name":"b"}]}]} -> poor-coverage
{"categories":[]} -> no-terms /categories
{"categories":[{"id":1,"name":"S","terms":[]}]} -> empty-category /categories/0, no-terms /categories
{"categories":[{"id":1}]} -> missing-default-name /categories/0, empty-category /categories/0
"#;

#[test]
fn every_issue_has_a_pointer_and_hides_no_other() {
    for row in TOLD.replace("\\\n    ", "").trim().lines() {
        let (file, expect) = row.split_once(" -> ").unwrap();
        let file = file.strip_prefix("+ ").map_or(file.to_owned(), term);
        let expect = expect.replace(" T", " /categories/0/terms/0");
        assert_eq!(issues(file.as_bytes()).join(", "), expect, "{row}");
    }
}

#[test]
fn names_are_kept_as_written_but_for_line_breaks() {
    let json = term(r#""id":5,"names":[{"culture":"en-GB","name":" a\t\nb  c\u00a0:d"}]"#);
    let codes = "line-break-folded edge-space double-space no-break-space separator-in-name".split(' ');
    let expect = codes.map(|code| format!("{code} /categories/0/terms/0/names/0/name"));
    assert_eq!(issues(json.as_bytes()), expect.collect::<Vec<_>>());
    let taxonomy = taxonomy(&json);
    let term = taxonomy.terms().next().unwrap();
    assert_eq!(term.node.default_name().name, " a b  c\u{a0}:d");
}

#[test]
fn a_plain_name_is_the_name_in_the_default_culture() {
    let french = r#"[{"culture":"fr-FR","name":"Secteur"}]"#;
    let taxonomy = taxonomy(&format!(
        r#"{{"categories":[{{"id":1,"name":"Sector","names":{french},"terms":[{{"id":2,"name":"IT"}}]}}]}}"#
    ));
    let category = taxonomy.categories().next().unwrap().node;
    let named = (category.default_name().name, category.names().count());
    assert_eq!(named, ("Sector", 2));
    assert_eq!(taxonomy.terms().next().unwrap().node.default_name().name, "IT");
}

#[test]
fn the_default_culture_comes_from_the_tenant_then_the_file_then_the_stack() {
    let names = r#"[{"culture":"fr-FR","name":"Secteur"},{"culture":"en-GB","name":"Sector"}]"#;
    let default = |of_tenant: Option<&str>, of_file: &str| {
        let json = format!(r#"{{"categories":[{{"id":1,"names":{names}}}]{of_file}}}"#);
        let defaults = Defaults {
            tenant_culture: of_tenant.map(|tag| tag.parse().unwrap()),
            ..defaults()
        };
        let parsed = parse(json.as_bytes(), &defaults, Limits::default()).unwrap();
        parsed.taxonomy.settings().default_culture.to_string()
    };
    let of_file = r#","defaultCulture":"fr-fr""#;
    assert_eq!(default(None, of_file), "fr-FR");
    assert_eq!(default(Some("en-GB"), of_file), "en-GB");
    assert_eq!(default(None, ""), "en-GB");
}

#[test]
fn metadata_becomes_canonical() {
    let taxonomy = taxonomy(&term(
        r#""id":1,"name":"IT","metadata":{"b": [1, 2.50, -3, null, true, {"y":1,"x":"\u00e9\n"}], "a": {}}"#,
    ));
    let metadata = taxonomy.terms().next().unwrap().node.details().metadata.clone();
    let expect = r#"{"a":{},"b":[1,2.5,-3,null,true,{"x":"é\n","y":1}]}"#;
    assert_eq!(metadata.as_ref().map(Metadata::as_str), Some(expect));
}

/// The limit is one of the canonical form: its last byte counts, whatever the members are.
#[test]
fn metadata_ends_at_its_limit_exactly() {
    let text = |len: usize| format!(r#"{{"a":"{}"}}"#, "x".repeat(len - 8));
    let list = |len: usize| {
        let (lists, number) = ("[],".repeat((len - 8) / 3 - 1), "1".repeat((len - 8) % 3 + 3));
        format!(r#"{{"a":[{lists}{number}]}}"#)
    };
    let keys = |len: usize| {
        let members = (0..(len - 1) / 9).map(|n| format!(r#""{n:04}":{}"#, n % 10));
        let long = format!(r#"{{{}}}"#, members.collect::<Vec<_>>().join(","));
        long.replacen(":0", &format!(":{}", "1".repeat(len + 1 - long.len())), 1)
    };
    for build in [&text as &dyn Fn(usize) -> String, &list, &keys] {
        assert_eq!((build(8192).len(), build(8193).len()), (8192, 8193));
        let of = |metadata: &str| term(&format!(r#""id":1,"name":"IT","metadata":{metadata}"#));
        check(&of(&build(8192)), &[]);
        let too_large = "metadata-too-large /categories/0/terms/0/metadata";
        check(&of(&build(8193)), &[too_large]);
    }
}

#[test]
fn too_many_nodes_are_said_once() {
    let report = |count: usize, term: &dyn Fn(usize) -> String, nodes| {
        let terms: Vec<String> = (0..count).map(term).collect();
        let json = category(&format!(r#""terms":[{}]"#, terms.join(",")));
        parse(json.as_bytes(), &defaults(), Limits { nodes }).unwrap_err()
    };
    let ten = report(10, &|id| format!(r#"{{"id":{id},"name":"T{id}"}}"#), 5);
    assert_eq!((ten.errors, ten.issues[0].code), (1, Code::TooManyNodes));
    assert_eq!(ten.issues[0].pointer.as_str(), "/categories/0/terms/4");
    // Also where the list of errors was full before.
    let many = report(300, &|_| r#"{"id":-1,"name":"T"}"#.to_owned(), 201);
    assert_eq!(many.errors, 201);
}

fn names(count: usize) -> String {
    let names = (1..count).map(|n| format!(r#"{{"culture":"en-x-{n}","name":"T{n}"}}"#));
    names.collect::<Vec<_>>().join(",")
}

#[test]
fn a_node_is_named_in_500_cultures() {
    let default = r#"{"culture":"en-GB","name":"T"}"#;
    let term_of = |names: String| term(&format!(r#""id":1,"names":[{default},{names}]"#));
    let and = |more: &str| term_of(format!("{},{more}", names(500)));
    let too_many = and(r#"{"culture":"fr","name":"T"}"#);
    let again = and(r#"{"culture":"EN-x-499","name":"T"}"#);
    check_errors(&term_of(names(500)), &[]);
    check_errors(&too_many, &["too-many-values /categories/0/terms/0/names/500"]);
    let duplicate = "duplicate-culture /categories/0/terms/0/names/500/culture";
    check_errors(&again, &[duplicate]);
}

/// A plain name is one of the 500, in whatever culture it turns out to be.
#[test]
fn a_plain_name_counts_as_one_of_the_cultures() {
    let file = |names: String| {
        let terms = format!(r#"[{{"id":1,"name":"T","names":[{names}]}},{{"id":2,"name":"U"}}]"#);
        format!(r#"{{"categories":[{{"id":1,"name":"Sector","terms":{terms}}}]}}"#)
    };
    check_errors(&file(names(500)), &[]);
    check_errors(&file(names(501)), &["too-many-values /categories/0/name"]);
    // Where the names alone are too many, that is all there is to say.
    let alone = "too-many-values /categories/0/terms/0/names/500";
    check_errors(&file(names(502)), &[alone]);
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
            let names = format!(r#"{{"culture":"en-GB","name":"T{n}"}},{{"culture":"en-x-{n}","name":"T"}}"#);
            format!(r#"{{"id":{n},"names":[{names}]}}"#)
        };
        // en-GB is one of them.
        let terms: Vec<String> = (1..cultures).map(term).collect();
        category(&format!(r#""terms":[{}]"#, terms.join(",")))
    };
    check_errors(&file(500), &[]);
    check_errors(&file(600), &["too-many-values /categories/0/terms/499/names/1"]);
}

#[test]
fn thousands_of_issues_are_counted_and_a_hundred_listed() {
    let terms = (0..1000).map(|id| format!(r#"{{"id":{id},"colour":1}}"#));
    let terms = terms.collect::<Vec<_>>().join(",");
    let report = read(&category(&format!(r#""terms":[{terms}]"#))).unwrap_err();
    // 1,000 unknown fields, and one culture that names hardly anything.
    let counts = (report.errors, report.warnings, report.issues.len());
    assert_eq!(counts, (1000, 1001, 200));
    assert_eq!(report.first_error().unwrap().code, Code::MissingDefaultName);
}

/// docs/problems.md is where the codes of a report lead their readers.
#[test]
fn every_code_is_documented() {
    let page = fs::read_to_string(format!("{}/../../docs/problems.md", env!("CARGO_MANIFEST_DIR"))).unwrap();
    for code in Code::ALL {
        let code = code.as_str();
        assert!(page.contains(&format!("`{code}`")), "{code}");
    }
}
