"""The figures of a load: quantiles of latencies, and the memory of processes."""

from hosted import Hosted
from oracle import Json
from processes import memory, processes
from stack import Stack


def quantiles(times: list[int]) -> Json:
    """Returns quantiles of microseconds."""
    times = sorted(times)
    if not times:
        return {"count": 0, "p50": 0, "p90": 0, "p99": 0, "p99.9": 0, "max": 0}

    def at(share: float) -> int:
        return times[min(len(times) - 1, int(share * len(times)))]

    return {"count": len(times), "p50": at(0.5), "p90": at(0.9), "p99": at(0.99), "p99.9": at(0.999), "max": times[-1]}


def caches_kib(running: Stack) -> int:
    """Returns the capacity of the caches of each process of the lookup, in KiB; those of a host are the defaults of template.yaml."""
    if isinstance(running, Hosted):
        return 96 * 1024
    variables = running.client("lambda").get_function_configuration(FunctionName=running.functions["lookup"])["Environment"]["Variables"]
    return (int(variables["CACHE_BYTES"]) + int(variables["INDEX_CACHE_BYTES"])) // 1024


def resident(running: Stack, samples: dict[int, list[tuple[int, int]]], second: int) -> None:
    """Adds the resident memory of each process of the lookup, in KiB."""
    for pid in processes(running, "lookup"):
        if found := memory(pid):
            samples.setdefault(pid, []).append((second, found["VmRSS"]))
