"""The measurements, as one document of five parts: counts, layouts, ingest, stores at each size, search."""

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from local.console import step
from local.paths import ROOT
from local.problem import Problem
from local.shell import require, run_quietly

from . import programs, search, servers

#: Terms of the generated taxonomies.
SIZES = (1_000, 10_000, 100_000, 1_000_000)
QUICK = SIZES[:2]
#: Real taxonomies.
REAL = ("google/taxonomy-v1.json", "esco/occupations-v1.json", "icd10cm/taxonomy.json")

Json = dict[str, Any]


def take(parts: Sequence[str], quick: bool) -> Json:
    """Builds, measures, and returns the figures of these parts."""
    require("valgrind", "instructions are counted by it (package valgrind)")
    programs.build()
    with tempfile.TemporaryDirectory(prefix="benches-") as made:
        return {part: _PARTS[part](Path(made), quick) for part in parts}


def data(name: str) -> Path:
    """The path of a real taxonomy."""
    path = Path(os.environ.get("TAXONOMY_DATA", ROOT.parent / "shared" / "data")) / name
    if not path.exists():
        raise Problem(f"the real taxonomies are missing: {path}; TAXONOMY_DATA names another folder")
    return path


def _report(folder: Path, _: bool) -> Json:
    path = folder / "report.json"
    with step("Counting answers and cold starts by valgrind"):
        run_quietly([programs.counting(), "report", path, programs.FOLDER], "Counting")
    return _object(path.read_text())


def _layouts(_: Path, quick: bool) -> Json:
    names = REAL[:1] if quick else REAL
    with step("Counting the writes of edits"):
        return _object(run_quietly([programs.measuring("layouts"), "--json", *map(data, names)], "Counting the writes of edits"))


def _ingest(_: Path, quick: bool) -> Json:
    with step("Measuring the ingest"):
        command = [programs.measuring("ingest"), "run", *(["--quick"] if quick else [])]
        return _object(run_quietly(command, "Measuring the ingest", {"TAXONOMY_DATA": str(data("google").parent)}))


def _stores(folder: Path, quick: bool) -> Json:
    return {str(size): _stores_of(folder, size) for size in (QUICK if quick else SIZES)}


def _stores_of(folder: Path, size: int) -> Json:
    path, document = folder / f"{size}.json", folder / "document.json"
    run_quietly([programs.measuring("ingest"), "generate", str(size), "tree", "1", "1", path], "Generating a taxonomy")
    # Servers of their own, which hold nothing else.
    with servers.postgres() as database, servers.valkey() as cache, step(f"Measuring the stores over {size:,} terms"):
        run_quietly([programs.measuring("stores"), path, document], "Measuring the stores", {"POSTGRES": database, "REDIS": cache})
        return _object(document.read_text())


def _object(text: str) -> Json:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise Problem("a program that measures printed no document")
    return found


_PARTS: dict[str, Callable[[Path, bool], Any]] = {"report": _report, "layouts": _layouts, "ingest": _ingest, "stores": _stores, "search": lambda _, quick: search.take(quick)}
#: The parts of the benchmark, in the order in which they are measured.
PARTS = tuple(_PARTS)
