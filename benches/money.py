"""What lookups, releases and a month cost: measured counts by the prices of `taxonomy cost` (cli/src/cost/prices.json)."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

from local.paths import ROOT
from local.shell import capture

from .host import Json

PRICES = ROOT / "cli" / "src" / "cost" / "prices.json"
#: Read units of a lookup with the cache of the process, heads included: the replay of `make prove NAMES=caches`.
READ_UNITS = 0.39
#: The share of the entries of that replay that its first tier of 64 MiB had (docs/promises.md).
HITS = 0.645
#: An assumption: milliseconds until DynamoDB or S3 answers, of which one machine shows nothing.
AWAY_MS = 5.0
LOOKUP_MB = (128, 256)
PROJECTOR_GB = 1.769 / 1.024
LOG_BYTES, RESPONSE_BYTES = 1_300, 1_200
MILLION = 1_000_000
#: The customers of the page of examples of `taxonomy cost`.
CUSTOMERS = {
    "a job board with ten tenants": "",
    "two hundred shops": "--tenants 200 --terms 20000 --cultures 8 --edits 5000 --lookups 500000000 --batch 20",
    "an exchange of statistics": "--tenants 3000 --terms 50000 --cultures 3 --item-bytes 1100 --edits 20000 --versions 60 --lookups 10000000000 --batch 50",
}


def price(service: str, what: str) -> float:
    """Dollars of one thing."""
    found = json.loads(PRICES.read_text())["prices"][service][what]
    return float(found["dollars"] / found["per"])


def lookups(functions: Json) -> list[Json]:
    """Dollars of a million lookups with each memory: by the answers with its share of a processor, else by the time of a processor."""
    rows = []
    for megabytes in LOOKUP_MB:
        shared = functions["functions"]["lookup"]["shares"].get(str(megabytes))
        busy = shared["warm"] / 1e3 if shared else functions["functions"]["lookup"]["processor_micros"] / 1e3 * 1_769 / megabytes
        # Each invocation is billed by whole milliseconds.
        billed = HITS * math.ceil(busy) + (1 - HITS) * math.ceil(busy + AWAY_MS)
        parts = {
            "API Gateway": MILLION * price("API Gateway", "requests"),
            "Lambda": MILLION * (price("Lambda", "invocations") + billed / 1e3 * megabytes / 1024 * price("Lambda", "GB-seconds")),
            "DynamoDB": MILLION * READ_UNITS * price("DynamoDB", "read units"),
            "CloudWatch": MILLION * LOG_BYTES / 1e9 * price("CloudWatch", "GB of logs"),
            "Transfer": MILLION * RESPONSE_BYTES / 1e9 * price("Transfer", "GB to the internet"),
        }
        rows.append({"megabytes": megabytes, "billed_ms": billed, "parts": parts, "dollars": sum(parts.values())})
    return rows


def releases(uploads: list[Json]) -> Iterator[Json]:
    """Dollars of a release of each file: write and read units, requests to the buckets, and the projector's time."""
    for upload in uploads:
        kinds = upload["requests"]
        units = {name: sum(kind["units"] for each, kind in kinds.items() if each.startswith(operations)) for name, operations in OPERATIONS.items()}
        puts, gets = (sum(kind["count"] for each, kind in kinds.items() if each.startswith(method)) for method in ("PUT ", "GET "))
        table = units["write"] * price("DynamoDB", "write units") + units["read"] * price("DynamoDB", "read units")
        bucket = puts * price("S3", "objects written") + gets * price("S3", "objects read")
        projector = upload["processor_seconds"] * PROJECTOR_GB * price("Lambda", "GB-seconds")
        yield {"file": upload["file"], "version": upload["version"], "write_units": units["write"], "dollars": table + bucket + projector}


#: The operations that take units of a kind.
OPERATIONS = {"write": ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"), "read": ("GetItem", "Query", "BatchGetItem")}


def months(taxonomy: Path) -> list[Json]:
    """The month of each customer, as `taxonomy cost` says."""

    def month(options: str) -> float:
        return float(json.loads(capture([taxonomy, "cost", "--output", "json", *options.split()]).stdout)["dollars"])

    return [{"customer": customer, "options": options, "dollars": month(options)} for customer, options in CUSTOMERS.items()]
