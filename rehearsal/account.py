"""Checks against an account. Every request reads; the change set, which is made and deleted, is made only where a template's address is named."""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .offline import concurrency
from .outcome import Outcome
from .plan import Plan

#: Codes of an answer that says "there is no such thing".
ABSENT = {"404", "NoSuchBucket", "NotFound", "NotFoundException", "ResourceNotFound", "ResourceNotFoundException", "ParameterNotFound", "DashboardNotFoundError"}
#: Codes of an answer that keeps the check from being made.
DENIED = {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "AuthorizationError", "ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId"}
#: Actions without which no deployment begins.
MAKES = (
    "cloudformation:CreateChangeSet",
    "dynamodb:CreateTable",
    "iam:CreateRole",
    "iam:PassRole",
    "lambda:CreateFunction",
    "lambda:CreateEventSourceMapping",
    "lambda:TagResource",
    "s3:CreateBucket",
    "sns:CreateTopic",
    "sqs:CreateQueue",
    "apigateway:POST",
    "logs:CreateLogGroup",
    "events:PutRule",
    "cloudwatch:PutMetricAlarm",
)
CHANGE_SET = "rehearsal"
SECONDS = 300

#: Makes the client of a service in the stack's region.
Clients = Callable[[str], Any]


def code_of(error: Exception) -> str:
    """The code of an answer of AWS; the kind of any other error."""
    response = getattr(error, "response", {})
    return str(response.get("Error", {}).get("Code", type(error).__name__))


def exists(ask: Callable[[], object]) -> bool:
    """Whether the request finds what it names. Any other answer but "there is none" is raised."""
    try:
        ask()
    except Exception as error:  # noqa: BLE001 - each client has its own kinds
        if code_of(error) in ABSENT:
            return False
        raise
    return True


def clashes(plan: Plan, client: Clients) -> Outcome:
    """Names that a first deployment makes and that are taken already. An update finds its own."""
    described = exists_stack(plan, client)
    if described:
        return Outcome("name clashes", f"the stack {plan.name} is there; its names are its own")
    s3, faults = client("s3"), []
    for bucket in (each["BucketName"] for each in plan.resources("AWS::S3::Bucket").values()):
        try:
            taken = exists(lambda name=bucket: s3.head_bucket(Bucket=name))
        except Exception as error:  # noqa: BLE001 - 403 is a bucket of another account
            if code_of(error) != "403":
                raise
            taken = True
        if taken:
            faults.append(f"the bucket {bucket} exists: a removed stack left it, or choose another name")
    functions = [each["FunctionName"] for each in plan.resources("AWS::Serverless::Function").values()]
    faults += [f"the function {name} exists" for name in functions if exists(lambda name=name: client("lambda").get_function(FunctionName=name))]
    for group in (each["LogGroupName"] for each in plan.resources("AWS::Logs::LogGroup").values()):
        found = client("logs").describe_log_groups(logGroupNamePrefix=group)["logGroups"]
        faults += [f"the log group {group} exists: delete it, or choose another name" for each in found if each["logGroupName"] == group]
    for board in (each["DashboardName"] for each in plan.resources("AWS::CloudWatch::Dashboard").values()):
        if exists(lambda name=board: client("cloudwatch").get_dashboard(DashboardName=name)):
            faults.append(f"the dashboard {board} exists")
    return Outcome("name clashes", "buckets, functions, log groups and the dashboard are free", faults)


def exists_stack(plan: Plan, client: Clients) -> bool:
    """Whether the stack exists, in whatever state."""
    try:
        found = client("cloudformation").describe_stacks(StackName=plan.name)["Stacks"]
    except Exception as error:  # noqa: BLE001 - CloudFormation says ValidationError of a stack that is not there
        if code_of(error) == "ValidationError":
            return False
        raise
    return any(each["StackStatus"] not in ("DELETE_COMPLETE", "REVIEW_IN_PROGRESS") for each in found)


def quotas(plan: Plan, client: Clients) -> Outcome:
    """The requests a second of the account's APIs."""
    settings = client("apigateway").get_account()["throttleSettings"]
    rate, burst = float(settings["rateLimit"]), int(settings["burstLimit"])
    faults = [
        f"{name}={plan.value(name)}, and all APIs of the account have {most:,.0f} in {plan.region}"
        for name, most in (("ApiRateLimit", rate), ("ApiBurstLimit", burst))
        if float(plan.value(name)) > most
    ]
    return Outcome("quotas", f"{rate:,.0f} requests a second with a burst of {burst:,} for all APIs of the account", faults)


def executions(plan: Plan, client: Clients) -> Outcome:
    """The reserves, in the executions that other functions leave."""
    limits = client("lambda").get_account_settings()["AccountLimit"]
    own = 0
    for function in ("projector", "lookup"):
        answer: dict[str, Any] = {}
        if exists(lambda name=function: answer.update(client("lambda").get_function_concurrency(FunctionName=f"{plan.name}-{name}"))):
            own += int(answer.get("ReservedConcurrentExecutions", 0))
    return replace(concurrency(plan, int(limits["UnreservedConcurrentExecutions"]) + own), name="executions of the account")


def rights(plan: Plan, client: Clients) -> Outcome:
    """The actions of the deployment, by IAM's simulator, for the caller. It knows the caller's policies, and not those of the organisation."""
    caller = client("sts").get_caller_identity()["Arn"]
    assumed = re.fullmatch(r"arn:(aws[a-z-]*):sts::(\d+):assumed-role/([^/]+)/.+", caller)
    source = f"arn:{assumed[1]}:iam::{assumed[2]}:role/{assumed[3]}" if assumed else caller
    answer = client("iam").simulate_principal_policy(PolicySourceArn=source, ActionNames=list(MAKES))
    # Without resources the simulator says "implicitDeny" of a policy that names some, so that only a denial counts.
    denied = [each["EvalActionName"] for each in answer["EvaluationResults"] if each["EvalDecision"] == "explicitDeny"]
    faults = [f"{caller} may not {action}: a policy or a boundary denies it" for action in denied]
    return Outcome("rights of the caller", f"{len(MAKES)} actions that make resources, none denied to {caller}", faults)


def domain(plan: Plan, client: Clients) -> Outcome:
    """The domain of the API, and its certificate."""
    name = plan.value("DomainName")
    if not name:
        return Outcome("domain", "none is wanted")
    certificate = client("acm").describe_certificate(CertificateArn=plan.value("DomainCertificateArn"))["Certificate"]
    names = {certificate["DomainName"], *certificate.get("SubjectAlternativeNames", [])}
    faults = [] if certificate["Status"] == "ISSUED" else [f"the certificate is {certificate['Status']}, not ISSUED"]
    if not names & {name, "*." + name.partition(".")[2]}:
        faults.append(f"the certificate is for {', '.join(sorted(names))}, and not for {name}")
    if not exists_stack(plan, client) and exists(lambda: client("apigatewayv2").get_domain_name(DomainName=name)):
        faults.append(f"{name} is a domain of API Gateway already: remove it there first")
    return Outcome("domain", f"{name} is free, and the certificate is issued for it", faults)


def others(plan: Plan, client: Clients) -> Outcome:
    """What the parameters name and the stack does not make."""
    asked = {
        "AlarmTopicArn": lambda arn: client("sns").get_topic_attributes(TopicArn=arn),
        "ExistingSourceTopicArn": lambda arn: client("sns").get_topic_attributes(TopicArn=arn),
        "ExistingSourceBucket": lambda name: client("s3").head_bucket(Bucket=name),
        "AccessLogsBucket": lambda name: client("s3").head_bucket(Bucket=name),
        "KmsKeyArn": lambda arn: client("kms").describe_key(KeyId=arn),
        "CachePasswordSecret": lambda secret: client("secretsmanager").describe_secret(SecretId=secret),
        "PermissionsBoundaryArn": lambda arn: client("iam").get_policy(PolicyArn=arn),
    }
    named = {name: plan.value(name) for name in asked if plan.value(name)}
    absent = [name for name, value in named.items() if not exists(lambda name=name, value=value: asked[name](value))]
    return Outcome("what parameters name", f"{', '.join(named) or 'nothing'}", [f"{name}={named[name]} does not exist" for name in absent])


def change_set(plan: Plan, client: Clients, template_url: str) -> Outcome:
    """CloudFormation's own view of the deployment: a change set is made, read and deleted, and so is a stack that it began."""
    if not template_url:
        return Outcome("change set", not_checked="name the template in a bucket by --template-url, since a request carries 51,200 bytes")
    formation, is_new = client("cloudformation"), not exists_stack(plan, client)
    names = {"StackName": plan.name, "ChangeSetName": CHANGE_SET}
    values = [{"ParameterKey": name, "ParameterValue": value} for name, value in plan.given.items()]
    kind = "CREATE" if is_new else "UPDATE"
    formation.create_change_set(**names, ChangeSetType=kind, TemplateURL=template_url, Parameters=values, Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"])
    try:
        end = time.monotonic() + SECONDS
        found = formation.describe_change_set(**names)
        while found["Status"] in ("CREATE_PENDING", "CREATE_IN_PROGRESS") and time.monotonic() < end:
            time.sleep(2)
            found = formation.describe_change_set(**names)
    finally:
        formation.delete_change_set(**names)
        if is_new:
            formation.delete_stack(StackName=plan.name)
    changes = [change["ResourceChange"] for change in found.get("Changes", [])]
    faults = [f"it would replace {change['LogicalResourceId']}" for change in changes if change.get("Replacement") == "True" and change["ResourceType"] in ("AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SQS::Queue", "AWS::ApiGatewayV2::Api")]
    reason = found.get("StatusReason", "")
    if found["Status"] != "CREATE_COMPLETE" and "didn't contain changes" not in reason:
        faults.append(f"{found['Status']}: {reason or f'no answer within {SECONDS} s'}")
    return Outcome("change set", f"{len(changes)} changes on its first page", faults)


def made(name: str, check: Callable[[], Outcome]) -> Outcome:
    """The outcome of a check, also where AWS denies or does not answer it: then it was not made."""
    try:
        return check()
    except Exception as error:  # noqa: BLE001 - each client has its own kinds
        reason = "the identity may not ask" if code_of(error) in DENIED else "AWS did not answer"
        return Outcome(name, not_checked=f"{reason}: {error}")


def checks(plan: Plan, client: Clients, template_url: str) -> list[Outcome]:
    """All checks of an account."""
    return [
        made("name clashes", lambda: clashes(plan, client)),
        made("quotas", lambda: quotas(plan, client)),
        made("executions of the account", lambda: executions(plan, client)),
        made("rights of the caller", lambda: rights(plan, client)),
        made("domain", lambda: domain(plan, client)),
        made("what parameters name", lambda: others(plan, client)),
        made("change set", lambda: change_set(plan, client, template_url)),
    ]


#: The names of the checks, for where there is no account.
NAMES = ("name clashes", "quotas", "executions of the account", "rights of the caller", "domain", "what parameters name", "change set")
