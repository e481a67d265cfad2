"""Lookups and pages."""

from collections.abc import Iterator

from .day import TERM, Day, repeating, scenario
from .faults import deploy, limit_table

from api import Api  # isort: skip - found by day


def get(day: Day, path: str) -> int:
    """Sends a request over a connection of its own, and returns the status of the answer."""
    return Api(day.running.api_url, day.running.api_host).ask("GET", path, {}).status


@scenario("HttpServerErrorsAlarm", "the lineage of a stored term is damaged, and the term is requested each second")
def http_server_errors(day: Day) -> Iterator[None]:
    tenant = day.tenant("http-errors")
    key = {"PK": {"S": f"TERM#{tenant}#{TERM}"}, "SK": {"S": f"TERM#{tenant}#{TERM}"}}
    change = {"UpdateExpression": "SET Lineage = :damaged", "ExpressionAttributeValues": {":damaged": {"N": "7"}}}
    day.running.client("dynamodb").update_item(TableName=day.running.table, Key=key, **change)
    with repeating(1, lambda: day.running.api.get(f"/v1/tenants/{tenant}/terms/{TERM}")):
        yield
        day.taxonomy("repair", tenant, "--yes")
        yield
    day.taxonomy("verify", tenant)
    day.is_served(tenant, 2, 1)


@scenario("HttpLatencyAlarm", "the table takes 20 reads a second, and 16 callers ask for more", factor=15)
def http_latency(day: Day) -> Iterator[None]:
    tenant = day.tenant("http-latency")
    ids = iter(range(10**9))
    limit_table(day, reads=20)
    with repeating(0.005, lambda: get(day, f"/v1/tenants/{tenant}/terms/{next(ids)}"), threads=16):
        yield
        limit_table(day)
        yield
    day.is_served(tenant, 1, 1)


@scenario("LookupThrottlesAlarm", "LookupConcurrency is 1, and 8 callers ask at once")
def lookup_throttles(day: Day) -> Iterator[None]:
    tenant = day.tenant("lookup-throttles")
    deploy(day, LookupConcurrency="1")
    with repeating(0.01, lambda: get(day, f"/v1/tenants/{tenant}/terms/{TERM}"), threads=8):
        yield
        deploy(day, LookupConcurrency="50")
        yield
    day.taxonomy("get", tenant, str(TERM))
    deploy(day, LookupConcurrency="0")
    day.is_served(tenant, 1, 1)


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
    import http.client
    from urllib.parse import urlsplit

    connection = http.client.HTTPConnection(urlsplit(day.running.api_url).netloc, timeout=60)
    connection.request("GET", "/explore", headers={"Host": day.running.api_host})
    return connection.getresponse().status
