"""The lost table: restored by point-in-time recovery, put into the place of the stack's own, and back (docs/operations.md)."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from .day import SECOND, Day, until
from .faults import deploy, sweep

RESTORED = "taxonomy-restored"


def play(day: Day) -> list[tuple[str, float]]:
    """Returns each step with its seconds."""
    steps: list[tuple[str, float]] = []
    table, own, tenant = day.running.client("dynamodb"), day.running.table, day.tenant("lost-table")
    day.is_counted(tenant, 1)

    @contextmanager
    def step(name: str) -> Iterator[None]:
        begun = time.monotonic()
        yield
        steps.append((name, time.monotonic() - begun))

    with step("`aws dynamodb restore-table-to-point-in-time`"):
        table.restore_table_to_point_in_time(SourceTableName=own, TargetTableName=RESTORED, UseLatestRestorableTime=True)
        table.get_waiter("table_exists").wait(TableName=RESTORED, WaiterConfig={"Delay": 1})
    with step("stream, time to live and recovery are set"):
        stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        described = table.update_table(TableName=RESTORED, StreamSpecification=stream)["TableDescription"]
        table.update_time_to_live(TableName=RESTORED, TimeToLiveSpecification={"Enabled": True, "AttributeName": "ExpiresAt"})
        table.update_continuous_backups(TableName=RESTORED, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
    with step("the loss: a tenant's head, log, items and counts are deleted from the stack's own table"):
        lost = _delete(day, tenant)
        assert lost > 100 and day.running.head_item(tenant) == {}
    with step("the stack is updated with `RestoredTable` and `RestoredTableStreamArn`"):
        deploy(day, RestoredTable=RESTORED, RestoredTableStreamArn=described["LatestStreamArn"])
    day.running.table = RESTORED
    with step("the tenant is served from the restored table as before"):
        day.is_served(tenant, 1, 1)
    with step("a new version is published and counted"):
        day.running.push(tenant, SECOND.read_bytes())
        day.is_served(tenant, 2, 2)
        day.is_counted(tenant, 2)
    with step("`taxonomy repair`, `taxonomy audit`, `taxonomy verify`"):
        day.taxonomy("repair", tenant, "--yes")
        day.taxonomy("audit", tenant)
        day.is_whole(tenant)
    with step("the sweep of all sources finds nothing behind"):
        sweep(day, "sweep-sources")
        until("nothing to be behind", 60, lambda: "lost-table" not in day.taxonomy("tenant", "list", "--behind").out or None)
    with step("the stack is updated with both parameters empty: the way back, for a rehearsal"):
        deploy(day, RestoredTable="", RestoredTableStreamArn="")
    day.running.table = own
    with step("the stack's own table is used again: the tenant that it lost is not found, and another one is published and counted"):
        until("the own table to be used", 60, lambda: day.running.api.get(f"/v1/tenants/{tenant}").status == 404 or None)
        other = day.tenant("after-the-way-back")
        day.is_served(other, 1, 1)
        day.is_counted(other, 1)
    return steps


def _delete(day: Day, tenant: str) -> int:
    """Deletes the items of a tenant, as a script that went wrong would; returns their number."""
    table, deleted = day.running.client("dynamodb"), 0
    for page in table.get_paginator("scan").paginate(TableName=day.running.table, ProjectionExpression="PK, SK"):
        for key in page["Items"]:
            if key["PK"]["S"].split("#")[1:2] == [tenant]:
                table.delete_item(TableName=day.running.table, Key=key)
                deleted += 1
    return deleted
