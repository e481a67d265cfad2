//! Tests of the dashboard: it is valid, shows every metric of the service and every alarm, and names only resources that exist.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use taxonomy_runtime::Metric;

use crate::template::template;

/// CloudWatch's grid has 24 columns.
const COLUMNS: u64 = 24;

/// Returns the body, each `${..}` unchanged, with the conditional parts filled in.
fn body() -> Value {
    let template = template();
    let parts = template["Resources"]["Dashboard"]["Properties"]["DashboardBody"]
        .as_sequence()
        .unwrap();
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

fn of_type(kind: &str) -> BTreeSet<String> {
    let template = template();
    let resources = template["Resources"].as_mapping().unwrap().iter();
    resources
        .filter(|(_, resource)| resource["Type"].as_str() == Some(kind))
        .map(|(name, _)| name.as_str().unwrap().to_owned())
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

/// Who looks at the dashboard for an alarm on a function finds the metric that made it fire.
#[test]
fn the_dashboard_shows_what_the_alarms_on_functions_watch() {
    let template = template();
    let shown: BTreeSet<(String, String)> = metrics()
        .into_iter()
        .filter(|(namespace, ..)| namespace == "AWS/Lambda")
        .map(|(_, metric, dimensions)| (metric, dimensions["FunctionName"].clone()))
        .collect();
    let mut watched = 0;
    for alarm in of_type("AWS::CloudWatch::Alarm") {
        let properties = &template["Resources"][alarm.as_str()]["Properties"];
        let dimension = &properties["Dimensions"][0];
        if dimension["Name"].as_str() == Some("FunctionName")
            && properties["Namespace"].as_str() == Some("AWS/Lambda")
        {
            let function = &template["Resources"][dimension["Value"].as_str().unwrap()]["Properties"];
            let name = function["FunctionName"].as_str().unwrap().to_owned();
            let metric = properties["MetricName"].as_str().unwrap().to_owned();
            assert!(shown.contains(&(metric, name)), "{alarm}");
            watched += 1;
        }
    }
    assert!(watched > 5, "{watched}");
}

/// A name that no resource has would be an empty graph.
#[test]
fn each_dimension_is_that_of_a_resource() {
    let template = template();
    let functions: BTreeSet<String> = of_type("AWS::Serverless::Function")
        .iter()
        .map(|name| {
            template["Resources"][name.as_str()]["Properties"]["FunctionName"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let queues = of_type("AWS::SQS::Queue");
    for (namespace, metric, dimensions) in metrics() {
        for (name, value) in dimensions {
            let exists = match name.as_str() {
                "Function" | "FunctionName" => functions.contains(&value),
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

#[test]
fn the_widgets_fill_the_grid_without_overlapping() {
    let mut taken = BTreeSet::new();
    for widget in widgets() {
        let number = |name: &str| widget[name].as_u64().unwrap();
        assert!(number("x") + number("width") <= COLUMNS, "{widget}");
        for column in number("x")..number("x") + number("width") {
            for row in number("y")..number("y") + number("height") {
                assert!(taken.insert((column, row)), "{widget}");
            }
        }
    }
    let rows = taken.iter().map(|(_, row)| row + 1).max().unwrap();
    assert_eq!(taken.len() as u64, COLUMNS * rows, "a gap");
}

#[test]
fn each_graph_names_its_statistic_and_its_period() {
    for widget in widgets() {
        let properties = &widget["properties"];
        match widget["type"].as_str().unwrap() {
            "metric" => {
                assert!(properties["stat"].is_string(), "{widget}");
                assert!(
                    [60, 300].contains(&properties["period"].as_u64().unwrap()),
                    "{widget}"
                );
                assert_eq!(properties["region"], "${AWS::Region}", "{widget}");
            }
            "log" => assert!(
                properties["query"]
                    .as_str()
                    .unwrap()
                    .starts_with("SOURCE '/aws/lambda/${AWS::StackName}-"),
                "{widget}"
            ),
            "text" => assert!(properties["markdown"].is_string(), "{widget}"),
            "alarm" => {}
            other => panic!("{other}: {widget}"),
        }
    }
}
