"""The search of the service beside other engines: the same names, the same queries, in one run, each as a user of it would set it up."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from checks.search import rates
from checks.search.queries import THIRDS
from local.console import step

from . import servers

Json = dict[str, Any]

SERVICE = "the service"
#: The engines, by the names of their rows.
ENGINES = {
    SERVICE: "",
    "tantivy, prefixes": "tantivy-prefix",
    "tantivy, prefixes and a typo": "tantivy-fuzzy",
    "SQLite FTS5, prefixes": "sqlite",
    "PostgreSQL, trigrams": "postgres",
    "PostgreSQL, full text": "postgres-words",
}
#: Queries of a kind in a culture: enough to compare, few enough for a slow engine.
MOST = 100


def take(built: dict[str, Path], quick: bool) -> list[Json]:
    """Of each engine, taxonomy and kind of query: how many there are, how many have the right node within five, and their microseconds."""
    service = rates.build()
    figures = []
    for taxonomy in ("skills", "google") if quick else (*rates.TAXONOMIES, "million"):
        made = [query for query in rates.asked(taxonomy, THIRDS[-1], MOST) if query.kind not in {"code", "id"}]
        # A server of its own, which holds nothing else.
        with servers.postgres() as database:
            for engine, name in ENGINES.items():
                command = [built["search"], name] if name else [service]
                with step(f"Searching {taxonomy} by {engine}"):
                    cells, _ = rates.measure(command, taxonomy, made, {"POSTGRES": database})
                figures += [_figure(engine, cell) for cell in cells]
    return figures


def _figure(engine: str, cell: rates.Cell) -> Json:
    return {
        "engine": engine,
        "taxonomy": cell.taxonomy,
        "culture": cell.culture,
        "kind": cell.kind,
        "queries": cell.count,
        "within": cell.within,
        "micros": {str(share): round(rates.percentile(cell.micros, share), 1) for share in (50, 99)},
    }


def hits(figures: list[Json]) -> tuple[list[str], Iterator[list[str]]]:
    """A table of the hits: a row for each kind of query."""
    kinds = list(dict.fromkeys(figure["kind"] for figure in figures))

    def row(kind: str) -> list[str]:
        of_kind = [figure for figure in figures if figure["kind"] == kind]
        count = sum(figure["queries"] for figure in of_kind if figure["engine"] == SERVICE)
        return [kind, f"{count:,}", *(_rate([figure for figure in of_kind if figure["engine"] == engine]) for engine in ENGINES)]

    return ["Query", "Queries", *ENGINES], map(row, kinds)


def _rate(figures: list[Json]) -> str:
    return f"{100 * sum(figure['within'] for figure in figures) / sum(figure['queries'] for figure in figures):.1f} %"


def times(figures: list[Json]) -> tuple[list[str], Iterator[list[str]]]:
    """A table of the times: a row for each taxonomy, the median of the kinds and cultures and the dearest of them."""
    taxonomies = dict.fromkeys(figure["taxonomy"] for figure in figures)

    def cell(taxonomy: str, engine: str) -> str:
        found = [figure["micros"] for figure in figures if figure["taxonomy"] == taxonomy and figure["engine"] == engine]
        return f"{rates.percentile([each['50'] for each in found], 50):,.0f} / {max(each['99'] for each in found):,.0f}"

    return ["Taxonomy", *ENGINES], ([taxonomy, *(cell(taxonomy, engine) for engine in ENGINES)] for taxonomy in taxonomies)
