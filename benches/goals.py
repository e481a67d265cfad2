"""The goals, each beside its figure."""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
Goal = tuple[str, float, float]

#: Write units of a first load, at most.
FIRST_LOADS = {"google/taxonomy-v1.json": 43_500, "esco/occupations-v1.json": 11_700, "icd10cm/taxonomy.json": 157_000}
#: Seconds from an upload to an answer of a new process, at most.
SERVED = {"google/taxonomy-v1.json": 2, "icd10cm/taxonomy.json": 6, "generated, 1,000,000 terms in five cultures": 60}
PEAK_BY_FILE, INSTRUCTIONS_A_BYTE, LARGE = 1.7, 35, 90_000
ENGINES = ("tantivy, prefixes", "tantivy, prefixes and a typo")


def rows(figures: Json) -> list[list[str]]:
    """A row for each goal whose part was measured: what was wanted, what was seen, whether it is reached."""
    parts = {"counts": _counts, "stores": _stores, "uploads": _uploads, "edits": _edits, "reading": _reading, "search": _search, "curves": lambda curves: _served(curves["uploads"])}
    found = [goal for part, goals in parts.items() if part in figures for goal in goals(figures[part])]
    return [[goal, f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}", "reached" if figure <= most else "missed"] for goal, figure, most in found]


def _counts(counts: Json) -> Iterator[Goal]:
    deployed, library = counts["deployed"], counts["instructions"]
    yield "a cold start with its first answer, deployed, TLS included: at most 5.5 M instructions", deployed["to_first_event"] + deployed["first_answer"], 5_500_000
    yield "an answer from the table, deployed: at most 720,000 instructions", deployed["miss"], 720_000
    yield "an answer from memory, deployed: at most 170,000 instructions", deployed["hit"], 170_000
    yield "a hundred terms from memory: at most 1 M instructions", library["batch"], 1_000_000


def _stores(sizes: Json) -> Iterator[Goal]:
    """Across the loopback interface, one client: the service by the fastest way of each peer."""
    for size, measured in sizes.items():
        ways = [way for way in measured["ways"] if way["boundary"] != "in process" and way["question"] == "batch"]
        ours = min(way["one"]["p50"] for way in ways if way["store"] == "the service")
        for peer in ("PostgreSQL", "Valkey"):
            theirs = min(way["one"]["p50"] for way in ways if way["store"] == peer)
            yield f"a hundred of {int(size):,} terms, over the loopback interface: ahead of {peer}, by whose time it is", ours / theirs, 1


def _served(uploads: list[Json]) -> Iterator[Goal]:
    for found in uploads:
        if found["version"] == 1 and (most := SERVED.get(found["file"])):
            yield f"{found['file']}: an answer at most {most} s after its upload", found["cold"], most


def _uploads(uploads: list[Json]) -> Iterator[Goal]:
    yield from _served(uploads)
    if large := [found for found in uploads if found["terms"] >= LARGE]:
        peak = max(found["peak_bytes"] / found["bytes"] for found in large)
        yield f"an ingest of 90,000 terms or more: at most {PEAK_BY_FILE} times the file in memory", peak, PEAK_BY_FILE


def _edits(edits: list[Json]) -> Iterator[Goal]:
    for found in edits:
        if found["edit"].startswith("first load"):
            most = FIRST_LOADS[found["file"]]
            yield f"first load of {found['file']}: at most {most:,} write units", found["units"], most
        elif found["edit"].startswith(("a leaf", "nothing")):
            most = int(found["edit"].startswith("a leaf"))
            yield f"{found['file']}, {found['edit']}: at most {most} items written", found["items"], most


def _reading(reading: list[Json]) -> Iterator[Goal]:
    for found in reading:
        if found["reader"] == "service":
            yield f"reading and validating {found['file']}: at most {INSTRUCTIONS_A_BYTE} instructions a byte", found["instructions_per_byte"], INSTRUCTIONS_A_BYTE


def _search(search: list[Json]) -> Iterator[Goal]:
    for taxonomy in dict.fromkeys(found["taxonomy"] for found in search):
        median = {}
        for engine in ("the service", *ENGINES):
            times = sorted(found["micros"]["50"] for found in search if (found["engine"], found["taxonomy"]) == (engine, taxonomy))
            median[engine] = times[len(times) // 2]
        for engine in ENGINES:
            yield f"suggestions of {taxonomy}: ahead of {engine}, by whose time it is", median["the service"] / median[engine], 1
    slowest = max((found["micros"]["99"] for found in search if found["engine"] == "the service" and found["taxonomy"] == "million"), default=None)
    if slowest is not None:
        yield "suggestions of a million names: 99 % of the slowest kind of query within 1 ms", slowest / 1e3, 1
