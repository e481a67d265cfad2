"""Curves as SVG: microseconds of each store, and costs of an ingest, by the number of terms, on logarithmic scales."""

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from .tables import comparable

Json = dict[str, Any]
Curve = tuple[str, list[tuple[float, float]]]

WIDTH, HEIGHT = 960, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 430, 44, 48
#: Told apart by people who see no red or no green; from Okabe and Ito.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
DASHES = ("", "6 3", "2 3")


def of_question(stores: Json, question: str) -> list[Curve]:
    """The medians of every way in which a question is answered, by the number of terms."""
    points: dict[str, list[tuple[float, float]]] = {}
    for size in sorted(stores, key=int):
        for store, way in comparable(stores[size], question):
            points.setdefault(f"{store}: {way['way']}", []).append((stores[size]["terms"], way["p50"]))
    return list(points.items())


def of_reading(ingest: Json, readers: dict[str, str]) -> list[Curve]:
    """The instructions a byte of every reader of a generated file, by the number of terms."""
    read = [figure for figure in ingest["parse"] if figure["file"].startswith("generated")]
    return [(words, [(figure["terms"], figure["instructions_per_byte"]) for figure in read if figure["reader"] == reader]) for reader, words in readers.items()]


def of_ingest(ingest: Json) -> list[Curve]:
    """Megabytes of memory and seconds of a processor of both versions of a generated file, by the number of terms."""
    whole = [figure for figure in ingest["ingest"] if figure["file"].startswith("generated")]
    versions = [(f"version {number}", [figure for figure in whole if figure["version"] == number]) for number in (1, 2)]
    memory = [(f"MB at most, {words}", [(figure["terms"], figure["peak_bytes"] / 1e6) for figure in of_version]) for words, of_version in versions]
    return memory + [(f"seconds, {words}", [(figure["terms"], figure["processor_seconds"]) for figure in of_version]) for words, of_version in versions]


def svg(title: str, unit: str, curves: Sequence[Curve]) -> str:
    """A drawing of the curves. Empty without a point above zero."""
    points = [point for _, of_curve in curves for point in of_curve if min(point) > 0]
    if not points:
        return ""
    across, up = _Scale([x for x, _ in points], LEFT, WIDTH - RIGHT), _Scale([y for _, y in points], HEIGHT - BOTTOM, TOP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}" font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="22" font-size="14">{escape(title)}</text>',
        f'<text x="{LEFT}" y="{TOP - 8}">{escape(unit)}</text>',
        *_grid(across, up),
    ]
    for number, (name, of_curve) in enumerate(curves):
        lines.extend(_curve(number, name, [(across(x), up(y)) for x, y in of_curve if min(x, y) > 0]))
    return "\n".join([*lines, "</svg>", ""])


class _Scale:
    """Whole decades, onto pixels."""

    def __init__(self, values: Sequence[float], first: float, last: float) -> None:
        self.low, self.high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        self.high = max(self.high, self.low + 1)
        self.first, self.last = first, last

    def __call__(self, value: float) -> float:
        return round(self.first + (math.log10(value) - self.low) / (self.high - self.low) * (self.last - self.first), 1)

    def decades(self) -> Iterator[float]:
        """Each power of ten on the scale."""
        return (10.0**exponent for exponent in range(self.low, self.high + 1))


def _grid(across: _Scale, up: _Scale) -> Iterator[str]:
    for value in across.decades():
        x = across(value)
        yield f'<path d="M{x} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/><text x="{x}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{_number(value)}</text>'
    for value in up.decades():
        y = up(value)
        yield f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="#ddd"/><text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{_number(value)}</text>'
    yield f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">terms</text>'


def _curve(number: int, name: str, points: Sequence[tuple[float, float]]) -> Iterator[str]:
    colour, dash = COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]
    path = " ".join(f"{x},{y}" for x, y in points)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
    yield from (f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in points)
    y = TOP + 16 * number
    yield f'<path d="M{WIDTH - RIGHT + 12} {y}h18" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/><text x="{WIDTH - RIGHT + 36}" y="{y + 4}">{escape(name)}</text>'


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
