"""Downloads."""

from collections.abc import Iterator

from .day import Day, scenario, until
from .faults import Deleted, switch


def request(day: Day, tenant: str) -> int:
    """Requests a download, and returns the status of the answer."""
    return day.running.api.get(f"/v1/tenants/{tenant}/versions/1/download", format="ndjson").status


def is_made(day: Day, tenant: str) -> None:
    """Waits until the download is there."""
    until(f"the download of {tenant}", 60, lambda: request(day, tenant) == 200 or None)


@scenario("DownloadDeadLettersAlarm", "snapshot, changeset and index file of a version are deleted, so that nothing leads to its content, and it is requested as a download")
def download_dead_letters(day: Day) -> Iterator[None]:
    tenant = day.tenant("download-dead")
    (version,) = day.running.versions(tenant)
    deleted = [Deleted(day, version[name]) for name in ("SnapshotKey", "ChangesetKey", "IndexKey")]
    assert request(day, tenant) == 202
    yield
    assert request(day, tenant) == 503
    for each in deleted:
        each.mend()
    day.taxonomy("repair", tenant, "--yes")
    day.taxonomy("redrive", "downloads")
    yield
    is_made(day, tenant)


@scenario("DownloadAgeAlarm", "the projector's concurrency is used up while a download waits", factor=240)
def download_age(day: Day) -> Iterator[None]:
    tenant = day.tenant("download-age")
    day.running.client("lambda").put_function_concurrency(FunctionName=day.running.projector, ReservedConcurrentExecutions=0)
    assert request(day, tenant) == 202
    yield
    day.aws("lambda", "delete_function_concurrency", FunctionName=day.running.projector)
    yield
    is_made(day, tenant)
