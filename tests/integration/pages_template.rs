//! Tests of `template.yaml` for the pages: their routes, their permissions, and that a stack without them has none of their resources.

use std::collections::BTreeSet;

use regex_lite::Regex;
use serde_yaml_ng::Value;

use crate::access_rules::routes_to;
use crate::template::{properties, resources, template, texts, yaml};

/// Returns the resources under this condition.
fn under(condition: &str) -> BTreeSet<&'static str> {
    let conditional = resources().filter(|(_, resource)| resource["Condition"].as_str() == Some(condition));
    conditional.map(|(name, _)| name).collect()
}

/// Collects all names that a part of the template refers to, by `Ref`, `GetAtt` or `Sub`, and its texts.
fn words(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let names = Regex::new("[A-Za-z]+").unwrap();
            found.extend(names.find_iter(text).map(|name| name.as_str().to_owned()));
        }
        // A choice by the condition: what it names is there where it is named.
        Value::Sequence(values) if values.first().and_then(Value::as_str) == Some("HasPages") => {}
        Value::Sequence(values) => values.iter().for_each(|value| words(value, found)),
        Value::Mapping(map) => map.values().for_each(|value| words(value, found)),
        _ => {}
    }
}

#[test]
fn everybody_may_ask_for_the_pages_and_for_nothing_else_by_their_routes() {
    let expect = ["GET", "HEAD"].into_iter().flat_map(|method| {
        ["/explore", "/explore/{proxy+}", "/docs", "/docs/{proxy+}"].map(|path| format!("{method} {path}"))
    });
    assert_eq!(routes_to("PagesIntegration"), expect.collect());
    let routes = under("HasPages")
        .into_iter()
        .filter(|name| name.starts_with("Route"));
    let mut seen = 0;
    for name in routes {
        let route = properties(name);
        assert_eq!(
            (route["AuthorizationType"].as_str(), &route["AuthorizerId"]),
            (Some("NONE"), &Value::Null),
            "{name}"
        );
        seen += 1;
    }
    assert_eq!(seen, 8);
    let integration = properties("PagesIntegration");
    assert_eq!(integration["IntegrationUri"].as_str(), Some("PagesFunction.Arn"));
    assert_eq!(integration["PayloadFormatVersion"].as_str(), Some("2.0"));
}

/// The pages do not weaken the authorisation of the API's routes.
#[test]
fn no_route_of_the_api_leads_to_the_pages() {
    for (name, resource) in resources() {
        let key = resource["Properties"]["RouteKey"].as_str().unwrap_or_default();
        if key.contains(" /v1/") {
            assert_eq!(
                resource["Properties"]["Target"].as_str(),
                Some("integrations/${HttpIntegration}"),
                "{name}"
            );
            assert_eq!(resource["Condition"], Value::Null, "{name}");
        }
    }
}

#[test]
fn the_function_may_write_its_log_and_nothing_else() {
    let role = properties("PagesRole");
    // With a key of the account it reads its variables by that.
    assert_eq!(
        role["ManagedPolicyArns"],
        yaml("[HasKey, [KeyPolicy], AWS::NoValue]")
    );
    let [policy] = role["Policies"].as_sequence().unwrap().as_slice() else {
        panic!("one policy: {role:?}");
    };
    let [statement] = policy["PolicyDocument"]["Statement"]
        .as_sequence()
        .unwrap()
        .as_slice()
    else {
        panic!("one statement: {policy:?}");
    };
    let actions = ["logs:CreateLogStream", "logs:PutLogEvents"].map(str::to_owned);
    assert_eq!(texts(&statement["Action"]), actions.into());
    assert_eq!(texts(&statement["Resource"]), ["PagesLogs.Arn".to_owned()].into());
    let function = properties("PagesFunction");
    assert_eq!(function["Role"].as_str(), Some("PagesRole.Arn"));
    // Active tracing would need a permission.
    assert_eq!(function["Tracing"].as_str(), Some("PassThrough"));
    assert_eq!(
        (function["MemorySize"].as_u64(), function["Timeout"].as_u64()),
        (Some(128), Some(5))
    );
    let mut named = BTreeSet::new();
    words(function, &mut named);
    for word in [
        "Table",
        "TableInUse",
        "SourceBucket",
        "ChangesetsBucket",
        "DownloadQueue",
    ] {
        assert!(!named.contains(word), "{word}");
    }
}

/// A resource or an output that names one of another condition would fail to deploy where that one is absent.
#[test]
fn a_stack_without_pages_has_nothing_of_them() {
    let template = template();
    assert_eq!(template["Parameters"]["Pages"]["Default"].as_str(), Some("false"));
    assert_eq!(template["Conditions"]["HasPages"], yaml("[Pages, 'true']"));
    let theirs = under("HasPages");
    for name in [
        "PagesFunction",
        "PagesLogs",
        "PagesRole",
        "PagesIntegration",
        "HttpMayInvokePages",
        "PagesErrorsAlarm",
    ] {
        assert!(theirs.contains(name), "{name}");
    }
    assert_eq!(theirs.len(), 6 + 8, "{theirs:?}");
    for section in ["Resources", "Outputs"] {
        for (name, part) in template[section].as_mapping().unwrap() {
            let name = name.as_str().unwrap();
            let mut named = BTreeSet::new();
            words(part, &mut named);
            let names_one = named.iter().any(|word| theirs.contains(&**word));
            if names_one || name.contains("Pages") || name.contains("Explore") {
                assert_eq!(part["Condition"].as_str(), Some("HasPages"), "{section}: {name}");
            }
        }
    }
}

#[test]
fn the_address_of_the_explorer_is_an_output() {
    let template = template();
    let output = &template["Outputs"]["ExplorerUrl"];
    let addresses = ["https://${DomainName}/explore", "${HttpApi.ApiEndpoint}/explore"].map(Some);
    let value = output["Value"].as_sequence().unwrap();
    assert_eq!(value[0].as_str(), Some("HasDomain"));
    assert_eq!([value[1].as_str(), value[2].as_str()], addresses);
    assert_eq!(output["Condition"].as_str(), Some("HasPages"));
}
