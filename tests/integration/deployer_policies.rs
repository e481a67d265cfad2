//! The policies of `docs/deploying/policies`: of the principal that deploys, and of the stack against replacements; and the roles' boundary.

use std::collections::BTreeSet;

use taxonomy_testkit::iam::{API_ID, Access, Policy, Principal, matches};
use taxonomy_tests::prelude::*;

use crate::template::{POLICIES, of_type, properties, read, yaml};

/// The most characters of a managed policy without white space (IAM and STS quotas).
const MOST_CHARACTERS: usize = 6144;

fn policy(name: &str) -> Value {
    serde_json::from_str(&read(&format!("docs/deploying/policies/{name}.json"))).unwrap()
}

fn values(policy: &Value, member: &str) -> Vec<String> {
    let statements = policy["Statement"].as_array().unwrap().iter();
    let values = statements.flat_map(|statement| match &statement[member] {
        Value::Array(values) => values.clone(),
        Value::Null => Vec::new(),
        value => vec![value.clone()],
    });
    values.map(|value| value.as_str().unwrap().to_owned()).collect()
}

/// `make rehearse` compares the policies with the permissions that AWS's schemas name for each type of the template.
#[test]
fn the_policies_of_the_principal_that_deploys_fit_and_never_delete_the_table() {
    for name in ["deployer", "deployer-options"] {
        let policy = policy(name);
        let deletes = |pattern: &String| matches(pattern, "dynamodb:DeleteTable");
        assert!(!values(&policy, "Action").iter().any(deletes), "{name}");
        let filled = policy.to_string();
        let filled = filled
            .replace("REGION", "ap-southeast-1")
            .replace("STACK", "twenty-characters-is")
            .replace("ACCOUNT", "123456789012");
        let characters = filled.chars().filter(|found| !found.is_whitespace()).count();
        assert!(characters <= MOST_CHARACTERS, "{name}: {characters}");
    }
}

/// `make rehearse` has an evaluator of its own, which needs no build; `tests/rehearsal/test_offline.py` reads the same table.
#[test]
fn both_evaluators_of_policies_agree() {
    let rows: Vec<Value> = serde_json::from_str(&read("tests/rehearsal/decisions.json")).unwrap();
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    for row in rows {
        let policy = match text(&row, "policy").as_str() {
            name if name.starts_with("deployer") => Policy::new(&policy(name)),
            name => POLICIES.policy(name),
        };
        let api = format!("arn:aws:execute-api:eu-west-1:123456789012:{API_ID}");
        let resource = text(&row, "resource").replace("{api}", &api);
        let context = row["context"].as_object().into_iter().flatten();
        let access = context.fold(
            Access::new(&text(&row, "action"), resource),
            |access, (key, value)| access.with(key, [value.as_str().unwrap().to_owned()]),
        );
        let principal = Principal::tagged(row["tenant"].as_str());
        assert_eq!(
            Some(policy.allows(principal, &access)),
            row["allowed"].as_bool(),
            "{row}"
        );
    }
}

#[test]
fn the_policy_of_the_stack_guards_all_that_has_data_messages_or_an_address() {
    let guarded: BTreeSet<String> = values(&policy("stack-policy"), "Resource")
        .iter()
        .filter_map(|resource| resource.strip_prefix("LogicalResourceId/"))
        .map(str::to_owned)
        .collect();
    let types = [
        "AWS::DynamoDB::Table",
        "AWS::S3::Bucket",
        "AWS::SQS::Queue",
        "AWS::SNS::Topic",
        "AWS::ApiGatewayV2::Api",
    ];
    assert_eq!(guarded, types.into_iter().flat_map(of_type).collect());
}

/// Without names of their own, `CAPABILITY_IAM` is enough. An account that demands a boundary denies a role without one.
#[test]
fn roles_and_policies_have_no_names_and_each_role_the_boundary() {
    let (roles, policies) = (of_type("AWS::IAM::Role"), of_type("AWS::IAM::ManagedPolicy"));
    let boundary = yaml("[HasBoundary, PermissionsBoundaryArn, AWS::NoValue]");
    for name in roles.iter().chain(&policies) {
        let properties = properties(name);
        for absent in ["RoleName", "ManagedPolicyName"] {
            assert!(properties[absent].is_null(), "{name}");
        }
        if roles.contains(name) {
            assert_eq!(properties["PermissionsBoundary"], boundary, "{name}");
        }
    }
    assert_eq!(roles.len(), 7);
}
