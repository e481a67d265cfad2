"""The report of a load: for the terminal, and as docs/load.md."""

import re

from .load_bounds import Json, growth_of, judge, tenths

TITLES = {"function": "The function alone", "stack": "The deployed stack"}


def text(part: str, measured: Json) -> str:
    """Returns the report of a part. Latencies are in microseconds, from handing out the event to its answer, or of the whole HTTP request."""
    return "\n".join([f"{part}: {_summary(measured)}", *(f"    {line}" for line in _lines(measured))])


def markdown(before: str, parts: dict[str, Json], built: str) -> str:
    """Returns docs/load.md with these parts anew: what stands before the first of them, and a part that was not measured, stay as they were."""
    head, *sections = re.split(r"^(?=## )", before, flags=re.MULTILINE)
    kept = {section.splitlines()[0].removeprefix("## "): section.rstrip() for section in sections}
    kept |= {TITLES[part]: _section(part, measured, built) for part, measured in parts.items()}
    return "\n\n".join([head.rstrip(), *kept.values()]) + "\n"


def _section(part: str, measured: Json, built: str) -> str:
    table = "\n".join(_lines(measured))
    return f"## {TITLES[part]}\n\n{built}. {_summary(measured)}.\n\n```\n{table}\n```"


def _lines(measured: Json) -> list[str]:
    kinds = sorted(measured["kinds"].items(), key=lambda kind: -kind[1]["count"])
    lines = [f"{name:<12} {_latencies(kind)}" for name, kind in (*kinds, ("all", measured["all"]))]
    lines += [f"process {number}: {_memory(samples)}" for number, samples in enumerate(measured["memory"], 1) if samples]
    lines += [f"example: {example}" for example in measured["examples"]]
    return [*lines, *([f"EXCEEDED: {each}" for each in judge(measured)] or ["every bound holds"])]


def _summary(measured: Json) -> str:
    statuses = ", ".join(f"{count:,} of status {status}" for status, count in measured["statuses"].items())
    first = sorted(measured["first_ms"].values())
    parts = [
        f"{measured['requests']:,} requests in {measured['seconds']:,.0f} s ({measured['requests'] / measured['seconds']:.0f} a second of {measured['rate']} wanted)",
        f"{measured['taxonomy']}, {measured['versions']} versions",
        f"caches of {measured['caches_kib'] / 1024:.0f} MiB in each process",
        f"{statuses}; {measured['failures']} errors, {measured['wrong']} wrong responses, {measured['unread']} items of batches not read",
        f"the oldest response {measured['oldest_ms']:,} ms after the publication of the next version",
    ]
    if first:
        parts.append(f"the first answer with a version in the slowest process after {first[len(first) // 2]:,} ms (median), {first[-1]:,} ms (largest)")
    if large := measured.get("large"):
        parts.append(f"a release of icd10cm in the middle was served after {large.get('served_ms', 0):,} ms, and its items were written after {large.get('loaded_ms', 0):,} ms")
    if measured.get("throttled") is not None:
        parts.append(f"{measured['throttled']:,} requests to table and bucket refused in the last tenth")
    return "; ".join(parts)


def _latencies(kind: Json) -> str:
    return f"{kind['count']:>9,}  p50 {kind['p50']:>7,}  p90 {kind['p90']:>7,}  p99 {kind['p99']:>7,}  p99.9 {kind['p99.9']:>8,}  max {kind['max']:>9,} us"


def _memory(samples: list[list[int]]) -> str:
    means = " ".join(f"{kib / 1024:.1f}" for kib in tenths(samples))
    return f"begin {samples[0][1] / 1024:.1f} MiB; tenths {means}; end {samples[-1][1] / 1024:.1f}; second half {growth_of(samples) / 1024:+.1f}"
