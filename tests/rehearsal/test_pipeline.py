"""The pipeline of a stack and the roles around it: what a comment shows, and whom the roles trust with what."""

import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from broken import ROOT
from rehearsal.plan import Plan, read
from rehearsal.policy import allows

CLOUDFORMATION = ROOT / "docs" / "deploying" / "cloudformation"
HOSTILE = "Table|x`<img src=x>@all[a](b)\n# heading"


def stack(name: str, **given: str) -> Plan:
    return read(CLOUDFORMATION / f"{name}.yaml", name, "eu-west-1", given)


def trusts(role: dict[str, Any], action: str, **context: str) -> bool:
    """Whether the trust of a role allows the action, whoever asks: principals are compared by the tests themselves."""
    statements = [{**each, "Resource": "*"} for each in role["AssumeRolePolicyDocument"]["Statement"]]
    return allows({"Statement": statements}, action, "arn:aws:iam::123456789012:role/it", context)


class TheComment(unittest.TestCase):
    def shown(self, change_set: dict[str, Any]) -> str:
        with tempfile.TemporaryDirectory() as made:
            shutil.copytree(ROOT / "samples" / "stack", made, dirs_exist_ok=True)
            (Path(made) / "change-set.json").write_text(json.dumps(change_set))
            done = subprocess.run(["bash", str(Path(made) / ".github" / "stack.sh"), "show", "prod"], capture_output=True, text=True, check=True)
        return done.stdout

    def test_has_a_row_for_each_change(self) -> None:
        change = {"Action": "Modify", "LogicalResourceId": "Table", "ResourceType": "AWS::DynamoDB::Table", "Replacement": "True"}
        text = self.shown({"StackName": "taxonomy", "Status": "CREATE_COMPLETE", "Changes": [{"ResourceChange": change}]})
        self.assertIn("### prod: taxonomy\n", text)
        self.assertIn("| Modify | Table | AWS::DynamoDB::Table | True |\n", text)

    def test_is_not_led_by_a_name(self) -> None:
        change = {"Action": "Add", "LogicalResourceId": HOSTILE, "ResourceType": "AWS::SQS::Queue"}
        text = self.shown({"StackName": "taxonomy", "Status": "CREATE_COMPLETE", "Changes": [{"ResourceChange": change}]})
        self.assertEqual(text.splitlines()[-1], r"| Add | Table\|x\`&lt;img src=x>\@all\[a\](b) # heading | AWS::SQS::Queue |  |")

    def test_says_why_there_is_no_change_set(self) -> None:
        text = self.shown({"StackName": "taxonomy", "Status": "FAILED", "StatusReason": "rule <b>NoneOnlyLocally</b>", "Changes": []})
        self.assertIn("**rule &lt;b>NoneOnlyLocally&lt;/b>**", text)
        self.assertIn("No change.", self.shown({"StackName": "taxonomy", "Status": "CREATE_COMPLETE", "Changes": []}))


class TheRolesOfThePipeline(unittest.TestCase):
    def setUp(self) -> None:
        self.roles = stack("pipeline-roles", Repository="acme/stack", Environment="prod", StackName="taxonomy", Artifacts="artifacts").resources("AWS::IAM::Role")

    def test_trust_the_repository_and_what_runs_there(self) -> None:
        key = "token.actions.githubusercontent.com"
        for role, subject, expect in (
            ("Plan", "repo:acme/stack:pull_request", True),
            ("Plan", "repo:acme/stack:ref:refs/heads/main", False),
            ("Plan", "repo:evil/stack:pull_request", False),
            ("Deploy", "repo:acme/stack:environment:prod", True),
            ("Deploy", "repo:acme/stack:environment:staging", False),
            ("Deploy", "repo:acme/stack:pull_request", False),
        ):
            context = {f"{key}:aud": "sts.amazonaws.com", f"{key}:sub": subject}
            self.assertEqual(trusts(self.roles[role], "sts:AssumeRoleWithWebIdentity", **context), expect, (role, subject))
            other = {**context, f"{key}:aud": "other"}
            self.assertFalse(trusts(self.roles[role], "sts:AssumeRoleWithWebIdentity", **other))

    def test_a_pull_request_executes_nothing(self) -> None:
        own = "arn:aws:cloudformation:eu-west-1:123456789012:stack/taxonomy/id"
        for action, plan, deploy in (
            ("cloudformation:CreateChangeSet", True, True),
            ("cloudformation:ExecuteChangeSet", False, True),
            ("cloudformation:DeleteStack", False, False),
            ("cloudformation:UpdateStack", False, False),
        ):
            for role, expect in (("Plan", plan), ("Deploy", deploy)):
                (policy,) = self.roles[role]["Policies"]
                self.assertEqual(allows(policy["PolicyDocument"], action, own, {}), expect, (role, action))
                self.assertFalse(allows(policy["PolicyDocument"], action, own.replace("taxonomy", "other"), {}))


class TheRoleOfAConsumer(unittest.TestCase):
    def test_keeps_the_tenant_that_it_was_made_for(self) -> None:
        given = {"ConsumerArn": "arn:aws:iam::210987654321:role/app", "PolicyArn": "arn:aws:iam::123456789012:policy/p", "Tenant": "acme"}
        role = stack("consumer-role", **given).resources("AWS::IAM::Role")["Consumer"]
        self.assertEqual(role["Tags"], [{"Key": "taxonomy-tenant", "Value": "acme"}])
        self.assertEqual([each["Principal"] for each in role["AssumeRolePolicyDocument"]["Statement"]], [{"AWS": given["ConsumerArn"]}])
        self.assertTrue(trusts(role, "sts:AssumeRole"))
        self.assertFalse(trusts(role, "sts:TagSession"))


if __name__ == "__main__":
    unittest.main()
