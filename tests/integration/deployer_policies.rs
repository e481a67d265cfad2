//! The policies of `docs/deploying/policies`: of the principal that deploys, for each type of resource, and of the stack against replacements.

use std::collections::BTreeSet;

use serde_json::Value;
use serde_yaml_ng::Value as Yaml;
use taxonomy_testkit::iam::matches;

use crate::template::{read, template};

/// The most characters of a managed policy without white space (IAM and STS quotas).
const MOST_CHARACTERS: usize = 6144;

/// Each type of resource with the actions that make, read and delete one: those of CloudFormation's schema of the type. Nothing deletes the
/// table.
const ACTIONS: [(&str, &str); 27] = [
    (
        "AWS::ApiGatewayV2::Api",
        "apigateway:POST apigateway:GET apigateway:DELETE",
    ),
    (
        "AWS::ApiGatewayV2::Authorizer",
        "apigateway:POST apigateway:PATCH",
    ),
    ("AWS::ApiGatewayV2::Integration", "apigateway:POST apigateway:PUT"),
    ("AWS::ApiGatewayV2::Route", "apigateway:POST apigateway:PATCH"),
    (
        "AWS::ApiGatewayV2::Stage",
        "apigateway:POST apigateway:TagResource logs:CreateLogDelivery",
    ),
    (
        "AWS::ApplicationAutoScaling::ScalableTarget",
        "application-autoscaling:RegisterScalableTarget application-autoscaling:DeregisterScalableTarget iam:CreateServiceLinkedRole",
    ),
    (
        "AWS::ApplicationAutoScaling::ScalingPolicy",
        "application-autoscaling:PutScalingPolicy application-autoscaling:DescribeScalingPolicies",
    ),
    (
        "AWS::CloudWatch::Alarm",
        "cloudwatch:PutMetricAlarm cloudwatch:DescribeAlarms cloudwatch:DeleteAlarms",
    ),
    (
        "AWS::CloudWatch::Dashboard",
        "cloudwatch:PutDashboard cloudwatch:GetDashboard cloudwatch:DeleteDashboards",
    ),
    (
        "AWS::DynamoDB::Table",
        "dynamodb:CreateTable dynamodb:DescribeTable dynamodb:UpdateTimeToLive dynamodb:UpdateContinuousBackups",
    ),
    (
        "AWS::Events::Rule",
        "events:PutRule events:PutTargets events:RemoveTargets events:DeleteRule",
    ),
    (
        "AWS::IAM::ManagedPolicy",
        "iam:CreatePolicy iam:CreatePolicyVersion iam:ListEntitiesForPolicy iam:DeletePolicy",
    ),
    (
        "AWS::IAM::Role",
        "iam:CreateRole iam:PutRolePolicy iam:GetRole iam:DeleteRole",
    ),
    (
        "AWS::Lambda::EventInvokeConfig",
        "lambda:PutFunctionEventInvokeConfig lambda:GetFunctionEventInvokeConfig lambda:DeleteFunctionEventInvokeConfig",
    ),
    (
        "AWS::Lambda::EventSourceMapping",
        "lambda:CreateEventSourceMapping lambda:GetEventSourceMapping lambda:DeleteEventSourceMapping",
    ),
    (
        "AWS::Lambda::Permission",
        "lambda:AddPermission lambda:GetPolicy lambda:RemovePermission",
    ),
    (
        "AWS::Logs::LogGroup",
        "logs:CreateLogGroup logs:PutRetentionPolicy logs:DescribeLogGroups logs:DeleteLogGroup",
    ),
    (
        "AWS::Logs::QueryDefinition",
        "logs:PutQueryDefinition logs:DescribeQueryDefinitions logs:DeleteQueryDefinition",
    ),
    (
        "AWS::S3::Bucket",
        "s3:CreateBucket s3:PutLifecycleConfiguration s3:GetBucketNotification s3:DeleteBucket",
    ),
    (
        "AWS::S3::BucketPolicy",
        "s3:PutBucketPolicy s3:GetBucketPolicy s3:DeleteBucketPolicy",
    ),
    (
        "AWS::SNS::Subscription",
        "sns:Subscribe sns:GetSubscriptionAttributes sns:Unsubscribe",
    ),
    (
        "AWS::SNS::Topic",
        "sns:CreateTopic sns:GetTopicAttributes sns:DeleteTopic",
    ),
    ("AWS::SNS::TopicPolicy", "sns:SetTopicAttributes"),
    (
        "AWS::SQS::Queue",
        "sqs:CreateQueue sqs:GetQueueAttributes sqs:DeleteQueue",
    ),
    ("AWS::SQS::QueuePolicy", "sqs:SetQueueAttributes"),
    (
        "AWS::SSM::Parameter",
        "ssm:PutParameter ssm:GetParameters ssm:DeleteParameter",
    ),
    (
        "AWS::Serverless::Function",
        "lambda:CreateFunction lambda:UpdateFunctionCode lambda:PutFunctionConcurrency lambda:PutFunctionRecursionConfig lambda:DeleteFunction iam:PassRole",
    ),
];

/// Returns the logical ids of the resources of these types.
fn of_types(template: &Yaml, types: &[&str]) -> BTreeSet<String> {
    let resources = template["Resources"].as_mapping().unwrap().iter();
    resources
        .filter(|(_, resource)| types.contains(&resource["Type"].as_str().unwrap()))
        .map(|(name, _)| name.as_str().unwrap().to_owned())
        .collect()
}

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

/// Returns the actions that a deployment needs and these patterns do not allow.
fn refused(patterns: &[String]) -> Vec<&'static str> {
    let needed = ACTIONS.iter().flat_map(|(_, actions)| actions.split(' '));
    let refused = needed.filter(|action| !patterns.iter().any(|pattern| matches(pattern, action)));
    refused.collect()
}

#[test]
fn the_principal_that_deploys_may_make_each_type_of_resource() {
    let template = template();
    let resources = template["Resources"].as_mapping().unwrap().values();
    let types: BTreeSet<&str> = resources
        .map(|resource| resource["Type"].as_str().unwrap())
        .collect();
    assert_eq!(types, ACTIONS.iter().map(|(kind, _)| *kind).collect());

    let (main, options) = (policy("deployer"), policy("deployer-options"));
    let all = [values(&main, "Action"), values(&options, "Action")].concat();
    assert_eq!(refused(&all), Vec::<&str>::new());
    let without: Vec<String> = all
        .iter()
        .filter(|action| *action != "sqs:CreateQueue")
        .cloned()
        .collect();
    assert_eq!(refused(&without), ["sqs:CreateQueue"]);
    let deletes = all
        .iter()
        .filter(|pattern| matches(pattern, "dynamodb:DeleteTable"));
    assert_eq!(deletes.count(), 0);
    for policy in [main, options] {
        let characters = policy
            .to_string()
            .chars()
            .filter(|found| !found.is_whitespace())
            .count();
        assert!(characters <= MOST_CHARACTERS, "{characters}");
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
    assert_eq!(guarded, of_types(&template(), &types));
}

/// Without names of their own, `CAPABILITY_IAM` is enough; and no boundary can be set.
#[test]
fn roles_and_policies_have_neither_names_nor_boundaries() {
    let template = template();
    for name in of_types(&template, &["AWS::IAM::Role", "AWS::IAM::ManagedPolicy"]) {
        let properties = &template["Resources"][name.as_str()]["Properties"];
        for absent in ["RoleName", "ManagedPolicyName", "PermissionsBoundary"] {
            assert!(properties[absent].is_null(), "{name}");
        }
    }
}
