"""Audits."""

from collections.abc import Iterator

from .day import TERM, Day, scenario
from .faults import Denied, send, switch


@scenario("AuditDeadLettersAlarm", "the changesets bucket gives no objects; the message of an audit comes after nine failures")
def audit_dead_letters(day: Day) -> Iterator[None]:
    tenant = day.tenant("audit-dead")
    denied = Denied(day, day.running.changesets_bucket, "s3:GetObject")
    send(day, "AuditQueueUrl", {"audit": tenant, "run": 1, "tries": 9})
    yield
    denied.mend()
    day.taxonomy("redrive", "audits")
    yield
    day.is_whole(tenant)


@scenario("AuditAgeAlarm", "the mapping ProjectorAudits is switched off while an audit waits", factor=43_200)
def audit_age(day: Day) -> Iterator[None]:
    tenant = day.tenant("audit-age")
    switch(day, "ProjectorAudits", on=False)
    day.taxonomy("audit", tenant)
    yield
    switch(day, "ProjectorAudits", on=True)
    yield
    day.is_whole(tenant)


@scenario("AuditAlarm", "the name in a stored term is changed by hand")
def audit(day: Day) -> Iterator[None]:
    tenant = day.tenant("audit")
    change = {"UpdateExpression": "SET #name = :wrong", "ExpressionAttributeNames": {"#name": "FinalName"}, "ExpressionAttributeValues": {":wrong": {"S": "Wrong"}}}
    key = {"PK": {"S": f"TERM#{tenant}#{TERM}"}, "SK": {"S": f"TERM#{tenant}#{TERM}"}}
    day.running.client("dynamodb").update_item(TableName=day.running.table, Key=key, **change)
    day.taxonomy("audit", tenant)
    yield
    day.taxonomy("repair", tenant, "--yes")
    yield
    day.is_whole(tenant)
    day.is_served(tenant, 1, 1)


@scenario("RepairedAlarm", "the counts of a tenant are changed by hand")
def repaired(day: Day) -> Iterator[None]:
    tenant = day.tenant("repaired")
    day.is_counted(tenant, 1)
    right = day.running.stats(tenant)
    change = {"UpdateExpression": "SET Terms = :wrong", "ExpressionAttributeValues": {":wrong": {"N": "7"}}}
    key = {"PK": {"S": f"STATS#{tenant}"}, "SK": {"S": "TENANT"}}
    day.running.client("dynamodb").update_item(TableName=day.running.table, Key=key, **change)
    day.taxonomy("audit", tenant)
    yield
    day.taxonomy("redrive", "given-up")
    yield
    terms = lambda items: items[f"STATS#{tenant}", "TENANT"]["Terms"]  # noqa: E731
    assert terms(day.running.stats(tenant)) == terms(right)


@scenario("AuditUnfinishedAlarm", "the projector's time-out is 39 s, of which an audit keeps 40 s for its last requests")
def audit_unfinished(day: Day) -> Iterator[None]:
    tenant = day.tenant("audit-unfinished")
    with day.running.projector_timeout(39):
        day.taxonomy("audit", tenant)
        yield
    day.taxonomy("audit", tenant)
    yield
    day.is_whole(tenant)
