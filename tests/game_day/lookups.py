"""Lookups and pages."""

import http.client
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

from .day import TERM, Day, repeating, scenario
from .faults import Deleted, deploy, memory

from api import Api  # isort: skip - found by day


_callers = threading.local()


def get(day: Day, path: str, **query: str) -> int:
    """Sends a request over a connection of the calling thread, and returns the status of the answer."""
    if not hasattr(_callers, "api"):
        _callers.api = Api(day.running.api_url, day.running.api_host)
    status: int = _callers.api.ask("GET", path, {}, **query).status
    return status


@scenario("HttpServerErrorsAlarm", "the index file of the newest version is lost, and the children of a term are requested each second")
def http_server_errors(day: Day) -> Iterator[None]:
    tenant = day.tenant("http-errors")
    Deleted(day, day.running.head_item(tenant)["IndexKey"])
    with repeating(1, lambda: day.running.api.get(f"/v1/tenants/{tenant}/terms/{TERM}/children")):
        yield
        day.taxonomy("repair", tenant, "--yes")
        yield
    day.is_whole(tenant)
    day.is_served(tenant, 1, 1)


@scenario("HttpLatencyAlarm", "the answers need the processor of 1,769 MB and LookupMemory is 256: each process is stopped for 1.1 of 3 s, while 12 callers send requests", factor=15)
def http_latency(day: Day) -> Iterator[None]:
    tenant = day.tenant("http-latency")
    slow = memory(day, day.running.lookup, 1769, "game-day-slow-below-mb")
    with slow, repeating(0.001, lambda: get(day, f"/v1/tenants/{tenant}/terms/{TERM}"), threads=12):
        yield
        deploy(day, LookupMemory="1769")
        yield
    deploy(day, LookupMemory="256")
    day.is_served(tenant, 1, 1)


@scenario("LookupThrottlesAlarm", "LookupConcurrency is 1, and 8 callers send requests at once")
def lookup_throttles(day: Day) -> Iterator[None]:
    tenant = day.tenant("lookup-throttles")
    reserve(day, 1)
    with repeating(0.01, lambda: get(day, f"/v1/tenants/{tenant}/terms/{TERM}"), threads=8):
        yield
        reserve(day, 50)
        yield
    day.taxonomy("get", str(TERM), "--tenant", tenant)
    day.running.client("lambda").delete_function_concurrency(FunctionName=day.running.lookup)
    day.is_served(tenant, 1, 1)


def reserve(day: Day, processes: int) -> None:
    """Sends the request that a deployment with `LookupConcurrency` would send; the emulator's CloudFormation sends none."""
    day.aws("lambda", "put_function_concurrency", FunctionName=day.running.lookup, ReservedConcurrentExecutions=processes)


@scenario("PagesErrorsAlarm", "the variable AUTH_MODE of the pages is wrong, and a reader opens the explorer each second")
def pages_errors(day: Day) -> Iterator[None]:
    client, name = day.running.client("lambda"), {"FunctionName": day.running.pages}
    right = client.get_function_configuration(**name)["Environment"]
    wrong = {"Variables": right["Variables"] | {"AUTH_MODE": "iam"}}
    client.update_function_configuration(**name, Environment=wrong)
    with repeating(1, lambda: get_page(day)):
        yield
        day.aws("lambda", "update_function_configuration", **name, Environment=right)
        yield
    assert get_page(day) == 200


def get_page(day: Day) -> int:
    """Opens the explorer, and returns the status of the answer."""
    connection = http.client.HTTPConnection(urlsplit(day.running.api_url).netloc, timeout=60)
    connection.request("GET", "/explore", headers={"Host": day.running.api_host})
    return connection.getresponse().status
