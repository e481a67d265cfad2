"""The checks of an account, over answers that botocore holds against the model of each service."""

import os
import subprocess
import sys
import unittest
from datetime import datetime, timezone
from typing import Any

import boto3
from botocore.stub import ANY, Stubber
from broken import ROOT, plan
from rehearsal import account
from rehearsal.outcome import Outcome
from rehearsal.plan import Plan

NO_STACK = ("describe_stacks", "ValidationError")
CERTIFICATE = "arn:aws:acm:eu-west-1:123456789012:certificate/a"
KEY = "arn:aws:kms:eu-west-1:123456789012:key/a"


class Account(unittest.TestCase):
    """An account whose services answer what a test has them answer, in this order."""

    def setUp(self) -> None:
        self.clients: dict[str, Any] = {}
        self.stubs: dict[str, Stubber] = {}

    def client(self, service: str) -> Any:
        if service not in self.clients:
            self.clients[service] = boto3.client(service, region_name="eu-west-1", aws_access_key_id="a", aws_secret_access_key="b")
            self.stubs[service] = Stubber(self.clients[service])
            self.stubs[service].activate()
        return self.clients[service]

    def answers(self, service: str, operation: str, answer: dict[str, Any] | str) -> None:
        """The next answer of a service: a response, or the code of an error."""
        self.client(service)
        if isinstance(answer, str):
            self.stubs[service].add_client_error(operation, answer)
        else:
            self.stubs[service].add_response(operation, answer)

    def has_stack(self, status: str, **parameters: str) -> None:
        values = [{"ParameterKey": name, "ParameterValue": value} for name, value in parameters.items()]
        stack = {"StackName": "taxonomy", "StackStatus": status, "CreationTime": datetime.now(timezone.utc), "Parameters": values}
        self.answers("cloudformation", "describe_stacks", {"Stacks": [stack]})

    def asked_everything(self) -> None:
        for stub in self.stubs.values():
            stub.assert_no_pending_responses()

    def free_names(self, made: Plan) -> None:
        self.answers("cloudformation", *NO_STACK)
        for _ in made.resources("AWS::S3::Bucket"):
            self.answers("s3", "head_bucket", "404")
        for _ in made.resources("AWS::Serverless::Function"):
            self.answers("lambda", "get_function", "ResourceNotFoundException")
        for _ in made.resources("AWS::SQS::Queue"):
            self.answers("sqs", "get_queue_url", "AWS.SimpleQueueService.NonExistentQueue")
        for _ in made.resources("AWS::SNS::Topic"):
            self.answers("sns", "get_topic_attributes", "NotFound")
        for _ in made.resources("AWS::Logs::LogGroup"):
            self.answers("logs", "describe_log_groups", {"logGroups": []})
        self.answers("cloudwatch", "get_dashboard", "ResourceNotFound")


class Names(Account):
    def test_that_are_free(self) -> None:
        made = plan()
        self.free_names(made)
        self.assertEqual(account.clashes(made, self.client).faults, [])
        self.asked_everything()

    def test_that_a_removed_stack_left_or_another_account_has(self) -> None:
        made = plan()
        self.answers("cloudformation", *NO_STACK)
        for answer in ({}, "403", "404"):
            self.answers("s3", "head_bucket", answer)
        for answer in ({}, "ResourceNotFoundException", "ResourceNotFoundException"):
            self.answers("lambda", "get_function", answer)
        for answer in ({"QueueUrl": "https://sqs.example/1/taxonomy-dead-letters"}, *["AWS.SimpleQueueService.NonExistentQueue"] * 7):
            self.answers("sqs", "get_queue_url", answer)
        for answer in ({"Attributes": {}}, "NotFound"):
            self.answers("sns", "get_topic_attributes", answer)
        self.answers("logs", "describe_log_groups", {"logGroups": [{"logGroupName": "/aws/lambda/taxonomy-projector"}]})
        for _ in range(3):
            self.answers("logs", "describe_log_groups", {"logGroups": [{"logGroupName": "/aws/lambda/taxonomy-projector-2"}]})
        self.answers("cloudwatch", "get_dashboard", {"DashboardName": "taxonomy-eu-west-1"})
        faults = account.clashes(made, self.client).faults
        self.assertEqual(len(faults), 7, faults)
        self.asked_everything()

    def test_of_a_stack_that_takes_no_deployment(self) -> None:
        for status, words in (("ROLLBACK_COMPLETE", "delete it"), ("UPDATE_ROLLBACK_FAILED", "continue its rollback"), ("UPDATE_IN_PROGRESS", "wait")):
            self.has_stack(status)
            (fault,) = account.clashes(plan(), self.client).faults
            self.assertIn(f"is {status}: ", fault)
            self.assertIn(words, fault)


class Quotas(Account):
    def test_of_a_region_with_few_requests(self) -> None:
        for rate, expect in ((10000.0, 0), (500.0, 1)):
            self.answers("apigateway", "get_account", {"throttleSettings": {"rateLimit": rate, "burstLimit": 5000}})
            self.assertEqual(len(account.quotas(plan(), self.client).faults), expect, rate)

    def test_of_executions(self) -> None:
        """The stack's own reserve is no part of the unreserved ones."""
        for unreserved, own, expect in ((1000, None, 0), (100, 100, 0), (10, None, 1), (150, None, 1)):
            self.answers("lambda", "get_account_settings", {"AccountLimit": {"UnreservedConcurrentExecutions": unreserved}})
            if own is None:
                self.answers("lambda", "get_function_concurrency", "ResourceNotFoundException")
            else:
                self.answers("lambda", "get_function_concurrency", {"ReservedConcurrentExecutions": own})
            self.answers("lambda", "get_function_concurrency", "ResourceNotFoundException")
            faults = account.executions(plan(), self.client).faults
            self.assertEqual(bool(faults), bool(expect), (unreserved, own, faults))


class Rights(Account):
    def simulates(self, decision: str, **more: Any) -> None:
        """The simulator says so of one action, and allows all others."""
        answers = [{"EvalDecision": "allowed"}] * (len(account.MAKES) - 1) + [{"EvalDecision": decision, **more}]
        for (action, place), answer in zip(account.MAKES.items(), answers, strict=True):
            self.answers("iam", "simulate_principal_policy", {"EvaluationResults": [{"EvalActionName": action, "EvalResourceName": place, **answer}]})

    def of_caller(self, arn: str) -> Outcome:
        self.answers("sts", "get_caller_identity", {"Arn": arn})
        return account.rights(plan(), self.client, "")

    def test_that_no_policy_allows_or_one_denies(self) -> None:
        for decision, expect in (("allowed", 0), ("implicitDeny", 1), ("explicitDeny", 1)):
            self.simulates(decision)
            outcome = self.of_caller("arn:aws:iam::123456789012:user/me")
            self.assertEqual(len(outcome.faults), expect, decision)
            self.assertEqual(outcome.not_checked, "")
        self.asked_everything()

    def test_of_a_role_whose_path_the_session_does_not_name(self) -> None:
        """Every role of IAM Identity Center has one."""
        arn = "arn:aws:iam::123456789012:role/aws-reserved/sso.amazonaws.com/eu-west-1/AWSReservedSSO_Deploy_1"
        role = {"Path": "/", "RoleName": "AWSReservedSSO_Deploy_1", "RoleId": "AROA0123456789ABCDEF", "Arn": arn, "CreateDate": datetime.now(timezone.utc)}
        self.answers("iam", "get_role", {"Role": role})
        self.simulates("explicitDeny")
        (fault,) = self.of_caller("arn:aws:sts::123456789012:assumed-role/AWSReservedSSO_Deploy_1/me").faults
        self.assertTrue(fault.startswith(f"{arn} may not cloudwatch:PutMetricAlarm on arn:aws:cloudwatch:eu-west-1:123456789012:alarm:taxonomy-"), fault)

    def test_of_the_role_that_cloudformation_deploys_with(self) -> None:
        role = "arn:aws:iam::123456789012:role/pipeline-Deployer"
        for action, place in list(account.MAKES.items())[1:]:
            answer = {"EvaluationResults": [{"EvalActionName": action, "EvalResourceName": place, "EvalDecision": "allowed"}]}
            self.client("iam")
            asked = {"PolicySourceArn": role, "ActionNames": [action], "ResourceArns": ANY, "ContextEntries": ANY}
            self.stubs["iam"].add_response("simulate_principal_policy", answer, asked)
        self.assertEqual(account.rights(plan(), self.client, role).faults, [])
        self.asked_everything()


class Domain(Account):
    def certificate(self, status: str, *names: str) -> None:
        self.answers("acm", "describe_certificate", {"Certificate": {"Status": status, "DomainName": names[0], "SubjectAlternativeNames": list(names)}})

    def test_and_its_certificate(self) -> None:
        made = plan(DomainName="taxonomy.example.com", DomainCertificateArn=CERTIFICATE)
        for status, name, taken, words in (
            ("ISSUED", "taxonomy.example.com", False, []),
            ("ISSUED", "*.example.com", False, []),
            ("PENDING_VALIDATION", "taxonomy.example.com", False, ["not ISSUED"]),
            ("ISSUED", "other.example.com", False, ["and not for"]),
            ("ISSUED", "*.com", False, ["and not for"]),
            ("ISSUED", "taxonomy.example.com", True, ["already"]),
        ):
            self.certificate(status, name)
            self.answers("cloudformation", *NO_STACK)
            self.answers("apigatewayv2", "get_domain_name", {} if taken else "NotFoundException")
            faults = account.domain(made, self.client).faults
            self.assertEqual(len(faults), len(words), faults)
            for word, fault in zip(words, faults, strict=True):
                self.assertIn(word, fault)
        self.assertEqual(account.domain(plan(), self.client).faults, [])


class Others(Account):
    def of(self, stack: dict[str, str] | None = None, **given: str) -> list[str]:
        if stack is None:
            self.answers("cloudformation", *NO_STACK)
        else:
            self.has_stack("UPDATE_COMPLETE", **stack)
        return account.others(plan(**given), self.client).faults

    def test_that_do_not_exist(self) -> None:
        topic, boundary = "arn:aws:sns:eu-west-1:123456789012:alarms", "arn:aws:iam::123456789012:policy/boundary"
        for answer, expect in (({"Attributes": {}}, 0), ("NotFound", 1)):
            self.answers("sns", "get_topic_attributes", answer)
            self.assertEqual(len(self.of(AlarmTopicArn=topic)), expect)
        self.answers("iam", "get_policy", "NoSuchEntity")
        self.assertEqual(len(self.of(PermissionsBoundaryArn=boundary)), 1)
        for answer, expect in (("403", 0), ("404", 1)):
            self.answers("s3", "head_bucket", answer)
            self.assertEqual(len(self.of(AccessLogsBucket="access-logs")), expect, answer)

    def test_a_key_that_cannot_be_used(self) -> None:
        for state, expect in (("Enabled", 0), ("PendingDeletion", 1)):
            self.answers("kms", "describe_key", {"KeyMetadata": {"KeyId": "a", "KeyState": state}})
            self.assertEqual(len(self.of(KmsKeyArn=KEY)), expect, state)

    def test_a_key_in_place_of_the_one_that_encrypts_what_is_stored(self) -> None:
        for given, expect in ((KEY, 0), (KEY + "b", 1), ("", 1)):
            if given:
                self.answers("kms", "describe_key", {"KeyMetadata": {"KeyId": "a", "KeyState": "Enabled"}})
            faults = self.of({"KmsKeyArn": KEY}, **({"KmsKeyArn": given} if given else {}))
            self.assertEqual(len(faults), expect, given)


class ChangeSets(Account):
    """A stub answers in the order of the answers, and refuses any request that none was given for."""

    id = "arn:aws:cloudformation:eu-west-1:123456789012:changeSet/rehearsal-1/id"
    url = "https://bucket.s3.amazonaws.com/cloudformation.yaml"

    def change(self, replacement: str) -> dict[str, Any]:
        return {"Type": "Resource", "ResourceChange": {"LogicalResourceId": "Table", "ResourceType": "AWS::DynamoDB::Table", "Replacement": replacement}}

    def run_one(self, *pages: dict[str, Any]) -> Outcome:
        self.answers("cloudformation", "validate_template", {})
        self.has_stack("CREATE_COMPLETE")
        self.answers("cloudformation", "create_change_set", {"Id": self.id})
        for page in pages:
            self.answers("cloudformation", "describe_change_set", page)
        self.stubs["cloudformation"].add_response("delete_change_set", {}, {"ChangeSetName": self.id})
        outcome = account.change_set(plan(), self.client, self.url)
        self.asked_everything()
        return outcome

    def test_that_fail_or_replace(self) -> None:
        replaces = self.run_one({"Status": "CREATE_COMPLETE", "Changes": [self.change("True")]})
        self.assertEqual(replaces.faults, ["it would replace Table"])
        kept = self.run_one({"Status": "CREATE_COMPLETE", "Changes": [self.change("False")]})
        self.assertEqual(kept.faults, [])
        unchanged = self.run_one({"Status": "FAILED", "StatusReason": "The submitted information didn't contain changes."})
        self.assertEqual(unchanged.faults, [])
        failed = self.run_one({"Status": "FAILED", "StatusReason": "Transform failed"})
        self.assertEqual(failed.faults, ["FAILED: Transform failed"])

    def test_that_cloudformation_refuses_at_once_are_faults(self) -> None:
        """A template that is none, a value that is missing, a rule that does not hold."""
        self.answers("cloudformation", "validate_template", "ValidationError")
        self.assertEqual(len(account.change_set(plan(), self.client, self.url).faults), 1)
        self.answers("cloudformation", "validate_template", {})
        self.has_stack("CREATE_COMPLETE")
        self.answers("cloudformation", "create_change_set", "ValidationError")
        self.assertEqual(len(account.change_set(plan(), self.client, self.url).faults), 1)
        self.asked_everything()

    def test_make_and_delete_no_stack(self) -> None:
        self.answers("cloudformation", "validate_template", {})
        self.answers("cloudformation", *NO_STACK)
        outcome = account.change_set(plan(), self.client, self.url)
        self.assertEqual(outcome.faults, [])
        self.assertIn("not there yet", outcome.not_checked)
        self.asked_everything()


class Options(unittest.TestCase):
    def rehearse(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")} | {"AWS_EC2_METADATA_DISABLED": "true", "PATH": "/usr/bin:/bin"}
        return subprocess.run([sys.executable, "-m", "rehearsal", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    def test_a_profile_that_is_not_there_is_no_crash(self) -> None:
        done = self.rehearse("--profile", "nobody")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("no account answers: The config profile (nobody)"), len(account.NAMES))
        # The code of a build is not that of a release.
        self.assertIn("not checked  architecture: name a release", done.stdout)


class Silence(Account):
    def test_is_no_pass(self) -> None:
        """A check that is denied or not answered is not made, and the next one is."""
        self.answers("apigateway", "get_account", "AccessDeniedException")
        denied = account.made("quotas", lambda: account.quotas(plan(), self.client))
        self.assertIn("may not ask", denied.not_checked)
        self.answers("apigateway", "get_account", "InternalFailure")
        failed = account.made("quotas", lambda: account.quotas(plan(), self.client))
        self.assertIn("AWS answered: ", failed.not_checked)
        silent = account.made("quotas", lambda: account.quotas(plan(), self.nobody))
        self.assertIn("did not answer", silent.not_checked)
        self.answers("cloudformation", *NO_STACK)
        self.answers("s3", "head_bucket", "500")
        unknown = account.made("name clashes", lambda: account.clashes(plan(), self.client))
        self.assertIn("(500)", unknown.not_checked)

    def nobody(self, service: str) -> Any:
        raise ConnectionError(service)


if __name__ == "__main__":
    unittest.main()
