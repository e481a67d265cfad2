//! The tables of the guide, each compared with the part of the template that it lists.

use std::collections::{BTreeMap, BTreeSet};

use serde_yaml_ng::Value;

use super::page::{Page, spans};

/// Returns the names in a section of the template.
pub(super) fn names(template: &Value, section: &str) -> BTreeSet<String> {
    let names = template[section].as_mapping().unwrap().keys();
    names.map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// Returns the resources of one of these types.
pub(super) fn of_types(template: &Value, types: &[&str]) -> BTreeSet<String> {
    let resources = template["Resources"].as_mapping().unwrap().iter();
    resources
        .filter(|(_, resource)| types.contains(&resource["Type"].as_str().unwrap()))
        .map(|(name, _)| name.as_str().unwrap().to_owned())
        .collect()
}

/// Returns a value as a text; an empty one as two quotation marks.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        value => match value.as_str().unwrap() {
            "" => "''".to_owned(),
            text => text.to_owned(),
        },
    }
}

/// Returns the names of all statements inside a value, such as those of a role.
pub(super) fn statements(value: &Value) -> BTreeSet<String> {
    match value {
        Value::Sequence(values) => values.iter().flat_map(statements).collect(),
        Value::Mapping(map) => {
            let own = value.get("Sid").map(text);
            own.into_iter().chain(map.values().flat_map(statements)).collect()
        }
        _ => BTreeSet::new(),
    }
}

fn difference(what: &str, guide: &BTreeSet<String>, real: &BTreeSet<String>, faults: &mut Vec<String>) {
    faults.extend(
        real.difference(guide)
            .map(|name| format!("{what} {name} is missing")),
    );
    faults.extend(
        guide
            .difference(real)
            .map(|name| format!("{what} {name} is too many")),
    );
}

/// Compares the table of decisions with the parameters and their defaults.
pub(super) fn parameters(page: &Page, template: &Value) -> Vec<String> {
    let mut listed = BTreeMap::new();
    let mut faults = Vec::new();
    for row in page.rows("### Decisions") {
        let (names, defaults) = (spans(&row[0]), spans(&row[1]));
        if names.len() != defaults.len() {
            faults.push(format!("{names:?} have {} defaults", defaults.len()));
        }
        listed.extend(names.into_iter().zip(defaults));
    }
    let named = listed.keys().cloned().collect();
    difference("parameter", &named, &names(template, "Parameters"), &mut faults);
    for (name, default) in listed {
        let real = &template["Parameters"][name.as_str()]["Default"];
        if !real.is_null() && text(real) != default {
            faults.push(format!("{name} is {}, not {default}", text(real)));
        }
    }
    faults
}

/// Compares the table of what a removed stack leaves with the policies of the resources.
pub(super) fn kept(page: &Page, template: &Value) -> Vec<String> {
    let listed: BTreeSet<String> = page
        .rows("## Removal")
        .iter()
        .map(|row| format!("{} {} {}", row[0], row[1], row[2]))
        .collect();
    let resources = template["Resources"].as_mapping().unwrap().iter();
    let real = resources.filter(|(_, resource)| !resource["DeletionPolicy"].is_null());
    let real = real.map(|(name, resource)| {
        let policy = |kind: &str| resource[kind].as_str().unwrap_or("none");
        let (deletion, replacement) = (policy("DeletionPolicy"), policy("UpdateReplacePolicy"));
        format!("`{}` `{deletion}` `{replacement}`", name.as_str().unwrap())
    });
    let mut faults = Vec::new();
    difference("kept resource", &listed, &real.collect(), &mut faults);
    faults
}

/// Compares the table of roles with the roles and the names of their statements.
pub(super) fn roles(page: &Page, template: &Value) -> Vec<String> {
    let rows = page.rows("### Roles of the stack");
    let listed: BTreeMap<String, BTreeSet<String>> = rows
        .iter()
        .map(|row| {
            (
                row[0].trim_matches('`').to_owned(),
                spans(&row[2]).into_iter().collect(),
            )
        })
        .collect();
    let mut faults = Vec::new();
    let real = of_types(template, &["AWS::IAM::Role"]);
    difference("role", &listed.keys().cloned().collect(), &real, &mut faults);
    for (role, sids) in &listed {
        let real = statements(&template["Resources"][role.as_str()]["Properties"]["Policies"]);
        difference(&format!("{role}: statement"), sids, &real, &mut faults);
    }
    faults
}

/// Compares the table of policies with the outputs that are policies or roles.
pub(super) fn policy_outputs(page: &Page, template: &Value) -> Vec<String> {
    let rows = page.rows("### Uploaders, consumers, operators and purges");
    let listed = rows.iter().flat_map(|row| spans(&row[0])).collect();
    let mut real = names(template, "Outputs");
    real.retain(|name| name.ends_with("PolicyArn") || name.ends_with("RoleArn"));
    let mut faults = Vec::new();
    difference("output", &listed, &real, &mut faults);
    faults
}
