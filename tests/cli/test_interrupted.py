"""Tests of Ctrl-C and SIGKILL at random moments of `push` and `expand`: no output is partial, and the same command completes it."""

import json
import os
import pty
import random
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import environment, kill, program, stack, succeed, taxonomy

from oracle import Taxonomy  # isort: skip - found by program
from stack import SAMPLES, until
from test_expand import expected, metrics, names_by_id

#: The number of kills of each command by each signal.
KILLS = int(os.environ.get("PROVE_CLI_KILLS", "10"))
METRICS = 60_000
FIRST = SAMPLES / "job-board-v1.json"
SIGNALS = (signal.SIGINT, signal.SIGKILL)


class Interrupted(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.chosen = random.Random(7)

    def test_a_push_that_is_cut_off_is_completed_by_the_next(self) -> None:
        running, tenant = stack(), stack().fresh_tenant("cut-off")
        succeed("push", FIRST, "--tenant", tenant)
        content = json.loads(FIRST.read_text())
        ended: list[int | None] = []
        for round, number in enumerate(KILLS * SIGNALS):
            content["categories"][0]["names"][0]["name"] = f"Sector {round}"
            file = self.folder / "next.json"
            file.write_text(json.dumps(content))
            ended.append(kill(["push", file, "--tenant", tenant], self.chosen.uniform(0, 0.6), number))
            pushed = succeed("push", file, "--tenant", tenant, "--output", "json").json()["pushes"][0]
            self.assertIn(pushed["outcome"], ("published", "unchanged", "sameContent", "superseded"))
            self.assertEqual(int(running.head_item(tenant)["V"]), round + 2, "one version for one file")
        until("the items of the last version", 300, lambda: running.head_item(tenant)["Projected"] == running.head_item(tenant)["V"] or None)
        same = [item for item in running.projection(tenant).values() if not item.get("Removed")]
        self.assertEqual(len({item["PK"] for item in same}), len(Taxonomy.read(file).terms) + len(content["categories"]))
        self.assertEqual(succeed("verify", tenant, "--timeout", "900", "--output", "json").json()["differences"], 0)
        codes = {code for code in ended if code is not None}
        print(f"\npush: {len(ended)} interrupted, {ended.count(None)} of them too late; exit codes {sorted(codes)}", flush=True)
        self.assertLessEqual(codes, {130, -signal.SIGINT, -signal.SIGKILL, 0})

    def test_an_expansion_that_is_cut_off_is_resumed(self) -> None:
        tenant = stack().fresh_tenant("resumed")
        succeed("push", FIRST, "--tenant", tenant)
        names = names_by_id(FIRST)
        ids = sorted(names)
        given, written = self.folder / "metrics.ndjson", self.folder / "expanded.ndjson"
        with given.open("w") as out:
            out.writelines(f"{line}\n" for line, _ in metrics(ids, METRICS))
        cut = torn = 0
        for number in KILLS * SIGNALS:
            written.unlink(missing_ok=True)
            lines = [0]
            for _ in range(3):
                size = written.stat().st_size if written.exists() else 0
                # At a random moment after the run has written something.
                code = kill(
                    ["expand", given, "--tenant", tenant, "--out", written, "--resume"],
                    self.chosen.uniform(0, 0.2),
                    number,
                    once=lambda: written.exists() and written.stat().st_size > size,
                )
                if code is None or code == 0:
                    break
                self.assertIn(code, {130, -signal.SIGKILL, -signal.SIGINT})
                content = written.read_bytes()
                is_torn = not content.endswith(b"\n")
                torn += is_torn
                self.assertFalse(is_torn and number == signal.SIGINT, "Ctrl-C ends at a line boundary")
                lines.append(content.count(b"\n"))
                self.assertGreater(lines[-1], lines[-2], "the next run goes on behind the last complete line")
                cut += lines[-1] < METRICS
            done = taxonomy("expand", given, "--tenant", tenant, "--out", written, "--resume")
            self.assertEqual(done.code, 0, done.err)
            if lines[-1]:
                self.assertIn(f"resumed after {lines[-1]:,} line", done.err)
            self.compare(ids, names, written)
        print(f"\nexpand: {cut} interrupted in the middle and resumed, {torn} with a torn last line", flush=True)
        self.assertGreater(cut, KILLS)

    def test_a_question_ends_at_ctrl_c(self) -> None:
        tenant = stack().fresh_tenant("asked")
        succeed("push", FIRST, "--tenant", tenant)
        person, terminal = pty.openpty()
        asked = subprocess.Popen([program(), "rebuild", tenant], env=environment(), stdin=terminal, stdout=terminal, stderr=terminal)
        os.close(terminal)
        said = b""
        while b"Type `yes`" not in said:
            said += os.read(person, 1000)
        asked.send_signal(signal.SIGINT)
        self.assertEqual(asked.wait(10), 130)
        os.close(person)
        self.assertEqual(int(stack().head_item(tenant)["V"]), 1)

    def compare(self, ids: list[int], names: dict[int, list[str]], written: Path) -> None:
        with written.open() as lines:
            count = 0
            for (line, some), out in zip(metrics(ids, METRICS), lines):
                count += 1
                head, told, unknown = expected(line, some, names)
                found = json.loads(out)
                self.assertEqual((out.startswith(head + ","), found["names"], found.get("unknown", [])), (True, told, unknown), line)
            self.assertEqual((count, lines.read()), (METRICS, ""))


if __name__ == "__main__":
    unittest.main()
