"""Checks that need no account."""

import json
import re
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .outcome import Outcome
from .plan import Plan
from .policy import allows

#: Quotas of CloudFormation, IAM, Lambda and S3, which AWS raises for nobody.
MOST = {"Resources": 500, "Parameters": 200, "Outputs": 200}
TEMPLATE_BYTES, POLICY_CHARACTERS, ROLE_CHARACTERS, ENVIRONMENT_BYTES, BUCKET_CHARACTERS = 1_000_000, 6_144, 10_240, 4_096, 63
#: The executions that Lambda leaves unreserved, and the quota of an account that AWS has not lowered.
UNRESERVED, USUAL = 100, 1_000
#: ELF machines by the names that Lambda has for them.
MACHINES = {62: "x86_64", 183: "arm64"}
#: Parameters whose ARN must be of the stack's region.
REGIONAL = ("KmsKeyArn", "DomainCertificateArn", "AlarmTopicArn", "ExistingSourceTopicArn", "ExistingSourceKeyArn")


def name(plan: Plan) -> Outcome:
    """The stack's name, and those that it is a part of."""
    faults = []
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,18}[a-z0-9]", plan.name):
        faults.append(f"the stack's name {plan.name!r} is not 2 to 20 lower case letters, digits and hyphens, which bucket names take alone")
    buckets = [bucket["BucketName"] for bucket in plan.resources("AWS::S3::Bucket").values()]
    faults += [f"{bucket} has {len(bucket)} characters; a bucket's name has {BUCKET_CHARACTERS}" for bucket in buckets if len(bucket) > BUCKET_CHARACTERS]
    return Outcome("names", f"{plan.name}, and buckets such as {buckets[0]}", faults)


def parameters(plan: Plan) -> Outcome:
    """The values of the deployment by the template's patterns and rules."""
    declared = plan.template["Parameters"]
    faults = [f"{name} has no default: set it by --set {name}=.." for name, each in declared.items() if "Default" not in each and name not in plan.given]
    for given, value in plan.given.items():
        if given not in declared:
            faults.append(f"{given} is no parameter of the template")
            continue
        faults += [f"{given}={value}: {fault}" for fault in _misfits(declared[given], value)]
    for rule, body in plan.template.get("Rules", {}).items():
        if "RuleCondition" not in body or plan.holds(body["RuleCondition"]):
            faults += [f"rule {rule}: {each['AssertDescription']}" for each in body["Assertions"] if not plan.holds(each["Assert"])]
    for parameter in REGIONAL:
        value = plan.value(parameter)
        if value and value.split(":")[3:4] != [plan.region]:
            faults.append(f"{parameter}={value} is not of the stack's region {plan.region}")
    return Outcome("parameters", f"{len(plan.given)} of {len(declared)} set, {len(plan.template.get('Rules', {}))} rules hold", faults)


def _misfits(declared: dict[str, Any], value: str) -> Iterator[str]:
    if "AllowedValues" in declared and value not in map(str, declared["AllowedValues"]):
        yield f"it is one of {', '.join(map(str, declared['AllowedValues']))}"
    if "AllowedPattern" in declared and not re.fullmatch(declared["AllowedPattern"], value):
        yield f"it is {declared.get('ConstraintDescription', 'matched by ' + declared['AllowedPattern'])}"
    if declared["Type"] == "Number":
        if not re.fullmatch(r"-?\d+(\.\d+)?", value):
            yield "it is a number"
        elif float(value) < float(declared.get("MinValue", "-inf")) or float(value) > float(declared.get("MaxValue", "inf")):
            yield f"it is from {declared.get('MinValue', 'any number')} to {declared.get('MaxValue', 'any number')}"


def limits(plan: Plan) -> Outcome:
    """Quotas of the template and of what it makes."""
    faults = [f"{len(plan.template[section])} {section}; CloudFormation takes {most}" for section, most in MOST.items() if len(plan.template[section]) > most]
    if plan.size > TEMPLATE_BYTES:
        faults.append(f"the template has {plan.size:,} bytes; CloudFormation takes {TEMPLATE_BYTES:,}")
    for policy, properties in plan.resources("AWS::IAM::ManagedPolicy").items():
        faults += _too_long(policy, [properties["PolicyDocument"]], POLICY_CHARACTERS)
    for role, properties in plan.resources("AWS::IAM::Role").items():
        faults += _too_long(role, [policy["PolicyDocument"] for policy in properties.get("Policies", [])], ROLE_CHARACTERS)
    for function, properties in plan.resources("AWS::Serverless::Function").items():
        variables = {**plan.resolved(plan.template["Globals"]["Function"]["Environment"]["Variables"]), **properties["Environment"]["Variables"]}
        taken = len(json.dumps(variables))
        if taken > ENVIRONMENT_BYTES:
            faults.append(f"the variables of {function} take {taken:,} bytes; Lambda takes {ENVIRONMENT_BYTES:,}")
    return Outcome("limits", f"{len(plan.template['Resources'])} resources, {plan.size:,} bytes", faults)


def _too_long(owner: str, documents: list[Any], most: int) -> list[str]:
    characters = sum(len(re.sub(r"\s", "", json.dumps(document))) for document in documents)
    return [f"the policies of {owner} have {characters:,} characters; IAM takes {most:,}"] if characters > most else []


def architecture(plan: Plan) -> Outcome:
    """The machine that each function's program is for."""
    wanted = plan.value("Architecture")
    if plan.code is None:
        return Outcome("architecture", not_checked=f"name a release by --release, for {wanted}")
    programs = dict(_programs(plan.code))
    if not programs:
        return Outcome("architecture", not_checked=f"{plan.code} holds no program")
    kinds = {program: MACHINES.get(struct.unpack_from("<H", head, 18)[0] if head[:4] == b"\x7fELF" else 0, "no program of Linux") for program, head in programs.items()}
    faults = [f"{program} is for {kind}, and Architecture is {wanted}" for program, kind in kinds.items() if kind != wanted]
    return Outcome("architecture", f"{len(kinds)} programs for {wanted}", faults)


def _programs(code: Path) -> Iterator[tuple[str, bytes]]:
    """The beginning of each program, in the zips of a release."""
    for path in sorted(code.glob("*.zip")):
        with zipfile.ZipFile(path) as archive, archive.open("bootstrap") as program:
            yield path.name, program.read(64)


def routes(plan: Plan) -> Outcome:
    """Preflights, and the policies of those who call."""
    declared, faults = plan.resources("AWS::ApiGatewayV2::Route"), []
    policies = plan.resources("AWS::IAM::ManagedPolicy")
    tag = {"aws:PrincipalTag/taxonomy-tenant": "acme"}
    for route, properties in declared.items():
        key, authorized = properties["RouteKey"], properties["AuthorizationType"] != "NONE"
        method, _, path = key.partition(" ")
        if authorized and method in ("ANY", "OPTIONS", "$default"):
            faults.append(f"{route} ({key}) would refuse the preflights of browsers: it matches OPTIONS and asks for credentials")
        if properties["AuthorizationType"] != "AWS_IAM":
            continue
        arn = f"arn:aws:execute-api:{plan.region}:{plan.account}:HttpApi/$default/{method}{path.replace('{tenant}', 'acme').replace('{id}', '1')}"
        for policy in ["ConsumerPolicy"] + ["TenantConsumerPolicy"] * ("{tenant}" in path):
            if not allows(policies[policy]["PolicyDocument"], "execute-api:Invoke", arn, tag):
                faults.append(f"{policy} does not allow {key}")
    return Outcome("routes", f"{len(declared)}, none of which takes a preflight; consumers may call each", faults)


def concurrency(plan: Plan, account: int | None = None) -> Outcome:
    """The reserves, in the account's executions or in those of a usual account."""
    executions = USUAL if account is None else account
    projector, lookup = int(plan.value("ProjectorConcurrency")), int(plan.value("LookupConcurrency"))
    reserved, of = projector + lookup, f"an account of {executions:,} executions" + (" (assumed)" if account is None else "")
    faults = []
    if reserved and executions - reserved < UNRESERVED:
        faults.append(f"{reserved} executions are reserved in {of}, of which {UNRESERVED} must stay unreserved: lower ProjectorConcurrency and LookupConcurrency, or set them to 0")
    if lookup == 0 and projector > executions // 2:
        faults.append(f"ProjectorConcurrency={projector} leaves the lookup less than half of {of}")
    return Outcome("concurrency", f"{projector} reserved for the projector, {lookup} for the lookup, {executions - reserved} left in {of}", faults)


CHECKS = (name, parameters, limits, architecture, routes, concurrency)
