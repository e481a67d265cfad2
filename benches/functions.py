"""The lookup of a term as a function: this one, the same in Node.js, in Python and in Rust with the SDK's defaults, and one that answers at once.

Each runs in the same host over the same table without TLS. A cold start is from the start of a process to its first answer; warm answers are of
other terms each, so that none comes from memory, but those of the row that says so.
"""

import json
import statistics
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from local.api import Answer
from local.paths import ROOT, VENV
from local.problem import Problem
from local.shell import capture, require, run_quietly

from .files import Json, terms
from .host import END_SECONDS, Host, function, micros, service

PEERS = ROOT / "benches" / "peers" / "functions"
NODE = ROOT / "target" / "programs" / "node"
SAMPLE = ROOT / "samples" / "job-board-v1.json"
TENANT = "acme"
STARTS = 9
WARM = 300
#: Lambda gives a function 1,769 MB for each processor: <https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html>.
PROCESSOR_MB = 1_769
SHARES = (128, 256, 512)
PERIOD_MICROS = 20_000
GROUP = Path("/sys/fs/cgroup")
BURST, PROCESSES = 200, 32
#: In the burst with refusals, each so many requests to table and bucket are refused.
REFUSED = 20


def take(programs: dict[str, Path]) -> Json:
    """Cold starts, warm answers, memory and time of a processor of each function, and a burst to many cold processes."""
    commands = _commands(programs)
    figures = {name: _measure(programs, name, command) for name, (command, _) in commands.items()}
    versions = {name: version for name, (_, version) in commands.items()}
    return {"functions": figures, "versions": versions, "burst": burst(programs)}


def _commands(programs: dict[str, Path]) -> dict[str, tuple[list[str | Path], str]]:
    """Of each function the command, and the version of what runs it."""
    node, npm = require("node", "it runs one of the peers"), require("npm", "it installs the SDK of a peer")
    NODE.mkdir(parents=True, exist_ok=True)
    for source in (PEERS / "node").iterdir():
        (NODE / source.name).write_bytes(source.read_bytes())
    run_quietly([npm, "ci", "--prefix", NODE, "--ignore-scripts", "--no-audit", "--no-fund"], "Installing the SDK of Node.js")
    sdk = json.loads((NODE / "node_modules" / "@aws-sdk" / "client-dynamodb" / "package.json").read_text())["version"]
    python, boto3 = _python()
    return {
        "lookup": ([programs["lookup"]], "this checkout"),
        "node": ([node, NODE / "index.mjs"], f"Node.js {capture([node, '--version']).stdout.strip()}, AWS SDK {sdk}"),
        "python": ([python, PEERS / "python" / "lookup.py"], f"Python {sys.version.split()[0]}, boto3 {boto3}"),
        "defaults": ([programs["defaults"]], "Rust, the SDK with its defaults"),
        "hello": ([programs["hello"]], "Rust, no request"),
    }


def _python() -> tuple[str | Path, str]:
    for python in (sys.executable, VENV / "bin" / "python"):
        found = capture([python, "-c", "import boto3; print(boto3.__version__)"])
        if found.returncode == 0:
            return python, found.stdout.strip()
    raise Problem("boto3 is missing, with which one of the peers reads the table")


def _measure(programs: dict[str, Path], name: str, command: list[str | Path]) -> Json:
    with Host(programs["taxonomy-host"], service(programs) | {name: function(command)}) as host:
        terms = _load(host)
        answers = [_cold(host, name, terms[0]) for _ in range(STARTS)]
        if name != "hello":
            _compare(host, name, terms)
        before = _usage(host, name)
        warm = [micros(_ask(host, name, term), "took") for term in terms[1:]]
        after = _usage(host, name)
        again = [micros(_ask(host, name, terms[0]), "took") for _ in terms[1:]]
        cold = {"began": _median(answers, "began"), "first": _median(answers, "took")}
        figures = cold | {"warm": statistics.median(warm), "again": statistics.median(again), "peak_kib": after["peakKib"]}
        figures["processor_micros"] = (after["processorMicros"] - before["processorMicros"]) / len(warm)
        _cold(host, name, terms[0])
        figures["cold_processor_micros"] = _usage(host, name)["processorMicros"]
    return figures | {"shares": {str(share): found for share in SHARES if (found := _shared(programs, name, command, share))}}


def _load(host: Host) -> list[int]:
    """Publishes the sample. Returns as many terms as are asked for, of which only the last may come twice."""
    host.upload(TENANT, SAMPLE.read_bytes())
    host.wait(TENANT, 1, "Projected")
    return [term["id"] for _, term, _ in terms(json.loads(SAMPLE.read_bytes()))][: WARM + 1]


def _ask(host: Host, name: str, term: int) -> Answer:
    answer = host.ask("GET", f"/v1/tenants/{TENANT}/terms/{term}", {"host-function": name})
    if answer.status not in (200, 502 if name == "hello" else 200):
        raise Problem(f"{name} answers {answer.status} about term {term}: {answer.content.decode(errors='replace')}")
    return answer


def _cold(host: Host, name: str, term: int) -> Answer:
    host.own(f"stop/{name}")
    return _ask(host, name, term)


def _compare(host: Host, name: str, terms: list[int]) -> None:
    """Each function names a term and its ancestors as the lookup does."""
    for term in terms[:50]:
        found, expected = (_ask(host, each, term).body for each in (name, "lookup"))
        names = [[each["finalName"] for each in (answer, *answer["ancestors"])] for answer in (found, expected)]
        if names[0] != names[1]:
            raise Problem(f"{name} names term {term} and its ancestors {names[0]} and not {names[1]}")


def _usage(host: Host, name: str) -> Json:
    found: Json = next(each for each in host.own("processes") if each["function"] == name)
    return found


def _median(answers: list[Answer], time: str) -> float:
    return statistics.median(micros(answer, time) for answer in answers)


def _shared(programs: dict[str, Path], name: str, command: list[str | Path], megabytes: int) -> Json | None:
    """The first and later answers of a function with the share of a processor that it has on Lambda, where this process may set one.

    As on Lambda, a process begins with a whole processor.
    """
    with _group(megabytes) as group:
        if group is None:
            return None
        with Host(programs["taxonomy-host"], service(programs) | {name: function(command) | {"group": str(group)}}) as host:
            terms = _load(host)
            first = [micros(_cold(host, name, terms[0]), "took") for _ in range(STARTS)]
            return {"first": statistics.median(first), "warm": statistics.median(micros(_ask(host, name, term), "took") for term in terms[1:])}


@contextmanager
def _group(megabytes: int) -> Iterator[Path | None]:
    """A control group with a share of one processor; None where this process may not make one."""
    quota = str(PERIOD_MICROS * megabytes // PROCESSOR_MB)
    version_1 = (GROUP / "cpu" / f"taxonomy-{megabytes}", {"cpu.cfs_period_us": str(PERIOD_MICROS), "cpu.cfs_quota_us": quota})
    version_2 = (GROUP / f"taxonomy-{megabytes}", {"cpu.max": f"{quota} {PERIOD_MICROS}"})
    for folder, settings in (version_1, version_2):
        try:
            folder.mkdir(exist_ok=True)
            for name, setting in settings.items():
                (folder / name).write_text(setting)
        except OSError:
            continue
        try:
            yield folder
        finally:
            _remove(folder)
        return
    yield None


def _remove(folder: Path) -> None:
    """Removes a control group. It is busy until the processes have ended that the host killed when it ended itself."""
    deadline = time.monotonic() + END_SECONDS
    while time.monotonic() < deadline:
        with suppress(OSError):
            folder.rmdir()
            return
        time.sleep(0.01)
    folder.rmdir()


def burst(programs: dict[str, Path]) -> Json:
    """Two hundred requests at once to processes that all start cold, and the same while table and bucket refuse some: what waits, what is lost."""
    with Host(programs["taxonomy-host"], service(programs, lookups=PROCESSES)) as host:
        terms, found = _load(host), {}
        for name, every in (("undisturbed", 0), ("refused", REFUSED)):
            host.own("stop/lookup")
            host.own(f"throttle/{every}")
            with ThreadPoolExecutor(BURST) as pool:
                asked = [pool.submit(host.get, f"/v1/tenants/{TENANT}/terms/{terms[place % len(terms)]}") for place in range(BURST)]
                answers = [each.result() for each in asked]
            times = {time: [micros(answer, time) for answer in answers if micros(answer, time)] for time in ("waited", "began", "took")}
            found[name] = {
                "requests": BURST,
                "lost": sum(answer.status != 200 for answer in answers),
                "started": len(times["began"]),
                "refused": host.own("throttle/0"),
                **{time: _quantiles(micros) for time, micros in times.items()},
            }
    return found


def _quantiles(micros: list[int]) -> Json:
    ordered = sorted(micros) or [0]
    return {"p50": ordered[len(ordered) // 2], "p99": ordered[len(ordered) * 99 // 100], "max": ordered[-1]}
