//! Tests that the guide to deployments agrees with the template, the formats and the command line: names, tables, commands and policies.

mod page;
mod policies;
mod tables;

use std::collections::BTreeSet;

use serde_yaml_ng::Value;

use crate::template::{read, template};
use page::Page;
use tables::{kept, names, of_types, parameters, policy_outputs, roles, statements, text};

const GUIDE: &str = "docs/deploying/guide.md";

/// Names that the guide takes from elsewhere: words of CloudFormation, an error, attributes of the head, parameters of the release's template.
const OTHERS: [&str; 17] = [
    "AggregatorKey",
    "CodeBucket",
    "DeletionPolicy",
    "DeletionProtectionEnabled",
    "Format",
    "IndexFormat",
    "LookupKey",
    "NewerFormat",
    "PagesKey",
    "PermissionsBoundary",
    "ProjectorKey",
    "Replacement",
    "Retain",
    "RetainExceptOnCreate",
    "True",
    "UpdateReplacePolicy",
    "UsePreviousValue",
];

/// Finds names in code style that nothing defines, and assignments to other names than parameters.
fn unknown_names(page: &Page, template: &Value) -> Vec<String> {
    let parameters = names(template, "Parameters");
    let mut known = parameters.clone();
    known.extend(names(template, "Outputs"));
    known.extend(names(template, "Resources"));
    known.extend(statements(&template["Resources"]));
    known.extend(policies::sids());
    for parameter in template["Parameters"].as_mapping().unwrap().values() {
        let allowed = parameter["AllowedValues"].as_sequence().into_iter().flatten();
        known.extend(allowed.map(text));
    }
    let used = page.names();
    let others: BTreeSet<String> = OTHERS.iter().map(|name| (*name).to_owned()).collect();
    let mut faults: Vec<String> = others
        .difference(&used)
        .map(|name| format!("{name} is not used"))
        .collect();
    known.extend(others);
    faults.extend(used.difference(&known).map(|name| format!("{name} is unknown")));
    let assigned = page.assigned();
    faults.extend(assigned.difference(&parameters).filter_map(|name| {
        let is_other = OTHERS.contains(&name.as_str());
        (!is_other).then(|| format!("{name} is no parameter"))
    }));
    faults
}

/// Finds commands and flags that the command line does not have.
fn commands(page: &Page) -> Vec<String> {
    let (commands, flags) = (page::commands(), page::flags());
    let mut faults = Vec::new();
    for line in page.commands() {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let command = match words.as_slice() {
            ["tenant", action, ..] => format!("tenant-{action}"),
            [command, ..] => (*command).to_owned(),
            [] => continue,
        };
        if !commands.contains(&command) {
            faults.push(format!("there is no command: {line}"));
        }
        let given = words.iter().filter_map(|word| word.strip_prefix("--"));
        faults.extend(
            given
                .filter(|flag| !flags.contains(*flag))
                .map(|flag| format!("there is no flag --{flag}: {line}")),
        );
    }
    faults
}

fn faults(page: &Page, template: &Value) -> Vec<String> {
    [
        unknown_names(page, template),
        parameters(page, template),
        kept(page, template),
        roles(page, template),
        policy_outputs(page, template),
        commands(page),
    ]
    .concat()
}

#[test]
fn the_guide_is_that_of_the_template() {
    let page = Page::new(&read(GUIDE));
    assert_eq!(faults(&page, &template()), Vec::<String>::new());
    assert!(page.commands().len() >= 20, "{:?}", page.commands());
}

/// Each mistake is one change of the guide, and makes exactly the fault that names it.
#[test]
fn mistakes_of_the_guide_are_faults() {
    let guide = read(GUIDE);
    let check = |old: &str, new: &str, expected: &str| {
        assert!(guide.contains(old), "{old}");
        let found = faults(&Page::new(&guide.replacen(old, new, 1)), &template());
        assert!(found.iter().any(|fault| fault == expected), "{old}: {found:?}");
    };
    check(
        "| `MaxFileBytes` |",
        "| `MaxBytes` |",
        "parameter MaxFileBytes is missing",
    );
    check(
        "`134217728`",
        "`134217729`",
        "MaxFileBytes is 134217728, not 134217729",
    );
    check(
        "among others `ApiUrl`",
        "among others `ApiAddress`",
        "ApiAddress is unknown",
    );
    check(
        "LogRetentionDays=7",
        "RetentionDays=7",
        "RetentionDays is no parameter",
    );
    check(
        "| `FailuresBucket` | `Retain",
        "| `RetryQueue` | `Retain",
        "kept resource `RetryQueue` `RetainExceptOnCreate` `Retain` is too many",
    );
    check(
        "| `PagesRole` |",
        "| `ProjectorRole` |",
        "role PagesRole is missing",
    );
    check(
        "`Invalidate`, `KeepFailures`",
        "`KeepFailures`",
        "CachesRole: statement Invalidate is missing",
    );
    check(
        "| `PurgeRoleArn` |",
        "| `ApiUrl` |",
        "output PurgeRoleArn is missing",
    );
    check(
        "`taxonomy redrive parked`",
        "`taxonomy retry parked`",
        "there is no command: taxonomy retry parked",
    );
    check(
        "--against empty`",
        "--than empty`",
        "there is no flag --than: taxonomy plan FILE --than empty",
    );
}

/// Changes of the template that the guide does not follow are faults.
#[test]
fn a_changed_template_is_a_fault() {
    let page = Page::new(&read(GUIDE));
    let check = |path: &[&str], value: &str, expected: &str| {
        let mut changed = template();
        let place = path.iter().fold(&mut changed, |value, name| &mut value[*name]);
        *place = serde_yaml_ng::from_str(value).unwrap();
        let found = faults(&page, &changed);
        assert!(found.iter().any(|fault| fault == expected), "{path:?}: {found:?}");
    };
    check(
        &["Parameters", "NewOne"],
        "{Default: a}",
        "parameter NewOne is missing",
    );
    check(
        &["Parameters", "AuthMode", "Default"],
        "jwt",
        "AuthMode is jwt, not iam",
    );
    check(
        &["Resources", "RetryQueue", "DeletionPolicy"],
        "Retain",
        "kept resource `RetryQueue` `Retain` `none` is missing",
    );
    check(
        &["Resources", "NewRole"],
        "{Type: 'AWS::IAM::Role'}",
        "role NewRole is missing",
    );
    check(
        &["Resources", "PagesRole", "Properties", "Policies"],
        "[{Sid: Log}, {Sid: More}]",
        "PagesRole: statement More is missing",
    );
    check(
        &["Outputs", "AuditorPolicyArn"],
        "{Value: a}",
        "output AuditorPolicyArn is missing",
    );
}

#[test]
fn the_guide_counts_and_numbers_as_the_project_does() {
    let page = read(GUIDE);
    let template = template();
    let count = |kind: &str| of_types(&template, &[kind]).len();
    let alarms = of_types(&template, &["AWS::CloudWatch::Alarm"]);
    let always = alarms
        .iter()
        .filter(|name| template["Resources"][name.as_str()]["Condition"].is_null());
    let counted = format!(
        "{} buckets, {} queues, {} alarms ({} without caches and pages), {} saved queries",
        count("AWS::S3::Bucket"),
        count("AWS::SQS::Queue"),
        alarms.len(),
        always.count(),
        count("AWS::Logs::QueryDefinition"),
    );
    assert!(page.contains(&counted), "{counted}");
    for (format, number) in [
        (
            "projection: items from a taxonomy",
            taxonomy_model::PROJECTION_FORMAT,
        ),
        ("index files and search objects", taxonomy_index::INDEX_FORMAT),
        ("changesets", taxonomy_model::changeset::FORMAT_VERSION),
        ("snapshots", taxonomy_model::snapshot::FORMAT_VERSION),
    ] {
        assert!(page.contains(&format!("| {format} | {number} |")), "{format}");
    }
}
