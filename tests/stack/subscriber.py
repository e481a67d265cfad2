"""A subscriber of the events topic, with a queue of its own."""

import json
import os
import time
from collections import defaultdict
from typing import TYPE_CHECKING

from oracle import Json

if TYPE_CHECKING:
    from stack import Stack

# Outside the stack's names, because the stack's queues must run empty. Each process has its own: what one receives, no other one is told.
QUEUE = f"somebody-who-is-told-{os.getpid()}"


class Subscriber:
    """Collects the notifications by tenant. A message with a known id is a duplicate and is not stored again."""

    def __init__(self, stack: "Stack") -> None:
        self._stack = stack
        self._told: dict[str, list[Json]] = defaultdict(list)
        self._queue = ""

    def subscribe(self) -> None:
        """Subscribes, before the first upload. Subscribing again keeps the subscription and discards earlier messages."""
        sqs = self._stack.client("sqs")
        self._queue = sqs.create_queue(QueueName=QUEUE)["QueueUrl"]
        sqs.purge_queue(QueueUrl=self._queue)
        arn = sqs.get_queue_attributes(QueueUrl=self._queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        self._stack.client("sns").subscribe(
            TopicArn=self._stack.outputs["EventsTopicArn"],
            Protocol="sqs",
            Endpoint=arn,
            Attributes={"RawMessageDelivery": "true"},
            ReturnSubscriptionArn=True,
        )

    def of(self, tenant: str) -> list[Json]:
        """Returns all notifications about a tenant so far, in the order of arrival."""
        sqs = self._stack.client("sqs")
        while True:
            ask = {"QueueUrl": self._queue, "MaxNumberOfMessages": 10, "MessageAttributeNames": ["All"]}
            messages = sqs.receive_message(**ask).get("Messages", [])
            for message in messages:
                self._keep(message)
                sqs.delete_message(QueueUrl=self._queue, ReceiptHandle=message["ReceiptHandle"])
            if not messages:
                return list(self._told[tenant])

    def wait_for(self, tenant: str, count: int, seconds: float = 60) -> list[Json]:
        """Waits for exactly `count` messages about a tenant, and returns them."""
        deadline = time.monotonic() + seconds
        while len(found := self.of(tenant)) < count:
            if time.monotonic() > deadline:
                raise AssertionError(f"{tenant} was told of {len(found)} times instead of {count}: {found}")
            time.sleep(0.3)
        assert len(found) == count, f"{tenant} was told of more than {count} times: {found}"
        return found

    def _keep(self, message: Json) -> None:
        event: Json = json.loads(message["Body"])
        tenant = event["subject"]
        attributes = {name: value["StringValue"] for name, value in message["MessageAttributes"].items()}
        assert attributes == {"type": event["type"], "tenant": tenant}, f"{attributes} on {event}"
        same = [known for known in self._told[tenant] if known["id"] == event["id"]]
        assert all(known == event for known in same), f"one id, two contents: {same} {event}"
        if not same:
            self._told[tenant].append(event)
