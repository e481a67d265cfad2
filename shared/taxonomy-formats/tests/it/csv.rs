//! Rows, read by the csv crate and by Python's csv module, against the model.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use taxonomy_collation::sibling_keys;
use taxonomy_formats::SortedTaxonomy;
use taxonomy_formats::csv::{self, COLUMNS, Dialect};
use taxonomy_model::Taxonomy;

use taxonomy_testfiles::nasty::{TEXTS, nasty_files};
use taxonomy_testfiles::taxonomy;

fn written(taxonomy: &Taxonomy, dialect: Dialect) -> String {
    let mut bytes = Vec::new();
    csv::write(&SortedTaxonomy::new(taxonomy, sibling_keys), dialect, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The cells of each row, the header first.
fn rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = ::csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).from_reader(text.as_bytes());
    let records = reader.records().map(|record| record.unwrap());
    let rows = records.map(|record| record.iter().map(str::to_owned).collect());
    rows.collect()
}

/// The rows that a file must have, in any order, by way of the file's own JSON.
fn expected(taxonomy: &Taxonomy) -> Vec<Vec<String>> {
    let json = |value: serde_json::Value| value.to_string();
    let mut expected = Vec::new();
    for term in taxonomy.terms() {
        let (details, category) = (term.node.details(), term.category());
        let lineage: Vec<u64> = term.ancestors().map(|above| above.id().get()).collect();
        for name in term.node.names() {
            let category_name = category.node.best_name(name.culture).name;
            let alt_names = details.alt_names.iter();
            let alt_names = alt_names.filter(|(culture, _)| culture == name.culture);
            let alt_names: Vec<&str> = alt_names.map(|(_, name)| name.as_str()).collect();
            expected.push(vec![
                term.id().to_string(),
                name.culture.to_string(),
                name.name.to_owned(),
                format!("{category_name}:{}", name.name),
                name.path.map(|path| path.text().into_owned()).unwrap_or_default(),
                category.id().to_string(),
                category_name.to_owned(),
                lineage.first().map(u64::to_string).unwrap_or_default(),
                (lineage.len() + 1).to_string(),
                json(lineage.clone().into()),
                details.notation.clone().unwrap_or_default(),
                details.deprecated.to_string(),
                json(details.replaced_by.clone().into()),
                json(alt_names.into()),
            ]);
        }
    }
    expected.sort();
    expected
}

fn sorted(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    rows.sort();
    rows
}

/// The result of Python's csv module, as JSON.
fn read_by_python(texts: &[String], encoding: &str) -> Vec<Vec<Vec<String>>> {
    const READ: &str = "import csv, io, json, sys
texts = json.load(sys.stdin)
def rows(text):
    return list(csv.reader(io.TextIOWrapper(io.BytesIO(text.encode()), encoding=sys.argv[1], newline='')))
json.dump([rows(text) for text in texts], sys.stdout)";
    let mut python = Command::new("python3");
    python.args(["-c", READ, encoding]);
    python.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut python = python.spawn().unwrap_or_else(|error| panic!("python3: {error}"));
    let input = serde_json::to_vec(texts).unwrap();
    python.stdin.take().unwrap().write_all(&input).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn rows_are_the_names_of_the_terms_each_on_a_line(file in nasty_files()) {
        let taxonomy = taxonomy(&file);
        let text = written(&taxonomy, Dialect::Data);
        let mut rows = rows(&text);
        prop_assert_eq!(rows.remove(0), COLUMNS);
        prop_assert_eq!(text.matches('\n').count(), rows.len() + 1);
        prop_assert!(!text.contains('\r'));
        // Terms are grouped by category, parents come before their children.
        let mut position: BTreeMap<&str, usize> = BTreeMap::new();
        let mut categories: Vec<&str> = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            let [id, category, parent] = [0, 5, 7].map(|column| row[column].as_str());
            let first = *position.entry(id).or_insert(at);
            prop_assert!(parent.is_empty() || position[parent] < first);
            if categories.last() != Some(&category) {
                prop_assert!(!categories.contains(&category));
                categories.push(category);
            }
        }
        prop_assert_eq!(sorted(rows), expected(&taxonomy));
    }

    #[test]
    fn a_spreadsheet_finds_no_formula_and_one_apostrophe_less_is_the_value(file in nasty_files()) {
        let taxonomy = taxonomy(&file);
        let text = written(&taxonomy, Dialect::Spreadsheet);
        let mut rows = rows(text.strip_prefix('\u{feff}').unwrap());
        prop_assert_eq!(rows.remove(0), COLUMNS);
        for cell in rows.iter().flatten() {
            prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']), "{}", cell);
        }
        let value = |cell: &String| cell.strip_prefix('\'').unwrap_or(cell).to_owned();
        let values = rows.iter().map(|row| row.iter().map(value).collect()).collect();
        prop_assert_eq!(sorted(values), expected(&taxonomy));
    }
}

#[test]
fn python_reads_the_same_rows() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let drawn = |_| taxonomy(&nasty_files().new_tree(&mut runner).unwrap().current());
    let taxonomies: Vec<Taxonomy> = (0..150).map(drawn).collect();
    for (dialect, encoding) in [(Dialect::Data, "utf-8"), (Dialect::Spreadsheet, "utf-8-sig")] {
        let texts = taxonomies.iter().map(|taxonomy| written(taxonomy, dialect));
        let texts: Vec<String> = texts.collect();
        let read = read_by_python(&texts, encoding);
        for (text, read) in texts.iter().zip(read) {
            assert_eq!(read, rows(text.trim_start_matches('\u{feff}')));
        }
    }
    // The texts were there: every one of them is a cell of some row.
    let all: Vec<Vec<String>> = taxonomies.iter().flat_map(expected).collect();
    for text in TEXTS.split('|') {
        assert!(all.iter().any(|row| row[2] == text), "{text:?}");
    }
}

/// The notation and the name of a term in the dialect for spreadsheets.
fn protected(text: &str) -> [String; 2] {
    let text = serde_json::to_string(text).unwrap();
    let file = format!(
        r#"{{"defaultCulture":"en","categories":[{{"id":1,"name":"C","terms":[{{"id":1,"names":[{{"culture":"en","name":{text}}}],"notation":{text}}}]}}]}}"#
    );
    let written = written(&taxonomy(&file), Dialect::Spreadsheet);
    let row = rows(written.strip_prefix('\u{feff}').unwrap()).remove(1);
    [2, 10].map(|column| row[column].clone())
}

#[test]
fn codes_that_a_spreadsheet_would_change_are_texts() {
    let changed = "0110|00|1E5|1e-5|2E+3|3-10|3/10|10/3/2026|2026-01-31|1.10|1,5|1 000|12:30|3 pm|4 A|50%|(5)|$5|5 €\
        |Mar-10|10 Mar|MARCH1|SEPT2|dec 24|Jan. 5, 2026|1234567890123456|true|FALSE|.5|1-2-3";
    for text in changed.split('|') {
        assert_eq!(protected(text), [0, 1].map(|_| format!("'{text}")), "{text}");
    }
    let kept = "0|7|110|123456789012345|A01|J45.9|E5|T-shirt|3D printers|Mar-10 item|Exp|10 marbles|Category 5|x-3\
        |truth|1st|2x4|HP 01.02|March|ISO 3166-1";
    for text in kept.split('|') {
        assert_eq!(protected(text), [text, text], "{text}");
    }
}

proptest! {
    /// What a program reads as a number is written as a text, unless it is a whole number that comes back as it is.
    #[test]
    fn a_number_is_a_text_unless_a_spreadsheet_keeps_it(text in "[0-9]{1,18}|0[0-9]{1,4}|[0-9]{1,3}[.][0-9]{1,3}|[0-9]{1,2}[eE][+-]?[0-9]{1,2}|[0-9]{1,4}[-/][0-9]{1,2}([-/][0-9]{1,4})?|[0-9A-Z]{1,6}") {
        let is_date = text.split(['-', '/']).all(|part| part.parse::<u32>().is_ok());
        let is_number = text.parse::<f64>().is_ok_and(f64::is_finite) || is_date;
        let comes_back = text.len() <= 15 && text.parse::<u64>().is_ok_and(|number| number.to_string() == text);
        let [name, notation] = protected(&text);
        let is_text = name.starts_with('\'');
        prop_assert_eq!(&name, &notation);
        prop_assert!(is_text || !is_number || comes_back, "{}", text);
        prop_assert!(!(is_text && comes_back), "{}", text);
    }
}

#[test]
fn cells_are_these() {
    let file = r#"{"defaultCulture":"en-GB","categories":[{"id":1,"name":"Sector","names":[{"culture":"fr-FR","name":"Secteur"}],"terms":[
        {"id":100,"names":[{"culture":"en-GB","name":"IT","path":"sector/it"}],"children":[
            {"id":101,"names":[{"culture":"en-GB","name":"-ops, \"dev\""},{"culture":"fr-FR","name":"=1"}],"notation":"007",
             "replacedBy":[100,5],"altNames":[{"culture":"en-GB","name":"b"},{"culture":"en-GB","name":"a"},{"culture":"de-DE","name":"c"}]}]}]}]}"#;
    let header = COLUMNS.join(",");
    let data = format!(
        "{header}\n{}\n{}\n{}\n",
        r#"100,en-GB,IT,Sector:IT,sector/it,1,Sector,,1,[],,false,[],[]"#,
        r#"101,en-GB,"-ops, ""dev""","Sector:-ops, ""dev""",,1,Sector,100,2,[100],007,false,"[100,5]","[""b"",""a""]""#,
        r#"101,fr-FR,=1,Secteur:=1,,1,Secteur,100,2,[100],007,false,"[100,5]",[]"#,
    );
    assert_eq!(written(&taxonomy(file), Dialect::Data), data);
    let spreadsheet = data
        .replace("\"-ops", "\"'-ops")
        .replace("fr-FR,=1", "fr-FR,'=1")
        .replace(",007,", ",'007,")
        .replace('\n', "\r\n");
    let found = written(&taxonomy(file), Dialect::Spreadsheet);
    assert_eq!(found, format!("\u{feff}{spreadsheet}"));
}
