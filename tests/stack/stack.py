"""The running local stack: its resources, uploads, and waiting for results."""

import json
import os
import time
import unittest
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

from local.api import Api
from oracle import Json
from subscriber import Subscriber

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
FIRST, SECOND = SAMPLES / "job-board-v1.json", SAMPLES / "job-board-v2.json"

# The emulator takes some 1,800 writes a second and the largest file here becomes 100,000 items; the rest is slack.
PROJECTION_SECONDS = 300
# A response may be as old as the head that a running function caches for 2 seconds, and several functions may run.
HEAD_AGE_SECONDS = 2.5

T = TypeVar("T")


def unavailable(reason: str) -> Exception:
    """Returns a skip where a person runs the tests, a failure in CI: a skipped test must not look like a passed one."""
    return AssertionError(reason) if os.environ.get("CI") == "true" else unittest.SkipTest(reason)


@cache
def stack() -> "Stack":
    """Returns the stack that `.local/stack.json` or the file in STACK_FILE describes; without one, skips with instructions."""
    description = Path(os.environ.get("STACK_FILE", ROOT / ".local" / "stack.json"))
    if not description.exists():
        raise unavailable(f"no local stack: {description.name} is missing, run `make up` first")
    running = Stack(json.loads(description.read_text()))
    running.told.subscribe()
    return running


def until(what: str, seconds: float, look: Callable[[], T | None]) -> T:
    """Repeats `look` until it returns a value, and fails with the name `what` if it returns none in time."""
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        if seen is not None:
            return seen
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:.0f} s in vain for {what}")
        time.sleep(0.3)


@dataclass(frozen=True)
class Pushed:
    """An upload as the bucket acknowledged it."""

    tenant: str
    etag: str
    version_id: str | None
    at_ms: int

    def is_recorded_in(self, source: Json | None) -> bool:
        """Whether a source or a refusal in the head is of exactly this upload."""
        if not source or _bare(source.get("ETag")) != self.etag:
            return False
        return self.version_id is None or source.get("VersionId") == self.version_id


class Stack:
    """AWS clients of the emulator and the HTTP API, with the operations that the tests share."""

    def __init__(self, description: Json) -> None:
        #: Of the API and of AWS.
        self.api_url: str = description["apiUrl"]
        self.endpoint = self.api_url
        self.api_host: str = description["apiHost"]
        self.stack_name: str = description["stackName"]
        self.functions: dict[str, str] = description["functions"]
        self.outputs: dict[str, str] = description["outputs"]
        self.cache_url: str = description["cacheUrl"]
        self.region: str = description["region"]
        self.command_line: str = description["commandLine"]
        self.source_bucket = self.outputs["SourceBucketName"]
        self.changesets_bucket = self.outputs["ChangesetsBucketName"]
        self.failures_bucket = self.outputs["FailuresBucketName"]
        self.table = self.outputs["TableName"]
        self.api = Api(self.api_url, self.api_host)
        self.told = Subscriber(self)

    @cache  # noqa: B019 - there is one stack a process
    def client(self, service: str, config: Any = None) -> Any:
        """Returns a boto3 client. boto3 comes with the SAM CLI, so it is present wherever the stack could be deployed."""
        import boto3

        keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
        return boto3.client(service, endpoint_url=self.api_url, region_name=self.region, config=config, **keys)

    @cached_property
    def resources(self) -> dict[str, str]:
        """The physical id of each resource."""
        found = self.client("cloudformation").describe_stack_resources(StackName=self.stack_name)["StackResources"]
        return {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in found}

    def fresh_tenant(self, name: str) -> str:
        """Returns the name itself on a new stack, else the name with the first unused number, so that tests can be repeated."""
        tenant, number = name, 1
        while self.head_item(tenant):
            number += 1
            tenant = f"{name}-{number}"
        return tenant

    def published(self, name: str, *files: Path) -> str:
        """Returns a new tenant with these files as its versions, or the first sample."""
        tenant = self.fresh_tenant(name)
        for file in files or (FIRST,):
            self.wait_projected(self.push(tenant, file.read_bytes()))
        return tenant

    def push(self, tenant: str, body: bytes, **put_object: Any) -> Pushed:
        """Uploads a tenant's file."""
        at_ms = time.time_ns() // 1_000_000
        answer = self.put(f"taxonomies/{tenant}.json", body, **put_object)
        return Pushed(tenant, _bare(answer["ETag"]), answer.get("VersionId"), at_ms)

    def put(self, key: str, body: bytes, **put_object: Any) -> Json:
        """Uploads any object into the source bucket."""
        answer: Json = self.client("s3").put_object(Bucket=self.source_bucket, Key=key, Body=body, **put_object)
        return answer

    def wait_served(self, pushed: Pushed) -> Json:
        """Waits until the upload is the head's source, as every running lookup sees it. Returns the head."""
        return self._wait(f"a version of {pushed.tenant}", pushed, lambda _: True)

    def wait_projected(self, pushed: Pushed) -> Json:
        """The same, and waits until every item of the version is written."""
        return self._wait(f"the projection of {pushed.tenant}", pushed, lambda head: head["Projected"] == head["V"])

    def _wait(self, what: str, pushed: Pushed, is_done: Callable[[Json], bool]) -> Json:
        def look() -> Json | None:
            head = self.head_item(pushed.tenant)
            if pushed.is_recorded_in(head.get("Refused")):
                raise AssertionError(f"the upload of {pushed.tenant} was refused: {head['Refused'].get('Code')}")
            return head if pushed.is_recorded_in(head.get("Source")) and is_done(head) else None

        head = until(what, PROJECTION_SECONDS, look)
        time.sleep(HEAD_AGE_SECONDS)
        return head

    def wait_refused(self, pushed: Pushed) -> Json:
        """Waits until the head records the refusal of an upload, and returns that record."""

        def look() -> Json | None:
            refused: Json | None = self.head_item(pushed.tenant).get("Refused")
            return refused if pushed.is_recorded_in(refused) else None

        return until(f"the refusal of {pushed.tenant}", 60, look)

    def wait_counted(self, tenant: str, version: int) -> Json:
        """Waits until the totals of a tenant are of a version, and returns them."""

        def look() -> Json | None:
            totals = self.item(f"STATS#{tenant}", "TENANT")
            return totals if totals.get("V") == version else None

        return until(f"the counts of {tenant} {version}", 180, look)

    def wait_idle(self) -> None:
        """Waits until all queues are empty. A message may wait there for the end of another process's heartbeat."""
        until("empty queues", 200, lambda: None if any(self.waiting_messages().values()) else True)

    def head_item(self, tenant: str) -> Json:
        """Returns the stored head; empty for a tenant without uploads."""
        return self.item(f"TAXONOMY#{tenant}", "HEAD")

    def item(self, pk: str, sk: str) -> Json:
        """Returns one item, empty if it does not exist."""
        key = {"PK": {"S": pk}, "SK": {"S": sk}}
        answer = self.client("dynamodb").get_item(TableName=self.table, Key=key, ConsistentRead=True)
        return plain_item(answer.get("Item", {}))

    def items(self, pk: str) -> dict[tuple[str, str], Json]:
        """Returns every item of a partition."""
        query = {"KeyConditionExpression": "PK = :pk", "ExpressionAttributeValues": {":pk": {"S": pk}}}
        pages = self.client("dynamodb").get_paginator("query").paginate(TableName=self.table, ConsistentRead=True, **query)
        items = (plain_item(raw) for page in pages for raw in page["Items"])
        return {(item["PK"], item["SK"]): item for item in items}

    def look_again(self, tenant: str) -> Json:
        """Invokes the projector with the message of the retry queue, without waiting for the queue. Returns its response."""
        record = {"eventSource": "aws:sqs", "messageId": "look-again", "body": json.dumps({"tenant": tenant})}
        body = json.dumps({"Records": [record]}).encode()
        answer = self._patient_lambda().invoke(FunctionName=self.functions["projector"], Payload=body)
        said: Json = json.loads(answer["Payload"].read())
        return said

    def end_heartbeat(self, tenant: str) -> None:
        """Makes the heartbeat of a projection old, as if a minute and a half had passed: the next process takes it over."""
        client = self.client("dynamodb")
        try:
            client.update_item(
                TableName=self.table,
                Key={"PK": {"S": f"TAXONOMY#{tenant}"}, "SK": {"S": "HEAD"}},
                UpdateExpression="SET #cursor.#at = :long_ago",
                ConditionExpression="attribute_exists(#cursor)",
                ExpressionAttributeNames={"#cursor": "Cursor", "#at": "At"},
                ExpressionAttributeValues={":long_ago": {"N": "0"}},
            )
        except client.exceptions.ConditionalCheckFailedException:
            return

    @cache  # noqa: B019 - there is one stack a process
    def _patient_lambda(self) -> Any:
        """Returns a client that sends a request once and waits as long as the response takes; the default client would retry."""
        from botocore.config import Config

        return self.client("lambda", Config(read_timeout=PROJECTION_SECONDS, retries={"total_max_attempts": 1}))

    def log_lines(self, function: str, said: str, tenant: str, since_ms: int) -> list[Json]:
        """Returns the log lines of a function with this message about a tenant."""
        group = f"/aws/lambda/{self.functions[function].rsplit(':', 1)[-1]}"
        pages = self.client("logs").get_paginator("filter_log_events").paginate(logGroupName=group, startTime=since_ms - 1_000)
        lines = _json_lines(event["message"] for page in pages for event in page["events"])
        return [line for line in lines if line.get("message") == said and line.get("tenant") == tenant]

    def waiting_messages(self) -> dict[str, int]:
        """Returns the number of messages that wait or are in flight in each of the stack's queues."""
        sqs = self.client("sqs")
        counts = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        found = {}
        for url in sqs.list_queues(QueueNamePrefix=self.stack_name).get("QueueUrls", []):
            attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=counts)["Attributes"]
            found[url.rsplit("/", 1)[-1]] = sum(int(attributes[name]) for name in counts)
        return found


def plain_item(raw: Json) -> Json:
    """Converts DynamoDB's typed JSON to plain values. Every number of this table is an integer."""
    return {name: _plain(value) for name, value in raw.items()}


def _plain(typed: Json) -> Any:
    ((kind, value),) = typed.items()
    if kind == "N":
        return int(value)
    if kind == "L":
        return [_plain(entry) for entry in value]
    return plain_item(value) if kind == "M" else value


def _json_lines(lines: Iterator[str]) -> Iterator[Json]:
    """Returns the lines that are JSON objects; the platform's own START and REPORT lines are not."""
    for line in lines:
        try:
            parsed = json.loads(line)
        except ValueError:
            continue
        if isinstance(parsed, dict):
            # A log formatter may nest an event's own fields.
            yield parsed | parsed.get("fields", {})


def _bare(etag: str | None) -> str:
    """Removes the quotes of an ETag: S3 adds them in HTTP and leaves them out in events."""
    return (etag or "").strip('"')
