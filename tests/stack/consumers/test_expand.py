"""Tests of `taxonomy expand` over very many metrics: every line compared with the file, requests counted, memory measured."""

import json
import os
import random
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

from checks.data import file
from oracle import Taxonomy
from program import Measured, measured, succeed
from stack import FIRST, stack

#: The number of metrics: a million in `make prove NAMES=cli`.
METRICS = int(os.environ.get("PROVE_CLI_METRICS", "100000"))
MOST_MEBIBYTES = 64
SEED = 20261122


def metrics(ids: list[int]) -> Iterator[tuple[str, list[int]]]:
    """Returns metrics with none to four ids; a few ids are unknown, and some ids occur far more often than others."""
    chosen = random.Random(SEED)
    for number in range(METRICS):
        some = [ids[int(len(ids) * chosen.random() ** 3)] for _ in range(chosen.choice((0, 1, 1, 2, 3, 4)))]
        if chosen.random() < 0.01:
            some.append(10_000_000 + chosen.randrange(50))
        terms = ",".join(f'{{"id":{id}}}' for id in some)
        yield f'{{"type":"job-view","number":{number},"score":1.50,"categories":[{{"id":1,"terms":[{terms}]}}]}}', some


class Expand(unittest.TestCase):
    def test_every_line_is_what_the_file_says(self) -> None:
        source = FIRST if os.environ.get("TAXONOMY_DATA") == "none" else file("google/taxonomy-v1.json")
        tenant, taxonomy = stack().fresh_tenant("expanded"), Taxonomy.read(source)
        succeed("push", source, "--tenant", tenant)
        culture = taxonomy.default_culture
        names = {id: [taxonomy.final_name(each, culture) for each in (term, *term.ancestors)] for id, term in taxonomy.terms.items()}
        ids = sorted(names)
        random.Random(SEED).shuffle(ids)
        with tempfile.TemporaryDirectory() as folder:
            given, written = Path(folder) / "metrics.ndjson", Path(folder) / "expanded.ndjson"
            with given.open("w") as out:
                out.writelines(f"{line}\n" for line, _ in metrics(ids))
            done = measured(Path(folder), "expand", given, "--tenant", tenant, "--out", written)
            self.assertEqual(done.code, 0, done.err)
            distinct = self.compare(ids, names, written)
        print(f"\nexpand: {METRICS} metrics of {distinct} distinct ids, {METRICS / done.seconds:.0f} a second, {done}; {done.err}", flush=True)
        self.assertTrue(0 < done.most <= MOST_MEBIBYTES, done)
        # A batch may be sent before it is full when the input pauses, and the version is requested every few seconds.
        self.assertLessEqual(_requests(done), -(-distinct // 100) + 8 + done.seconds / 4)
        self.assertGreater(distinct, 100, "one request would do")

    def compare(self, ids: list[int], names: dict[int, list[str]], written: Path) -> int:
        """Compares every line; returns the number of distinct ids."""
        distinct: set[int] = set()
        with written.open() as lines:
            for (line, some), out in zip(metrics(ids), lines, strict=True):
                distinct.update(some)
                told = list(dict.fromkeys(name for id in some for name in names.get(id, [])))
                unknown = list(dict.fromkeys(id for id in some if id not in names))
                self.assertTrue(out.startswith(line[:-1] + ","), out)
                found = json.loads(out)
                self.assertEqual((found["names"], found.get("unknown", []), found.get("taxonomyVersion")), (told, unknown, 1 if some else None), line)
        return len(distinct)


def _requests(done: Measured) -> int:
    return int(done.err.split(" request")[0].split()[-1].replace(",", ""))


if __name__ == "__main__":
    unittest.main()
