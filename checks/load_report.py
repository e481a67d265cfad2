"""The report of a load: for the terminal, and as docs/load.md."""

import re

from .load_bounds import FRESH_MS, FUNCTION_KIB, Json, growth_of, judge, tenths

#: The widest bar of a histogram, in characters.
WIDTH = 50

TITLES = {"function": "The function alone", "stack": "The deployed stack"}

HEAD = """# Load

Written by `make load RECORD=1`: mixed traffic while versions are published, by [one program](../tests/stack/load/load.py) over two parts. Terms are drawn by Zipf's law, one request of a hundred after the other:
single terms (some in another culture, some under the tag of the last answer), batches, suggestions, children, changes, terms of an earlier version or time.
Each version renames a category and one term in fifty, other ones than the version before, and the releases of a real taxonomy take turns.
In the middle another tenant publishes 98,000 terms. In the last tenth of the part `function`, table and bucket refuse each twentieth request.

Each response is compared with the file of the version that it names, which the load reads by itself: a name of another version, a missing or a foreign term, a wrong
version of the past, a status other than 200, 304 and 404, and a version that is not served yet each count as wrong. Its bounds: no error, no wrong
response, no response older than {fresh} ms, at most {memory} MiB in each process, and no growth of memory but that of caches that fill up.
[checks/load_bounds.py](../checks/load_bounds.py) has them.

| Part | Runs | Not there |
|---|---|---|
| function | the deployed programs `lookup` (several processes) and `projector` in a [host](../benches/host/src/main.rs) that hands out events over connections that wait for them, over the embedded table and S3 in memory, on the loopback interface | the network, API Gateway, the latency of DynamoDB and S3, eventually consistent reads, the aggregator |
| stack | the deployed template on the local emulator, requests over its API Gateway | anything about speed: the emulator is Python and shares the machine; its caches are small, so that few requests fill them |

Latencies are of one machine with everything on it, and no promise of AWS.
"""


def text(part: str, measured: Json) -> str:
    """Returns the report of a part for the terminal."""
    lines = [f"{part}: {_summary(measured)}"]
    lines += [f"    {name:<12} {_latencies(kind)}" for name, kind in _kinds(measured)]
    lines += [f"    process {number}: {_memory(samples)}" for number, samples in enumerate(measured["memory"], 1) if samples]
    exceeded = judge(measured)
    lines += [f"    example: {example}" for example in measured["examples"]]
    lines += [f"    EXCEEDED: {each}" for each in exceeded] or ["    every bound holds"]
    return "\n".join(lines)


def markdown(parts: dict[str, Json], date: str, profile: str, before: str = "") -> str:
    """Returns docs/load.md. `profile` says how the programs of the part `function` were built; a part that was not measured stays as it was `before`."""
    head = HEAD.format(fresh=f"{FRESH_MS:,}", memory=FUNCTION_KIB // 1024)
    sections = _recorded(before)
    for part, measured in parts.items():
        sections[TITLES[part]] = _section(part, measured, f"{date}, {profile if part == 'function' else 'debug build'}")
    absent = [title for title in TITLES.values() if title not in sections]
    head += "".join(f"\nNot in this record: {title[0].lower()}{title[1:]}.\n" for title in absent)
    return "\n".join([head, *(f"{sections[title]}\n" for title in TITLES.values() if title in sections)])


def _recorded(page: str) -> dict[str, str]:
    """Returns the sections of a page by their titles."""
    sections = re.split(r"^(?=## )", page, flags=re.MULTILINE)[1:]
    return {section.splitlines()[0].removeprefix("## "): section.rstrip() for section in sections}


def _section(part: str, measured: Json, built: str) -> str:
    rows = [f"| {f'`{name}`' if name != 'all' else name} | {_row(kind)} |" for name, kind in _kinds(measured)]
    table = "\n".join(["| Request | Answers | p50 | p90 | p99 | p99.9 | Slowest |", "|---|---|---|---|---|---|---|", *rows])
    exceeded = judge(measured)
    verdict = "Every bound holds." if not exceeded else "Exceeded: " + "; ".join(exceeded) + "."
    return "\n\n".join(
        [
            f"## {TITLES[part]}",
            f"{built}: {_summary(measured)}. {verdict}",
            f"Microseconds from {'handing out the event to its answer' if part == 'function' else 'sending the request to the whole response'}:",
            table,
            f"```\n{histogram(measured['all']['buckets'])}\n```",
            "Resident memory of each process, the mean of each tenth of the time, in MiB:",
            _curve(measured),
        ]
    )


def _kinds(measured: Json) -> list[tuple[str, Json]]:
    return [*sorted(measured["kinds"].items(), key=lambda kind: -kind[1]["count"]), ("all", measured["all"])]


def _summary(measured: Json) -> str:
    statuses = ", ".join(f"{count:,} of status {status}" for status, count in measured["statuses"].items())
    first = sorted(measured["first_ms"].values())
    parts = [
        f"{measured['requests']:,} requests in {measured['seconds']:,.0f} s ({measured['requests'] / measured['seconds']:.0f} a second of {measured['rate']} wanted)",
        f"{measured['taxonomy']}",
        f"{measured['versions']} versions",
        f"caches of {measured['caches_kib'] / 1024:.0f} MiB in each process",
        f"{statuses}",
        f"{measured['failures']} errors, {measured['wrong']} wrong responses",
        f"the oldest response {measured['oldest_ms']:,} ms after the publication of the next version",
    ]
    if first:
        parts.append(f"the first answer with a version in the slowest process after {first[len(first) // 2]:,} ms (median), {first[-1]:,} ms (largest)")
    if large := measured.get("large"):
        parts.append(f"a release of icd10cm in the middle was served after {large['served_ms']:,} ms, and its items were written after {large.get('loaded_ms', 0):,} ms")
    if measured.get("throttled") is not None:
        parts.append(f"{measured['throttled']:,} requests to table and bucket refused in the last tenth")
    return "; ".join(parts)


def _latencies(kind: Json) -> str:
    return f"{kind['count']:>9,}  p50 {kind['p50']:>7,}  p90 {kind['p90']:>7,}  p99 {kind['p99']:>7,}  p99.9 {kind['p99.9']:>8,}  max {kind['max']:>9,} us"


def _row(kind: Json) -> str:
    return " | ".join(f"{kind[name]:,}" for name in ("count", "p50", "p90", "p99", "p99.9", "max"))


def _memory(samples: list[list[int]]) -> str:
    means = " ".join(f"{kib / 1024:.1f}" for kib in tenths(samples))
    return f"begin {samples[0][1] / 1024:.1f} MiB; tenths {means}; end {samples[-1][1] / 1024:.1f}; second half {growth_of(samples) / 1024:+.1f}"


def _curve(measured: Json) -> str:
    sampled = [samples for samples in measured["memory"] if samples]
    count = max((len(tenths(samples)) for samples in sampled), default=0)
    head = f"| Process | Begin | {' | '.join(str(part + 1) for part in range(count))} | End | Second half |"
    rows = [
        f"| {number} | {samples[0][1] / 1024:.1f} | {' | '.join(f'{kib / 1024:.1f}' for kib in tenths(samples))} | {samples[-1][1] / 1024:.1f} | {growth_of(samples) / 1024:+.1f} |"
        for number, samples in enumerate(sampled, 1)
        if len(tenths(samples)) == count
    ]
    return "\n".join([head, f"|{'---|' * (count + 4)}", *rows])


def histogram(buckets: list[list[int]]) -> str:
    """Returns bars by powers of two of microseconds; their lengths are in proportion to the number of digits of their counts, so that rare ones are seen."""
    counts: dict[int, int] = {}
    for end, count in buckets:
        power = max(4, int(end).bit_length())
        counts[power] = counts.get(power, 0) + count
    if not counts:
        return "no answers"
    powers = range(min(counts), max(counts) + 1)
    longest = max(counts.values()).bit_length()
    return "\n".join(f"< {1 << power:>10,} us {counts.get(power, 0):>10,} {'#' * (WIDTH * counts.get(power, 0).bit_length() // longest)}" for power in powers)
