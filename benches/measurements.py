"""The measurements, as one document: counts, stores at each size, layouts, ingest."""

import datetime
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from local.console import step
from local.paths import ROOT
from local.problem import Problem
from local.shell import require, run_quietly

from . import programs, servers

#: Terms of the generated taxonomies.
SIZES = (1_000, 10_000, 100_000, 1_000_000)
QUICK = SIZES[:2]

Json = dict[str, Any]


def take(quick: bool) -> Json:
    """Builds, measures, and returns all figures."""
    require("valgrind", "instructions are counted by it (package valgrind)")
    sizes = QUICK if quick else SIZES
    programs.build()
    with tempfile.TemporaryDirectory(prefix="benches-") as made:
        folder = Path(made)
        files = {size: _generate(folder, size) for size in sizes}
        return {
            "date": datetime.date.today().isoformat(),
            "report": _report(folder),
            "layouts": _layouts(quick),
            "ingest": _ingest(quick),
            "stores": {str(size): _stores(size, path) for size, path in files.items()},
        }


def data(name: str) -> Path:
    """The path of a real taxonomy."""
    path = Path(os.environ.get("TAXONOMY_DATA", ROOT.parent / "shared" / "data")) / name
    if not path.exists():
        raise Problem(f"the real taxonomies are missing: {path}; TAXONOMY_DATA names another folder")
    return path


def _generate(folder: Path, size: int) -> Path:
    path = folder / f"{size}.json"
    with step(f"Generating a taxonomy of {size:,} terms"):
        run_quietly([programs.measuring("ingest"), "generate", str(size), "tree", "1", "1", path], "Generating a taxonomy")
    return path


def _report(folder: Path) -> Json:
    path = folder / "report.json"
    with step("Counting answers and cold starts by valgrind"):
        run_quietly([programs.counting(), "report", path, programs.FOLDER], "Counting")
    return _object(path.read_text())


def _layouts(quick: bool) -> Json:
    names = ["google/taxonomy-v1.json"] if quick else ["google/taxonomy-v1.json", "esco/occupations-v1.json", "icd10cm/taxonomy.json"]
    with step("Counting the writes of edits"):
        return _object(run_quietly([programs.measuring("layouts"), "--json", *map(data, names)], "Counting the writes of edits"))


def _ingest(quick: bool) -> Json:
    with step("Measuring the ingest"):
        command = [programs.measuring("ingest"), "run", *(["--quick"] if quick else [])]
        return _object(run_quietly(command, "Measuring the ingest", {"TAXONOMY_DATA": str(data("google").parent)}))


def _stores(size: int, path: Path) -> Json:
    """Each size has servers of its own, which hold nothing else."""
    with servers.postgres() as database, servers.valkey() as cache, step(f"Measuring the stores over {size:,} terms"):
        return _object(run_quietly([programs.measuring("stores"), path], "Measuring the stores", {"POSTGRES": database, "REDIS": cache}))


def _object(text: str) -> Json:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise Problem("a program that measures printed no document")
    return found
