"""The checks of an account, over answers that botocore holds against the model of each service."""

import unittest
from typing import Any

import boto3
from botocore.stub import Stubber
from broken import plan
from rehearsal import account
from rehearsal.outcome import Outcome
from rehearsal.plan import Plan

NO_STACK = ("describe_stacks", "ValidationError")
CERTIFICATE = "arn:aws:acm:eu-west-1:123456789012:certificate/a"


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

    def has_stack(self, status: str) -> None:
        from datetime import datetime, timezone

        stack = {"StackName": "taxonomy", "StackStatus": status, "CreationTime": datetime.now(timezone.utc)}
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
        self.answers("s3", "head_bucket", {})
        self.answers("s3", "head_bucket", "403")
        self.answers("s3", "head_bucket", "404")
        self.answers("lambda", "get_function", {})
        for _ in range(2):
            self.answers("lambda", "get_function", "ResourceNotFoundException")
        self.answers("logs", "describe_log_groups", {"logGroups": [{"logGroupName": "/aws/lambda/taxonomy-projector"}]})
        for _ in range(3):
            self.answers("logs", "describe_log_groups", {"logGroups": [{"logGroupName": "/aws/lambda/taxonomy-projector-2"}]})
        self.answers("cloudwatch", "get_dashboard", {"DashboardName": "taxonomy-eu-west-1"})
        faults = account.clashes(made, self.client).faults
        self.assertEqual(len(faults), 5, faults)
        self.asked_everything()

    def test_of_a_stack_that_is_there_are_its_own(self) -> None:
        self.has_stack("UPDATE_COMPLETE")
        self.assertEqual(account.clashes(plan(), self.client).faults, [])


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
    def test_that_are_denied(self) -> None:
        for decision, expect in (("allowed", 0), ("implicitDeny", 0), ("explicitDeny", 1)):
            self.answers("sts", "get_caller_identity", {"Arn": "arn:aws:sts::123456789012:assumed-role/deployer/me"})
            results = [{"EvalActionName": "iam:CreateRole", "EvalDecision": decision}]
            self.client("iam")
            source = {"PolicySourceArn": "arn:aws:iam::123456789012:role/deployer", "ActionNames": list(account.MAKES)}
            self.stubs["iam"].add_response("simulate_principal_policy", {"EvaluationResults": results}, source)
            self.assertEqual(len(account.rights(plan(), self.client).faults), expect, decision)


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
    def test_that_do_not_exist(self) -> None:
        topic = "arn:aws:sns:eu-west-1:123456789012:alarms"
        for answer, expect in (({"Attributes": {}}, 0), ("NotFound", 1)):
            self.answers("sns", "get_topic_attributes", answer)
            self.assertEqual(len(account.others(plan(AlarmTopicArn=topic), self.client).faults), expect)


class ChangeSets(Account):
    names = {"StackName": "taxonomy", "ChangeSetName": account.CHANGE_SET}

    def change(self, replacement: str) -> dict[str, Any]:
        return {"Type": "Resource", "ResourceChange": {"LogicalResourceId": "Table", "ResourceType": "AWS::DynamoDB::Table", "Replacement": replacement}}

    def run_one(self, is_new: bool, found: dict[str, Any]) -> Outcome:
        if is_new:
            self.answers("cloudformation", *NO_STACK)
        else:
            self.has_stack("CREATE_COMPLETE")
        self.answers("cloudformation", "create_change_set", {})
        self.answers("cloudformation", "describe_change_set", found)
        self.stubs["cloudformation"].add_response("delete_change_set", {}, self.names)
        if is_new:
            self.stubs["cloudformation"].add_response("delete_stack", {}, {"StackName": "taxonomy"})
        outcome = account.change_set(plan(), self.client, "https://bucket.s3.amazonaws.com/cloudformation.yaml")
        self.asked_everything()
        return outcome

    def test_are_deleted_with_the_stack_that_they_began(self) -> None:
        self.assertEqual(self.run_one(True, {"Status": "CREATE_COMPLETE", "Changes": []}).faults, [])

    def test_that_fail_or_replace(self) -> None:
        failed = self.run_one(True, {"Status": "FAILED", "StatusReason": "Rule NoneOnlyLocally"})
        self.assertEqual(failed.faults, ["FAILED: Rule NoneOnlyLocally"])
        replaces = self.run_one(False, {"Status": "CREATE_COMPLETE", "Changes": [self.change("True")]})
        self.assertEqual(replaces.faults, ["it would replace Table"])
        kept = self.run_one(False, {"Status": "CREATE_COMPLETE", "Changes": [self.change("False")]})
        self.assertEqual(kept.faults, [])
        unchanged = self.run_one(False, {"Status": "FAILED", "StatusReason": "The submitted information didn't contain changes."})
        self.assertEqual(unchanged.faults, [])

    def test_need_the_address_of_a_template(self) -> None:
        self.assertIn("--template-url", account.change_set(plan(), self.client, "").not_checked)


class Silence(Account):
    def test_is_no_pass(self) -> None:
        """A check that is denied or not answered is not made, and the next one is."""
        self.answers("apigateway", "get_account", "AccessDeniedException")
        denied = account.made("quotas", lambda: account.quotas(plan(), self.client))
        self.assertIn("may not ask", denied.not_checked)
        self.answers("apigateway", "get_account", "InternalFailure")
        silent = account.made("quotas", lambda: account.quotas(plan(), self.client))
        self.assertIn("did not answer", silent.not_checked)
        self.answers("cloudformation", *NO_STACK)
        self.answers("s3", "head_bucket", "500")
        unknown = account.made("name clashes", lambda: account.clashes(plan(), self.client))
        self.assertIn("(500)", unknown.not_checked)

    def test_every_check_has_its_name_without_an_account(self) -> None:
        self.assertEqual(len(account.checks(plan(), self.nobody, "")), len(account.NAMES))

    def nobody(self, service: str) -> Any:
        raise ConnectionError(service)


if __name__ == "__main__":
    unittest.main()
