"""Caches."""

from collections.abc import Iterator

from local import valkey as server

from .day import SECOND, Day, scenario, until
from .faults import Denied, deploy, oldest_record

from valkey import Valkey  # isort: skip - found by day


def pushed(day: Day, tenant: str, version: int) -> None:
    """Waits until the second tier has a version."""
    tier, key = Valkey(day.running.cache_url), f"tx3:{{{tenant}}}:version"
    until(f"version {version} of {tenant} in the second tier", 60, lambda: int(tier.tell("GET", key) or 0) >= version or None)


def start(day: Day) -> None:
    """Starts the server of the second tier again."""
    day.commands.append("the server of the second tier is started")
    server.start()


@scenario("CachesAgeAlarm", "the server of the second tier is stopped")
def caches_age(day: Day) -> Iterator[None]:
    tenant = day.tenant("caches-age")
    server.stop()
    day.running.push(tenant, SECOND.read_bytes())
    yield
    start(day)
    yield
    pushed(day, tenant, 2)
    day.taxonomy("get", "113", "--tenant", tenant)
    day.is_served(tenant, 2, 2)


@scenario("CachesParkedAlarm", "CdnDistributionId names a distribution that refuses each invalidation by `InvalidArgument`")
def caches_parked(day: Day) -> Iterator[None]:
    tenant = day.tenant("caches-parked")
    # The second tier refuses no tenant: its script overwrites whatever the key of the version holds.
    deploy(day, CdnDistributionId="EREFUSESEACHONE")
    day.running.push(tenant, SECOND.read_bytes())
    yield
    deploy(day, CdnDistributionId="")
    day.taxonomy("rebuild", tenant, "--yes")
    yield
    pushed(day, tenant, 3)
    day.is_served(tenant, 3, 2)


@scenario("CachesGaveUpAlarm", "the server of the second tier is stopped; its records are given up after 5 s instead of 23 hours")
def caches_gave_up(day: Day) -> Iterator[None]:
    tenant = day.tenant("caches-gave-up")
    with oldest_record(day, "CachesStream", 5):
        server.stop()
        day.running.push(tenant, SECOND.read_bytes())
        yield
        start(day)
        day.taxonomy("rebuild", tenant, "--yes")
        yield
    pushed(day, tenant, 3)
    day.is_served(tenant, 3, 2)


@scenario("CachesDroppedAlarm", "the same, and the failures bucket takes nothing")
def caches_dropped(day: Day) -> Iterator[None]:
    tenant = day.tenant("caches-dropped")
    bucket = Denied(day, day.running.failures_bucket, "s3:PutObject")
    with oldest_record(day, "CachesStream", 5):
        server.stop()
        day.running.push(tenant, SECOND.read_bytes())
        yield
        bucket.mend()
        start(day)
        day.taxonomy("rebuild", tenant, "--yes")
        yield
    pushed(day, tenant, 3)
    day.is_served(tenant, 3, 2)
