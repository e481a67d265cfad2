"""Checks against an account. Every request reads, but for a change set of a stack that exists, which is deleted again."""

import re
import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .offline import concurrency
from .outcome import Outcome
from .permissions import ARNS
from .plan import Plan

#: Codes of an answer that says "there is no such thing".
ABSENT = {
    "404",
    "AWS.SimpleQueueService.NonExistentQueue",
    "DashboardNotFoundError",
    "NoSuchBucket",
    "NoSuchEntity",
    "NotFound",
    "NotFoundException",
    "ParameterNotFound",
    "QueueDoesNotExist",
    "ResourceNotFound",
    "ResourceNotFoundException",
}
#: The code of S3 for a bucket that is there, and closed to whoever asks.
CLOSED = "403"
#: Codes of an answer that keeps the check from being made.
DENIED = {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "AuthorizationError", "ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId"}
#: Actions without which no deployment begins, and what they are for.
MAKES = {
    "cloudformation:CreateChangeSet": "arn:aws:cloudformation:REGION:ACCOUNT:stack/STACK/id",
    "dynamodb:CreateTable": ARNS["dynamodb"][0],
    "iam:CreateRole": ARNS["iam"][0],
    "iam:PassRole": ARNS["iam"][0],
    "lambda:CreateFunction": ARNS["lambda"][0],
    "lambda:CreateEventSourceMapping": "*",
    "lambda:TagResource": ARNS["AWS::Lambda::EventSourceMapping lambda"][0],
    "s3:CreateBucket": ARNS["s3"][0],
    "sns:CreateTopic": ARNS["sns"][0],
    "sqs:CreateQueue": ARNS["sqs"][0],
    "apigateway:POST": ARNS["apigateway"][0],
    "logs:CreateLogGroup": ARNS["logs"][0],
    "events:PutRule": ARNS["events"][0],
    "cloudwatch:PutMetricAlarm": ARNS["cloudwatch"][0],
}
#: States of a stack that take no deployment, and what ends each.
STUCK = {
    "DELETE_FAILED": "delete it",
    "ROLLBACK_COMPLETE": "its first deployment failed, delete it",
    "ROLLBACK_FAILED": "delete it",
    "UPDATE_ROLLBACK_FAILED": "continue its rollback",
}
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
        if code_of(error) != CLOSED:
            raise
    return True


def deployed(plan: Plan, client: Clients) -> dict[str, Any]:
    """The stack as CloudFormation describes it; nothing where there is none, or one without resources that a change set began."""
    try:
        (found,) = client("cloudformation").describe_stacks(StackName=plan.name)["Stacks"]
    except Exception as error:  # noqa: BLE001 - CloudFormation says ValidationError of a stack that is not there
        if code_of(error) == "ValidationError":
            return {}
        raise
    return {} if found["StackStatus"] in ("DELETE_COMPLETE", "REVIEW_IN_PROGRESS") else dict(found)


def former(stack: dict[str, Any], parameter: str) -> str:
    """The value of a parameter in the stack that is there."""
    return next((str(each["ParameterValue"]) for each in stack.get("Parameters", []) if each["ParameterKey"] == parameter), "")


def clashes(plan: Plan, client: Clients) -> Outcome:
    """Names that a first deployment makes and that are taken already. An update finds its own, if the stack can be updated."""
    if stack := deployed(plan, client):
        status = stack["StackStatus"]
        remedy = STUCK.get(status, "wait for its end" if status.endswith("IN_PROGRESS") else "")
        return Outcome("name clashes", f"the stack {plan.name} is there; its names are its own", [f"the stack {plan.name} is {status}: {remedy}"] if remedy else [])
    place = f"{plan.region}:{plan.account}"
    kinds: list[tuple[str, str, str, Callable[[str], object]]] = [
        ("bucket", "AWS::S3::Bucket", "BucketName", lambda name: client("s3").head_bucket(Bucket=name)),
        ("function", "AWS::Serverless::Function", "FunctionName", lambda name: client("lambda").get_function(FunctionName=name)),
        ("queue", "AWS::SQS::Queue", "QueueName", lambda name: client("sqs").get_queue_url(QueueName=name)),
        ("topic", "AWS::SNS::Topic", "TopicName", lambda name: client("sns").get_topic_attributes(TopicArn=f"arn:aws:sns:{place}:{name}")),
        ("dashboard", "AWS::CloudWatch::Dashboard", "DashboardName", lambda name: client("cloudwatch").get_dashboard(DashboardName=name)),
    ]
    taken = []
    for kind, resource, property_, ask in kinds:
        names = [each[property_] for each in plan.resources(resource).values()]
        taken += [f"the {kind} {name}" for name in names if exists(lambda ask=ask, name=name: ask(name))]
    for group in (each["LogGroupName"] for each in plan.resources("AWS::Logs::LogGroup").values()):
        found = client("logs").describe_log_groups(logGroupNamePrefix=group)["logGroups"]
        taken += [f"the log group {group}" for each in found if each["logGroupName"] == group]
    faults = [f"{each} exists: a removed stack left it, or choose another name" for each in taken]
    return Outcome("name clashes", "buckets, functions, queues, topics, log groups and the dashboard are free", faults)


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


def rights(plan: Plan, client: Clients, role: str) -> Outcome:
    """The actions of the deployment by IAM's simulator, for the role that CloudFormation deploys with, or else for the caller. It knows their
    policies and boundary, and not those of the organisation."""
    source = role or _of_caller(client)
    # The caller passes the role, and asks for the deployment itself.
    actions = {action: arn for action, arn in MAKES.items() if not (role and action.startswith("cloudformation:"))}
    context = {"iam:PassedToService": "lambda.amazonaws.com", "iam:PermissionsBoundary": plan.value("PermissionsBoundaryArn")}
    entries = [{"ContextKeyName": name, "ContextKeyType": "string", "ContextKeyValues": [value]} for name, value in context.items() if value]
    faults, unknown = [], []
    for action, place in actions.items():
        arn = place.replace("REGION", plan.region).replace("ACCOUNT", plan.account).replace("STACK", plan.name)
        answer = client("iam").simulate_principal_policy(PolicySourceArn=source, ActionNames=[action], ResourceArns=[arn], ContextEntries=entries)
        (result,) = answer["EvaluationResults"]
        if result["EvalDecision"] == "allowed":
            continue
        missing = {key for each in (result, *result.get("ResourceSpecificResults", [])) for key in each.get("MissingContextValues", [])}
        if missing and result["EvalDecision"] == "implicitDeny":
            unknown.append(f"{action}, which depends on {', '.join(sorted(missing))}")
        else:
            faults.append(f"{source} may not {action} on {arn}")
    if unknown and not faults:
        return Outcome("rights", not_checked=f"the simulator does not know whether {source} may {'; '.join(unknown)}")
    return Outcome("rights", f"{source} may make what the stack is made of: {len(actions)} actions", faults)


def _of_caller(client: Clients) -> str:
    """The ARN by which IAM knows the caller: that of a session lacks the path of its role."""
    caller = str(client("sts").get_caller_identity()["Arn"])
    assumed = re.fullmatch(r"arn:aws[a-z-]*:sts::\d+:assumed-role/([^/]+)/.+", caller)
    return str(client("iam").get_role(RoleName=assumed[1])["Role"]["Arn"]) if assumed else caller


def domain(plan: Plan, client: Clients) -> Outcome:
    """The domain of the API, and its certificate."""
    name = plan.value("DomainName")
    if not name:
        return Outcome("domain", "none is wanted")
    answer: dict[str, Any] = {}
    arn, faults = plan.value("DomainCertificateArn"), []
    if exists(lambda: answer.update(client("acm").describe_certificate(CertificateArn=arn))):
        certificate = answer["Certificate"]
        names = {certificate["DomainName"], *certificate.get("SubjectAlternativeNames", [])}
        if certificate["Status"] != "ISSUED":
            faults.append(f"the certificate is {certificate['Status']}, not ISSUED")
        if not names & {name, "*." + name.partition(".")[2]}:
            faults.append(f"the certificate is for {', '.join(sorted(names))}, and not for {name}")
    else:
        faults.append(f"DomainCertificateArn={arn} does not exist")
    if former(deployed(plan, client), "DomainName") != name and exists(lambda: client("apigatewayv2").get_domain_name(DomainName=name)):
        faults.append(f"{name} is a domain of API Gateway already: remove it there first")
    return Outcome("domain", f"{name} is free, and the certificate is issued for it", faults)


def others(plan: Plan, client: Clients) -> Outcome:
    """What the parameters name and the stack does not make."""
    key: dict[str, Any] = {}
    asked = {
        "AlarmTopicArn": lambda arn: client("sns").get_topic_attributes(TopicArn=arn),
        "ExistingSourceTopicArn": lambda arn: client("sns").get_topic_attributes(TopicArn=arn),
        "ExistingSourceBucket": lambda name: client("s3").head_bucket(Bucket=name),
        "AccessLogsBucket": lambda name: client("s3").head_bucket(Bucket=name),
        "KmsKeyArn": lambda arn: key.update(client("kms").describe_key(KeyId=arn)),
        "CachePasswordSecret": lambda secret: client("secretsmanager").describe_secret(SecretId=secret),
        "PermissionsBoundaryArn": lambda arn: client("iam").get_policy(PolicyArn=arn),
    }
    named = {name: plan.value(name) for name in asked if plan.value(name)}
    faults = [f"{name}={value} does not exist" for name, value in named.items() if not exists(lambda name=name, value=value: asked[name](value))]
    if key and (state := key["KeyMetadata"]["KeyState"]) != "Enabled":
        faults.append(f"the key KmsKeyArn is {state}")
    # No parameter says so: a later deployment would take the roles the right to what is stored already.
    in_use = former(deployed(plan, client), "KmsKeyArn")
    if in_use and in_use != plan.value("KmsKeyArn"):
        faults.append(f"the stack has KmsKeyArn={in_use}: with another key, or none, its roles cannot read what is stored under it")
    return Outcome("what parameters name", f"{', '.join(named) or 'nothing'}", faults)


def change_set(plan: Plan, client: Clients, template_url: str) -> Outcome:
    """CloudFormation's own view: of the template, and of the deployment where the stack exists. A change set of a new stack would make that
    stack, so none is made."""
    if not template_url:
        return Outcome("change set", not_checked="name cloudformation.yaml of --release in a bucket by --template-url, since a request carries 51,200 bytes")
    formation = client("cloudformation")
    try:
        formation.validate_template(TemplateURL=template_url)
        if not deployed(plan, client):
            return Outcome("change set", not_checked="the stack is not there yet, and a change set would make it; CloudFormation reads the template without a fault")
        found = _changes(plan, formation, template_url)
    except Exception as error:  # noqa: BLE001 - the client has its own kinds
        # So it says that a template is none, that a value is missing, and that a rule does not hold.
        if code_of(error) != "ValidationError":
            raise
        return Outcome("change set", faults=[str(error)])
    changes = [change["ResourceChange"] for change in found["Changes"]]
    kept = ("AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SQS::Queue", "AWS::SNS::Topic", "AWS::ApiGatewayV2::Api")
    faults = [f"it would replace {change['LogicalResourceId']}" for change in changes if change.get("Replacement") == "True" and change["ResourceType"] in kept]
    reason = found.get("StatusReason", "")
    if found["Status"] != "CREATE_COMPLETE" and "didn't contain changes" not in reason:
        faults.append(f"{found['Status']}: {reason or f'no answer within {SECONDS} s'}")
    return Outcome("change set", f"{len(changes)} changes", faults)


def _changes(plan: Plan, formation: Any, template_url: str) -> dict[str, Any]:
    """A change set with all of its changes. It has a name that nobody else gives, and is deleted by its id."""
    values = [{"ParameterKey": name, "ParameterValue": value} for name, value in plan.given.items()]
    name = f"rehearsal-{secrets.token_hex(8)}"
    made = formation.create_change_set(
        StackName=plan.name,
        ChangeSetName=name,
        ChangeSetType="UPDATE",
        TemplateURL=template_url,
        Parameters=values,
        Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
    )
    try:
        end = time.monotonic() + SECONDS
        found = formation.describe_change_set(ChangeSetName=made["Id"])
        while found["Status"] in ("CREATE_PENDING", "CREATE_IN_PROGRESS") and time.monotonic() < end:
            time.sleep(2)
            found = formation.describe_change_set(ChangeSetName=made["Id"])
        changes = found.get("Changes", [])
        while "NextToken" in found:
            page = formation.describe_change_set(ChangeSetName=made["Id"], NextToken=found["NextToken"])
            changes += page.get("Changes", [])
            found = page
        return {**found, "Changes": changes}
    finally:
        formation.delete_change_set(ChangeSetName=made["Id"])


def made(name: str, check: Callable[[], Outcome]) -> Outcome:
    """The outcome of a check, also where AWS denies or does not answer it: then it was not made."""
    try:
        return check()
    except Exception as error:  # noqa: BLE001 - each client has its own kinds
        reason = "the identity may not ask" if code_of(error) in DENIED else "AWS answered" if hasattr(error, "response") else "AWS did not answer"
        return Outcome(name, not_checked=f"{reason}: {error}")


def checks(plan: Plan, client: Clients, template_url: str, role: str) -> list[Outcome]:
    """All checks of an account."""
    return [
        made("name clashes", lambda: clashes(plan, client)),
        made("quotas", lambda: quotas(plan, client)),
        made("executions of the account", lambda: executions(plan, client)),
        made("rights", lambda: rights(plan, client, role)),
        made("domain", lambda: domain(plan, client)),
        made("what parameters name", lambda: others(plan, client)),
        made("change set", lambda: change_set(plan, client, template_url)),
    ]


#: The names of the checks, for where there is no account.
NAMES = ("name clashes", "quotas", "executions of the account", "rights", "domain", "what parameters name", "change set")
