"""Tests of a stack over a bucket and a topic of another team, created by the requests that the Terraform module describes.

Terraform itself does not run: an evaluator of its language reads the module."""

import hashlib
import json
import time
import unittest
import uuid

from released import FIRST, ROOT, evaluated, folder, outputs, resources, stack, taxonomy, template
from stack import until

CREATED_SECONDS = 180


class AnExistingSource(unittest.TestCase):
    """Tests that share one stack."""

    name: str
    bucket: str
    topic: str

    @classmethod
    def setUpClass(cls) -> None:
        running = stack()
        number = uuid.uuid4().hex[:6]
        cls.name, cls.bucket = f"existing-{number}", f"other-team-{number}"
        artifacts = f"artifacts-{number}"
        s3, sns = running.client("s3"), running.client("sns")
        for bucket in (cls.bucket, artifacts):
            s3.create_bucket(Bucket=bucket)
        cls.topic = sns.create_topic(Name=f"other-team-{number}")["TopicArn"]
        event = {"TopicArn": cls.topic, "Events": ["s3:ObjectCreated:*"]}
        s3.put_bucket_notification_configuration(Bucket=cls.bucket, NotificationConfiguration={"TopicConfigurations": [event]})
        cls._create(artifacts)

    @classmethod
    def _create(cls, artifacts: str) -> None:
        running = stack()
        parameters = {"Stage": "local", "AuthMode": "none", "ExistingSourceBucket": cls.bucket, "ExistingSourceTopicArn": cls.topic}
        module = evaluated(release=str(folder()), bucket=artifacts, name=cls.name, parameters=parameters)
        # The evaluator knows neither the template's hash nor what a provider says of the bucket.
        digest = hashlib.sha256((folder() / "cloudformation.yaml").read_bytes()).hexdigest()
        keys = {each["source"]: each["key"].replace("${...}", digest) for each in module["aws_s3_object"]}
        for source, key in keys.items():
            running.client("s3").upload_file(source, artifacts, key)
        [wanted] = module["aws_cloudformation_stack"]
        assert wanted["template_url"] == "https://${data.aws_s3_bucket.code.bucket_regional_domain_name}/${aws_s3_object.template.key}", wanted
        running.client("cloudformation").create_stack(
            StackName=wanted["name"],
            # The emulator reads templates only by this form of such addresses.
            TemplateURL=f"https://s3.{running.region}.amazonaws.com/{artifacts}/{keys[str(folder() / 'cloudformation.yaml')]}",
            Capabilities=wanted["capabilities"],
            Parameters=[{"ParameterKey": name, "ParameterValue": value} for name, value in wanted["parameters"].items()],
        )

        def created() -> bool | None:
            described = running.client("cloudformation").describe_stacks(StackName=cls.name)["Stacks"][0]
            if described["StackStatus"].endswith(("FAILED", "ROLLBACK_COMPLETE")):
                raise AssertionError(f"{described['StackStatus']}: {described.get('StackStatusReason')}")
            return described["StackStatus"] == "CREATE_COMPLETE" or None

        until(f"the stack {cls.name}", CREATED_SECONDS, created)

    def test_has_neither_a_bucket_nor_a_topic_of_its_own(self) -> None:
        made = set(resources(self.name))
        own = {"SourceBucket", "SourceBucketPolicy", "UploadsTopic", "UploadsTopicPolicy"}
        declared = template(folder() / "cloudformation.yaml")["Resources"]
        self.assertEqual({name for name, resource in declared.items() if resource.get("Condition") == "OwnsSource"}, own)
        self.assertFalse(made & own)
        told = outputs(self.name)
        self.assertEqual((told["SourceBucketName"], told["TopicArn"]), (self.bucket, self.topic))

    def test_serves_no_pages_since_none_are_asked_for(self) -> None:
        self.assertEqual([name for name in resources(self.name) if "Pages" in name], [])
        self.assertEqual({"ExplorerUrl", "PagesName"} & set(outputs(self.name)), set())

    def test_publishes_what_the_other_team_puts(self) -> None:
        running = stack()
        running.client("s3").upload_file(str(FIRST), self.bucket, "taxonomies/existing.json")

        head = {"PK": {"S": "TAXONOMY#existing"}, "SK": {"S": "HEAD"}}
        table = outputs(self.name)["TableName"]

        def served() -> bool | None:
            found = running.client("dynamodb").get_item(TableName=table, Key=head, ConsistentRead=True).get("Item", {})
            return found.get("Projected") == {"N": "1"} or None

        until("version 1 of existing", 60, served)
        got = json.loads(taxonomy(self.name, "get", "113", "--tenant", "existing", "--culture", "en-GB", "--output", "json"))
        self.assertEqual(got["items"][0]["term"]["version"], 1)
        # Each upload leads to a version.
        running.client("s3").put_bucket_versioning(Bucket=self.bucket, VersioningConfiguration={"Status": "Enabled"})
        taxonomy(self.name, "push", ROOT / "samples" / "job-board-v2.json", "--tenant", "existing")
        got = json.loads(taxonomy(self.name, "get", "135", "--tenant", "existing", "--culture", "en-GB", "--output", "json"))
        self.assertEqual(got["items"][0]["term"]["version"], 2)

    def test_is_not_called_for_anything_else_on_the_topic(self) -> None:
        running = stack()
        before = self._invocations()
        running.client("s3").put_object(Bucket=self.bucket, Key="invoices/2026.json", Body=b"{}")
        running.client("sns").publish(TopicArn=self.topic, Message='{"hello":"world"}')
        running.client("s3").put_object(Bucket=self.bucket, Key="taxonomies/broken.json", Body=b"{")
        # The event for this service is processed after the others.
        until("the refusal of broken", 60, lambda: self._invocations() > before or None)
        time.sleep(3)
        self.assertEqual(self._invocations(), before + 1)

    def _invocations(self) -> int:
        """Returns the number of the projector's invocations, by the report at the end of each in its log."""
        group = f"/aws/lambda/{self.name}-projector"
        pages = stack().client("logs").get_paginator("filter_log_events").paginate(logGroupName=group)
        return sum(event["message"].startswith("REPORT") for page in pages for event in page["events"])

    def test_the_subscription_names_bucket_and_prefix(self) -> None:
        sns = stack().client("sns")
        [subscription] = sns.list_subscriptions_by_topic(TopicArn=self.topic)["Subscriptions"]
        attributes = sns.get_subscription_attributes(SubscriptionArn=subscription["SubscriptionArn"])["Attributes"]
        self.assertEqual(attributes["FilterPolicyScope"], "MessageBody")
        wanted = {"Records": {"s3": {"bucket": {"name": [self.bucket]}, "object": {"key": [{"prefix": "taxonomies/"}]}}}}
        self.assertEqual(json.loads(attributes["FilterPolicy"]), wanted)


class IncompleteParameters(unittest.TestCase):
    def test_a_bucket_without_a_topic_is_refused_and_so_is_the_reverse(self) -> None:
        bucket = f"artifacts-{uuid.uuid4().hex[:6]}"
        stack().client("s3").create_bucket(Bucket=bucket)
        stack().client("s3").upload_file(str(folder() / "cloudformation.yaml"), bucket, "template.yaml")
        topic = "arn:aws:sns:us-east-1:123456789012:uploads"
        for given, said in (
            ({"ExistingSourceBucket": "uploads"}, "ExistingSourceBucket needs ExistingSourceTopicArn"),
            ({"ExistingSourceTopicArn": topic}, "need ExistingSourceBucket"),
            ({"ExistingSourceKeyArn": "arn:aws:kms:us-east-1:123456789012:key/k"}, "need ExistingSourceBucket"),
            ({"Pages": "true", "AuthMode": "iam"}, "Pages needs AuthMode jwt or none"),
        ):
            parameters = {"CodeBucket": bucket, "Stage": "local", "AuthMode": "none"} | given
            with self.subTest(given), self.assertRaisesRegex(Exception, said):
                stack().client("cloudformation").create_stack(
                    StackName=f"refused-{uuid.uuid4().hex[:6]}",
                    TemplateURL=f"https://s3.us-east-1.amazonaws.com/{bucket}/template.yaml",
                    Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
                    Parameters=[{"ParameterKey": name, "ParameterValue": value} for name, value in parameters.items()],
                )


if __name__ == "__main__":
    unittest.main()
