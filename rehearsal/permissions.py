"""The rights of the principal that deploys, against the permissions that AWS's resource schemas name.

The schemas come with cfn-lint: for each type, the permissions that CloudFormation uses to create, read, update and delete a resource."""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from local.paths import ROOT

from .outcome import Outcome
from .plan import Plan
from .policy import allows

POLICIES = ROOT / "docs" / "deploying" / "policies"
#: Permissions that the policies leave out on purpose, by type and reason.
EXCUSED = Path(__file__).with_name("excused_permissions.json")
#: Handlers that make, look at, change and remove one resource. `list` is of the console.
HANDLERS = ("create", "read", "update", "delete")
#: The ARNs of a resource by the service of a permission, with the placeholders of the policies; those of a type come first.
ARNS = {
    "apigateway": ["arn:aws:apigateway:REGION::/apis", "arn:aws:apigateway:REGION::/apis/id", "arn:aws:apigateway:REGION::/apis/id/routes/id", "arn:aws:apigateway:REGION::/tags/arn"],
    "cloudwatch": ["arn:aws:cloudwatch:REGION:ACCOUNT:alarm:STACK-Alarm-1"],
    "dynamodb": ["arn:aws:dynamodb:REGION:ACCOUNT:table/STACK-Table-1"],
    "events": ["arn:aws:events:REGION:ACCOUNT:rule/STACK-Rule-1"],
    "iam": ["arn:aws:iam::ACCOUNT:role/STACK-Role-1"],
    "kms": ["KEY"],
    "lambda": ["arn:aws:lambda:REGION:ACCOUNT:function:STACK-projector"],
    "logs": ["arn:aws:logs:REGION:ACCOUNT:log-group:/aws/lambda/STACK-projector", "arn:aws:logs:REGION:ACCOUNT:log-group:/aws/vendedlogs/STACK-http"],
    "s3": ["arn:aws:s3:::STACK-source-ACCOUNT-REGION"],
    "sns": ["arn:aws:sns:REGION:ACCOUNT:STACK-uploads"],
    "sqs": ["arn:aws:sqs:REGION:ACCOUNT:STACK-retry"],
    "ssm": ["arn:aws:ssm:REGION:ACCOUNT:parameter/CFN-TableInUse-1"],
    "AWS::ApiGatewayV2::ApiMapping apigateway": ["arn:aws:apigateway:REGION::/domainnames/d/apimappings", "arn:aws:apigateway:REGION::/domainnames/d/apimappings/id"],
    "AWS::ApiGatewayV2::DomainName apigateway": ["arn:aws:apigateway:REGION::/domainnames", "arn:aws:apigateway:REGION::/domainnames/d"],
    "AWS::ApplicationAutoScaling::ScalingPolicy cloudwatch": ["arn:aws:cloudwatch:REGION:ACCOUNT:alarm:TargetTracking-table/STACK-Table-1-AlarmHigh-id"],
    "AWS::CloudWatch::Dashboard cloudwatch": ["arn:aws:cloudwatch::ACCOUNT:dashboard/STACK-REGION"],
    "AWS::IAM::ManagedPolicy iam": ["arn:aws:iam::ACCOUNT:policy/STACK-Policy-1"],
    "AWS::Lambda::EventSourceMapping lambda": ["arn:aws:lambda:REGION:ACCOUNT:event-source-mapping:id"],
    "AWS::Lambda::Function s3": ["arn:aws:s3:::ARTIFACTS/taxonomy/function.zip"],
    # A topic of another team as well.
    "AWS::SNS::Subscription sns": ["arn:aws:sns:REGION:ACCOUNT:STACK-uploads", "TOPIC"],
}
#: What a type's handler asks for beside its schema.
BESIDES = {
    # The delivery of access logs (API Gateway developer guide, "Permissions to create and modify log deliveries").
    "AWS::ApiGatewayV2::Stage": {"logs:CreateLogDelivery", "logs:PutResourcePolicy", "logs:DescribeResourcePolicies", "logs:DescribeLogGroups"},
    # AWS's handler reads the topic before it subscribes and before it unsubscribes (aws-cloudformation-resource-providers-sns).
    "AWS::SNS::Subscription": {"sns:GetTopicAttributes"},
    # The first domain of an account; the handler says "Caller does not have permissions to create a Service Linked Role".
    "AWS::ApiGatewayV2::DomainName": {"iam:CreateServiceLinkedRole"},
    # What DynamoDB uses a key of the account for (DynamoDB developer guide, "Customer managed keys").
    "AWS::DynamoDB::Table": {"kms:GenerateDataKey", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncryptFrom", "kms:ReEncryptTo"},
}
#: Permissions on something else than the resource itself.
ELSEWHERE = {
    "iam:PassRole": "arn:aws:iam::ACCOUNT:role/STACK-Role-1",
    "iam:AttachRolePolicy": "arn:aws:iam::ACCOUNT:role/STACK-Role-1",
    "iam:DetachRolePolicy": "arn:aws:iam::ACCOUNT:role/STACK-Role-1",
}
#: The conditions of requests, as the services send them.
CONTEXT = {
    "iam:PassedToService": "lambda.amazonaws.com",
    "iam:PermissionsBoundary": "BOUNDARY",
}
#: The service whose role a type wants.
SERVICES = {
    "AWS::ApiGatewayV2::DomainName": "ops.apigateway.amazonaws.com",
    "AWS::ApplicationAutoScaling::ScalableTarget": "dynamodb.application-autoscaling.amazonaws.com",
    "AWS::DynamoDB::Table": "replication.dynamodb.amazonaws.com",
}


def permissions(plan: Plan, documents: list[dict[str, Any]] | None = None) -> Outcome:
    """Whether the deployer's policies allow what each type of the template needs, and an excuse is needed where they do not."""
    policy = {"Statement": [statement for document in documents or published() for statement in document["Statement"]]}
    excused = {kind: {each for group in reasons.values() for each in group} for kind, reasons in json.loads(EXCUSED.read_text()).items()}
    faults, asked, unknown = [], 0, []
    for kind in sorted(plan.types()):
        named = needed(kind)
        if not named:
            unknown.append(kind)
        refused = {permission for permission in named if not _allowed(policy, kind, permission)}
        asked += len(named)
        faults += [f"{kind}: the policies of docs/deploying/policies do not allow {each}" for each in sorted(refused - excused.get(kind, set()))]
        faults += [f"{kind}: {EXCUSED.name} excuses {each}, which needs no excuse" for each in sorted(excused.get(kind, set()) - refused)]
    faults += [f"{kind}: cfn-lint has no permissions of this type" for kind in unknown]
    return Outcome("rights of the deployer", f"{asked} permissions of {len(plan.types())} types, {sum(map(len, excused.values()))} of them excused", faults)


def published() -> list[dict[str, Any]]:
    """The policies of the guide: what every stack needs, and what options need."""
    return [json.loads((POLICIES / f"{name}.json").read_text()) for name in ("deployer", "deployer-options")]


def needed(kind: str) -> set[str]:
    """The permissions of a type's handlers."""
    handlers = _schemas().get(kind, {}).get("handlers", {})
    named = {permission for handler in HANDLERS for permission in handlers.get(handler, {}).get("permissions", [])}
    return named | BESIDES.get(kind, set()) if named else named


def _allowed(policy: dict[str, Any], kind: str, permission: str) -> bool:
    service = permission.split(":")[0].lower()
    arns = [ELSEWHERE[permission]] if permission in ELSEWHERE else ARNS.get(f"{kind} {service}", ARNS.get(service, ["*"]))
    context = {**CONTEXT, "iam:AWSServiceName": SERVICES.get(kind, "")}
    return all(allows(policy, permission, arn, context) for arn in arns)


@cache
def _schemas() -> dict[str, Any]:
    found = find_spec("cfnlint")
    assert found is not None and found.origin is not None, "make installs cfn-lint"
    schemas = {}
    for path in (Path(found.origin).parent / "data" / "schemas" / "resources").glob("*.json"):
        schema = json.loads(path.read_text())
        schemas[schema.get("typeName", "")] = schema
    return schemas
