"""The recorded figures, and the documentation that is rendered from them: docs/benchmarks.md and its curves."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from local.paths import ROOT
from local.problem import Problem

from . import curves, tables

Json = dict[str, Any]

FIGURES = ROOT / "benches" / "figures.json"
PAGE = ROOT / "docs" / "benchmarks.md"
CURVES = ROOT / "docs" / "benchmarks"

PREFACE = """# Benchmark

Written by `make bench RECORD=1` on a machine with two cores; `benches/figures.json` has every figure. Instructions, allocations, requests and units are counts and repeat; microseconds are of one run, in which all stores were measured, so compare them with each other alone.

**What is measured.** The service is the real projector and the real lookup: events and responses as API Gateway has them, over an embedded DynamoDB and buckets in memory of the same process. SQLite, Oxigraph and the map are in the process as well; PostgreSQL and Valkey answer over a socket of this machine. The service has two rows where both were measured: from its memory, and from the table. The last column compares stores in the process alone; where the service answered from memory alone, the stores over a socket are left out. Each store has the same taxonomy in memory, answers each question once before it is measured, and its answers are compared with those of plain code. A search is compared by its hits, since each store ranks in its own way.

**What one machine cannot show.** The network between the lookup and DynamoDB, which takes most of the time of an answer that reads the table; DynamoDB itself, whose time the embedded engine does not stand for; API Gateway and the start of a sandbox; many clients at once. On AWS PostgreSQL and Valkey are across a network too, so their times there are longer by a round trip, as a read of the table is.

"""


def figures() -> Json:
    """The figures of the last recorded run."""
    if not FIGURES.exists():
        raise Problem(f"{FIGURES.relative_to(ROOT)} is missing: `make bench RECORD=1` writes it")
    found: Json = json.loads(FIGURES.read_text())
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
    drawn = list(_drawings(taken))
    pictures = "".join(f"![{title}: {unit} by the number of terms]({CURVES.name}/{name}.svg)\n\n" for name, title, unit, _ in drawn)
    page = PREFACE + tables.page(taken) + f"\n\n## Scaling\n\n{pictures}"
    files = {CURVES / f"{name}.svg": curves.svg(title, unit, of_name) for name, title, unit, of_name in drawn}
    return {**files, PAGE: page.rstrip() + "\n"}


def _drawings(taken: Json) -> Iterator[tuple[str, str, str, list[curves.Curve]]]:
    """Name, title, unit and curves of each drawing."""
    for question, words in tables.QUESTIONS.items():
        yield question, words.capitalize(), "microseconds, median", curves.of_question(taken["stores"], question)
    yield "reading", "Reading a file", "instructions a byte", curves.of_reading(taken["ingest"], tables.INGEST_READERS)
    yield "ingest", "A whole ingest", "megabytes, and seconds of a processor", curves.of_ingest(taken["ingest"])
