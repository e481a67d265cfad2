"""Tests of `taxonomy expand` over many metrics: every line compared with an oracle, requests counted, memory measured."""

import json
import os
import random
import re
import subprocess
import tempfile
import time
import unittest
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from program import ROOT, environment, program, stack, succeed

from oracle import Taxonomy  # isort: skip - found by program
from stack import SAMPLES

#: The number of metrics: a million in `make prove NAMES=cli`.
METRICS = int(os.environ.get("PROVE_CLI_METRICS", "100000"))
DATA = Path(os.environ.get("TAXONOMY_DATA", ROOT.parent / "shared" / "data"))
MOST_MEBIBYTES = 64
#: The size of the program in a release build; the tested program is a debug build of six times that size.
RELEASE_MEBIBYTES = 13
SEED = 20261122


def names_by_id(file: Path) -> dict[int, list[str]]:
    """Returns the FinalName of every term and those of its ancestors, nearest first, read from the file."""
    taxonomy = json.loads(file.read_text())
    culture = taxonomy["defaultCulture"]
    found: dict[int, list[str]] = {}

    def name(node: dict[str, object]) -> str:
        names = node.get("names")
        if isinstance(names, list):
            return next(str(each["name"]) for each in names if each["culture"] == culture)
        return str(node["name"])

    def walk(nodes: list[dict[str, object]], category: str, above: list[str]) -> None:
        for node in nodes:
            own = [f"{category}:{name(node)}", *above]
            found[int(str(node["id"]))] = own
            children = node.get("children")
            if isinstance(children, list):
                walk(children, category, own)

    for category in taxonomy["categories"]:
        walk(category.get("terms", []), name(category), [])
    return found


def metrics(ids: list[int], count: int) -> Iterator[tuple[str, list[int]]]:
    """Returns metrics with none to four ids; a few ids are unknown, and some ids occur far more often than others."""
    chosen = random.Random(SEED)
    for number in range(count):
        some = [ids[int(len(ids) * chosen.random() ** 3)] for _ in range(chosen.choice((0, 1, 1, 2, 3, 4)))]
        if chosen.random() < 0.01:
            some.append(10_000_000 + chosen.randrange(50))
        terms = ",".join(f'{{"id":{id}}}' for id in some)
        yield f'{{"type":"job-view","number":{number},"score":1.50,"categories":[{{"id":1,"terms":[{terms}]}}]}}', some


def expected(line: str, ids: list[int], names: dict[int, list[str]]) -> tuple[str, list[str], list[int]]:
    """Returns the unchanged metric, each name once in the order of the ids, and each unknown id once."""
    told = dict.fromkeys(name for id in ids for name in names.get(id, []))
    return line[:-1], list(told), list(dict.fromkeys(id for id in ids if id not in names))


@dataclass(frozen=True)
class Memory:
    """The largest resident memory of a process, and the pages of its program's file in it, in MiB."""

    most: float = 0
    program: float = 0

    def __str__(self) -> str:
        return f"at most {self.most:.0f} MiB, {self.program:.0f} of them the program's file"


def watched(running: subprocess.Popen[bytes]) -> Memory:
    """Waits for the end. The kernel's figure for a child that has ended includes the process that started it."""
    memory = Memory()
    while running.poll() is None:
        try:
            status = Path(f"/proc/{running.pid}/status").read_text()
        except OSError:
            break  # it ended just now
        found = {name: int(kibibytes) / 1024 for name, kibibytes in re.findall(r"(VmHWM|RssFile):\s+(\d+) kB", status)}
        if found:
            memory = Memory(max(memory.most, found["VmHWM"]), max(memory.program, found["RssFile"]))
        time.sleep(0.02)
    running.wait()
    return memory


def expand(tenant: str, given: Path, written: Path) -> tuple[Memory, str]:
    """Expands a file; returns the memory and the summary."""
    command = [program(), "expand", str(given), "--tenant", tenant, "--out", str(written)]
    with tempfile.TemporaryFile("w+") as said:
        running = subprocess.Popen(command, env=environment(), stdin=subprocess.DEVNULL, stderr=said)
        memory = watched(running)
        said.seek(0)
        summary = said.read().strip()
    assert running.returncode == 0, summary
    return memory, summary


def deep(chains: int, leaves: int) -> tuple[dict[str, object], list[int]]:
    """Returns terms of 32 levels with names so long that a response with 100 of them has 5.7 MB, and the ids of those without children."""
    ids, ends = iter(range(1, 100_000)), []

    def term(children: list[dict[str, object]]) -> dict[str, object]:
        id = next(ids)
        return {"id": id, "name": f"{id:06}".ljust(490, "分")} | ({"children": children} if children else {})

    tops = []
    for _ in range(chains):
        below = [term([]) for _ in range(leaves)]
        ends.extend(int(str(leaf["id"])) for leaf in below)
        for _ in range(31):
            below = [term(below)]
        tops.extend(below)
    category = {"id": 1, "name": "類" * 100, "terms": tops}
    return {"defaultCulture": "zh-CN", "cultures": ["zh-CN"], "categories": [category]}, ends


class Largest(unittest.TestCase):
    """Responses of nearly 6 MB for metrics with as many ids as they may have."""

    def test_memory_is_bounded(self) -> None:
        content, ends = deep(chains=20, leaves=20)
        lines = 30
        with tempfile.TemporaryDirectory() as folder:
            file, given, written = Path(folder) / "deep.json", Path(folder) / "metrics.ndjson", Path(folder) / "expanded.ndjson"
            file.write_text(json.dumps(content))
            tenant = stack().fresh_tenant("largest")
            succeed("push", file, "--tenant", tenant)
            names = names_by_id(file)
            asked = [ends + list(range((line + 1) * 1_000_000, (line + 1) * 1_000_000 + 10_000 - len(ends))) for line in range(lines)]
            with given.open("w") as out:
                for ids in asked:
                    out.write(json.dumps({"categories": [{"terms": [{"id": id} for id in ids]}]}) + "\n")
            memory, summary = expand(tenant, given, written)
            with written.open() as found:
                for ids, line in zip(asked, found, strict=True):
                    metric = json.loads(line)
                    _, told, unknown = expected("", ids, names)
                    self.assertEqual((metric["names"], metric["unknown"]), (told, unknown))
        print(f"\nexpand, largest answers: {memory}; {summary}", flush=True)
        self.assertTrue(0 < memory.most - memory.program <= MOST_MEBIBYTES - RELEASE_MEBIBYTES, memory)


class Expand(unittest.TestCase):
    def test_every_line_is_what_the_file_says(self) -> None:
        file = DATA / "google" / "taxonomy-v1.json"
        if not file.exists():
            file = SAMPLES / "job-board-v1.json"
        tenant = stack().fresh_tenant("expanded")
        succeed("push", file, "--tenant", tenant)
        names = names_by_id(file)
        self.assertEqual(len(names), len(Taxonomy.read(file).terms))
        ids = sorted(names)
        random.Random(SEED).shuffle(ids)
        with tempfile.TemporaryDirectory() as folder:
            given, written = Path(folder) / "metrics.ndjson", Path(folder) / "expanded.ndjson"
            with given.open("w") as out:
                out.writelines(f"{line}\n" for line, _ in metrics(ids, METRICS))
            began = time.monotonic()
            memory, summary = expand(tenant, given, written)
            seconds = time.monotonic() - began
            distinct = self.compare(ids, names, written)
        print(
            f"\nexpand: {METRICS} metrics of {distinct} distinct ids of {len(names)} terms in {seconds:.1f} s, {METRICS / seconds:.0f} a second, "
            f"{memory}; {summary}",
            flush=True,
        )
        self.assertTrue(0 < memory.most <= MOST_MEBIBYTES, memory)
        requests = int(summary.split(" request")[0].split()[-1].replace(",", ""))
        # A batch may be sent before it is full when the input pauses, and the version is requested every few seconds.
        self.assertLessEqual(requests, -(-distinct // 100) + 8 + seconds / 4)
        self.assertGreater(distinct, 100, "one request would do")

    def compare(self, ids: list[int], names: dict[int, list[str]], written: Path) -> int:
        """Compares every line; returns the number of distinct ids."""
        distinct: set[int] = set()
        count = 0
        with written.open() as lines:
            for (line, some), out in zip(metrics(ids, METRICS), lines):
                count += 1
                distinct.update(some)
                head, told, unknown = expected(line, some, names)
                self.assertTrue(out.startswith(head + ","), out)
                found = json.loads(out)
                self.assertEqual((found["names"], found.get("unknown", [])), (told, unknown), line)
                self.assertEqual(found.get("taxonomyVersion"), 1 if some else None, line)
            self.assertEqual(lines.read(), "")
        self.assertEqual(count, METRICS)
        return len(distinct)


if __name__ == "__main__":
    unittest.main()
