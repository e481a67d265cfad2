"""The recorded figures, and the documentation that is rendered from them: docs/benchmarks.md and its curves."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from local.paths import ROOT

from . import curves, tables

Json = dict[str, Any]

FIGURES = ROOT / "benches" / "figures.json"
PAGE = ROOT / "docs" / "benchmarks.md"
CURVES = ROOT / "docs" / "benchmarks"

PREFACE = """# Benchmark

Written by `make bench RECORD=1` on a machine with two cores; `benches/figures.json` has every figure. Instructions, allocations, requests and units are counts and repeat. Times are of one run, so compare them with each other alone.

**What is measured.** Functions run in one [host](../benches/host/src/main.rs) under Lambda's runtime API, over a table and buckets in its memory, by plain HTTP. Stores answer the same questions over the same taxonomy, once as a call in one process and once across the loopback interface, each in a process of its own; a table never mixes the two. Every answer is compared with that of plain code before it is measured, and everything is asked once before, so that each store has in memory what it keeps there. The service's table is embedded in the process that is measured, and so is the article's. SQLite and a map are behind the same small HTTP server as the service, Oxigraph too. PostgreSQL has a process for each connection, the others one thread.

**What one machine cannot show.** The network, DynamoDB and S3 themselves, API Gateway, and the start of a sandbox. On AWS every store is across a network, so each time here is longer there by a round trip.

"""


def figures() -> Json:
    """The recorded figures of each part; empty before the first record."""
    found: Json = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    return found


def keep(taken: Json) -> None:
    """Makes these figures the recorded ones."""
    FIGURES.write_text(json.dumps(taken, indent=1, sort_keys=True) + "\n")
    write(taken)


def write(taken: Json) -> None:
    """Writes the documentation."""
    for path, text in documents(taken).items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def documents(taken: Json) -> dict[Path, str]:
    """The text of each file that is rendered from the figures."""
    drawn = list(_drawings(taken["curves"])) if "curves" in taken else []
    pictures = "".join(f"![{title}: {unit} by the number of terms]({CURVES.name}/{name}.svg)\n\n" for name, title, unit, _ in drawn)
    page = PREFACE + tables.page(taken) + (f"\n\n## Curves\n\n{pictures}" if drawn else "")
    files = {CURVES / f"{name}.svg": curves.svg(title, unit, of_name) for name, title, unit, of_name in drawn}
    return {**files, PAGE: page.rstrip() + "\n"}


def _drawings(taken: Json) -> Iterator[tuple[str, str, str, list[curves.Curve]]]:
    """Name, title, unit and curves of each drawing."""
    for question, words in tables.QUESTIONS.items():
        yield question, f"{words.capitalize()}, over the loopback interface", "microseconds, median of one client", curves.of_question(taken["stores"], question)
    yield "reading", "Reading a file", "instructions a byte", curves.of_reading(taken["reading"])
    yield "uploads", "From an upload to its answer", "seconds", curves.of_uploads(taken["uploads"])
