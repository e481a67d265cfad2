"""What an answer costs in instructions and allocations, how large the functions are, and whether each is what benches/baseline.json has.

A scenario of the library runs once with N answers and once with 2N: the difference, divided by N, is one answer. Start, preparations and everything
that is done once cancel out. Ratios are of one run; the baseline holds for one compiler and one kind of processor.
"""

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from local.paths import FUNCTIONS, ROOT
from local.problem import Problem
from local.shell import capture, require

from . import deployed
from .valgrind import allocations, instructions

Json = dict[str, Any]
#: Figures by kind and name.
Figures = dict[str, dict[str, int]]

BASELINE = ROOT / "benches" / "baseline.json"
#: How far above the baseline a figure may be, in thousandths: instructions repeat to a few in a thousand, allocations and sizes exactly.
MARGINS = {"instructions": 10, "allocations": 0, "deployed": 10, "bytes": 20}
#: So much of the second may the first take at most, in percent of its instructions.
RATIOS = (
    ("hit", "entry", 90),
    ("entry", "miss", 25),
    ("hit", "uncached", 15),
    ("not-modified", "hit", 100),
    ("batch", "entry", 5_000),
    ("names", "batch", 175),
    ("miss", "uncached", 75),
)


def canned(program: Path) -> Json:
    """The scenarios, and what the table of the deployed programs knows."""
    found: Json = json.loads(capture([program, "canned"]).stdout)
    return found


def take(programs: dict[str, Path]) -> Figures:
    """Counts every scenario and the deployed lookup, and measures the functions. Counts do not depend on what else runs, so they run side by side."""
    of_library, known = programs["taxonomy-benches"], canned(programs["taxonomy-benches"])
    names, answers = [scenario["name"] for scenario in known["scenarios"]], known["answers"]

    def each(name: str) -> tuple[int, int]:
        counted = ((count, program) for count, program in ((instructions, of_library), (allocations, programs["allocations"])))
        one, other = ((count([program, name, str(2 * answers)]) - count([program, name, str(answers)])) // answers for count, program in counted)
        return one, other

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        lookup = pool.submit(deployed.count, programs["lookup"], known)
        counted = dict(zip(names, pool.map(each, names), strict=True))
        return {
            "instructions": {name: found[0] for name, found in counted.items()},
            "allocations": {name: found[1] for name, found in counted.items()},
            "deployed": lookup.result(),
            "bytes": {name: _stripped(programs[name]) for name in FUNCTIONS},
        }


def broken_ratios(figures: Figures) -> Iterator[str]:
    """A sentence for each ratio that is not kept."""
    counted = figures["instructions"]
    for part, whole, most in RATIOS:
        if (percent := counted[part] * 100 // counted[whole]) > most:
            yield f"{part} is {percent} % of {whole}, at most {most} %"


def compare(recorded: Figures, measured: Figures) -> tuple[list[str], list[str]]:
    """What is above the baseline or only in one of both, and what is lower than its margin explains."""
    broken, better = [], []
    for kind, name in sorted({(kind, name) for figures in (recorded, measured) for kind, named in figures.items() for name in named}):
        before, now = (figures.get(kind, {}).get(name) for figures in (recorded, measured))
        if before is None or now is None:
            broken.append(f"{kind} of {name}: {'not in the baseline' if before is None else 'not measured'}")
            continue
        margin = before * MARGINS[kind] // 1_000
        if now > before + margin:
            broken.append(f"{kind} of {name}: {now:,}, baseline {before:,}, at most {before + margin:,}")
        elif now + margin < before:
            better.append(f"{kind} of {name}: {now:,}, baseline {before:,}")
    return broken, better


def read() -> Figures:
    """The baseline."""
    found: Figures = json.loads(BASELINE.read_text())
    return found


def write(figures: Figures) -> None:
    """Makes figures the baseline."""
    BASELINE.write_text(json.dumps(figures, indent=2, sort_keys=True) + "\n")


def _stripped(program: Path) -> int:
    copy = program.with_suffix(".stripped")
    done = capture([require("strip", "it comes with the linker"), "-o", copy, program])
    if done.returncode:
        raise Problem(f"strip failed: {done.stderr}")
    size = copy.stat().st_size
    copy.unlink()
    return size
