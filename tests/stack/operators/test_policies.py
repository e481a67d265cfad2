"""Tests that each command makes only requests that its policy allows, and that each policy allows only the requests of commands."""

import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from program import taxonomy
from recorder import Right, recording
from rehearsal import policy
from stack import FIRST, SECOND, stack, until

Statement = dict[str, Any]
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

    @classmethod
    def setUpClass(cls) -> None:
        running = stack()
        cls.tenant = running.fresh_tenant("rights")
        cls.recorded = {UPLOADER: [], CONSUMER: [], OPERATOR: [], LISTER: [], SCANNER: [], "Purge": []}
        with recording(running.endpoint.split("://")[1]) as (address, recorder), tempfile.TemporaryDirectory() as folder:
            for who, code, arguments in commands(running, cls.tenant, Path(folder)):
                recorder.rights.clear()
                done = taxonomy(*arguments, AWS_ENDPOINT_URL=address, stdin='{"categories":[{"terms":[{"id":113}]}]}\n')
                if done.code != code:
                    raise AssertionError(f"taxonomy {' '.join(map(str, arguments))} ended with {done.code}: {done.out}{done.err}")
                cls.recorded[who] += recorder.rights
            if recorder.unknown:
                raise AssertionError(f"requests that were not understood: {recorder.unknown}")

    def test_a_policy_allows_what_its_commands_request(self) -> None:
        for who, rights in self.recorded.items():
            self.assertTrue(rights, who)
        for who, output in ((UPLOADER, "UploaderPolicyArn"), (CONSUMER, "ConsumerPolicyArn"), (OPERATOR, "OperatorPolicyArn"), (LISTER, "OperatorPolicyArn")):
            self.assert_allowed(who, statements(output), None)
        for who in (UPLOADER, CONSUMER, OPERATOR):
            self.assert_allowed(who, statements(f"Tenant{who}PolicyArn"), self.tenant)
        self.assert_allowed("Purge", statements("PurgeRoleArn"), None)
        self.assert_allowed(SCANNER, statements("OperatorPolicyArn") + statements("ScanRoleArn"), None)

    def assert_allowed(self, who: str, policy: list[Statement], tag: str | None) -> None:
        denied = {right for right in self.recorded[who] if not allows(policy, right, tag) and right.action != "sts:AssumeRole"}
        # Messages of all tenants belong to no single tenant.
        self.assertEqual({right for right in denied if tag is None or not belongs_to_all(right)}, set(), who)

    def test_a_policy_allows_no_action_that_no_command_needs(self) -> None:
        recorded = self.recorded | {OPERATOR: self.recorded[OPERATOR] + self.recorded[LISTER]}
        tenants = [(who, f"Tenant{who}PolicyArn", self.tenant) for who in (UPLOADER, CONSUMER, OPERATOR)]
        all_tenants = [(who, f"{who}PolicyArn", None) for who in (UPLOADER, CONSUMER, OPERATOR)]
        for who, output, tag in (*tenants, *all_tenants, ("Purge", "PurgeRoleArn", None), (SCANNER, "ScanRoleArn", None)):
            self.assertEqual(unused(statements(output), recorded[who], tag), [], output)


def allows(policy_statements: list[Statement], right: Right, tag: str | None) -> bool:
    """Whether statements allow a request to a principal with this tag."""
    context = dict(right.context) | ({"aws:PrincipalTag/taxonomy-tenant": tag} if tag else {})
    return policy.allows({"Statement": policy_statements}, right.action, right.resource, context)


def statements(output: str) -> list[Statement]:
    """Returns the statements of a deployed policy, or of a role."""
    running = stack()
    iam, arn = running.client("iam"), running.outputs[output]
    if ":role/" in arn:
        document: Any = iam.get_role_policy(RoleName=arn.rsplit("/", 1)[-1], PolicyName=output.removesuffix("RoleArn").lower())["PolicyDocument"]
    else:
        version = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
        document = iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"]
    found: list[Statement] = document["Statement"]
    return found


def unused(policy_statements: list[Statement], recorded: list[Right], tag: str | None) -> list[str]:
    """Returns statements and actions whose removal would deny no request."""
    found = []
    allowed = [right for right in recorded if allows(policy_statements, right, tag)]
    for statement in policy_statements:
        for action in policy.listed(statement["Action"]):
            without = statement | {"Action": [each for each in policy.listed(statement["Action"]) if each != action]}
            rest = [without if each is statement else each for each in policy_statements]
            if all(allows(rest, right, tag) for right in allowed):
                found.append(f"{statement['Sid']} {action}")
    return [each for each in found if each not in IMPLIED]


def belongs_to_all(right: Right) -> bool:
    return right.action in ("sqs:ReceiveMessage", "sqs:DeleteMessage") or "deferred" in right.resource or "aws/lambda/" in f"{right.resource}{right.context}"


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
    until("the aggregates", 600, lambda: running.items(f"STATS#{tenant}") or None)
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
    told = running.outputs
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
