//! The policies of `docs/deploying/policies`: of the principal that deploys, for each type of resource, and of the stack against replacements.

use std::collections::BTreeSet;

use serde_json::Value;
use serde_yaml_ng::Value as Yaml;
use taxonomy_testkit::iam::{Access, Policy, Principal, matches};

use crate::template::{read, template};

/// The most characters of a managed policy without white space (IAM and STS quotas).
const MOST_CHARACTERS: usize = 6144;

/// The service whose role scales the capacity of a table.
const SCALING: &str = "dynamodb.application-autoscaling.amazonaws.com";

/// Each type of resource with the ARN of one, and the actions that make, tag, read and delete it: those of CloudFormation's schema of the
/// type. Nothing deletes the table.
const ACTIONS: [(&str, &str, &str); 31] = [
    (
        "AWS::ApiGatewayV2::Api",
        "arn:aws:apigateway:REGION::/apis",
        "apigateway:POST",
    ),
    (
        "AWS::ApiGatewayV2::Api",
        "arn:aws:apigateway:REGION::/apis/id",
        "apigateway:GET apigateway:PATCH apigateway:PUT apigateway:DELETE",
    ),
    (
        "AWS::ApiGatewayV2::Authorizer",
        "arn:aws:apigateway:REGION::/apis/id/authorizers/id",
        "apigateway:POST apigateway:PATCH",
    ),
    (
        "AWS::ApiGatewayV2::Integration",
        "arn:aws:apigateway:REGION::/apis/id/integrations/id",
        "apigateway:POST apigateway:PUT",
    ),
    (
        "AWS::ApiGatewayV2::Route",
        "arn:aws:apigateway:REGION::/apis/id/routes/id",
        "apigateway:POST apigateway:PATCH",
    ),
    (
        "AWS::ApiGatewayV2::Stage",
        "arn:aws:apigateway:REGION::/apis/id/stages/$default",
        "apigateway:POST apigateway:TagResource apigateway:UntagResource logs:CreateLogDelivery",
    ),
    (
        "AWS::ApplicationAutoScaling::ScalableTarget",
        "arn:aws:application-autoscaling:REGION:ACCOUNT:scalable-target/id",
        "application-autoscaling:RegisterScalableTarget application-autoscaling:DeregisterScalableTarget iam:CreateServiceLinkedRole",
    ),
    (
        "AWS::ApplicationAutoScaling::ScalingPolicy",
        "arn:aws:application-autoscaling:REGION:ACCOUNT:scalable-target/id",
        "application-autoscaling:PutScalingPolicy application-autoscaling:DescribeScalingPolicies",
    ),
    (
        "AWS::ApplicationAutoScaling::ScalingPolicy",
        "arn:aws:cloudwatch:REGION:ACCOUNT:alarm:TargetTracking-table/taxonomy-Table-1-AlarmHigh-id",
        "cloudwatch:PutMetricAlarm cloudwatch:DescribeAlarms cloudwatch:DeleteAlarms",
    ),
    (
        "AWS::CloudWatch::Alarm",
        "arn:aws:cloudwatch:REGION:ACCOUNT:alarm:taxonomy-Alarm-1",
        "cloudwatch:PutMetricAlarm cloudwatch:DescribeAlarms cloudwatch:DeleteAlarms cloudwatch:TagResource cloudwatch:UntagResource cloudwatch:ListTagsForResource",
    ),
    (
        "AWS::CloudWatch::Dashboard",
        "arn:aws:cloudwatch::ACCOUNT:dashboard/taxonomy-REGION",
        "cloudwatch:PutDashboard cloudwatch:GetDashboard cloudwatch:DeleteDashboards cloudwatch:TagResource cloudwatch:UntagResource cloudwatch:ListTagsForResource",
    ),
    (
        "AWS::DynamoDB::Table",
        "arn:aws:dynamodb:REGION:ACCOUNT:table/taxonomy-Table-1",
        "dynamodb:CreateTable dynamodb:DescribeTable dynamodb:UpdateTimeToLive dynamodb:UpdateContinuousBackups dynamodb:TagResource dynamodb:UntagResource dynamodb:ListTagsOfResource",
    ),
    (
        "AWS::Events::Rule",
        "arn:aws:events:REGION:ACCOUNT:rule/taxonomy-Rule-1",
        "events:PutRule events:PutTargets events:RemoveTargets events:DeleteRule events:TagResource events:UntagResource events:ListTagsForResource",
    ),
    (
        "AWS::IAM::ManagedPolicy",
        "arn:aws:iam::ACCOUNT:policy/taxonomy-Policy-1",
        "iam:CreatePolicy iam:CreatePolicyVersion iam:ListEntitiesForPolicy iam:DeletePolicy",
    ),
    (
        "AWS::IAM::Role",
        "arn:aws:iam::ACCOUNT:role/taxonomy-Role-1",
        "iam:CreateRole iam:PutRolePolicy iam:GetRole iam:DeleteRole iam:TagRole iam:UntagRole iam:ListRoleTags iam:ListRolePolicies",
    ),
    (
        "AWS::Lambda::EventInvokeConfig",
        "arn:aws:lambda:REGION:ACCOUNT:function:taxonomy-projector",
        "lambda:PutFunctionEventInvokeConfig lambda:GetFunctionEventInvokeConfig lambda:DeleteFunctionEventInvokeConfig",
    ),
    (
        "AWS::Lambda::EventSourceMapping",
        "arn:aws:lambda:REGION:ACCOUNT:event-source-mapping:id",
        "lambda:CreateEventSourceMapping lambda:GetEventSourceMapping lambda:DeleteEventSourceMapping lambda:TagResource lambda:UntagResource lambda:ListTags",
    ),
    (
        "AWS::Lambda::Permission",
        "arn:aws:lambda:REGION:ACCOUNT:function:taxonomy-projector",
        "lambda:AddPermission lambda:GetPolicy lambda:RemovePermission",
    ),
    (
        "AWS::Logs::LogGroup",
        "arn:aws:logs:REGION:ACCOUNT:log-group:/aws/lambda/taxonomy-projector",
        "logs:CreateLogGroup logs:PutRetentionPolicy logs:DescribeLogGroups logs:DeleteLogGroup logs:TagResource logs:UntagResource logs:ListTagsForResource",
    ),
    (
        "AWS::Logs::QueryDefinition",
        "*",
        "logs:PutQueryDefinition logs:DescribeQueryDefinitions logs:DeleteQueryDefinition",
    ),
    (
        "AWS::S3::Bucket",
        "arn:aws:s3:::taxonomy-source-ACCOUNT-REGION",
        "s3:CreateBucket s3:PutLifecycleConfiguration s3:GetBucketNotification s3:DeleteBucket s3:GetBucketTagging s3:PutBucketTagging s3:TagResource s3:UntagResource s3:ListTagsForResource",
    ),
    (
        "AWS::S3::BucketPolicy",
        "arn:aws:s3:::taxonomy-source-ACCOUNT-REGION",
        "s3:PutBucketPolicy s3:GetBucketPolicy s3:DeleteBucketPolicy",
    ),
    (
        "AWS::SNS::Subscription",
        "arn:aws:sns:REGION:ACCOUNT:taxonomy-uploads",
        "sns:Subscribe sns:GetTopicAttributes sns:GetSubscriptionAttributes sns:Unsubscribe",
    ),
    // The topic of another team.
    (
        "AWS::SNS::Subscription",
        "TOPIC",
        "sns:Subscribe sns:GetTopicAttributes",
    ),
    (
        "AWS::SNS::Topic",
        "arn:aws:sns:REGION:ACCOUNT:taxonomy-uploads",
        "sns:CreateTopic sns:GetTopicAttributes sns:DeleteTopic sns:TagResource sns:UntagResource sns:ListTagsForResource",
    ),
    (
        "AWS::SNS::TopicPolicy",
        "arn:aws:sns:REGION:ACCOUNT:taxonomy-uploads",
        "sns:SetTopicAttributes",
    ),
    (
        "AWS::SQS::Queue",
        "arn:aws:sqs:REGION:ACCOUNT:taxonomy-retry",
        "sqs:CreateQueue sqs:GetQueueAttributes sqs:DeleteQueue sqs:TagQueue sqs:UntagQueue sqs:ListQueueTags",
    ),
    (
        "AWS::SQS::QueuePolicy",
        "arn:aws:sqs:REGION:ACCOUNT:taxonomy-retry",
        "sqs:SetQueueAttributes",
    ),
    (
        "AWS::SSM::Parameter",
        "arn:aws:ssm:REGION:ACCOUNT:parameter/CFN-Parameter-1",
        "ssm:PutParameter ssm:GetParameters ssm:DeleteParameter ssm:AddTagsToResource ssm:RemoveTagsFromResource ssm:ListTagsForResource",
    ),
    (
        "AWS::Serverless::Function",
        "arn:aws:lambda:REGION:ACCOUNT:function:taxonomy-projector",
        "lambda:CreateFunction lambda:UpdateFunctionCode lambda:PutFunctionConcurrency lambda:PutFunctionRecursionConfig lambda:DeleteFunction lambda:TagResource lambda:UntagResource lambda:ListTags",
    ),
    (
        "AWS::Serverless::Function",
        "arn:aws:iam::ACCOUNT:role/taxonomy-Role-1",
        "iam:PassRole",
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

/// Returns what a deployment needs and neither of the policies allows.
fn refused(policies: &[Value]) -> Vec<String> {
    let policies: Vec<Policy> = policies.iter().map(Policy::new).collect();
    let needed = ACTIONS.iter().flat_map(|(_, resource, actions)| {
        actions.split(' ').map(|action| {
            Access::new(action, *resource)
                .with("iam:PassedToService", ["lambda.amazonaws.com".to_owned()])
                .with("iam:AWSServiceName", [SCALING.to_owned()])
        })
    });
    let allowed = |access: &Access| {
        policies
            .iter()
            .any(|policy| policy.allows(Principal::tagged(None), access))
    };
    let refused = needed.filter(|access| !allowed(access));
    refused
        .map(|access| format!("{} on {}", access.action, access.resource))
        .collect()
}

#[test]
fn the_principal_that_deploys_may_make_each_type_of_resource() {
    let template = template();
    let resources = template["Resources"].as_mapping().unwrap().values();
    let types: BTreeSet<&str> = resources
        .map(|resource| resource["Type"].as_str().unwrap())
        .collect();
    assert_eq!(types, ACTIONS.iter().map(|(kind, ..)| *kind).collect());

    let policies = [policy("deployer"), policy("deployer-options")];
    assert_eq!(refused(&policies), Vec::<String>::new());
    assert!(!refused(&policies[1..]).is_empty());
    let all = policies.iter().flat_map(|policy| values(policy, "Action"));
    let deletes = all.filter(|pattern| matches(pattern, "dynamodb:DeleteTable"));
    assert_eq!(deletes.count(), 0);
    for policy in policies {
        let filled = policy.to_string();
        let filled = filled
            .replace("REGION", "ap-southeast-1")
            .replace("ACCOUNT", "123456789012");
        let characters = filled.chars().filter(|found| !found.is_whitespace()).count();
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
