"""Uploads and projection."""

from collections.abc import Iterator

from .day import SAMPLES, SECOND, Day, repeating, scenario, until
from .faults import Denied, deploy, limited, memory, send, sweep, switch

from processes import kill, projectors  # isort: skip - found by day


@scenario("DeadLettersAlarm", "the changesets bucket takes no objects; the message of an upload comes after nine failures")
def dead_letters(day: Day) -> Iterator[None]:
    tenant = day.tenant("dead-letter")
    denied = Denied(day, day.running.changesets_bucket, "s3:PutObject")
    day.running.push(tenant, SECOND.read_bytes())
    send(day, "RetryQueueUrl", {"tenant": tenant, "tries": 9})
    yield
    denied.mend()
    day.taxonomy("redrive", "uploads")
    yield
    day.is_served(tenant, 2, 2)


@scenario("RetryAgeAlarm", "the mapping ProjectorRetries is switched off while a message waits", factor=240)
def retry_age(day: Day) -> Iterator[None]:
    tenant = day.tenant("retry-age")
    switch(day, "ProjectorRetries", on=False)
    send(day, "RetryQueueUrl", {"tenant": tenant})
    yield
    switch(day, "ProjectorRetries", on=True)
    yield
    assert "retry-age" not in day.taxonomy("tenant", "list", "--behind").out
    day.is_served(tenant, 1, 1)


@scenario("RetryDepthAlarm", "the projector's concurrency is used up, while 120 tenants wait in the retry queue")
def retry_depth(day: Day) -> Iterator[None]:
    tenant = day.tenant("retry-depth")
    day.running.client("lambda").put_function_concurrency(FunctionName=day.running.projector, ReservedConcurrentExecutions=0)
    for number in range(119):
        send(day, "RetryQueueUrl", {"tenant": f"retry-depth-{number}"})
    send(day, "RetryQueueUrl", {"tenant": tenant})
    yield
    day.aws("lambda", "delete_function_concurrency", FunctionName=day.running.projector)
    yield
    assert "retry-depth" not in day.taxonomy("tenant", "list", "--behind").out
    day.is_served(tenant, 1, 1)


@scenario("ProjectorThrottlesAlarm", "the projector's concurrency is used up, and every second an upload comes", factor=180)
def projector_throttles(day: Day) -> Iterator[None]:
    tenant = day.tenant("projector-throttles")
    day.running.client("lambda").put_function_concurrency(FunctionName=day.running.projector, ReservedConcurrentExecutions=0)
    with repeating(1, lambda: day.running.push(tenant, SECOND.read_bytes())):
        yield
    day.aws("lambda", "delete_function_concurrency", FunctionName=day.running.projector)
    sweep(day, "sweep-sources")
    yield
    day.is_served(tenant, 2, 2)


@scenario("UnfinishedAlarm", "the changesets bucket takes no objects; the retries of an upload come each second", factor=180)
def unfinished(day: Day) -> Iterator[None]:
    tenant = day.tenant("unfinished")
    denied = Denied(day, day.running.changesets_bucket, "s3:PutObject")
    day.running.push(tenant, SECOND.read_bytes())
    with repeating(1, lambda: day.running.look_again(tenant)):
        yield
    denied.mend()
    day.running.look_again(tenant)
    yield
    day.is_served(tenant, 2, 2)


@scenario("BehindAlarm", "the projector is killed in the middle of a load that the table throttles; sweeps come each second", factor=120)
def behind(day: Day) -> Iterator[None]:
    tenant = day.tenant("behind")
    with limited(day, writes=5):
        day.running.push(tenant, SECOND.read_bytes())
        until("the version to be committed", 60, lambda: day.running.head_item(tenant).get("V") == 2 or None)
        kill(projectors(day.running))
        switch(day, "ProjectorRetries", on=False)
        with repeating(1, lambda: sweep(day)):
            yield
    switch(day, "ProjectorRetries", on=True)
    day.running.end_heartbeat(tenant)
    day.taxonomy("rebuild", tenant, "--yes")
    with repeating(1, lambda: sweep(day)):
        yield
    day.is_served(tenant, 3, 2)


@scenario("ProjectorErrorsAlarm", "a file needs 1,769 MB and ProjectorMemory is 256: each invocation is ended", factor=180)
def projector_errors(day: Day) -> Iterator[None]:
    tenant = day.tenant("projector-errors")
    deploy(day, ProjectorMemory="256")
    with memory(day, day.running.projector, 1769):
        day.running.push(tenant, SECOND.read_bytes())
        with repeating(1, lambda: day.running.look_again(tenant)):
            yield
        deploy(day, ProjectorMemory="1769")
        day.taxonomy("redrive", "uploads")
        day.running.look_again(tenant)
        yield
        day.is_served(tenant, 2, 2)


@scenario("RejectedUploadsAlarm", "a file with three mistakes is uploaded")
def rejected(day: Day) -> Iterator[None]:
    tenant = day.tenant("rejected")
    day.running.wait_refused(day.running.push(tenant, (SAMPLES / "invalid" / "several-mistakes.json").read_bytes()))
    yield
    day.taxonomy("push", SECOND, "--tenant", tenant)
    yield
    day.is_served(tenant, 2, 2)


@scenario("FrozenUploadsAlarm", "a file is uploaded for a frozen tenant")
def frozen(day: Day) -> Iterator[None]:
    tenant = day.tenant("frozen")
    day.taxonomy("tenant", "freeze", tenant, "--reason", "a game day")
    day.running.push(tenant, SECOND.read_bytes())
    yield
    day.taxonomy("tenant", "thaw", tenant)
    yield
    day.is_served(tenant, 2, 2)


@scenario("DamagedEntryAlarm", "the index's list of tenants has an item without a tenant")
def damaged_entry(day: Day) -> Iterator[None]:
    key = {"PK": {"S": "STRAY#game-day"}, "SK": {"S": "STRAY"}}
    listed = {"GSI1PK": {"S": "TENANTS"}, "GSI1SK": {"S": "game-day-stray"}}
    day.running.client("dynamodb").put_item(TableName=day.running.table, Item=key | listed)
    sweep(day, "sweep-sources")
    yield
    day.aws("dynamodb", "delete_item", TableName=day.running.table, Key=key)
    sweep(day, "sweep-sources")
    yield
    assert "warning" not in day.taxonomy("tenant", "list").err
