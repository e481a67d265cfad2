"""One loss of each row of the table of losses (docs/losses.md): brought about by hand, named by `taxonomy verify`, and put right by `taxonomy repair`."""

import json
import time
from dataclasses import dataclass
from typing import Any

from .day import ROOT, Day, until

from program import Done, taxonomy  # isort: skip - found by day

PAGE = ROOT / "docs" / "losses.md"
#: The objects of the newest version.
NEWEST = "/000000000003-"


@dataclass(frozen=True)
class Row:
    """The first kind and harm of a row, and what the page says of it."""

    kind: str
    harm: str
    verify: str
    repair: str


@dataclass(frozen=True)
class Object:
    """A kind of object: the first key of a bucket that contains these parts."""

    bucket: str
    parts: tuple[str, str]


@dataclass(frozen=True)
class Record:
    """A kind of item: its key, an attribute and the number or text that it is changed to, and the key of one that no version has. `@` is the tenant."""

    key: tuple[str, str]
    altered: tuple[str, str]
    foreign: tuple[str, str] | None = None


TERM, CATEGORY, REMOVED, STRAY = "TERM#@#100", "CATEGORY#@#1", "TERM#@#136", "TERM#@#77778"
KINDS: dict[str, Object | Record] = {
    "source object": Object("source", ("taxonomies/", "")),
    "snapshot": Object("changesets", ("snapshots/", NEWEST)),
    "changeset": Object("changesets", ("changesets/", NEWEST)),
    "index file": Object("changesets", (".index", NEWEST)),
    "search object": Object("changesets", (".search-en-GB", NEWEST)),
    "report": Object("changesets", ("reports/", "")),
    "download": Object("changesets", ("downloads/", "")),
    "head": Record(("TAXONOMY#@", "HEAD"), ("Terms", "77")),
    "log entry": Record(("TAXONOMY#@", "CHANGESET#000000000003"), ("CommittedAt", "77"), ("TAXONOMY#@", "CHANGESET#000000000004")),
    "`TENANT` item": Record(("TAXONOMY#@", "TENANT"), ("FuseTerms", "77")),
    "term": Record((TERM, TERM), ("Name", "damaged"), ("TERM#@#77777", "TERM#@#77777")),
    "culture of a term": Record((TERM, "CULTURE#fr-FR"), ("Name", "damaged"), (TERM, "CULTURE#it-IT")),
    "category": Record((CATEGORY, CATEGORY), ("Name", "damaged"), ("CATEGORY#@#77777", "CATEGORY#@#77777")),
    "tombstone": Record((REMOVED, REMOVED), ("Name", "damaged"), (STRAY, STRAY)),
    "counts of a category": Record(("STATS#@", "CATEGORY#1"), ("Terms", "77"), ("STATS#@", "CATEGORY#77777")),
    "counts of the tenant": Record(("STATS#@", "TENANT"), ("Terms", "77")),
    "month": Record(("STATS#@", "MONTH#"), ("Added", "77"), ("STATS#@", "MONTH#2031-01")),
    "done marker": Record(("STATS#@", "DONE#000000000003"), ("Odd", "77"), ("STATS#@", "DONE#000000000009")),
}


def play(day: Day) -> list[tuple[str, float]]:
    """Brings one loss of each row about, one after the other in one tenant. Returns each with its seconds."""
    tenant, steps = _prepared(day), []
    for row in _rows():
        begun = time.monotonic()
        harmed = _harm(day, tenant, row)
        _is_named(tenant, row, harmed)
        _is_mended(tenant, row, harmed)
        steps.append((f"{row.kind}: {row.harm}; verify: {row.verify}; repair: {row.repair}", time.monotonic() - begun))
    # Records of the stream that showed a head of the future.
    day.taxonomy("redrive", "parked", "--tenant", tenant)
    return steps


def _rows() -> list[Row]:
    lines = PAGE.read_text().splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith("|---"))
    rows = []
    for line in lines[begin + 1 :]:
        if not line.startswith("|"):
            break
        kinds, harms, _, _, verify, repair, _ = (cell.strip() for cell in line.strip("|").split("|"))
        rows.append(Row(kinds.split(",")[0], harms.split(",")[0], verify, repair))
    return rows


def _file(software: str, leaf: tuple[int, str]) -> bytes:
    """Two categories and some terms, partly in French; `software` is the name of term 110."""

    def names(english: str, french: str) -> list[dict[str, str]]:
        return [{"culture": "en-GB", "name": english}, {"culture": "fr-FR", "name": french}]

    children = [{"id": 110, "name": software}, {"id": leaf[0], "name": leaf[1]}]
    sector = {"id": 1, "names": names("Sector", "Secteur"), "terms": [{"id": 100, "names": names("Technology", "Technologie"), "children": children}]}
    location = {"id": 2, "name": "Location", "terms": [{"id": 200, "name": "London"}]}
    return json.dumps({"defaultCulture": "en-GB", "categories": [sector, location]}).encode()


def _prepared(day: Day) -> str:
    """Returns a tenant with three versions, all counted, a removed term, a refused upload and a download."""
    running, tenant = day.running, day.running.fresh_tenant("losses")
    for file in (_file("Software engineering", (113, "Compilers")), _file("Software engineering", (136, "Networks"))):
        running.wait_projected(running.push(tenant, file))
    running.wait_refused(running.push(tenant, b"{}"))
    running.wait_projected(running.push(tenant, _file("Software", (113, "Compilers"))))
    day.is_counted(tenant, 3)
    target = f"/v1/tenants/{tenant}/versions/3/download"
    until("the download", 60, lambda: running.api.get(target, format="json").status == 200 or None)
    return tenant


def _harm(day: Day, tenant: str, row: Row) -> tuple[str, ...]:
    """Harms something, and returns where: a key of a bucket, or the two keys of an item."""
    kind = KINDS[row.kind]
    return _harm_object(day, tenant, kind, row.harm) if isinstance(kind, Object) else _harm_item(day, tenant, kind, row.harm)


def _harm_object(day: Day, tenant: str, kind: Object, harm: str) -> tuple[str]:
    bucket = day.running.source_bucket if kind.bucket == "source" else day.running.changesets_bucket
    s3 = day.running.client("s3")
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
    keys = (each["Key"] for page in pages for each in page.get("Contents", []))
    key = next(key for key in keys if f"/{tenant}" in key and all(part in key for part in kind.parts))
    body: bytes = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
    if harm in ("foreign", "from the future"):
        key = key.replace(NEWEST, NEWEST + "0" if harm == "foreign" else "/000000000099-")
    else:
        s3.delete_object(Bucket=bucket, Key=key)
    middle = len(body) // 2
    altered = body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1 :]
    stored = {"missing": None, "altered": altered, "malformed": b""}.get(harm, body)
    if stored is not None:
        s3.put_object(Bucket=bucket, Key=key, Body=stored, IfNoneMatch="*")
    return (key,)


def _harm_item(day: Day, tenant: str, kind: Record, harm: str) -> tuple[str, str]:
    table, name = day.running.client("dynamodb"), day.running.table
    values = {":pk": {"S": kind.key[0].replace("@", tenant)}, ":sk": {"S": kind.key[1].replace("@", tenant)}}
    condition = "PK = :pk AND begins_with(SK, :sk)"
    item = table.query(TableName=name, ConsistentRead=True, KeyConditionExpression=condition, ExpressionAttributeValues=values)["Items"][0]
    if harm == "missing":
        table.delete_item(TableName=name, Key={"PK": item["PK"], "SK": item["SK"]})
        return item["PK"]["S"], item["SK"]["S"]
    changes: dict[str, Any] = {"from the future": {"V": {"N": "99"}}, "malformed": {"V": {"S": "3"}}}.get(harm, {})
    if harm == "altered":
        (attribute, value), text = kind.altered, "S" in item.get(kind.altered[0], {})
        changes = {attribute: {"S" if text else "N": value}}
    if harm == "foreign" and kind.foreign:
        changes = dict(zip(("PK", "SK"), ({"S": part.replace("@", tenant)} for part in kind.foreign), strict=True))
    table.put_item(TableName=name, Item=item | changes)
    harmed = item | changes
    return harmed["PK"]["S"], harmed["SK"]["S"]


def _found(done: Done, harmed: tuple[str, ...]) -> dict[str, Any] | None:
    """Returns what a command lists of a place."""
    for each in done.json()["listed"]:
        place = (each["object"].split("/", 3)[3],) if "object" in each else (each["pk"], each["sk"])
        if place == harmed:
            found: dict[str, Any] = each
            return found
    return None


def _is_named(tenant: str, row: Row, harmed: tuple[str, ...]) -> None:
    scan = ["--scan"] if "--scan" in row.verify else []
    done = taxonomy("verify", tenant, *scan, "--timeout", "5", "--output", "json")
    shown = f"{row}: {done}"
    if row.verify.startswith("an error"):
        assert done.code and ("head" in done.err or harmed[-1] in done.err), shown
    elif row.verify == "not counted":
        assert done.code and done.json()["differences"] == 0 and "counted" not in done.json(), shown
    elif row.verify == "nothing":
        assert done.code == 0 and done.json()["differences"] == 0, shown
    else:
        found = _found(done, harmed)
        assert done.code and found and found["found"] == row.verify.split(",")[0], shown


def _is_mended(tenant: str, row: Row, harmed: tuple[str, ...]) -> None:
    """Repairs the tenant; afterwards nothing differs, not even by a scan."""
    scan = ["--scan"] if "--scan" in row.verify else []
    done = taxonomy("repair", tenant, *scan, "--yes", "--output", "json")
    assert done.code == 0, f"{row}: {done}"
    found = _found(done, harmed)
    assert (found or {}).get("mending") == ("mended" if row.repair == "mended" else None), f"{row}: {done}"
    whole = taxonomy("verify", tenant, "--scan", "--output", "json")
    assert whole.code == 0 and whole.json()["differences"] == 0, f"{row}: {whole}"
