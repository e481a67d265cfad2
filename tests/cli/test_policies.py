"""Tests that each command makes only requests that its policy allows, and that each policy allows only the requests of commands."""

import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from program import stack, taxonomy
from recorder import Right, recording

from iam import Statement, allows, listed  # isort: skip - beside this file
from stack import SAMPLES, until

FIRST, SECOND = SAMPLES / "job-board-v1.json", SAMPLES / "job-board-v2.json"
UPLOADER = "Uploader"
CONSUMER = "Consumer"
OPERATOR = "Operator"
#: An operator of all tenants: a list reads the head of each.
LISTER = "List"
#: An operator who assumes the role that scans.
SCANNER = "Scan"
#: Without this permission S3 hides that a body is missing; no request has it as its own action.
IMPLIED = {"TellMissingBodies s3:ListBucket"}


class Policies(unittest.TestCase):
    """Runs every command once, each time through a proxy that records its requests."""

    recorded: ClassVar[dict[str, list[Right]]]
    tenant: ClassVar[str]
    neighbour: ClassVar[str]
    unknown: ClassVar[list[str]]

    @classmethod
    def setUpClass(cls) -> None:
        running = stack()
        cls.tenant = running.fresh_tenant("rights")
        cls.neighbour = f"{cls.tenant}2"
        cls.recorded = {UPLOADER: [], CONSUMER: [], OPERATOR: [], LISTER: [], SCANNER: [], "Purge": []}
        with recording(running.endpoint.split("://")[1]) as (address, recorder), tempfile.TemporaryDirectory() as folder:
            # Without the permission to list, a missing object is forbidden.
            recorder.hides_missing = True
            for who, code, arguments in commands(running, cls.tenant, Path(folder)):
                recorder.rights.clear()
                done = taxonomy(*arguments, AWS_ENDPOINT_URL=address, stdin='{"categories":[{"terms":[{"id":113}]}]}\n')
                if done.code != code:
                    raise AssertionError(f"taxonomy {' '.join(map(str, arguments))} ended with {done.code}: {done.out}{done.err}")
                cls.recorded[who] += recorder.rights
            cls.unknown = recorder.unknown

    def policy(self, output: str) -> list[Statement]:
        """Returns the statements of a deployed policy."""
        running = stack()
        iam = running.client("iam")
        arn = outputs()[output]
        if ":role/" in arn:
            document: Any = iam.get_role_policy(RoleName=arn.rsplit("/", 1)[-1], PolicyName=output.removesuffix("RoleArn").lower())["PolicyDocument"]
        else:
            version = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
            document = iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"]
        statements: list[Statement] = document["Statement"]
        return statements

    def test_every_request_was_understood(self) -> None:
        self.assertEqual(self.unknown, [])
        for who, rights in self.recorded.items():
            self.assertTrue(rights, who)

    def test_a_policy_allows_what_its_commands_request(self) -> None:
        for who, output in ((UPLOADER, "UploaderPolicyArn"), (CONSUMER, "ConsumerPolicyArn"), (OPERATOR, "OperatorPolicyArn")):
            self.assert_allowed(who, output, None)
            self.assert_allowed(who, f"Tenant{output}", self.tenant)
        self.assert_allowed(LISTER, "OperatorPolicyArn", None)
        for who, statements in (("Purge", self.policy("PurgeRoleArn")), (SCANNER, self.policy("OperatorPolicyArn") + self.policy("ScanRoleArn"))):
            denied = [right for right in self.recorded[who] if not allows(statements, right, None) and right.action != "sts:AssumeRole"]
            self.assertEqual(denied, [], who)

    def assert_allowed(self, who: str, output: str, tag: str | None) -> None:
        statements = self.policy(output)
        denied = {right for right in self.recorded[who] if not allows(statements, right, tag)}
        if tag is not None:
            # Messages of all tenants belong to no single tenant.
            denied = {right for right in denied if not belongs_to_all(right)}
        self.assertEqual(denied, set(), output)

    def test_a_policy_of_one_tenant_allows_nothing_of_another(self) -> None:
        for who in (UPLOADER, CONSUMER, OPERATOR):
            statements = self.policy(f"Tenant{who}PolicyArn")
            own = [right for right in set(self.recorded[who]) if self.tenant in f"{right.resource}{right.context}"]
            self.assertTrue(own)
            for tag in (self.neighbour, self.tenant[:-1], None):
                allowed = [right for right in own if allows(statements, right, tag)]
                self.assertEqual(allowed, [], f"{who} with the tag {tag}")

    def test_a_policy_allows_nothing_that_no_command_needs(self) -> None:
        policies = [(who, f"{kind}{who}PolicyArn", tag) for who in (UPLOADER, CONSUMER, OPERATOR) for kind, tag in (("", None), ("Tenant", self.tenant))]
        recorded = self.recorded | {OPERATOR: self.recorded[OPERATOR] + self.recorded[LISTER]}
        unused = {output: self.unused(self.policy(output), recorded[who], tag) for who, output, tag in (*policies, ("Purge", "PurgeRoleArn", None), (SCANNER, "ScanRoleArn", None))}
        self.assertEqual({output: found for output, found in unused.items() if found}, {})

    def unused(self, statements: list[Statement], recorded: list[Right], tag: str | None) -> list[str]:
        """Returns statements and actions whose removal would deny no request."""
        found = []
        for statement in statements:
            for action in listed(statement["Action"]):
                rest = [action_less(each, action) if each is statement else each for each in statements]
                if all(allows(rest, right, tag) for right in recorded if allows(statements, right, tag)):
                    found.append(f"{statement['Sid']} {action}")
        return [each for each in found if each not in IMPLIED]


def action_less(statement: Statement, action: str) -> Statement:
    return statement | {"Action": [each for each in listed(statement["Action"]) if each != action]}


def belongs_to_all(right: Right) -> bool:
    return right.action in ("sqs:ReceiveMessage", "sqs:DeleteMessage") or "deferred" in right.resource or "aws/lambda/" in f"{right.resource}{right.context}"


def outputs() -> dict[str, str]:
    running = stack()
    described = running.client("cloudformation").describe_stacks(StackName=running.stack_name)["Stacks"][0]["Outputs"]
    return {output["OutputKey"]: output["OutputValue"] for output in described}


def commands(running: Any, tenant: str, folder: Path) -> Iterator[tuple[str, int, list[str | Path]]]:
    """Yields every command that uses a stack: its role, its exit code, its arguments. Their preconditions are prepared between two of them."""
    plan = folder / "plan"
    small = folder / "small.json"
    small.write_text('{"defaultCulture":"en-GB","categories":[{"id":1,"names":[{"culture":"en-GB","name":"Sector"}],"terms":[]}]}')
    text = folder / "advert.txt"
    text.write_text("We look for a Rustacean.")
    sign = ["--auth", "iam"]
    yield from [
        (UPLOADER, 0, ["push", FIRST, "--tenant", tenant]),
        (UPLOADER, 0, ["push", FIRST, "--tenant", tenant]),
        (UPLOADER, 0, ["plan", SECOND, "--tenant", tenant, "--out", plan]),
        (UPLOADER, 0, ["push", SECOND, "--plan", plan]),
        (UPLOADER, 5, ["push", small, "--tenant", tenant]),
    ]
    until("the aggregates", 600, lambda: running.stats(tenant) or None)
    yield from [
        (CONSUMER, 0, ["get", "113", "--tenant", tenant, *sign]),
        (CONSUMER, 0, ["get", "1", "--category", "--tenant", tenant, *sign]),
        (CONSUMER, 0, ["children", "--tenant", tenant, *sign]),
        (CONSUMER, 0, ["children", "100", "--tenant", tenant, *sign]),
        (CONSUMER, 0, ["extract", text, "--tenant", tenant, *sign]),
        (CONSUMER, 0, ["gaps", tenant, "--culture", "fr-FR", *sign]),
        (CONSUMER, 0, ["stats", tenant, *sign]),
        (CONSUMER, 0, ["stats", tenant, "--category", "1", *sign]),
        (CONSUMER, 0, ["expand", "--tenant", tenant, *sign]),
        (CONSUMER, 0, ["follow", tenant, "--limit", "1", *sign]),
        (LISTER, 0, ["tenant", "list"]),
        (OPERATOR, 0, ["tenant", "show", tenant]),
        (OPERATOR, 0, ["tenant", "set", tenant, "--removal-terms", "21"]),
        (OPERATOR, 0, ["tenant", "set", tenant, "--name", "Job board"]),
        (OPERATOR, 0, ["tenant", "set", tenant, "--fallback", "fr-FR"]),
        (OPERATOR, 0, ["tenant", "freeze", tenant]),
        (OPERATOR, 0, ["tenant", "thaw", tenant]),
    ]
    running.wait_refused(running.push(tenant, b"{"))
    yield from [
        (UPLOADER, 0, ["report", tenant]),
        (OPERATOR, 0, ["report", tenant]),
        (OPERATOR, 0, ["history", tenant]),
        (OPERATOR, 0, ["show", tenant, "--as-of", "2036-01-01T00:00:00Z"]),
        (OPERATOR, 0, ["diff", "1", "2", "--tenant", tenant]),
        (OPERATOR, 0, ["export", "skos", "--tenant", tenant]),
        (OPERATOR, 0, ["export", "history", "--tenant", tenant]),
        (OPERATOR, 0, ["rollback", tenant, "1", "--yes"]),
        (OPERATOR, 0, ["rebuild", tenant, "--yes"]),
        (OPERATOR, 0, ["verify", tenant]),
        (SCANNER, 0, ["verify", tenant, "--scan"]),
        (OPERATOR, 0, ["repair", tenant, "--yes"]),
        (OPERATOR, 0, ["audit", tenant]),
        *((OPERATOR, 0, ["redrive", kind]) for kind in letters(running, tenant)),
        (OPERATOR, 0, ["redrive", "parked", "--tenant", tenant]),
        (OPERATOR, 0, ["redrive", "given-up"]),
    ]
    # If its object is missing, a tenant's new settings are checked against the snapshot.
    running.client("s3").delete_object(Bucket=running.source_bucket, Key=f"taxonomies/{tenant}.json")
    yield OPERATOR, 5, ["tenant", "set", tenant, "--default-culture", "ja-JP"]
    yield "Purge", 0, ["tenant", "purge", tenant, "--yes", "--quiet", "1"]
    running.client("dynamodb").put_item(TableName=running.table, Item={name: {"S": f"TERM#{tenant}#900"} for name in ("PK", "SK")})
    yield "Purge", 0, ["tenant", "purge", tenant, "--yes", "--quiet", "1", "--scan"]


def letters(running: Any, tenant: str) -> tuple[str, ...]:
    """Puts a dead letter into each dead-letter queue, and a parked record; returns the kinds."""
    told = outputs()
    queues = running.client("sqs")
    record = f'{{"formatVersion":1,"tenant":"{tenant}"}}'
    for output, body in (("DeadLettersUrl", f'{{"tenant":"{tenant}"}}'), ("AuditDeadLettersUrl", f'{{"audit":"{tenant}"}}'), ("DeferredDeadLettersUrl", record)):
        queues.send_message(QueueUrl=told[output], MessageBody=body)
    given_up = '{"payload":"{\\"Records\\":[]}"}'
    for key, body in ((f"parked/{tenant}/000000000000-0.json", record), (f"aws/lambda/{tenant}", given_up)):
        running.client("s3").put_object(Bucket=running.failures_bucket, Key=key, Body=body.encode())
    return ("uploads", "audits", "deferred")


if __name__ == "__main__":
    unittest.main()
