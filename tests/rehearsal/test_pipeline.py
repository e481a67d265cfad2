"""The pipeline of a stack and the roles around it: what a comment shows, and whom the roles trust with what."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from broken import ROOT
from rehearsal import offline
from rehearsal.plan import Plan, read
from rehearsal.policy import allows
from release import pages

CLOUDFORMATION = ROOT / "docs" / "deploying" / "cloudformation"
SAMPLE = ROOT / "samples" / "stack"
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
            shutil.copytree(SAMPLE, made, dirs_exist_ok=True)
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


#: A stand-in for the AWS CLI: writes down what it is called with, and answers by the name of the request.
AWS = """#!/usr/bin/env python3
import json, os, sys
from pathlib import Path
here = Path(os.environ["HERE"])
with (here / "calls").open("a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + "\\n")
code, text = json.loads((here / "answers").read_text()).get(sys.argv[2], [0, ""])
print(text, file=sys.stderr if code else sys.stdout)
sys.exit(code)
"""
CHANGE = "arn:aws:cloudformation:eu-west-1:111122223333:changeSet/pipeline-7-2/id"
DONE = json.dumps({"StackName": "taxonomy-staging", "Status": "CREATE_COMPLETE", "Changes": []})
NO_STACK = [254, "An error occurred (ValidationError): Stack with id taxonomy-staging does not exist"]


class TheScript(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)
        shutil.copytree(SAMPLE, self.folder, dirs_exist_ok=True)
        (self.folder / "release" / "functions").mkdir(parents=True)
        (self.folder / "release" / "cloudformation.yaml").write_text("Resources: {}")
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "aws").write_text(AWS)
        (self.folder / "bin" / "aws").chmod(0o755)

    def run_step(self, step: str, **answers: list[Any]) -> subprocess.CompletedProcess[str]:
        given = {"create-change-set": [0, CHANGE], "describe-change-set": [0, DONE]}
        (self.folder / "answers").write_text(json.dumps({**given, **{name.replace("_", "-"): answer for name, answer in answers.items()}}))
        (self.folder / "calls").write_text("")
        environment = {**os.environ, "HERE": str(self.folder), "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "GITHUB_RUN_ID": "7", "GITHUB_RUN_ATTEMPT": "2"}
        command = ["bash", str(self.folder / ".github" / "stack.sh"), step, "staging"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def calls(self, request: str) -> list[list[str]]:
        calls = [json.loads(line) for line in (self.folder / "calls").read_text().splitlines()]
        return [call for call in calls if call[1] == request]

    def uploads(self) -> list[str]:
        return [call[3] for call in self.calls("cp")]

    def test_a_plan_uploads_the_template_alone_and_to_a_place_of_its_own(self) -> None:
        done = self.run_step("plan", describe_stacks=[0, "UPDATE_COMPLETE"])
        self.assertEqual(done.returncode, 0, done.stderr)
        (template,) = self.uploads()
        self.assertRegex(template, "^s3://acme-artifacts-staging/plan/cloudformation-[0-9a-f]{12}.yaml$")
        self.assertEqual(self.calls("execute-change-set"), [])

    def test_executes_the_change_set_that_it_made_whoever_has_taken_its_name(self) -> None:
        done = self.run_step("deploy", describe_stacks=NO_STACK)
        self.assertEqual(done.returncode, 0, done.stderr)
        (made,), (executed,) = self.calls("create-change-set"), self.calls("execute-change-set")
        self.assertEqual(made[made.index("--change-set-name") + 1], "pipeline-7-2")
        self.assertEqual(made[made.index("--change-set-type") + 1], "CREATE")
        self.assertEqual(executed[executed.index("--change-set-name") + 1], CHANGE)
        self.assertEqual([call[2] for call in self.calls("wait")], ["change-set-create-complete", "stack-create-complete"])
        self.assertIn("s3://acme-artifacts-staging/taxonomy/", self.uploads())

    def test_says_how_a_deployment_ended_and_shows_its_own_events(self) -> None:
        done = self.run_step("deploy", describe_stacks=[0, "UPDATE_ROLLBACK_COMPLETE"], wait=[255, "Waiter failed"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("the stack taxonomy-staging is UPDATE_ROLLBACK_COMPLETE", done.stderr)
        (executed,), (events,) = self.calls("execute-change-set"), self.calls("describe-stack-events")
        token = executed[executed.index("--client-request-token") + 1]
        self.assertIn(f"ClientRequestToken=='{token}'", events[events.index("--query") + 1])

    def test_stops_where_the_stack_can_take_no_change_or_nobody_knows(self) -> None:
        for answer, words in (
            ([0, "ROLLBACK_COMPLETE"], "aws cloudformation delete-stack --stack-name taxonomy-staging"),
            ([254, "An error occurred (AccessDenied)"], "AccessDenied"),
        ):
            done = self.run_step("deploy", describe_stacks=answer)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)
            self.assertEqual(self.calls("create-change-set"), [])


class TheArchive(unittest.TestCase):
    def test_holds_the_sample_with_a_script_that_runs_and_links_to_the_policies(self) -> None:
        with tempfile.TemporaryDirectory() as made:
            pages.write(Path(made))
            sample = Path(made) / "samples" / "stack"
            self.assertTrue(os.access(sample / ".github" / "stack.sh", os.X_OK))
            self.assertTrue((sample / ".github" / "workflows" / "stack.yml").is_file())
            self.assertIn("(../../policies/deployer.json)", (sample / "README.md").read_text())
            self.assertIn("(samples/stack/README.md)", (Path(made) / "guide.md").read_text())


class TheWorkflow(unittest.TestCase):
    def test_deploys_from_main_alone(self) -> None:
        text = (SAMPLE / ".github" / "workflows" / "stack.yml").read_text()
        jobs = re.split(r"^  (?=\w+:$)", text.split("\njobs:\n")[1], flags=re.MULTILINE)
        deploying = [job for job in jobs if "stack.sh deploy" in job]
        self.assertEqual(len(deploying), 2)
        for job in deploying:
            self.assertRegex(job, "\n    if: .* && github.ref == 'refs/heads/main'\n")


class TheRolesOfThePipeline(unittest.TestCase):
    def setUp(self) -> None:
        self.roles = self.of("acme/stack")

    def of(self, repository: str) -> dict[str, Any]:
        given = {"Repository": repository, "Environment": "prod", "StackName": "taxonomy", "Artifacts": "artifacts"}
        return stack("pipeline-roles", **given).resources("AWS::IAM::Role")

    def test_trust_the_repository_and_what_runs_there(self) -> None:
        key = "token.actions.githubusercontent.com"
        main, branch, pull = "refs/heads/main", "refs/heads/other", "refs/pull/1/merge"
        for role, subject, ref, expect in (
            ("Plan", "repo:acme/stack:pull_request", pull, True),
            ("Plan", "repo:acme/stack:ref:refs/heads/main", main, False),
            ("Plan", "repo:evil/stack:pull_request", pull, False),
            ("Deploy", "repo:acme/stack:environment:prod", main, True),
            ("Deploy", "repo:acme/stack:environment:prod", branch, False),
            ("Deploy", "repo:acme/stack:environment:prod", pull, False),
            ("Deploy", "repo:acme/stack:environment:staging", main, False),
            ("Deploy", "repo:acme/stack:pull_request", main, False),
        ):
            context = {f"{key}:aud": "sts.amazonaws.com", f"{key}:sub": subject, f"{key}:ref": ref}
            self.assertEqual(trusts(self.roles[role], "sts:AssumeRoleWithWebIdentity", **context), expect, (role, subject, ref))
            other = {**context, f"{key}:aud": "other"}
            self.assertFalse(trusts(self.roles[role], "sts:AssumeRoleWithWebIdentity", **other))

    def test_trust_a_repository_by_its_numbers(self) -> None:
        """The form of subjects of repositories that were created after 15 July 2026."""
        made = stack("pipeline-roles", Repository="acme@12/stack@34")
        self.assertEqual([fault for fault in offline.parameters(made).faults if "Repository" in fault], [])
        subject = "repo:acme@12/stack@34:pull_request"
        context = {"token.actions.githubusercontent.com:aud": "sts.amazonaws.com", "token.actions.githubusercontent.com:sub": subject}
        self.assertTrue(trusts(self.of("acme@12/stack@34")["Plan"], "sts:AssumeRoleWithWebIdentity", **context))

    def may(self, role: str, action: str, resource: str) -> bool:
        (policy,) = self.roles[role]["Policies"]
        return allows(policy["PolicyDocument"], action, resource, {})

    def test_a_pull_request_executes_nothing(self) -> None:
        own = "arn:aws:cloudformation:eu-west-1:123456789012:stack/taxonomy/id"
        for action, plan, deploy in (
            ("cloudformation:CreateChangeSet", True, True),
            ("cloudformation:ExecuteChangeSet", False, True),
            ("cloudformation:DeleteStack", False, False),
            ("cloudformation:UpdateStack", False, False),
        ):
            for role, expect in (("Plan", plan), ("Deploy", deploy)):
                self.assertEqual(self.may(role, action, own), expect, (role, action))
                self.assertFalse(self.may(role, action, own.replace("taxonomy", "other")))

    def test_a_pull_request_writes_over_nothing_that_is_deployed(self) -> None:
        for role, place, expect in (
            ("Plan", "plan/cloudformation.yaml", True),
            ("Plan", "taxonomy/projector-0123.zip", False),
            ("Deploy", "taxonomy/projector-0123.zip", True),
        ):
            self.assertEqual(self.may(role, "s3:PutObject", f"arn:aws:s3:::artifacts/{place}"), expect, (role, place))

    def test_have_the_boundary_that_an_account_demands(self) -> None:
        boundary = "arn:aws:iam::123456789012:policy/boundary"
        for name, others in (("pipeline-roles", {"Repository": "acme/stack"}), ("consumer-role", {"Tenant": "acme"})):
            for given, expect in (({}, None), ({"PermissionsBoundaryArn": boundary}, boundary)):
                roles = stack(name, **others, **given).resources("AWS::IAM::Role")
                self.assertEqual({role.get("PermissionsBoundary") for role in roles.values()}, {expect}, name)


class TheRoleOfAConsumer(unittest.TestCase):
    def test_keeps_the_tenant_that_it_was_made_for(self) -> None:
        given = {"ConsumerArn": "arn:aws:iam::210987654321:role/app", "PolicyArn": "arn:aws:iam::123456789012:policy/p", "Tenant": "acme"}
        role = stack("consumer-role", **given).resources("AWS::IAM::Role")["Consumer"]
        self.assertEqual(role["Tags"], [{"Key": "taxonomy-tenant", "Value": "acme"}])
        self.assertEqual([each["Principal"] for each in role["AssumeRolePolicyDocument"]["Statement"]], [{"AWS": given["ConsumerArn"]}])
        self.assertTrue(trusts(role, "sts:AssumeRole"))
        self.assertFalse(trusts(role, "sts:TagSession"))

    def test_names_a_tenant_or_says_that_it_is_for_all(self) -> None:
        made = stack("consumer-role", Tenant="*")
        self.assertNotIn("Tags", made.resources("AWS::IAM::Role")["Consumer"])
        self.assertNotIn("Default", made.template["Parameters"]["Tenant"])


if __name__ == "__main__":
    unittest.main()
