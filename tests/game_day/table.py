"""The table."""

import itertools
import time
from collections.abc import Iterator

from .day import SECOND, TERM, Day, repeating, scenario
from .faults import limited
from .lookups import get


@scenario("TableReadThrottlesAlarm", "the table takes one read a second, and four callers read more")
def table_reads(day: Day) -> Iterator[None]:
    tenant, ids = day.tenant("table-reads"), itertools.count()
    with repeating(0.1, lambda: get(day, f"/v1/tenants/{tenant}/terms/{next(ids)}"), threads=4):
        with limited(day, reads=1):
            yield
        yield
    day.is_served(tenant, 1, 1)


@scenario("IndexReadThrottlesAlarm", "the index takes one read a second, and four callers list all tenants")
def index_reads(day: Day) -> Iterator[None]:
    ids = itertools.count()
    day.tenant("index-reads")
    # Pages of other lengths, because a list that was read is remembered.
    with repeating(0.1, lambda: get(day, "/v1/tenants", limit=str(1 + next(ids) % 1000)), threads=4):
        with limited(day, "GSI1", reads=1):
            yield
        yield
    day.taxonomy("tenant", "list")


@scenario("TableWriteThrottlesAlarm", "the table takes five writes a second, and a first version is loaded")
def table_writes(day: Day) -> Iterator[None]:
    tenant = day.running.fresh_tenant("table-writes")
    # Enough for the commit and the cursor: an upload that fails is delivered again after a minute.
    with limited(day, writes=5):
        day.running.push(tenant, SECOND.read_bytes())
        yield
    yield
    day.is_served(tenant, 1, 2)
    assert tenant not in day.taxonomy("tenant", "list", "--behind").out


@scenario("IndexWriteThrottlesAlarm", "the index takes one write a second, and every two seconds a tenant uploads its first version")
def index_writes(day: Day) -> Iterator[None]:
    tenants: list[str] = []

    def upload() -> None:
        tenants.append(day.running.fresh_tenant(f"index-writes-{len(tenants)}"))
        day.running.push(tenants[-1], SECOND.read_bytes())

    with limited(day, "GSI1", writes=1), repeating(2, upload):
        yield
    yield
    # A failure that the throttle kept from being noted looks like a load under way, until its heartbeat is old.
    time.sleep(90)
    for tenant in tenants:
        day.running.look_again(tenant)
        day.is_served(tenant, 1, 2)
