//! `template.yaml` around the lookup: its alarms, its concurrency, and the stage that callers' policies name.

use std::collections::BTreeMap;

use serde_yaml_ng::Value;

use crate::template::{properties, read, template};

/// The alarm on this metric: its dimensions by name.
fn alarm_on(template: &Value, namespace: &str, metric: &str, resource: &str) -> BTreeMap<String, String> {
    let alarm = properties(template, resource);
    assert_eq!(
        (alarm["Namespace"].as_str(), alarm["MetricName"].as_str()),
        (Some(namespace), Some(metric)),
        "{resource}"
    );
    assert_eq!(alarm["Threshold"].as_i64(), Some(0), "{resource}");
    assert_eq!(
        alarm["ComparisonOperator"].as_str(),
        Some("GreaterThanThreshold"),
        "{resource}"
    );
    let dimensions = alarm["Dimensions"].as_sequence().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    dimensions
        .map(|dimension| (text(&dimension["Name"]), text(&dimension["Value"])))
        .collect()
}

#[test]
fn throttled_lookups_raise_an_alarm_wherever_they_are_throttled() {
    let template = template();
    let pairs = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        let owned = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        owned.collect()
    };
    assert_eq!(
        alarm_on(&template, "AWS/Lambda", "Throttles", "LookupThrottlesAlarm"),
        pairs(&[("FunctionName", "Lookup")])
    );
    let reads = |resource| alarm_on(&template, "AWS/DynamoDB", "ReadThrottleEvents", resource);
    assert_eq!(reads("TableReadThrottlesAlarm"), pairs(&[("TableName", "Table")]));
    let index = properties(&template, "Table")["GlobalSecondaryIndexes"][0]["IndexName"].clone();
    assert_eq!(
        reads("IndexReadThrottlesAlarm"),
        pairs(&[
            ("GlobalSecondaryIndexName", index.as_str().unwrap()),
            ("TableName", "Table")
        ])
    );
}

/// A reserve is a ceiling as well, so it is off by default.
#[test]
fn the_lookup_reserves_concurrency_only_where_it_is_asked_to() {
    let template = template();
    let parameter = &template["Parameters"]["LookupConcurrency"];
    assert_eq!(
        (parameter["Default"].as_i64(), parameter["MinValue"].as_i64()),
        (Some(0), Some(0))
    );
    let description = parameter["Description"].as_str().unwrap();
    assert!(description.contains("ceiling"), "{description}");
    let reserve = &properties(&template, "Lookup")["ReservedConcurrentExecutions"];
    let expect: Value = serde_yaml_ng::from_str("[LimitsLookup, LookupConcurrency, AWS::NoValue]").unwrap();
    assert_eq!(*reserve, expect);
    let condition: Value = serde_yaml_ng::from_str("[[LookupConcurrency, 0]]").unwrap();
    assert_eq!(template["Conditions"]["LimitsLookup"], condition);
}

/// The documented policy allows what the gateway's ARNs begin with.
#[test]
fn the_policies_of_callers_name_the_stage_that_is_deployed() {
    let stage = properties(&template(), "HttpStage")["StageName"].clone();
    let page = read("docs/operations.md");
    let (_, policy) = page.split_once("**Who may call**").unwrap();
    let policy = policy.split("```").nth(1).unwrap();
    let resources = policy.matches("execute-api:REGION").count();
    let stages = policy
        .matches(&format!(":API/{}/", stage.as_str().unwrap()))
        .count();
    assert_eq!((resources, stages), (3, 3));
}
