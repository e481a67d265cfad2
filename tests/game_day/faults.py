"""Faults that an operator can take back: a policy that denies, a mapping that is switched off, an object that is deleted, too little capacity."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .day import Day


class Denied:
    """A statement in the policy of a bucket that denies an action on its objects to everybody."""

    def __init__(self, day: Day, bucket: str, action: str, prefix: str = "") -> None:
        self._day, self._bucket = day, bucket
        self._before = day.running.client("s3").get_bucket_policy(Bucket=bucket)["Policy"]
        policy = json.loads(self._before)
        resource = f"arn:aws:s3:::{bucket}/{prefix}*"
        policy["Statement"].append({"Sid": "GameDay", "Effect": "Deny", "Principal": "*", "Action": action, "Resource": resource})
        day.aws("s3", "put_bucket_policy", Bucket=bucket, Policy=json.dumps(policy))

    def mend(self) -> None:
        """Puts the policy of the template back."""
        self._day.aws("s3", "put_bucket_policy", Bucket=self._bucket, Policy=self._before)


class DeniedQueue:
    """A policy of a queue that denies every send."""

    def __init__(self, day: Day, url: str) -> None:
        self._day, self._url = day, url
        found = day.running.client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        self._before = found.get("Policy", "")
        statement = {"Sid": "GameDay", "Effect": "Deny", "Principal": "*", "Action": "sqs:SendMessage", "Resource": found["QueueArn"]}
        day.aws("sqs", "set_queue_attributes", QueueUrl=url, Attributes={"Policy": json.dumps({"Version": "2012-10-17", "Statement": [statement]})})

    def mend(self) -> None:
        """Puts the policy back."""
        self._day.aws("sqs", "set_queue_attributes", QueueUrl=self._url, Attributes={"Policy": self._before})


def switch(day: Day, mapping: str, on: bool) -> None:
    """Switches an event source mapping on or off."""
    day.aws("lambda", "update_event_source_mapping", UUID=day.resources[mapping], Enabled=on)


def send(day: Day, queue: str, body: Any) -> None:
    """Sends a message to a queue of the stack, by its output."""
    day.running.client("sqs").send_message(QueueUrl=day.outputs[queue], MessageBody=json.dumps(body))


def sweep(day: Day, kind: str = "sweep") -> None:
    """Invokes the projector as its schedule does, without waiting for it."""
    event = {"source": "taxonomy.schedule", "detail-type": kind}
    day.running.client("lambda").invoke(FunctionName=day.running.projector, Payload=json.dumps(event).encode())


class Deleted:
    """An object that was deleted: it lies behind a delete marker."""

    def __init__(self, day: Day, key: str) -> None:
        self._day, self._where = day, {"Bucket": day.running.changesets_bucket, "Key": key}
        self._marker = day.aws("s3", "delete_object", **self._where)["VersionId"]

    def mend(self) -> None:
        """Removes the delete marker."""
        self._day.aws("s3", "delete_object", **self._where, VersionId=self._marker)


@contextmanager
def memory(day: Day, function: str, needed: int, tag: str = "game-day-needs-mb") -> Iterator[None]:
    """Work that needs so many megabytes: the emulator of the day ends the process of a function that has less, each time, or slows it. Afterwards the
    function has the memory of before, also where the scenario failed."""
    client = day.running.client("lambda")
    found = client.get_function(FunctionName=function)["Configuration"]
    client.tag_resource(Resource=found["FunctionArn"], Tags={tag: str(needed)})
    try:
        yield
    finally:
        client.untag_resource(Resource=found["FunctionArn"], TagKeys=[tag])
        client.update_function_configuration(FunctionName=function, MemorySize=found["MemorySize"])


def set_memory(day: Day, function: str, megabytes: int) -> None:
    """Gives a function more or less memory."""
    day.aws("lambda", "update_function_configuration", FunctionName=function, MemorySize=megabytes)


@contextmanager
def compressed_queue(day: Day, url: str) -> Iterator[None]:
    """A message that ended its process comes back after two seconds instead of a quarter of an hour, and is a dead letter after three receives."""
    client = day.running.client("sqs")
    before = client.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout", "RedrivePolicy"])["Attributes"]
    policy = json.loads(before["RedrivePolicy"]) | {"maxReceiveCount": 3}
    client.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "2", "RedrivePolicy": json.dumps(policy)})
    try:
        yield
    finally:
        client.set_queue_attributes(QueueUrl=url, Attributes=before)


@contextmanager
def oldest_record(day: Day, mapping: str, seconds: int) -> Iterator[None]:
    """A stream whose records are given up after so many seconds."""
    client, uuid = day.running.client("lambda"), day.resources[mapping]
    before = client.get_event_source_mapping(UUID=uuid)["MaximumRecordAgeInSeconds"]
    client.update_event_source_mapping(UUID=uuid, MaximumRecordAgeInSeconds=seconds)
    try:
        yield
    finally:
        client.update_event_source_mapping(UUID=uuid, MaximumRecordAgeInSeconds=before)


@contextmanager
def limited(day: Day, index: str = "", **most: int) -> Iterator[None]:
    """The table or its index takes at most so many `reads` or `writes` a second; the end of the block, or of the scenario, takes that back."""
    _limit(day, index, **most)
    try:
        yield
    finally:
        _limit(day, index)


def _limit(day: Day, index: str, reads: int = -1, writes: int = -1) -> None:
    most = {"MaxReadRequestUnits": reads, "MaxWriteRequestUnits": writes}
    if index:
        day.aws("dynamodb", "update_table", TableName=day.running.table, GlobalSecondaryIndexUpdates=[{"Update": {"IndexName": index, "OnDemandThroughput": most}}])
    else:
        day.aws("dynamodb", "update_table", TableName=day.running.table, OnDemandThroughput=most)


def deploy(day: Day, **parameters: str) -> None:
    """Updates the stack with other parameters."""
    formation, name = day.running.client("cloudformation"), day.running.stack_name
    known = formation.describe_stacks(StackName=name)["Stacks"][0]["Parameters"]
    kept = [{"ParameterKey": each["ParameterKey"], "UsePreviousValue": True} for each in known if each["ParameterKey"] not in parameters]
    changed = [{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()]
    day.commands.append(f"aws cloudformation update-stack {' '.join(f'{key}={value}' for key, value in parameters.items())}")
    formation.update_stack(StackName=name, UsePreviousTemplate=True, Parameters=[*kept, *changed], Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"])
    while (status := formation.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]) == "UPDATE_IN_PROGRESS":
        time.sleep(0.3)
    if status not in ("UPDATE_COMPLETE", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"):
        raise AssertionError(f"the update of the stack ended with {status}")
