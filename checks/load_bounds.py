"""Judges the measurements of a load: which of them exceed their bounds. The measurements are the JSON of the programs that take them."""

from typing import Any

Json = dict[str, Any]

#: No response may be older than the version that was published so long before its request began.
FRESH_MS = 2_000
#: The memory of the function (`LookupMemory` in template.yaml), in KiB.
FUNCTION_KIB = 256 * 1024
#: The largest growth in the second half of a load that needs no further reason, in KiB: the allocator keeps freed pages and takes others.
GROWTH_KIB = 12 * 1024
#: The duration of a load in which the caches have filled up, or fill ever more slowly, in seconds.
LONG_SECONDS = 600
#: The smallest share of the requests wanted that must have been answered. A machine may be slow, but a load that sent nothing has shown nothing.
SHARE = 0.1
#: The largest time between the last sample of a process and the end, in seconds.
SILENT_SECONDS = 15


def judge(measured: Json) -> list[str]:
    """Returns a sentence for each bound that was exceeded; none where all hold."""
    found = []
    wanted = measured["rate"] * measured["seconds"]
    if measured["requests"] < max(1, SHARE * wanted):
        found.append(f"{measured['requests']} requests were answered of {wanted:.0f} wanted: too few to show anything")
    if measured["failures"]:
        found.append(f"{measured['failures']} errors")
    if measured["wrong"]:
        found.append(f"{measured['wrong']} responses differ from the file of their version")
    if measured["unread"]:
        found.append(f"{measured['unread']} items of batches were not read")
    unexpected = sorted(set(measured["statuses"]) - {"200", "304", "404"})
    if unexpected:
        found.append(f"responses with the statuses {', '.join(unexpected)}")
    if measured["stale"] or measured["oldest_ms"] > FRESH_MS:
        found.append(f"{measured['stale']} responses older than {FRESH_MS} ms, the oldest {measured['oldest_ms']} ms")
    # The pauses between publications are at most three times `every_seconds`.
    if measured["seconds"] > 4 * measured["every_seconds"] and measured["versions"] < 2:
        found.append("no version was published under the load")
    if (large := measured.get("large")) is not None and "served_ms" not in large:
        found.append("the large release was not served")
    return found + memory(measured)


def memory(measured: Json) -> list[str]:
    """Returns a sentence for each process that ended, exceeded the memory of the function, or grew in the second half."""
    if not measured["memory"]:
        return ["no memory was measured"]
    found = []
    for number, samples in enumerate(measured["memory"], 1):
        if not samples or measured["seconds"] - samples[-1][0] > SILENT_SECONDS:
            found.append(f"process {number} ended before the load")
            continue
        largest = max(kib for _, kib in samples)
        if largest > FUNCTION_KIB:
            found.append(f"process {number} took {largest / 1024:.0f} MiB of {FUNCTION_KIB // 1024}")
        means = tenths(samples)
        before, growth = means[len(means) // 2] - samples[0][1], growth_of(samples)
        # Until the caches are full, growth is what they are for; it slows down, while a leak does not.
        is_full = means[-1] > samples[0][1] + measured["caches_kib"]
        is_steady = measured["seconds"] >= LONG_SECONDS and growth > before / 2
        if growth > GROWTH_KIB and (is_full or is_steady):
            found.append(f"process {number} grew by {growth / 1024:.1f} MiB in the second half")
    return found


def tenths(samples: list[list[int]]) -> list[int]:
    """Returns the mean of each tenth of the samples, in KiB; of fewer than ten samples, the samples."""
    count = min(10, len(samples))
    parts = [samples[len(samples) * part // count : len(samples) * (part + 1) // count] for part in range(count)]
    return [sum(kib for _, kib in part) // len(part) for part in parts]


def growth_of(samples: list[list[int]]) -> int:
    """Returns by how much the last tenth of the samples exceeds the tenth in the middle, in KiB."""
    means = tenths(samples)
    return means[-1] - means[len(means) // 2]
