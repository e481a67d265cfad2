//! Tests that each alarm has a runbook entry, with a command that the command line has, and that the page of metrics lists each metric.

use std::collections::BTreeSet;

use taxonomy_runtime::Metric;

use crate::template::{read, template};

/// The parts of an entry, in order.
const PARTS: [&str; 3] = ["- **Meaning**: ", "- **Look at**: ", "- **Mend**: "];

/// Returns the sections of an alarm: its name and its text.
fn entries(page: &str) -> Vec<(&str, &str)> {
    let sections = page.split("\n### ").skip(1);
    let sections = sections.map(|section| section.split("\n## ").next().unwrap());
    let entries = sections.filter_map(|section| section.split_once('\n'));
    entries.filter(|(name, _)| name.ends_with("Alarm")).collect()
}

fn alarms() -> BTreeSet<String> {
    let template = template();
    let resources = template["Resources"].as_mapping().unwrap().iter();
    let alarms =
        resources.filter(|(_, resource)| resource["Type"].as_str() == Some("AWS::CloudWatch::Alarm"));
    alarms
        .map(|(name, _)| name.as_str().unwrap().to_owned())
        .collect()
}

/// Returns the faults of a runbook.
fn faults(page: &str, alarms: &BTreeSet<String>) -> Vec<String> {
    let entries = entries(page);
    let mut faults = Vec::new();
    let named: BTreeSet<String> = entries.iter().map(|(name, _)| (*name).to_owned()).collect();
    faults.extend(
        alarms
            .difference(&named)
            .map(|name| format!("{name} has no entry")),
    );
    faults.extend(named.difference(alarms).map(|name| format!("{name} is no alarm")));
    for (name, text) in entries {
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        if lines.len() != PARTS.len() || !lines.iter().zip(PARTS).all(|(line, part)| line.starts_with(part)) {
            faults.push(format!("{name} has other parts than meaning, look at and mend"));
        } else if !lines[2].contains("`taxonomy ") && !lines[2].contains("](#") {
            faults.push(format!("{name}: mending names no command"));
        }
    }
    faults
}

#[test]
fn each_alarm_has_an_entry_that_says_what_mends_it() {
    let page = read("docs/runbook.md");
    assert_eq!(faults(&page, &alarms()), Vec::<String>::new());
}

#[test]
fn a_missing_entry_one_too_many_and_one_without_a_command_are_faults() {
    let page = read("docs/runbook.md");
    let mut more = alarms();
    more.insert("NewAlarm".to_owned());
    assert_eq!(faults(&page, &more), ["NewAlarm has no entry"]);
    let mut fewer = alarms();
    fewer.remove("ParkedAlarm");
    assert_eq!(faults(&page, &fewer), ["ParkedAlarm is no alarm"]);
    let entry = "\n### AAlarm\n\n- **Meaning**: a.\n- **Look at**: b.\n- **Mend**: wait.\n";
    let one = BTreeSet::from(["AAlarm".to_owned()]);
    assert_eq!(faults(entry, &one), ["AAlarm: mending names no command"]);
    let entry = "\n### AAlarm\n\n- **Meaning**: a.\n- **Mend**: `taxonomy audit acme`.\n";
    assert_eq!(
        faults(entry, &one),
        ["AAlarm has other parts than meaning, look at and mend"]
    );
}

/// Returns the cells of the first two columns of the table under a heading.
fn rows<'a>(page: &'a str, heading: &str) -> Vec<(&'a str, &'a str)> {
    let section = page.split_once(heading).unwrap().1.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let mut cells = row.split('|').skip(1).map(str::trim);
        (cells.next().unwrap().trim_matches('`'), cells.next().unwrap())
    })
    .collect()
}

#[test]
fn the_page_of_metrics_has_each_metric_with_its_unit() {
    let page = read("docs/metrics.md");
    let listed: BTreeSet<_> = rows(&page, "## Of the service").into_iter().collect();
    let published: BTreeSet<_> = Metric::ALL
        .iter()
        .map(|metric| (metric.name(), metric.unit()))
        .collect();
    assert_eq!(listed, published);
}

#[test]
fn the_page_of_metrics_has_each_saved_query() {
    let page = read("docs/metrics.md");
    let listed: BTreeSet<String> = rows(&page, "## By tenant")
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    let template = template();
    let resources = template["Resources"].as_mapping().unwrap().values();
    let queries =
        resources.filter(|resource| resource["Type"].as_str() == Some("AWS::Logs::QueryDefinition"));
    let saved: BTreeSet<String> = queries
        .map(|query| {
            let name = query["Properties"]["Name"].as_str().unwrap();
            name.rsplit('/').next().unwrap().to_owned()
        })
        .collect();
    assert_eq!(listed, saved);
}
