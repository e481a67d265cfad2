"""The figures of a load: quantiles of latencies, and the memory of processes."""

from collections import Counter
from pathlib import Path

from hosted import Hosted
from oracle import Json
from processes import processes
from stack import Stack


def quantiles(times: list[int]) -> Json:
    """Returns quantiles of microseconds, and counts by powers of two."""
    times = sorted(times)
    if not times:
        return {"count": 0, "p50": 0, "p90": 0, "p99": 0, "p99.9": 0, "max": 0, "buckets": []}

    def at(share: float) -> int:
        return times[min(len(times) - 1, int(share * len(times)))]

    buckets = Counter(1 << max(1, each).bit_length() for each in times)
    shares = {"p50": at(0.5), "p90": at(0.9), "p99": at(0.99), "p99.9": at(0.999)}
    return {"count": len(times), **shares, "max": times[-1], "buckets": [[end - 1, count] for end, count in sorted(buckets.items())]}


def caches_kib(running: Stack) -> int:
    """Returns the capacity of the caches of each process of the lookup, in KiB; those of a host are the defaults of template.yaml."""
    if isinstance(running, Hosted):
        return 96 * 1024
    variables = running.client("lambda").get_function_configuration(FunctionName=running.functions["lookup"])["Environment"]["Variables"]
    return (int(variables["CACHE_BYTES"]) + int(variables["INDEX_CACHE_BYTES"])) // 1024


def resident(running: Stack, samples: dict[int, list[tuple[int, int]]], second: int) -> None:
    """Adds the resident memory of each process of the lookup, in KiB."""
    for pid in processes(running, "lookup"):
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        found = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")]
        samples.setdefault(pid, []).extend((second, each) for each in found)
