"""The tables of the benchmark, in Markdown, from its figures alone."""

from collections.abc import Iterable
from typing import Any

from . import goals, search

Json = dict[str, Any]
Row = list[str]

SERVICE = "the service"
OVER_A_SOCKET = "over a socket"
#: The questions, in the order of the tables.
QUESTIONS = {
    "term": "a term with all its ancestors",
    "batch": "a hundred terms with all their ancestors",
    "search": "ten terms by the beginning of a word",
    "as-of": "a term with all its ancestors, of the version before",
}
#: The layouts that are compared, and the heads of their columns.
LAYOUTS = {
    "this layout": "The service",
    "this layout, default culture alone": "The service, default culture alone",
    "the article's: default culture alone, no listings": "The article's layout",
    "our first layout: category and ancestors beside the term": "Our first layout",
}
EDITS = (
    "Items; write units; those of the index among them. The article's layout has names in the default culture alone, "
    "no lists and no versions; our first layout has all of them, the lists in the index: [decision 6](decisions/0006-layout.md)."
)
INGEST_READERS = {"service": "the service: parsed and validated", "structs": "serde_json into structs, owned", "Value": "serde_json into `Value`"}


def page(figures: Json) -> str:
    """Everything, as one page."""
    largest = max(figures["stores"], key=int)
    parts = [
        "## Goals\n",
        table(["Goal", "Figure", ""], goals.rows(figures)),
        "\n## A cold start\n",
        cold_start(figures["report"]["deployed"]),
        "\n## An answer\n",
        answers(figures["report"]),
        *(f"\n## {int(size):,} terms\n\n{questions(figures['stores'][size])}" for size in sorted(figures["stores"], key=int) if size == largest or size == "100000"),
        "\n## Search\n",
        searches(figures["search"]),
        "\n## An edit\n",
        edits(figures["layouts"]),
        "\n## Reading a file\n",
        parsing(figures["ingest"]),
    ]
    return "\n".join(parts)


def table(head: Row, rows: Iterable[Row]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def count(number: float | None) -> str:
    """A number as people read it: `589,654`, `12.4`, `0.5`."""
    if number is None:
        return "-"
    if number >= 100 or number == int(number):
        return f"{number:,.0f}"
    return f"{number:.1f}" if number >= 10 else f"{number:.2f}".rstrip("0").rstrip(".")


def ratio(number: float, by: float) -> str:
    """How many times a figure is another one."""
    return f"{count(number / by)} x" if by else "-"


def cold_start(deployed: Json) -> str:
    """Instructions until the first request for an event, and of the first answer; milliseconds as colour."""
    hello = deployed["hello"]["to_first_event"]
    rows = [
        ("hello: answers any event at once", deployed["hello"], deployed["hello"]["answer"]),
        ("the lookup, with a request to the table over TLS before the first event", deployed["lookup"], deployed["lookup"]["first_answer"]),
        ("an item read by the SDK with all its defaults", deployed["defaults"], deployed["defaults"]["first_answer"]),
    ]
    total = deployed["lookup"]["to_first_event"] + deployed["lookup"]["first_answer"]
    return table(
        ["Program", "Instructions to the first request for an event", "by hello", "Instructions of the first answer", "both, by the lookup", "ms to the first request", "ms of the first answer with 128 MB"],
        [
            [
                name,
                count(program["to_first_event"]),
                ratio(program["to_first_event"], hello),
                count(answer),
                ratio(program["to_first_event"] + answer, total),
                count((program["cold"] or {}).get("init_ms")),
                count((program["cold"] or {}).get("first_ms")),
            ]
            for name, program, answer in rows
        ],
    )


def answers(report: Json) -> str:
    """Each kind of answer of the function alone, and the two of the deployed program."""
    counted, deployed = report["answers"], report["deployed"]
    rows = [
        [scenario["what"], count(counted["instructions"][scenario["name"]]), count(counted["allocations"][scenario["name"]])]
        for scenario in report["scenarios"]
    ]
    whole = [
        ["a term by GetItem, deployed: with Lambda's runtime and the sockets", count(deployed["lookup"]["miss"]), ""],
        ["a term by a request that was answered before, deployed", count(deployed["lookup"]["hit"]), ""],
        ["an item by the SDK with its defaults, deployed", count(deployed["defaults"]["answer"]), ""],
        ["hello, deployed", count(deployed["hello"]["answer"]), ""],
    ]
    return table(["Answer", "Instructions", "Allocations"], rows + whole)


def searches(figures: list[Json]) -> str:
    """What search finds, and how fast, beside other engines."""
    return f"{table(*search.hits(figures))}\n\nThe right node within five, of the names of the proof `search` that nobody has looked at.\n\n{table(*search.times(figures))}\n\nMicroseconds: the median, and the slowest kind of query at 99 %."


def comparable(measured: Json, question: str) -> list[tuple[str, Json]]:
    """Each store with each way in which it answers a question, the service first. Stores over a socket are left out where the service
    answered from its memory alone: what it reads from the table or from S3 was not measured."""
    ways = [(store["store"], way) for store in measured["stores"] for way in store["ways"] if way["question"] == question]
    reads_table = any(store == SERVICE and way["units"] for store, way in ways)
    compared = [(store, way) for store, way in ways if reads_table or not store.endswith(OVER_A_SOCKET)]
    return sorted(compared, key=lambda found: found[0] != SERVICE)


def questions(measured: Json) -> str:
    """Each question: requests, read units and microseconds of each store; of those in the process also by the first way of the service."""
    rows: list[Row] = []
    for question, words in QUESTIONS.items():
        ways = comparable(measured, question)
        base = ways[0][1]["p50"]
        for position, (store, way) in enumerate(ways):
            micros = [count(way["p50"]), count(way["p99"]), "-" if store.endswith(OVER_A_SOCKET) else ratio(way["p50"], base)]
            rows.append([words if position == 0 else "", f"{store}: {way['way']}", count(way["requests"]), count(way["units"]), *micros])
    return table(["Question", "Store and way", "Requests", "Read units", "us, median", "us, 99 %", "by the service"], rows)


def edits(layouts: Json) -> str:
    """The first load and each edit: items, write units, and those of the index among them, in each layout."""
    rows: list[Row] = []
    for file in layouts["files"]:
        by_name = {layout["layout"]: layout for layout in file["layouts"]}
        compared = [by_name[name] for name in LAYOUTS]
        first = [{"what": f"first load of {file['terms']:,} terms"} | layout for layout in compared]
        for position, writes in enumerate([first, *zip(*(layout["edits"] for layout in compared), strict=True)]):
            rows.append([file["file"] if position == 0 else "", writes[0]["what"], *(f"{count(one['items'])}; {count(one['units'])}; {count(one['of_index'])}" for one in writes)])
    return f"{EDITS}\n\n{table(['File', 'Writes', *LAYOUTS.values()], rows)}"


def parsing(ingest: Json) -> str:
    """Reading a file: instructions, allocations and memory of the service and of serde_json."""
    rows: list[Row] = []
    for reader, words in INGEST_READERS.items():
        for figure in ingest["parse"]:
            if figure["reader"] == reader:
                peak = figure["peak_bytes"] / figure["bytes"]
                rows.append([figure["file"], words, count(figure["instructions_per_byte"]), count(figure["allocations_per_term"]), f"{count(peak)} x"])
    rows.sort(key=lambda row: row[0])
    return table(["File", "Reader", "Instructions a byte", "Allocations a term", "Peak memory by the file"], rows)
