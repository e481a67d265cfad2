"""Faults that an operator can take back: a function with a wrong variable, a mapping that is switched off, an object that is deleted, no concurrency.

All of them are what the emulator has itself, so nothing of the stack is replaced by code of this suite."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from stack import Stack, until


@contextmanager
def _changed(change: Callable[[Any], object], now: Any, before: Any) -> Iterator[None]:
    change(now)
    try:
        yield
    finally:
        change(before)


def misconfigured(running: Stack, function: str, **variables: str) -> AbstractContextManager[None]:
    """A function whose environment has these values: a bucket that is not there, a queue that is not there, or what its configuration refuses."""
    client, name = running.client("lambda"), {"FunctionName": running.functions[function]}
    right = client.get_function_configuration(**name)["Environment"]["Variables"]
    assert variables.keys() <= right.keys(), right
    return _changed(lambda values: client.update_function_configuration(**name, Environment={"Variables": values}), right | variables, right)


def broken(running: Stack, function: str) -> AbstractContextManager[None]:
    """A function that ends at its start, so that each invocation fails."""
    return misconfigured(running, function, TABLE_NAME="")


def short_of_time(running: Stack, seconds: int) -> AbstractContextManager[None]:
    """A projector with another time-out."""
    client, name = running.client("lambda"), {"FunctionName": running.functions["projector"]}
    usual = client.get_function_configuration(**name)["Timeout"]
    return _changed(lambda timeout: client.update_function_configuration(**name, Timeout=timeout), seconds, usual)


def switched_off(running: Stack, mapping: str) -> AbstractContextManager[None]:
    """An event source mapping that is switched off."""
    client, uuid = running.client("lambda"), running.resources[mapping]
    return _changed(lambda is_on: client.update_event_source_mapping(UUID=uuid, Enabled=is_on), False, True)


def given_up_after(running: Stack, mapping: str, seconds: int) -> AbstractContextManager[None]:
    """A stream whose records are given up after so many seconds."""
    client, uuid = running.client("lambda"), running.resources[mapping]
    before = client.get_event_source_mapping(UUID=uuid)["MaximumRecordAgeInSeconds"]
    return _changed(lambda age: client.update_event_source_mapping(UUID=uuid, MaximumRecordAgeInSeconds=age), seconds, before)


def dying_after(running: Stack, queue: str, receives: int = 3) -> AbstractContextManager[None]:
    """A queue whose message comes back after a second instead of a quarter of an hour, and is a dead letter after few receives."""
    client, url = running.client("sqs"), running.outputs[queue]
    before = client.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout", "RedrivePolicy"])["Attributes"]
    policy = json.loads(before["RedrivePolicy"]) | {"maxReceiveCount": receives}
    now = {"VisibilityTimeout": "1", "RedrivePolicy": json.dumps(policy)}
    return _changed(lambda attributes: client.set_queue_attributes(QueueUrl=url, Attributes=attributes), now, before)


@contextmanager
def without_concurrency(running: Stack, function: str) -> Iterator[None]:
    """A function whose every invocation is throttled."""
    client, name = running.client("lambda"), {"FunctionName": running.functions[function]}
    client.put_function_concurrency(**name, ReservedConcurrentExecutions=0)
    try:
        yield
    finally:
        client.delete_function_concurrency(**name)


class Deleted:
    """An object of the changesets bucket that was deleted: it lies behind a delete marker."""

    def __init__(self, running: Stack, key: str) -> None:
        self._s3, self._where = running.client("s3"), {"Bucket": running.changesets_bucket, "Key": key}
        self._marker = self._s3.delete_object(**self._where)["VersionId"]

    def undo(self) -> None:
        """Removes the delete marker."""
        self._s3.delete_object(**self._where, VersionId=self._marker)


def send(running: Stack, queue: str, body: Any) -> None:
    """Sends a message to a queue of the stack, by its output."""
    running.client("sqs").send_message(QueueUrl=running.outputs[queue], MessageBody=json.dumps(body))


def sweep(running: Stack, kind: str = "sweep") -> None:
    """Invokes the projector as its schedule does."""
    event = {"source": "taxonomy.schedule", "detail-type": kind}
    running.client("lambda").invoke(FunctionName=running.functions["projector"], Payload=json.dumps(event).encode())


def change(running: Stack, pk: str, sk: str, attribute: str, value: dict[str, str]) -> None:
    """Changes an attribute of an item by hand."""
    request = {"UpdateExpression": "SET #name = :wrong", "ExpressionAttributeNames": {"#name": attribute}, "ExpressionAttributeValues": {":wrong": value}}
    running.client("dynamodb").update_item(TableName=running.table, Key={"PK": {"S": pk}, "SK": {"S": sk}}, **request)


def dead_letter(running: Stack, queue: str) -> None:
    """Waits until a dead-letter queue has a message."""
    name = running.outputs[queue].rsplit("/", 1)[-1]
    until(f"a message in {name}", 120, lambda: running.waiting_messages()[name] or None)


def deploy(running: Stack, **parameters: str) -> None:
    """Updates the stack with other parameters."""
    formation, name = running.client("cloudformation"), running.stack_name
    known = formation.describe_stacks(StackName=name)["Stacks"][0]["Parameters"]
    kept = [{"ParameterKey": each["ParameterKey"], "UsePreviousValue": True} for each in known if each["ParameterKey"] not in parameters]
    changed = [{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()]
    formation.update_stack(StackName=name, UsePreviousTemplate=True, Parameters=[*kept, *changed], Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"])
    while (status := formation.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]) == "UPDATE_IN_PROGRESS":
        time.sleep(0.3)
    if status not in ("UPDATE_COMPLETE", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"):
        raise AssertionError(f"the update of the stack ended with {status}")
