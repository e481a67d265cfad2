"""Aggregates and notifications."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from .day import SECOND, Day, scenario, until
from .faults import Deleted, Denied, DeniedQueue, compressed_queue, memory, oldest_record, set_memory, switch

#: One more than the categories that are counted while other records wait.
MANY = 2_001


def many_categories() -> bytes:
    """Returns a file whose counts are deferred."""
    categories = [{"id": number, "name": f"Category {number}", "terms": [{"id": number, "name": f"Term {number}"}]} for number in range(1, MANY + 1)]
    return json.dumps({"defaultCulture": "en-GB", "categories": categories}).encode()


@scenario("AggregatorAgeAlarm", "no changeset can be read, and neither the deferred queue nor the failures bucket takes the record")
def aggregator_age(day: Day) -> Iterator[None]:
    tenant = day.tenant("aggregator-age")
    day.is_counted(tenant, 1)
    queue, bucket = DeniedQueue(day, day.running.deferred_queue), Denied(day, day.running.failures_bucket, "s3:PutObject")
    changesets = Denied(day, day.running.changesets_bucket, "s3:GetObject", "changesets/")
    day.running.push(tenant, SECOND.read_bytes())
    yield
    queue.mend()
    bucket.mend()
    changesets.mend()
    yield
    day.is_counted(tenant, 2)


@scenario("ParkedAlarm", "the changeset of a version is deleted before it is counted")
def parked(day: Day) -> Iterator[None]:
    tenant = day.tenant("parked")
    day.is_counted(tenant, 1)
    switch(day, "AggregatorStream", on=False)
    day.running.wait_projected(day.running.push(tenant, SECOND.read_bytes()))
    Deleted(day, day.running.versions(tenant)[-1]["ChangesetKey"])
    switch(day, "AggregatorStream", on=True)
    yield
    day.taxonomy("repair", tenant, "--yes")
    day.taxonomy("redrive", "parked", "--tenant", tenant)
    yield
    day.is_counted(tenant, 2)


@scenario("DeferredAgeAlarm", "no changeset can be read", factor=360)
def deferred_age(day: Day) -> Iterator[None]:
    tenant = day.tenant("deferred-age")
    day.is_counted(tenant, 1)
    changesets = Denied(day, day.running.changesets_bucket, "s3:GetObject", "changesets/")
    day.running.push(tenant, SECOND.read_bytes())
    yield
    changesets.mend()
    yield
    day.is_counted(tenant, 2)


@contextmanager
def deferred_record_that_ends_the_process(day: Day, tenant: str) -> Iterator[ExitStack]:
    """A deferred record that needs more memory than the aggregator has. The tries of hours come within seconds, until the given stack is closed."""
    switch(day, "AggregatorDeferred", on=False)
    day.running.wait_projected(day.running.push(tenant, many_categories()))
    until("the record to be deferred", 60, lambda: day.running.waiting_messages()[day.running.deferred_queue.rsplit("/", 1)[-1]] or None)
    with memory(day, day.running.aggregator, 2048), ExitStack() as compressed:
        compressed.enter_context(compressed_queue(day, day.running.deferred_queue))
        switch(day, "AggregatorDeferred", on=True)
        yield compressed


def mend_deferred(day: Day, compressed: ExitStack) -> None:
    """Gives the aggregator the memory that it needs. The record is tried again, or is a dead letter by then, which is moved back."""
    set_memory(day, day.running.aggregator, 2048)
    queue = day.running.deferred_queue.rsplit("/", 1)[-1]
    until("the deferred queue to be empty", 60, lambda: not day.running.waiting_messages()[queue] or None)
    # A record that is counted for longer than two seconds would be received again meanwhile, and become a dead letter once more.
    compressed.close()
    day.taxonomy("redrive", "deferred")


@scenario("DeferredDeadLettersAlarm", "a deferred record needs 2,048 MB and the aggregator has 1,024; three receives are a dead letter instead of a thousand")
def deferred_dead_letters(day: Day) -> Iterator[None]:
    tenant = day.running.fresh_tenant("deferred-dead")
    with deferred_record_that_ends_the_process(day, tenant) as compressed:
        yield
        mend_deferred(day, compressed)
        yield
        day.is_counted(tenant, 1)


@scenario("AggregatorErrorsAlarm", "a deferred record needs 2,048 MB and the aggregator has 1,024", factor=180)
def aggregator_errors(day: Day) -> Iterator[None]:
    tenant = day.running.fresh_tenant("aggregator-errors")
    with deferred_record_that_ends_the_process(day, tenant) as compressed:
        yield
        mend_deferred(day, compressed)
        yield
        day.is_counted(tenant, 1)


@scenario("AggregatorGaveUpAlarm", "a record of the stream ends the aggregator's process each time; it is given up after 5 s instead of six hours")
def aggregator_gave_up(day: Day) -> Iterator[None]:
    tenant = day.tenant("gave-up")
    day.is_counted(tenant, 1)
    with oldest_record(day, "AggregatorStream", 5), memory(day, day.running.aggregator, 2048):
        day.running.push(tenant, SECOND.read_bytes())
        yield
        set_memory(day, day.running.aggregator, 2048)
        day.taxonomy("redrive", "given-up")
        yield
        day.is_counted(tenant, 2)


@scenario("AggregatorDroppedAlarm", "the same, and the failures bucket takes nothing")
def aggregator_dropped(day: Day) -> Iterator[None]:
    tenant = day.tenant("dropped")
    day.is_counted(tenant, 1)
    bucket = Denied(day, day.running.failures_bucket, "s3:PutObject")
    with oldest_record(day, "AggregatorStream", 5), memory(day, day.running.aggregator, 2048):
        day.running.push(tenant, SECOND.read_bytes())
        yield
        bucket.mend()
        set_memory(day, day.running.aggregator, 2048)
        day.taxonomy("audit", tenant)
        yield
        day.is_counted(tenant, 2)
