"""Draws the dashboard with the values of a day."""

from collections import defaultdict
from html import escape
from typing import Any

from .alarms import Measurements, Series, statistic

#: Pixels of a column and of a row of CloudWatch's grid of 24 columns.
COLUMN, ROW = 60, 44
MARGIN, TITLE, LINE = 8, 20, 12
#: Points of a line: the day is divided into so many periods.
POINTS = 60
COLOURS = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f"]
STYLE = (
    "text{font:10px sans-serif;fill:#16191f}.title{font-size:12px;font-weight:bold}.head{font-size:15px;font-weight:bold}"
    ".box{fill:#fff;stroke:#d5dbdb}.none{fill:#879196}.axis{stroke:#d5dbdb}path{fill:none;stroke-width:1.5}"
)


def draw(widgets: list[dict[str, Any]], measured: Measurements, alarms: dict[str, tuple[str, bool]]) -> str:
    """Returns the picture. `alarms` has each alarm's logical id, by its name in CloudWatch, and whether it fired that day."""
    times = [at for values in measured.values.values() for at, _ in values]
    day = (min(times), max(times))
    height = max(each["y"] + each["height"] for each in widgets) * ROW
    drawn = "\n".join(_widget(each, measured, day, alarms) for each in widgets)
    size = f'width="{24 * COLUMN}" height="{height}" viewBox="0 0 {24 * COLUMN} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{STYLE}</style>\n<rect width="100%" height="100%" fill="#f2f3f3"/>\n{drawn}\n</svg>\n'


def _widget(widget: dict[str, Any], measured: Measurements, day: tuple[float, float], alarms: dict[str, tuple[str, bool]]) -> str:
    properties = widget["properties"]
    width, height = widget["width"] * COLUMN - 4, widget["height"] * ROW - 4
    match widget["type"]:
        case "text":
            inside = f'<text class="head" x="{MARGIN}" y="{height / 2 + 5:.0f}">{escape(properties["markdown"].lstrip("# "))}</text>'
        case "alarm":
            inside = _title(properties) + _alarms(properties["alarms"], width, alarms)
        case "metric":
            inside = _title(properties) + _metrics(properties, width, height, measured, day)
        case _:
            inside = _title(properties) + f'<text class="none" x="{MARGIN}" y="{TITLE + 20}">a query of the logs: no values here</text>'
    box = "" if widget["type"] == "text" else f'<rect class="box" width="{width}" height="{height}" rx="4"/>'
    return f'<g transform="translate({widget["x"] * COLUMN + 2},{widget["y"] * ROW + 2})">{box}{inside}</g>'


def _title(properties: dict[str, Any]) -> str:
    return f'<text class="title" x="{MARGIN}" y="{TITLE - 4}">{escape(properties["title"])}</text>'


def _alarms(arns: list[str], width: int, alarms: dict[str, tuple[str, bool]]) -> str:
    columns, parts = 6, []
    for number, arn in enumerate(arns):
        name = arn.rsplit(":", 1)[-1]
        x, y = MARGIN + number % columns * (width - MARGIN) // columns, TITLE + 4 + number // columns * 22
        shown, fired = alarms[name]
        colour = "#d13212" if fired else "#879196"
        parts.append(f'<circle cx="{x + 5}" cy="{y + 6}" r="4" fill="{colour}"/><text x="{x + 14}" y="{y + 10}">{escape(shown)}{" fired" if fired else ""}</text>')
    return "".join(parts)


def _metrics(properties: dict[str, Any], width: int, height: int, measured: Measurements, day: tuple[float, float]) -> str:
    lines = [_line(metric, properties["stat"], measured, day) for metric in properties["metrics"]]
    # The legend takes two columns below the graph.
    legend = LINE * ((len(lines) + 1) // 2) + 4
    left, right, top, bottom = 44, width - 44, TITLE + 6, height - legend - 4
    parts = [f'<line class="axis" x1="{left}" y1="{y}" x2="{right}" y2="{y}"/>' for y in (top, bottom)]
    for axis in ("left", "right"):
        most = max((value for _, _, where, points in lines if where == axis for _, value in points), default=None)
        if most is None:
            continue
        at = f'x="{left - 4}" text-anchor="end"' if axis == "left" else f'x="{right + 4}"'
        parts.append(f'<text {at} y="{top + 4}">{most:.4g}</text>')
        for number, (_, _, where, points) in enumerate(lines):
            if where == axis:
                step, scale = (right - left) / POINTS, (bottom - top) / most if most else 0
                path = "".join(_stroke(left + part[0][0] * step, step, [bottom - value * scale for _, value in part]) for part in _unbroken(points))
                parts.append(f'<path stroke="{COLOURS[number % len(COLOURS)]}" d="{path}"/>')
    for number, (label, name, where, points) in enumerate(lines):
        x, y = MARGIN + number % 2 * (width // 2), bottom + 14 + number // 2 * LINE
        kind = "" if points else ' class="none"'
        shown = label + (" (right)" if where == "right" else "") + ("" if points else ": no values here")
        parts.append(f'<g><title>{escape(name)}</title><rect x="{x}" y="{y - 7}" width="8" height="8" fill="{COLOURS[number % len(COLOURS)]}"/><text{kind} x="{x + 12}" y="{y}">{escape(shown)}</text></g>')
    return "".join(parts)


def _unbroken(points: list[tuple[int, float]]) -> list[list[tuple[int, float]]]:
    """Returns the parts of a line: it is broken where nothing was measured."""
    parts: list[list[tuple[int, float]]] = []
    for number, value in points:
        if parts and parts[-1][-1][0] == number - 1:
            parts[-1].append((number, value))
        else:
            parts.append([(number, value)])
    return parts


def _stroke(x: float, step: float, heights: list[float]) -> str:
    """Returns a part of a path; a single value is as wide as its period."""
    whole = heights if len(heights) > 1 else heights * 2
    return f"M{x:.0f} {whole[0]:.0f}" + "".join(f"L{x + number * step:.0f} {y:.0f}" for number, y in enumerate(whole[1:], start=1))


def _line(metric: list[Any], stat: str, measured: Measurements, day: tuple[float, float]) -> tuple[str, str, str, list[tuple[int, float]]]:
    """Returns label, metric, axis, and the statistic of each period that has values."""
    words, options = [each for each in metric if isinstance(each, str)], next((each for each in metric if isinstance(each, dict)), {})
    series: Series = (words[0], words[1], frozenset(zip(words[2::2], words[3::2])))
    bins: dict[int, list[float]] = defaultdict(list)
    length = max(day[1] - day[0], 1.0)
    for at, value in measured.values.get(series, ()):
        bins[min(int((at - day[0]) / length * POINTS), POINTS - 1)].append(value)
    points = [(number, statistic(stat, values)) for number, values in sorted(bins.items())]
    return options.get("label", words[1]), f"{words[0]} {words[1]}", options.get("yAxis", "left"), points
