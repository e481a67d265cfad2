"""Each check that needs no account fails on a deployment that is broken for it, and on no other."""

import json
import os
import re
import struct
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import Any
from unittest import mock

from broken import ROOT, broken, plan
from rehearsal import checkov, offline, order, permissions
from rehearsal.outcome import Outcome, summary
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

    def test_names(self) -> None:
        for name in ("TaxonomyStack", "a-name-that-is-too-long", "1st", "ends-"):
            made = plan()
            made.name = name
            self.fails(offline.name(made), name)
        made = plan()
        made.name, made.region = "twenty-characters-is", "a-region-with-a-name-of-thirty"
        self.fails(offline.name(made), "63")

    def test_parameters(self) -> None:
        for given, word in (
            ({"Nothing": "1"}, "no parameter"),
            ({"AuthMode": "open"}, "iam, jwt, none"),
            ({"TableMaxReadUnits": "00"}, "without leading zeros"),
            ({"ProjectorConcurrency": "5"}, "12 to 9999"),
            ({"ProjectorMemory": "20000"}, "10240"),
            ({"ProjectorMemory": "much"}, "a number"),
            ({"AuthMode": "none"}, "NoneOnlyLocally"),
            ({"DomainName": "taxonomy.example.com"}, "DomainIsComplete"),
            ({"DomainName": "taxonomy.example.com", "DomainCertificateArn": CERTIFICATE.replace("eu-west-1", "us-east-1")}, "not of the stack's region"),
        ):
            with self.subTest(given):
                self.fails(offline.parameters(plan(**given)), word)
        needed = broken(lambda template: template["Parameters"].update(CodeBucket={"Type": "String"}))
        self.fails(offline.parameters(needed), "CodeBucket has no default")

    def test_limits(self) -> None:
        many = {f"Queue{number}": {"Type": "AWS::SQS::Queue"} for number in range(400)}
        self.fails(offline.limits(broken(lambda template: template["Resources"].update(many))), "500")
        large = plan()
        large.size = 1_000_001
        self.fails(offline.limits(large), "1,000,000")

        def lengthen(template: dict[str, Any]) -> None:
            document = template["Resources"]["OperatorPolicy"]["Properties"]["PolicyDocument"]
            statement(document, "ReadBodies")["Resource"] = [f"arn:aws:s3:::bucket/{number:0100}/*" for number in range(50)]

        self.fails(offline.limits(broken(lengthen)), "OperatorPolicy", "6,144")
        variables = {"Resources.Lookup": "x" * 5000}
        self.fails(offline.limits(broken(lambda template: template["Resources"]["Lookup"]["Properties"]["Environment"]["Variables"].update(variables))), "4,096")

    def test_architecture(self) -> None:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            self.assertTrue(offline.architecture(plan()).not_checked)
            there = plan(Architecture="arm64")
            there.code = folder
            self.assertTrue(offline.architecture(there).not_checked)
            for machine, word in ((183, ""), (62, "x86_64"), (3, "no program")):
                head = b"\x7fELF" + bytes(14) + struct.pack("<H", machine) + bytes(44)
                with zipfile.ZipFile(folder / "lookup.zip", "w") as archive:
                    archive.writestr("bootstrap", head)
                outcome = offline.architecture(there)
                self.assertEqual(bool(outcome.faults), bool(word), machine)
                self.assertIn(word, "\n".join(outcome.faults))

    def test_routes(self) -> None:
        def any_method(template: dict[str, Any]) -> None:
            template["Resources"]["RouteTerm"]["Properties"]["RouteKey"] = "ANY /v1/tenants/{tenant}/terms/{id}"

        self.fails(offline.routes(broken(any_method)), "RouteTerm", "preflights")

        def no_post(template: dict[str, Any]) -> None:
            call = statement(template["Resources"]["TenantConsumerPolicy"]["Properties"]["PolicyDocument"], "Call")
            call["Resource"] = [each for each in call["Resource"] if "batchGet" not in json.dumps(each)]

        self.fails(offline.routes(broken(no_post)), "TenantConsumerPolicy", "terms:batchGet")

    def test_concurrency(self) -> None:
        self.fails(offline.concurrency(plan(), 50), "50 executions", "must stay unreserved")
        self.fails(offline.concurrency(plan(ProjectorConcurrency="600")), "less than half")
        self.fails(offline.concurrency(plan(ProjectorConcurrency="500", LookupConcurrency="450")), "must stay unreserved")
        for executions in (10, 100, 1000):
            self.assertEqual(offline.concurrency(plan(ProjectorConcurrency="0"), executions).faults, [])

    def test_rights_of_the_deployer(self) -> None:
        for name, action, word in (
            ("deployer", "lambda:TagResource", "AWS::Lambda::EventSourceMapping"),
            ("deployer", "dynamodb:CreateTable", "AWS::DynamoDB::Table"),
            ("deployer-options", "sns:GetTopicAttributes", "AWS::SNS::Subscription"),
            ("deployer-options", "iam:PutRolePermissionsBoundary", "AWS::IAM::Role"),
            ("deployer-options", "iam:CreateServiceLinkedRole", "AWS::ApiGatewayV2::DomainName"),
            ("deployer-options", "kms:ReEncrypt*", "AWS::DynamoDB::Table"),
        ):
            documents = permissions.published()
            for each in documents["deployer deployer-options".split().index(name)]["Statement"]:
                each["Action"] = [left for left in ([each["Action"]] if isinstance(each["Action"], str) else each["Action"]) if left != action]
            with self.subTest(action):
                self.fails(permissions.permissions(plan(), documents), word, action.removesuffix("*"))

    def test_rights_on_the_wrong_resource(self) -> None:
        documents = permissions.published()
        functions = statement(documents[0], "Functions")
        functions["Resource"] = [each for each in functions["Resource"] if "event-source-mapping" not in each]
        self.fails(permissions.permissions(plan(), documents), "AWS::Lambda::EventSourceMapping", "lambda:TagResource")

    def test_an_excuse_that_nothing_needs(self) -> None:
        documents = permissions.published()
        documents[0]["Statement"].append({"Effect": "Allow", "Action": "dynamodb:DeleteTable", "Resource": "*"})
        self.fails(permissions.permissions(plan(), documents), "dynamodb:DeleteTable", "needs no excuse")

    def test_a_type_without_permissions(self) -> None:
        outcome = permissions.permissions(broken(lambda template: template["Resources"].update(New={"Type": "AWS::New::Type"})))
        self.fails(outcome, "AWS::New::Type")

    def test_findings_of_checkov(self) -> None:
        excused = {(check, resource) for check, excuse in json.loads(checkov.EXCUSED.read_text()).items() for resource in excuse["resources"]}
        self.assertEqual(checkov.compared(excused, 90).faults, [])
        self.fails(checkov.compared(excused | {("CKV_AWS_999", "Table")}, 90), "CKV_AWS_999", "Table")
        one = next(iter(excused))
        self.fails(checkov.compared(excused - {one}, 90), one[0], "finds no fault")

    def test_a_checkov_that_does_not_end(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "checkov"
            program.write_text("#!/bin/sh\nexec sleep 9\n")
            program.chmod(0o755)
            with mock.patch.dict(os.environ, {"PATH": f"{folder}:/usr/bin:/bin"}), mock.patch.object(checkov, "SECONDS", 0.1):
                self.assertIn("did not end", checkov.check(ROOT / "template.yaml").not_checked)


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


class TheSummary(unittest.TestCase):
    def test_counts_what_was_not_checked(self) -> None:
        outcomes = [Outcome("a", "seen"), Outcome("b", faults=["broken"]), Outcome("c", not_checked="no account")]
        self.assertEqual(summary(outcomes), "rehearsal: 1 passed, 1 failed, 1 not checked")
        self.assertEqual(outcomes[2].lines(), ["not checked  c: no account"])


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
