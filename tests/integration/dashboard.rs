//! Tests of the dashboard: it is valid, shows every metric of the service and every alarm, and names only resources that exist.

use std::collections::{BTreeMap, BTreeSet};

use taxonomy_tests::prelude::*;

use crate::template::{of_type, properties, resources_of};

/// Returns the body, each `${..}` unchanged, with the conditional parts filled in.
fn body() -> Value {
    let parts = properties("Dashboard")["DashboardBody"].as_sequence().unwrap();
    let mut text = parts[0].as_str().unwrap().to_owned();
    for (name, choice) in parts[1].as_mapping().unwrap() {
        // Of `!If [condition, text, '']`, the text.
        let part = choice[1].as_str().unwrap();
        text = text.replace(&format!("${{{}}}", name.as_str().unwrap()), part);
    }
    serde_json::from_str(&text).unwrap()
}

fn widgets() -> Vec<Value> {
    body()["widgets"].as_array().unwrap().clone()
}

/// Returns each metric of each widget: namespace, name, and its dimensions.
fn metrics() -> Vec<(String, String, BTreeMap<String, String>)> {
    let widgets = widgets();
    let lines = widgets
        .iter()
        .filter_map(|widget| widget["properties"]["metrics"].as_array());
    lines
        .flatten()
        .map(|line| {
            let texts: Vec<String> = line
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|part| part.as_str().map(str::to_owned))
                .collect();
            let dimensions = texts[2..]
                .chunks(2)
                .map(|pair| (pair[0].clone(), pair[1].clone()));
            (texts[0].clone(), texts[1].clone(), dimensions.collect())
        })
        .collect()
}

#[test]
fn the_dashboard_shows_every_metric_of_the_service() {
    let shown: BTreeSet<String> = metrics()
        .into_iter()
        .filter(|(namespace, ..)| namespace == "Taxonomy")
        .map(|(_, name, _)| name)
        .collect();
    let published: BTreeSet<String> = Metric::ALL.map(Metric::name).into();
    assert_eq!(shown, published);
}

#[test]
fn the_dashboard_shows_every_alarm() {
    let widgets = widgets();
    let alarms = widgets.iter().filter(|widget| widget["type"] == "alarm");
    let shown: Vec<String> = alarms
        .flat_map(|widget| widget["properties"]["alarms"].as_array().unwrap())
        .map(|arn| arn.as_str().unwrap().to_owned())
        .collect();
    let expect: BTreeSet<String> = of_type("AWS::CloudWatch::Alarm")
        .iter()
        .map(|name| format!("${{{name}.Arn}}"))
        .collect();
    assert_eq!(shown.iter().cloned().collect::<BTreeSet<_>>(), expect);
    assert_eq!(shown.len(), expect.len());
}

/// A name that no resource has would be an empty graph.
#[test]
fn each_dimension_is_that_of_a_resource() {
    let functions = resources_of("AWS::Serverless::Function");
    let functions = functions.map(|(_, function)| function["FunctionName"].as_str().unwrap());
    let functions: BTreeSet<&str> = functions.collect();
    let queues = of_type("AWS::SQS::Queue");
    for (namespace, metric, dimensions) in metrics() {
        for (name, value) in dimensions {
            let exists = match name.as_str() {
                "Function" | "FunctionName" => functions.contains(&*value),
                "TableName" => value == "${TableInUse.Value}",
                "GlobalSecondaryIndexName" => value == "GSI1",
                "ApiId" => value == "${HttpApi}",
                "QueueName" => {
                    let queue = value.trim_start_matches("${").trim_end_matches(".QueueName}");
                    queues.contains(queue)
                }
                "Operation" => [
                    "GetItem",
                    "BatchGetItem",
                    "Query",
                    "PutItem",
                    "UpdateItem",
                    "TransactWriteItems",
                ]
                .contains(&value.as_str()),
                _ => false,
            };
            assert!(exists, "{namespace} {metric}: {name} {value}");
        }
    }
}
