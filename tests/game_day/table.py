"""The table."""

import itertools
from collections.abc import Iterator

from .day import SECOND, TERM, Day, repeating, scenario
from .faults import limit_table
from .lookups import get


@scenario("TableReadThrottlesAlarm", "the table takes one read a second, and four callers read more")
def table_reads(day: Day) -> Iterator[None]:
    tenant, ids = day.tenant("table-reads"), itertools.count()
    limit_table(day, reads=1)
    with repeating(0.1, lambda: get(day, f"/v1/tenants/{tenant}/terms/{next(ids)}"), threads=4):
        yield
        limit_table(day)
        yield
    day.is_served(tenant, 1, 1)


@scenario("IndexReadThrottlesAlarm", "the index takes one read a second, and four callers list all tenants")
def index_reads(day: Day) -> Iterator[None]:
    ids = itertools.count()
    day.tenant("index-reads")
    limit_table(day, "GSI1", reads=1)
    # Pages of other lengths, because a list that was read is remembered.
    with repeating(0.1, lambda: get(day, "/v1/tenants", limit=str(1 + next(ids) % 1000)), threads=4):
        yield
        limit_table(day, "GSI1")
        yield
    day.taxonomy("tenant", "list")


@scenario("TableWriteThrottlesAlarm", "the table takes one write a second, and a version is loaded")
def table_writes(day: Day) -> Iterator[None]:
    tenant = day.tenant("table-writes")
    limit_table(day, writes=1)
    day.running.push(tenant, SECOND.read_bytes())
    yield
    limit_table(day)
    yield
    day.is_served(tenant, 2, 2)
    assert tenant not in day.taxonomy("tenant", "list", "--behind").out


@scenario("IndexWriteThrottlesAlarm", "the index takes one write a second, and a version is loaded")
def index_writes(day: Day) -> Iterator[None]:
    tenant = day.tenant("index-writes")
    limit_table(day, "GSI1", writes=1)
    day.running.push(tenant, SECOND.read_bytes())
    yield
    limit_table(day, "GSI1")
    yield
    day.is_served(tenant, 2, 2)
    assert tenant not in day.taxonomy("tenant", "list", "--behind").out
