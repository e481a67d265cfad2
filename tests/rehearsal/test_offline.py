"""Each check that needs no account fails on a deployment that is broken for it, and on no other."""

import json
import re
import struct
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import Any

from broken import ROOT, broken, plan
from rehearsal import checkov, offline, order, permissions
from rehearsal.outcome import Outcome
from rehearsal.policy import allows

CERTIFICATE = "arn:aws:acm:eu-west-1:123456789012:certificate/a"


def statement(document: dict[str, Any], sid: str) -> dict[str, Any]:
    """The statement itself, to be changed in place."""
    found: dict[str, Any]
    (found,) = (each for each in document["Statement"] if each.get("Sid") == sid)
    return found


class TheProject(unittest.TestCase):
    def test_passes_every_check(self) -> None:
        for check in (*offline.CHECKS, permissions.permissions):
            outcome = check(plan())
            self.assertEqual(outcome.faults, [], outcome.name)
            self.assertTrue(outcome.seen or outcome.not_checked, outcome.name)

    def test_passes_with_every_option(self) -> None:
        given = {
            "PermissionsBoundaryArn": "arn:aws:iam::123456789012:policy/boundary",
            "KmsKeyArn": "arn:aws:kms:eu-west-1:123456789012:key/a",
            "AccessLogsBucket": "access-logs",
            "DomainName": "taxonomy.example.com",
            "DomainCertificateArn": CERTIFICATE,
            "ExecuteApiEndpoint": "disabled",
            "CacheUrl": "rediss://cache.example:6379",
            "CacheSubnetIds": "subnet-1",
            "CacheSecurityGroupIds": "sg-1",
            "CachePasswordSecret": "cache",
            "TableCapacity": "provisioned",
            "TableMaxReadUnits": "100",
            "TableMaxWriteUnits": "100",
        }
        for check in offline.CHECKS:
            self.assertEqual(check(plan(**given)).faults, [], check.__name__)


class Broken(unittest.TestCase):
    def fails(self, outcome: Outcome, *words: str) -> None:
        self.assertTrue(outcome.faults, outcome.name)
        for word in words:
            self.assertIn(word, "\n".join(outcome.faults))

    def test_deployments_fail(self) -> None:
        """One fault for each check."""

        def any_method(template: dict[str, Any]) -> None:
            template["Resources"]["RouteTerm"]["Properties"]["RouteKey"] = "ANY /v1/tenants/{tenant}/terms/{id}"

        named = plan()
        named.name = "TaxonomyStack"
        many = {f"Queue{number}": {"Type": "AWS::SQS::Queue"} for number in range(400)}
        self.fails(offline.name(named), "TaxonomyStack")
        self.fails(offline.parameters(plan(AuthMode="open")), "iam, jwt, none")
        self.fails(offline.parameters(plan(DomainName="taxonomy.example.com")), "DomainIsComplete")
        self.fails(offline.limits(broken(lambda template: template["Resources"].update(many))), "500")
        self.fails(offline.routes(broken(any_method)), "RouteTerm", "preflights")
        self.fails(offline.concurrency(plan(), 50), "50 executions", "must stay unreserved")
        self.fails(permissions.permissions(broken(lambda template: template["Resources"].update(New={"Type": "AWS::New::Type"}))), "AWS::New::Type")
        self.fails(checkov.compared({("CKV_AWS_999", "Table")}, 90), "CKV_AWS_999", "Table")

    def test_a_program_of_another_architecture_fails(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            made = plan(Architecture="arm64")
            made.code = Path(folder)
            for machine, word in ((183, ""), (62, "x86_64")):
                with zipfile.ZipFile(made.code / "lookup.zip", "w") as archive:
                    archive.writestr("bootstrap", b"\x7fELF" + bytes(14) + struct.pack("<H", machine) + bytes(44))
                outcome = offline.architecture(made)
                self.assertEqual(bool(outcome.faults), bool(word), machine)
                self.assertIn(word, "\n".join(outcome.faults))

    def test_a_right_that_the_deployer_lacks_fails(self) -> None:
        documents = permissions.published()
        functions = statement(documents[0], "Functions")
        functions["Resource"] = [each for each in functions["Resource"] if "event-source-mapping" not in each]
        self.fails(permissions.permissions(plan(), documents), "AWS::Lambda::EventSourceMapping", "lambda:TagResource")


class TheDeployer(unittest.TestCase):
    def setUp(self) -> None:
        self.deployer, self.options = permissions.published()

    def test_has_the_code_at_its_place_whatever_the_stack_is_called(self) -> None:
        """`STACK` is replaced, and the prefix of the code stays that of stack.sh and of the release's template."""
        texts = [json.dumps(document).replace("STACK", "staging") for document in (self.deployer, self.options)]
        for text, places in zip(texts, (1, 0), strict=True):
            self.assertEqual(text.count("taxonomy"), places)
        self.assertTrue(allows(json.loads(texts[0]), "s3:GetObject", "arn:aws:s3:::ARTIFACTS/taxonomy/lookup-1.zip", {}))
        self.assertTrue(allows(json.loads(texts[0]), "lambda:CreateFunction", "arn:aws:lambda:REGION:ACCOUNT:function:staging-lookup", {}))

    def test_reads_the_parameters_of_the_stack_alone(self) -> None:
        for name in plan().resources("AWS::SSM::Parameter"):
            self.assertTrue(allows(self.deployer, "ssm:GetParameters", f"arn:aws:ssm:REGION:ACCOUNT:parameter/CFN-{name}-1", {}), name)
        self.assertFalse(allows(self.deployer, "ssm:GetParameters", "arn:aws:ssm:REGION:ACCOUNT:parameter/prod/password", {}))

    def test_makes_no_role_without_the_boundary_that_an_account_demands(self) -> None:
        both = {"Statement": self.deployer["Statement"] + self.options["Statement"]}
        for action in ("iam:CreateRole", "iam:PutRolePermissionsBoundary"):
            for context, expect in (({"iam:PermissionsBoundary": "BOUNDARY"}, True), ({"iam:PermissionsBoundary": "other"}, False), ({}, False)):
                self.assertEqual(allows(both, action, "arn:aws:iam::ACCOUNT:role/STACK-Role-1", context), expect, (action, context))


class TheOrder(unittest.TestCase):
    def test_names_chapters_that_are_there(self) -> None:
        text = order.order(plan())
        named = re.findall(r'(docs/[\w/]+\.md), "([^"]+)"', text)
        self.assertGreater(len(named), 3)
        for document, chapter in named:
            self.assertIn(f"# {chapter}\n", (ROOT / document).read_text())


class Policies(unittest.TestCase):
    def test_are_decided_as_by_the_evaluator_of_the_testkit(self) -> None:
        """`deployer_policies::both_evaluators_of_policies_agree` reads the same table."""
        documents = dict(zip(("deployer", "deployer-options"), permissions.published(), strict=True))
        documents["TenantConsumerPolicy"] = plan().resources("AWS::IAM::ManagedPolicy")["TenantConsumerPolicy"]["PolicyDocument"]
        for row in json.loads((ROOT / "tests" / "rehearsal" / "decisions.json").read_text()):
            tag = {"aws:PrincipalTag/taxonomy-tenant": row["tenant"]} if row.get("tenant") else {}
            resource = row["resource"].replace("{api}", "arn:aws:execute-api:eu-west-1:123456789012:HttpApi")
            decided = allows(documents[row["policy"]], row["action"], resource, {**row.get("context", {}), **tag})
            self.assertEqual(decided, row["allowed"], row)

    def test_deny_counts_more_and_a_variable_without_a_value_matches_nothing(self) -> None:
        allow = {"Effect": "Allow", "Action": "s3:*", "Resource": "arn:${aws:PrincipalTag/t}/*"}
        deny = {"Effect": "Deny", "Action": "s3:PutObject", "Resource": "*", "Condition": {"Null": {"s3:key": "false"}}}
        tagged = {"aws:PrincipalTag/t": "a"}
        for context, action, statements, expect in (
            (tagged, "s3:PutObject", [allow], True),
            ({}, "s3:PutObject", [allow], False),
            (tagged, "s3:PutObject", [allow, deny], True),
            ({**tagged, "s3:key": "k"}, "s3:PutObject", [allow, deny], False),
            ({**tagged, "s3:key": "k"}, "S3:getobject", [allow, deny], True),
        ):
            self.assertEqual(allows({"Statement": statements}, action, "arn:a/x", context), expect, (context, action))


if __name__ == "__main__":
    unittest.main()
