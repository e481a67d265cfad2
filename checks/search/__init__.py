"""How well search finds what people type: queries made of the names of taxonomies, and the rates of hits by language and kind."""

from collections.abc import Sequence

from local.console import say
from local.problem import Problem

from .. import data
from ..outcome import Outcome
from . import names, rates
from .queries import THIRDS


def prove(taxonomies: Sequence[str] = ()) -> Outcome:
    """Measures the third of the names that nobody looks at. A case is a kind in a culture, a violation a goal that is missed."""
    data.folder()
    cells = _measure(taxonomies, THIRDS[-1], 0)
    return Outcome(len(cells), sum(not cell.holds for cell in cells))


def report(taxonomies: Sequence[str], third: int, misses: int) -> None:
    """Measures a third, and shows of each kind some queries that fail. Whoever sees those of the last third has none left to report."""
    if misses and third == THIRDS[-1]:
        raise Problem("the failures of the last third are not shown: its rates are to be of names that nobody has looked at")
    _measure(taxonomies, third, misses)


def _measure(taxonomies: Sequence[str], third: int, misses: int) -> list[rates.Cell]:
    if unknown := set(taxonomies) - {*rates.FILES, *rates.MADE_UP}:
        raise Problem(f"there is no taxonomy {', '.join(sorted(unknown))}; there are {', '.join(rates.TAXONOMIES)}")
    program = rates.build()
    cells = []
    for taxonomy in taxonomies or rates.TAXONOMIES:
        measured, objects = rates.measure([program], taxonomy, rates.asked(taxonomy, third))
        for line in objects:
            culture, count, size, millis = line.split("\t")
            say(f"{taxonomy} {culture}: {int(count):,} names, {int(size):,} bytes, written in {int(millis):,} ms")
        for line in rates.misses(measured, names.nodes(rates.source(taxonomy)), misses):
            say(line)
        cells += measured
    for line in rates.table(cells):
        say(line)
    return cells
