"""The measurements, as one document of parts."""

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from checks import data
from local.console import step
from local.shell import capture, run_quietly

from . import counts, deployed, edits, functions, generate, money, path, programs, search, servers
from .valgrind import allocations, instructions

Json = dict[str, Any]
Programs = dict[str, Path]

#: Terms of the generated taxonomies; curves go on to a million.
SIZES = (1_000, 10_000, 100_000)
CURVES = (*SIZES, 1_000_000)
QUICK = SIZES[:1]
#: Real taxonomies: of the first, everything; of all, the writes and an upload.
REAL = ("google/taxonomy-v1.json", "esco/occupations-v1.json", "icd10cm/taxonomy.json")
READERS = ("service", "structs", "Value")
#: Under memcheck a larger file takes too long.
ALLOCATIONS_UP_TO = 100_000


def take(parts: Sequence[str], quick: bool) -> Json:
    """Builds, measures, and returns the figures of these parts."""
    built = programs.build({name for part in parts for name in _NEEDS[part]})
    return {part: _PARTS[part](built, quick) for part in parts}


def _counts(built: Programs, _: bool) -> Json:
    with step("Counting answers and cold starts by valgrind"):
        figures, known = counts.take(built), counts.canned(built["taxonomy-benches"])
        more = {name: deployed.count(built[name], known, reads=name != "hello") for name in ("defaults", "hello")}
    return figures | {"scenarios": known["scenarios"], "programs": more}


def _functions(built: Programs, _: bool) -> Json:
    with step("Starting functions and asking them"):
        return functions.take(built)


def _stores(built: Programs, sizes: Sequence[int]) -> Json:
    found = {}
    with tempfile.TemporaryDirectory(prefix="stores-") as made:
        for size in sizes:
            file, document = generate.write(Path(made) / f"{size}.json", size, cultures=1), Path(made) / "document.json"
            # Servers of their own, which hold nothing else.
            with servers.postgres() as database, servers.valkey() as cache, step(f"Measuring the stores over {size:,} terms"):
                run_quietly([built["stores"], "measure", file, document], "Measuring the stores", {"POSTGRES": database, "REDIS": cache})
            found[str(size)] = json.loads(document.read_text())
    return found


def _reading(built: Programs, sizes: Sequence[int], real: Sequence[Path]) -> list[Json]:
    with tempfile.TemporaryDirectory(prefix="reading-") as made, step("Counting what reading a file takes"):
        files = [(f"generated, {size:,} terms in five cultures", generate.write(Path(made) / f"{size}.json", size)) for size in sizes]
        files += [(f"{path.parent.name}/{path.name}", path) for path in real]
        return [_read(built["reading"], name, file, reader) for name, file in files for reader in READERS]


def _read(program: Path, name: str, file: Path, reader: str) -> Json:
    ran, size = json.loads(capture([program, reader, file]).stdout), file.stat().st_size
    command, nothing = [program, reader, file], [program, "nothing", file]
    counted = allocations(command) - allocations(nothing) if ran["terms"] <= ALLOCATIONS_UP_TO else None
    return {
        "file": name,
        "reader": reader,
        "terms": ran["terms"],
        "instructions_per_byte": round((instructions(command) - instructions(nothing)) / size, 2),
        "allocations_per_term": None if counted is None else round(counted / ran["terms"], 2),
        "peak_by_file": round(ran["peak_bytes"] / size, 2),
    }


def _curves(built: Programs, quick: bool) -> Json:
    sizes = QUICK if quick else CURVES
    return {"stores": _stores(built, sizes), "reading": _reading(built, sizes, ()), "uploads": path.take(built, sizes, ())}


_PARTS: dict[str, Callable[[Programs, bool], Any]] = {
    "counts": _counts,
    "functions": _functions,
    "stores": lambda built, quick: _stores(built, QUICK if quick else SIZES[-1:]),
    "reading": lambda built, quick: _reading(built, QUICK if quick else SIZES[-1:], list(map(data.file, REAL[:1] if quick else REAL))),
    "uploads": lambda built, quick: path.take(built, QUICK if quick else SIZES, list(map(data.file, REAL[:1] if quick else REAL))),
    "stack": lambda _, quick: path.over_stack(QUICK if quick else SIZES[:2]),
    "edits": lambda built, quick: edits.take(built, list(map(data.file, REAL[:1] if quick else REAL))),
    "search": lambda built, quick: search.take(built, quick),
    "money": lambda built, _: money.months(built["taxonomy"]),
    "curves": _curves,
}
_HOSTED = ("lookup", "projector", "taxonomy-host")
#: The programs of each part.
_NEEDS: dict[str, tuple[str, ...]] = {
    "counts": ("lookup", "hello", "taxonomy-benches"),
    "functions": (*_HOSTED, "hello"),
    "stores": ("stores",),
    "reading": ("reading",),
    "uploads": _HOSTED,
    "stack": (),
    "edits": _HOSTED,
    "search": ("search",),
    "money": ("taxonomy",),
    "curves": (*_HOSTED, "stores", "reading"),
}
#: The parts of the benchmark, in the order in which they are measured; curves only where they are named.
PARTS = tuple(_PARTS)
USUAL = PARTS[:-1]
