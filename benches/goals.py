"""The goals, each beside its figure."""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

#: Write units of a first load, at most.
FIRST_LOADS = {"google/taxonomy-v1.json": 43_500, "esco/occupations-v1.json": 11_700, "icd10cm/taxonomy.json": 157_000}
#: Terms of a taxonomy, and the milliseconds of 99 % of its suggestions.
SUGGESTIONS = {"100000": 1.0, "1000000": 5.0}
INSTRUCTIONS_A_BYTE = 25
#: Terms of a large file, at least.
LARGE = 90_000
PEAK_BY_FILE = 1.5


def rows(figures: Json) -> list[list[str]]:
    """A row for each goal: what was wanted, what was seen, whether it is reached."""
    found = [*_lookup(figures["report"]), *_ingest(figures["ingest"]), *_writes(figures["layouts"]), *_suggestions(figures["stores"])]
    return [[goal, figure, "reached" if reached else "not reached"] for goal, figure, reached in found]


def _lookup(report: Json) -> Iterator[tuple[str, str, bool]]:
    lookup = report["deployed"]["lookup"]
    cold = lookup["to_first_event"] + lookup["first_answer"]
    yield "a cold start with its first answer, deployed, TLS included: at most 5,500,000 instructions", f"{cold:,}", cold <= 5_500_000
    answers = report["answers"]["instructions"]
    allocations = report["answers"]["allocations"]
    for words, bound, figure in (
        ("an answer that reads the table, deployed: at most 720,000 instructions", 720_000, lookup["miss"]),
        ("an answer from memory, deployed: at most 170,000 instructions", 170_000, lookup["hit"]),
        ("allocations of an answer that reads the table: at most 400", 400, allocations["miss"]),
        ("allocations of an answer from memory: at most 40", 40, allocations["hit"]),
    ):
        yield words, f"{figure:,}", figure <= bound


def _ingest(ingest: Json) -> Iterator[tuple[str, str, bool]]:
    for read in _large([figure for figure in ingest["parse"] if figure["reader"] == "service"]):
        figure = read["instructions_per_byte"]
        yield f"reading and validating {read['file']}: at most {INSTRUCTIONS_A_BYTE} instructions a byte", f"{figure:.1f}", figure <= INSTRUCTIONS_A_BYTE
    large = _large(ingest["ingest"])
    peak = max(large, key=lambda whole: float(whole["peak_by_file"]))
    words = f"{peak['peak_by_file']:.2f} ({peak['file']}, version {peak['version']})"
    yield f"all of an ingest of 100,000 terms: at most {PEAK_BY_FILE} times the file in memory", words, peak["peak_by_file"] <= PEAK_BY_FILE


def _large(files: list[Json]) -> list[Json]:
    """The large files; all of them in a short run, which has none."""
    return [file for file in files if file["terms"] >= LARGE] or files


def _writes(layouts: Json) -> Iterator[tuple[str, str, bool]]:
    for file in layouts["files"]:
        ours = file["layouts"][0]
        bound = FIRST_LOADS[file["file"]]
        yield f"first load of {file['file']}: at most {bound:,} write units", f"{ours['units']:,}", ours["units"] <= bound
        for kind, items in (("leaf renamed", 1), ("nothing changed", 0)):
            figure = next(edit["items"] for edit in ours["edits"] if edit["edit"] == kind)
            yield f"{kind}, {file['file']}: {items} items written", f"{figure:,}", figure == items


def _suggestions(stores: Json) -> Iterator[tuple[str, str, bool]]:
    for size, bound in SUGGESTIONS.items():
        if size not in stores:
            continue
        service = next(store for store in stores[size]["stores"] if store["store"] == "the service")
        (p99,) = (way["p99"] / 1000 for way in service["ways"] if way["question"] == "search")
        yield f"suggestions of {int(size):,} terms: 99 % within {bound:g} ms", f"{p99:.2f} ms", p99 <= bound
