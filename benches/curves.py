"""Curves as SVG, by the number of terms, on logarithmic scales."""

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from .tables import READERS, comparable

Json = dict[str, Any]
Curve = tuple[str, list[tuple[float, float]]]

WIDTH, HEIGHT = 960, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 430, 44, 48
#: Told apart by people who see no red or no green; from Okabe and Ito.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
DASHES = ("", "6 3", "2 3")


def of_question(stores: Json, question: str) -> list[Curve]:
    """The medians of every way in which a question is answered over the loopback interface, by the number of terms."""
    points: dict[str, list[tuple[float, float]]] = {}
    for size in sorted(stores, key=int):
        for way in comparable(stores[size], question, "loopback"):
            points.setdefault(f"{way['store']}: {way['way']}", []).append((stores[size]["terms"], way["one"]["p50"]))
    return list(points.items())


def of_reading(figures: list[Json]) -> list[Curve]:
    """The instructions a byte of every reader, by the number of terms."""
    return [(words, [(found["terms"], found["instructions_per_byte"]) for found in figures if found["reader"] == reader]) for reader, words in READERS.items()]


def of_uploads(figures: list[Json]) -> list[Curve]:
    """Seconds from an upload to the answers of a new process and of one that knows the version before, by the number of terms."""
    kinds = {"cold": "a new process", "warm": "a process that knows the version before"}
    return [
        (f"{words}, version {version}", [(found["terms"], found[kind]) for found in figures if found["version"] == version]) for version in (1, 2) for kind, words in kinds.items()
    ]


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
