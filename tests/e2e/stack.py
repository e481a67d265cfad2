"""The running local stack: where it is, how a file is pushed, how to wait for it, what the projector logged."""

import json
import os
import time
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from api import Api
from items import Item, Items
from oracle import Json
from subscriber import Subscriber

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"

# The emulator takes some 1,800 writes a second and the largest file here becomes 60,000 items; the rest is slack.
PROJECTION_SECONDS = 300
# An answer may be as old as the head that a running function keeps for 2 seconds, and there may be several functions.
HEAD_AGE_SECONDS = 2.5

T = TypeVar("T")


def unavailable(reason: str) -> Exception:
    """A skip where a person runs the tests, a failure where CI does: a skipped test must not look like a passed one."""
    return AssertionError(reason) if os.environ.get("CI") == "true" else unittest.SkipTest(reason)


@cache
def stack() -> "Stack":
    """The stack that `.local/stack.json` describes, or the file in STACK_FILE, or a skip that says how to get one."""
    description = Path(os.environ.get("STACK_FILE", ROOT / ".local" / "stack.json"))
    if not description.exists():
        raise unavailable(f"no local stack: {description.name} is missing, run `make up` first")
    running = Stack(json.loads(description.read_text()))
    running.told.subscribe()
    return running


def until(what: str, seconds: float, look: Callable[[], T | None]) -> T:
    """Looks again until there is something to see, and fails by name when there is nothing in time."""
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

    def is_recorded_in(self, source: Item | None) -> bool:
        """Whether the head's note of a source, or of a refusal, is about this very upload."""
        if not source or _bare(source.get("ETag")) != self.etag:
            return False
        return self.version_id is None or source.get("VersionId") == self.version_id


class Stack:
    """AWS clients of the emulator and the HTTP API, with the few operations that the tests are made of."""

    def __init__(self, description: Json) -> None:
        self.api_url: str = description["apiUrl"]
        self.api_host: str = description["apiHost"]
        self.api = Api(self.api_url, self.api_host)
        self.source_bucket: str = description["sourceBucket"]
        self.changesets_bucket: str = description["changesetsBucket"]
        self.table: str = description["table"]
        self.stack_name: str = description["stackName"]
        self.projector: str = description["functions"]["projector"]
        self.lookup: str = description["functions"]["lookup"]
        self.aggregator: str = description["functions"]["aggregator"]
        self.pages: str = description["functions"]["pages"]
        self.retry_queue: str = description["retryQueueUrl"]
        self.deferred_queue: str = description["deferredQueueUrl"]
        self.failures_bucket: str = description["failuresBucket"]
        self.events_topic: str = description["eventsTopicArn"]
        self.endpoint: str = description["endpoint"]
        self.cache_url: str = description["cacheUrl"]
        self.region: str = description["region"]
        self.events_source = f"/taxonomy/{self.region}/{self.stack_name}"
        self.told: Subscriber = Subscriber(self)

    @cache  # noqa: B019 - there is one stack a process
    def client(self, service: str, config: Any = None) -> Any:
        """A boto3 client. boto3 comes with the SAM CLI, so it is there wherever the stack could be deployed."""
        try:
            import boto3
        except ImportError:
            raise unavailable("boto3 is missing: run the tests with .tools/venv/bin/python") from None
        return boto3.client(
            service,
            endpoint_url=self.endpoint,
            region_name=self.region,
            aws_access_key_id="test",
            aws_secret_access_key="test",
            config=config,
        )

    def fresh_tenant(self, name: str) -> str:
        """The name itself on a new stack, else with the first number that nobody has used: tests can be run again."""
        tenant, number = name, 1
        while self.head_item(tenant):
            number += 1
            tenant = f"{name}-{number}"
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

    def wait_projected(self, pushed: Pushed) -> Item:
        """The head once the upload is its source, projected to the end, and seen by every running lookup."""

        def look() -> Item | None:
            head = self.head_item(pushed.tenant)
            if pushed.is_recorded_in(head.get("Refused")):
                raise AssertionError(f"the upload of {pushed.tenant} was refused: {head['Refused'].get('Code')}")
            if pushed.is_recorded_in(head.get("Source")) and head["Projected"] == head["V"]:
                return head
            return None

        head = until(f"the projection of {pushed.tenant}", PROJECTION_SECONDS, look)
        time.sleep(HEAD_AGE_SECONDS)
        return head

    def wait_refused(self, pushed: Pushed) -> Item:
        """What the head says about an upload that was refused."""

        def look() -> Item | None:
            refused: Item | None = self.head_item(pushed.tenant).get("Refused")
            return refused if pushed.is_recorded_in(refused) else None

        return until(f"the refusal of {pushed.tenant}", 60, look)

    def head_item(self, tenant: str) -> Item:
        """The head as it is stored; empty for a tenant that was never pushed."""
        return self.item(f"TAXONOMY#{tenant}", "HEAD")

    def item(self, pk: str, sk: str) -> Item:
        """One item, empty if it is not there."""
        key = {"PK": {"S": pk}, "SK": {"S": sk}}
        answer = self.client("dynamodb").get_item(TableName=self.table, Key=key, ConsistentRead=True)
        return plain_item(answer.get("Item", {}))

    def projection(self, tenant: str) -> Items:
        """Every item of a tenant's terms and categories. A scan: what is there unasked for must be seen too."""
        begins = {":terms": {"S": f"TERM#{tenant}#"}, ":categories": {"S": f"CATEGORY#{tenant}#"}}
        pages = self._pages(
            "dynamodb",
            "scan",
            TableName=self.table,
            ConsistentRead=True,
            FilterExpression="begins_with(PK, :terms) OR begins_with(PK, :categories)",
            ExpressionAttributeValues=begins,
        )
        items = (plain_item(raw) for page in pages for raw in page["Items"])
        return {(item["PK"], item["SK"]): item for item in items}

    def versions(self, tenant: str) -> list[Item]:
        """The log, oldest first."""
        pages = self._pages(
            "dynamodb",
            "query",
            TableName=self.table,
            ConsistentRead=True,
            KeyConditionExpression="PK = :pk AND begins_with(SK, :sk)",
            ExpressionAttributeValues={":pk": {"S": f"TAXONOMY#{tenant}"}, ":sk": {"S": "CHANGESET#"}},
        )
        return [plain_item(raw) for page in pages for raw in page["Items"]]

    def stats(self, tenant: str) -> Items:
        """Everything that is counted of a tenant."""
        pages = self._pages(
            "dynamodb",
            "query",
            TableName=self.table,
            ConsistentRead=True,
            KeyConditionExpression="PK = :pk",
            ExpressionAttributeValues={":pk": {"S": f"STATS#{tenant}"}},
        )
        items = (plain_item(raw) for page in pages for raw in page["Items"])
        return {(item["PK"], item["SK"]): item for item in items}

    def body(self, key: str) -> tuple[bytes, Json]:
        """A stored body of the changesets bucket, unpacked, and its object's metadata."""
        try:
            import zstandard
        except ImportError:
            raise unavailable("zstandard is missing: run the tests with .tools/venv/bin/python") from None
        answer = self.client("s3").get_object(Bucket=self.changesets_bucket, Key=key)
        # A decompressor object reads bodies whose frame does not say how long they are.
        return zstandard.ZstdDecompressor().decompressobj().decompress(answer["Body"].read()), answer["Metadata"]

    def look_again(self, tenant: str) -> Json:
        """Brings the projector what the retry queue would, without waiting for the queue, and hands back what it says in the end."""
        record = {"eventSource": "aws:sqs", "messageId": "look-again", "body": json.dumps({"tenant": tenant})}
        body = json.dumps({"Records": [record]}).encode()
        answer = self._patient_lambda().invoke(FunctionName=self.projector, Payload=body)
        said: Json = json.loads(answer["Payload"].read())
        return said

    def end_heartbeat(self, tenant: str) -> None:
        """Makes the heartbeat of a load old, as a minute and a half would: the next process takes the load over."""
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
        """A client that asks once, however long the answer takes: the usual one would ask again by itself."""
        from botocore.config import Config

        return self.client("lambda", Config(read_timeout=PROJECTION_SECONDS, retries={"total_max_attempts": 1}))

    @contextmanager
    def projector_timeout(self, seconds: int) -> Iterator[None]:
        """Gives the projector less time, for a while."""
        client, name = self.client("lambda"), {"FunctionName": self.projector}
        usual = client.get_function_configuration(**name)["Timeout"]
        client.update_function_configuration(**name, Timeout=seconds)
        try:
            yield
        finally:
            client.update_function_configuration(**name, Timeout=usual)

    def projected_lines(self, tenant: str, since_ms: int) -> list[Json]:
        """What the projector logged about the versions it projected."""
        return self.projector_lines("projected", tenant, since_ms)

    def projector_lines(self, said: str, tenant: str, since_ms: int) -> list[Json]:
        """What the projector logged in these words about a tenant."""
        lines = self._lines(self.projector, since_ms)
        return [line for line in lines if line.get("message") == said and line.get("tenant") == tenant]

    def aggregator_lines(self, since_ms: int) -> list[Json]:
        """Everything that the aggregator logged."""
        return [line for line in self._lines(self.aggregator, since_ms) if "message" in line]

    def _lines(self, function: str, since_ms: int) -> Iterator[Json]:
        group = f"/aws/lambda/{function.rsplit(':', 1)[-1]}"
        pages = self._pages("logs", "filter_log_events", logGroupName=group, startTime=since_ms - 1_000)
        return _json_lines(event["message"] for page in pages for event in page["events"])

    def _pages(self, service: str, operation: str, **request: Any) -> Iterator[Json]:
        pages: Iterator[Json] = self.client(service).get_paginator(operation).paginate(**request)
        return pages

    def report(self, pushed: Pushed) -> Json:
        """The validation report of an upload."""
        key = f"reports/{pushed.tenant}/{pushed.etag}.json"
        body = self.client("s3").get_object(Bucket=self.changesets_bucket, Key=key)["Body"].read()
        report: Json = json.loads(body)
        return report

    def waiting_messages(self) -> dict[str, int]:
        """How many messages wait or are in flight in each of the stack's queues."""
        sqs = self.client("sqs")
        counts = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        found = {}
        for url in sqs.list_queues(QueueNamePrefix=self.stack_name).get("QueueUrls", []):
            attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=counts)["Attributes"]
            found[url.rsplit("/", 1)[-1]] = sum(int(attributes[name]) for name in counts)
        return found


def plain_item(raw: Json) -> Item:
    """DynamoDB's typed JSON as plain values. Every number of this table is an integer."""
    return {name: _plain(value) for name, value in raw.items()}


def _plain(typed: Json) -> Any:
    ((kind, value),) = typed.items()
    if kind == "N":
        return int(value)
    if kind == "L":
        return [_plain(entry) for entry in value]
    return plain_item(value) if kind == "M" else value


def _json_lines(lines: Iterator[str]) -> Iterator[Json]:
    """The lines that are JSON objects; the platform's own START and REPORT lines are not."""
    for line in lines:
        try:
            parsed = json.loads(line)
        except ValueError:
            continue
        if isinstance(parsed, dict):
            # A log formatter may nest an event's own fields.
            yield parsed | parsed.get("fields", {})


def _bare(etag: str | None) -> str:
    """S3 quotes an ETag in HTTP and leaves the quotes out in events."""
    return (etag or "").strip('"')
