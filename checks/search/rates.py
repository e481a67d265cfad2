"""Runs queries over the search in process, and counts of each taxonomy, language and kind how often the right node is first, or within five."""

import functools
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from local.build import executables
from local.console import step
from local.paths import ROOT
from local.problem import Problem
from local.shell import cargo, environment, locked, run_quietly

from .. import data
from . import names
from .queries import Query, queries

#: The file of each taxonomy in the folder of the real ones.
FILES = {"google": "google/taxonomy-v1.json", "esco": "esco/occupations-v1.json", "icd10cm": "icd10cm/taxonomy.json"}
#: What writes the file of one that is made up.
MADE_UP = {"skills": names.write_skills, "million": names.write_million}
#: Those whose rates count.
TAXONOMIES = ("skills", *FILES)
PLACES = 5
PROGRAM = "answers"
#: Of a hundred queries, so many have the right node first, or within five.
FIRST = {"exact": 100.0, "code": 100.0, "id": 100.0}
WITHIN = dict.fromkeys(("lower", "unaccented", "prefix", "joined", "split", "plural", "and", "long"), 98.0) | {"typo": 95.0}
#: The most queries of a kind in a culture.
MOST = 400


@dataclass
class Cell:
    """What came of the queries of a kind in a culture of a taxonomy."""

    taxonomy: str
    culture: str
    kind: str
    count: int = 0
    first: int = 0
    within: int = 0
    micros: list[float] = field(default_factory=list)
    misses: list[tuple[Query, str]] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether the goal is reached. One miss of less than its share is always allowed where the goal is not every query."""
        if self.kind in FIRST:
            return self.first == self.count
        return self.count - self.within <= max(1.0, self.count * (100 - WITHIN.get(self.kind, 0.0)) / 100)


def asked(taxonomy: str, third: int, most: int = MOST) -> list[Query]:
    """The queries of a third of a taxonomy."""
    return list(queries(taxonomy, names.nodes(source(taxonomy)), third, most))


def measure(program: Sequence[str | Path], taxonomy: str, made: Sequence[Query], extra: Mapping[str, str] | None = None) -> tuple[list[Cell], list[str]]:
    """The cells of a program that answers, and what it says of its indexes."""
    lines = "".join(f"{query.culture}\t{query.text}\n" for query in made)
    done = subprocess.run([*program, source(taxonomy)], input=lines, capture_output=True, text=True, check=False, env=environment(extra))
    if done.returncode:
        raise Problem(f"{Path(program[0]).name} failed: {done.stderr.strip()}")
    written = done.stdout.splitlines()
    answers = [line for line in written if not line.startswith("#")]
    if len(answers) != len(made):
        raise Problem(f"{len(made):,} queries have {len(answers):,} answers")
    return judged(taxonomy, zip(made, answers, strict=True)), [line[2:] for line in written if line.startswith("#")]


def judged(taxonomy: str, answered: Iterable[tuple[Query, str]]) -> list[Cell]:
    """Counts the answers by culture and kind."""
    cells: dict[tuple[str, str], Cell] = {}
    for query, answer in answered:
        cell = cells.setdefault((query.culture, query.kind), Cell(taxonomy, query.culture, query.kind))
        nanos, match, keys = answer.split("\t")
        found = [key in query.right for key in keys.split()[:PLACES]]
        cell.count += 1
        if match != "refused":
            cell.micros.append(int(nanos) / 1000)
        cell.first += found[:1] == [True]
        cell.within += any(found)
        if not (found[:1] == [True] if query.kind in FIRST else any(found)):
            cell.misses.append((query, answer))
    return list(cells.values())


@functools.cache
def source(taxonomy: str) -> Path:
    """The source file of a taxonomy, written by the first call where it is made up."""
    write = MADE_UP.get(taxonomy)
    if write is None:
        return data.folder() / FILES[taxonomy]
    made = ROOT / "target" / f"{taxonomy}.json"
    made.parent.mkdir(exist_ok=True)
    write(made)
    return made


def build() -> Path:
    """Builds the program that answers, as it is deployed, and returns its path."""
    with step("Building the search"):
        command = [cargo(), "build", *locked(), "--release", "-p", "taxonomy-index", "--example", PROGRAM, "--message-format=json-render-diagnostics"]
        return executables(run_quietly(command, "building the search"), (PROGRAM,))[PROGRAM]


def table(cells: Sequence[Cell]) -> Iterator[str]:
    """A table in Markdown: of each kind and culture the rates and the time of a search."""
    yield "| Taxonomy | Language | Kind | Queries | First | Within five | p50 (ms) | p99 (ms) | Goal |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for cell in cells:
        goal = f"{FIRST[cell.kind]:.0f} % first" if cell.kind in FIRST else f"{WITHIN[cell.kind]:.0f} %" if cell.kind in WITHIN else "-"
        verdict = "" if goal == "-" or cell.holds else ": **missed**"
        first, within = 100 * cell.first / cell.count, 100 * cell.within / cell.count
        half, most = (percentile(cell.micros, share) / 1000 for share in (50, 99))
        yield f"| {cell.taxonomy} | {cell.culture} | {cell.kind} | {cell.count} | {first:.1f} | {within:.1f} | {half:.2f} | {most:.2f} | {goal}{verdict} |"


def percentile(figures: Sequence[float], share: int) -> float:
    ordered = sorted(figures)
    return ordered[min(len(ordered) * share // 100, len(ordered) - 1)] if ordered else 0.0


def misses(cells: Sequence[Cell], nodes: Sequence[names.Node], most: int) -> Iterator[str]:
    """Of each cell some of the queries that failed: the name that was sought, the query, the answer."""
    named = {node.key: node for node in nodes}
    for cell in cells:
        for query, answer in cell.misses[:most]:
            sought = named[min(query.right)].names.get(query.culture, "")
            found = [named[key].names.get(query.culture, "") for key in answer.split("\t")[2].split()]
            yield f"{cell.taxonomy} {cell.culture} {cell.kind}: {query.text!r} of {sought!r} -> {answer.split(chr(9))[1]} {re.sub(', ', ' | ', str(found))}"
