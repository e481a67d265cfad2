//! Tests of the order of `template.yaml` (docs/decisions/0036-template.md): the core first, and every resource under its heading.

use std::collections::BTreeSet;

use crate::template::{read, template};

/// The largest number of lines of the file, and of its core, which a newcomer reads.
const LINES: usize = 3_834;
const CORE_LINES: usize = 600;

/// The types of the core: what a file passes on its way to an answer, and what connects it. The first four are nowhere else.
const CORE_TYPES: [&str; 14] = [
    "AWS::DynamoDB::Table",
    "AWS::S3::Bucket",
    "AWS::SNS::Topic",
    "AWS::ApiGatewayV2::Api",
    "AWS::SSM::Parameter",
    "AWS::S3::BucketPolicy",
    "AWS::SNS::TopicPolicy",
    "AWS::SNS::Subscription",
    "AWS::Serverless::Function",
    "AWS::Lambda::Permission",
    "AWS::Lambda::EventSourceMapping",
    "AWS::ApiGatewayV2::Stage",
    "AWS::ApiGatewayV2::Integration",
    "AWS::ApiGatewayV2::Authorizer",
];

/// A resource with the heading that it stands under.
struct Placed {
    heading: String,
    name: String,
    kind: String,
    line: usize,
}

impl Placed {
    fn is_core(&self) -> bool {
        self.heading.starts_with("CORE: ")
    }
}

/// Returns the resources in the order of the file.
fn resources() -> Vec<Placed> {
    let (text, parsed) = (read("template.yaml"), template());
    let (mut placed, mut heading, mut is_within) = (Vec::new(), "", false);
    for (line, text) in text.lines().enumerate() {
        let name = text.strip_prefix("  ").and_then(|text| text.strip_suffix(':'));
        let name = name.filter(|name| name.chars().all(char::is_alphanumeric));
        if !text.is_empty() && !text.starts_with([' ', '#']) {
            is_within = text == "Resources:";
        }
        if let Some(text) = text.strip_prefix("  # ---") {
            heading = text.trim_start_matches('-').trim();
        } else if let Some(name) = name.filter(|_| is_within) {
            let kind = parsed["Resources"][name]["Type"].as_str().unwrap();
            placed.push(Placed {
                heading: heading.to_owned(),
                name: name.to_owned(),
                kind: kind.to_owned(),
                line,
            });
        }
    }
    let declared = parsed["Resources"].as_mapping().unwrap().keys();
    let declared: Vec<&str> = declared.map(|name| name.as_str().unwrap()).collect();
    let found: Vec<&str> = placed.iter().map(|resource| resource.name.as_str()).collect();
    assert_eq!(found, declared, "each is found in the text");
    placed
}

fn kinds<'r>(resources: impl IntoIterator<Item = &'r Placed>) -> BTreeSet<&'r str> {
    let kinds = resources.into_iter().map(|resource| resource.kind.as_str());
    kinds.collect()
}

#[test]
fn the_core_comes_first_and_has_every_table_bucket_topic_and_api() {
    let resources = resources();
    let is_core = |resource: &&Placed| resource.is_core();
    let core: Vec<&Placed> = resources.iter().take_while(is_core).collect();
    let rest = &resources[core.len()..];
    for resource in rest {
        let (name, heading) = (&resource.name, &resource.heading);
        assert!(!resource.is_core(), "{name} is behind what is no core: {heading}");
        let is_elsewhere = CORE_TYPES[..4].contains(&resource.kind.as_str());
        assert!(!is_elsewhere, "{name} belongs to the core, not under {heading}");
    }
    for resource in &core {
        let is_of_core = CORE_TYPES.contains(&resource.kind.as_str());
        assert!(is_of_core, "{} is no part of the core", resource.name);
    }
    let functions = core
        .iter()
        .filter(|resource| resource.kind == "AWS::Serverless::Function");
    let functions: Vec<&str> = functions.map(|function| function.name.as_str()).collect();
    assert_eq!(functions, ["Projector", "Aggregator", "Lookup"]);
    let lines = rest[0].line - core[0].line;
    assert!(lines <= CORE_LINES, "the core has {lines} lines");
}

#[test]
fn what_people_use_comes_last_each_under_its_heading() {
    let resources = resources();
    let mut headings: Vec<&str> = resources
        .iter()
        .map(|resource| resource.heading.as_str())
        .collect();
    headings.dedup();
    let (policies, others) = (
        "policies of people and pipelines",
        ["alarms", "dashboard", "saved queries"],
    );
    let last = [policies, others[0], others[1], others[2]];
    assert_eq!(headings[headings.len() - last.len()..], last);
    let of = |heading: &str| kinds(resources.iter().filter(|resource| resource.heading == heading));
    assert_eq!(
        of(policies),
        BTreeSet::from(["AWS::IAM::ManagedPolicy", "AWS::IAM::Role"])
    );
    let own = [
        "AWS::CloudWatch::Alarm",
        "AWS::CloudWatch::Dashboard",
        "AWS::Logs::QueryDefinition",
    ];
    for (heading, kind) in others.into_iter().zip(own) {
        assert_eq!(of(heading), BTreeSet::from([kind]), "{heading}");
        let elsewhere = resources.iter().filter(|resource| resource.kind == kind);
        for resource in elsewhere {
            assert_eq!(resource.heading, heading, "{}", resource.name);
        }
    }
}

#[test]
fn a_heading_stands_once() {
    let mut headings: Vec<String> = resources().into_iter().map(|resource| resource.heading).collect();
    headings.dedup();
    let once: BTreeSet<&String> = headings.iter().collect();
    assert_eq!(once.len(), headings.len(), "{headings:?}");
    assert!(headings.iter().all(|heading| !heading.is_empty()));
}

#[test]
fn it_is_no_longer_than_it_was_meant_to_be() {
    let lines = read("template.yaml").lines().count();
    assert!(lines <= LINES, "{lines} lines");
}
