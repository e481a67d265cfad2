"""The tables of the benchmark, in Markdown, from its figures alone."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import goals, money, path, search

Json = dict[str, Any]
Row = list[str]

#: The questions, in the order of the tables.
QUESTIONS = {
    "term": "a term with all its ancestors",
    "batch": "a hundred terms with all their ancestors",
    "as-of": "a term with all its ancestors, of the version before",
}
BOUNDARIES = {
    "in process": "In one process: a call, no connection",
    "loopback": "Over the loopback interface: a process for each store, HTTP or its own protocol",
}
READERS = {"service": "the service: parsed and validated", "structs": "serde_json into structs, owned", "Value": "serde_json into `Value`"}
FUNCTIONS = {"lookup": "the lookup", "node": "Node.js", "python": "Python", "defaults": "Rust, the SDK with its defaults", "hello": "Rust, no request at all"}


def page(figures: Json) -> str:
    """Every part that was measured, as one page."""
    parts: dict[str, tuple[str, Callable[[Any], str]]] = {
        "functions": ("A function: cold and warm", of_functions),
        "counts": ("An answer", counts),
        "stores": ("Beside other stores", stores),
        "search": ("Search", searches),
        "uploads": ("From an upload to its answer", uploads),
        "stack": ("The same over the local stack", over_stack),
        "edits": ("An edit", edits),
        "reading": ("Reading a file", reading),
        "money": ("Money", lambda months: dollars(figures, months)),
    }
    sections = [f"## {title}\n\n{make(figures[part])}" for part, (title, make) in parts.items() if part in figures]
    reached = goals.rows(figures)
    return "\n\n".join([f"## Goals\n\n{table(['Goal', 'Figure', ''], reached)}", *sections] if reached else sections)


def table(head: Row, rows: Iterable[Row]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def count(number: float | None) -> str:
    """A number as people read it: `589,654`, `12.4`, `0.5`; `-` for none."""
    if number is None:
        return "-"
    if number >= 100 or number == int(number):
        return f"{number:,.0f}"
    return f"{number:.1f}" if number >= 10 else f"{number:.2f}".rstrip("0").rstrip(".")


def of_functions(measured: Json) -> str:
    """Cold starts, warm answers, memory and time of a processor of each function, then the burst."""
    rows = []
    for name, words in FUNCTIONS.items():
        found, version = measured["functions"][name], measured["versions"][name]
        cold = (found["began"] + found["first"]) / 1e3
        shares = (f"{found['shares'][share]['first'] / 1e3:,.1f}; {found['shares'][share]['warm'] / 1e3:,.1f}" if share in found["shares"] else "-" for share in ("128", "256", "512"))
        processor = (count(found["cold_processor_micros"] / 1e3), count(found["processor_micros"] / 1e3))
        rows.append([f"{words} ({version})", count(cold), count(found["warm"] / 1e3), count(found["again"] / 1e3), count(found["peak_kib"] / 1024), *processor, *shares])
    head = ["Function", "ms from its start to its first answer", "ms, warm, another term each", "ms, warm, the same term", "MB at most"]
    more = ["processor ms of a start with an answer", "processor ms of a warm answer", *(f"ms of the first and a warm answer, {mb} MB" for mb in (128, 256, 512))]
    waits = [_burst(name, found) for name, found in measured["burst"].items()]
    burst = table(["Burst", "Lost", "Processes started", "Refused", "ms waited: p50, p99, most", "ms to start", "ms to answer"], waits)
    return f"{table(head + more, rows)}\n\nRequests at once to processes that all start cold; in the second, table and bucket refuse some:\n\n{burst}"


def _burst(name: str, found: Json) -> Row:
    times = [", ".join(count(found[time][share] / 1e3) for share in ("p50", "p99", "max")) for time in ("waited", "began", "took")]
    return [f"{found['requests']} requests, {name}", count(found["lost"]), count(found["started"]), count(found["refused"]), *times]


def counts(measured: Json) -> str:
    """Each kind of answer of the library, and what the deployed programs take, in instructions."""
    library = [[each["what"], count(measured["instructions"][each["name"]]), count(measured["allocations"][each["name"]])] for each in measured["scenarios"]]
    programs = {"lookup": measured["deployed"]} | measured["programs"]
    kinds = ("to_first_event", "first_answer", "miss", "hit", "answer")
    deployed = [[FUNCTIONS[name], *(count(found.get(kind)) for kind in kinds)] for name, found in programs.items()]
    head = ["Deployed program, instructions", "start to the first request for an event", "first answer, over TLS", "later, from the table", "later, from memory", "later, no request"]
    return f"{table(['Answer of the library', 'Instructions', 'Allocations'], library)}\n\n{table(head, deployed)}"


def comparable(measured: Json, question: str, boundary: str) -> list[Json]:
    """The ways of all stores in which a question is answered across one kind of boundary, the fastest first."""
    ways = [way for way in measured["ways"] if way["question"] == question and (way["boundary"] == "in process") == (boundary == "in process")]
    return sorted(ways, key=lambda way: float(way["one"]["p50"]))


def stores(measured: Json) -> str:
    """Each question across each kind of boundary: requests and read units of the table, microseconds of one client and of 32."""
    parts = []
    for size, found in measured.items():
        for boundary, title in BOUNDARIES.items():
            rows = [row for question, words in QUESTIONS.items() for row in _ways(comparable(found, question, boundary), words)]
            head = ["Question", "Store and way", "Protocol", "Requests", "Units", "us, one client: median", "99 %", "us, 32 clients: median", "99 %", "answers a second"]
            parts.append(f"### {int(size):,} terms. {title}\n\n{table(head, rows)}")
    return "\n\n".join(parts)


def _ways(ways: list[Json], words: str) -> Iterator[Row]:
    for place, way in enumerate(ways):
        many = way.get("many") or {}
        times = (way["one"]["p50"], way["one"]["p99"], many.get("p50"), many.get("p99"), many.get("a_second"))
        yield ["" if place else words, f"{way['store']}: {way['way']}", way["boundary"], count(way["requests"]), count(way["units"]), *map(count, times)]


def searches(figures: list[Json]) -> str:
    """What search finds, and how fast, beside other engines."""
    found = f"{table(*search.hits(figures))}\n\nThe right node within five, of the names of the proof `search` that nobody has looked at."
    return f"{found}\n\n{table(*search.times(figures))}\n\nMicroseconds: the median, and the slowest kind of query at 99 %."


def uploads(figures: list[Json]) -> str:
    """Seconds from an upload to its answers, and the parts of that time."""
    parts = (*path.PARTS, "items")
    rows = [
        [
            f"{found['file']}, version {found['version']}",
            *(count(found.get(time)) for time in ("committed", "cold", "warm", "loaded")),
            *(f"{found['parts'][part]:.3f}" if part in found["parts"] else "-" for part in parts),
            f"{found['peak_bytes'] / found['bytes']:.2f}",
            count(found["processor_seconds"]),
        ]
        for found in figures
    ]
    head = ["File", "s to the commit", "s to a cold lookup's answer", "s to a warm lookup's", "s to the last item", *(f"s: {part}" for part in parts), "memory at most, by the file", "processor s"]
    return table(head, rows)


def over_stack(figures: list[Json]) -> str:
    """Seconds from an upload to its answer over the stack on this machine."""
    return table(["Terms", "Version", "s to its answer"], [[count(found["terms"]), str(found["version"]), count(found["seconds"])] for found in figures])


def edits(figures: list[Json]) -> str:
    """Items and write units of a first load and of each edit, and the items of the article's layout."""
    rows = [[found["file"], found["edit"], count(found["items"]), count(found["units"]), count(found["article"])] for found in figures]
    head = ["File", "Edit", "Items", "Write units", "The article's layout: items, a unit each, names in one culture, no versions"]
    return table(head, rows)


def reading(figures: list[Json]) -> str:
    """Reading a file: instructions, allocations and memory of the service and of serde_json."""
    keys = ("instructions_per_byte", "allocations_per_term", "peak_by_file")
    rows = [[found["file"], READERS[found["reader"]], *(count(found[key]) for key in keys)] for found in figures]
    return table(["File", "Reader", "Instructions a byte", "Allocations a term", "Memory at most, by the file"], rows)


def dollars(figures: Json, months: list[Json]) -> str:
    """A million lookups, a release of each data set, a month of each customer."""
    parts = []
    if "functions" in figures:
        rows = [[f"{row['megabytes']} MB", count(row["billed_ms"]), *(f"{part:.2f}" for part in row["parts"].values()), f"{row['dollars']:.2f}"] for row in money.lookups(figures["functions"])]
        head = ["A million lookups", "ms billed each", "API Gateway", "Lambda", "DynamoDB", "CloudWatch", "Transfer", "USD"]
        parts.append(table(head, rows))
    if "uploads" in figures:
        rows = [[row["file"], str(row["version"]), count(row["write_units"]), f"{row['dollars']:.4f}"] for row in money.releases(figures["uploads"])]
        parts.append(table(["A release", "Version", "Write units", "USD"], rows))
    rows = [[row["customer"], f"`taxonomy cost {row['options']}`".replace(" `", "`"), f"{row['dollars']:,.2f}"] for row in months]
    return "\n\n".join([*parts, table(["A month", "Command", "USD"], rows)])
