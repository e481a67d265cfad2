"""What operators do with versions, over the deployed stack: look back, go back, write everything again, verify."""

import json
import os
import subprocess
import unittest
from functools import cache
from pathlib import Path

from history import History
from items import expected_items
from oracle import Taxonomy
from stack import ROOT, SAMPLES, Stack, stack
from test_walk import same
from versions import canonical, expected_snapshot

# With the features of the whole workspace, so that `make test` has built it; those of its package alone are another build of the SDK.
BUILD = ["cargo", "build", "--quiet", "--workspace", "--example", "operate", "--message-format=json-render-diagnostics"]


@cache
def program() -> Path:
    """The example `operate`, built."""
    done = subprocess.run(BUILD, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"operate does not build: {done.stderr}")
    built = [json.loads(line) for line in done.stdout.splitlines()]
    return next(Path(each["executable"]) for each in built if each.get("executable") and each["target"]["name"] == "operate")


def operate(running: Stack, *arguments: str) -> bytes:
    """What the library's commands say."""
    environment = os.environ | {
        "AWS_ENDPOINT_URL": running.endpoint,
        "AWS_REGION": running.region,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_SESSION_TOKEN": "",
        "TABLE_NAME": running.table,
        "SOURCE_BUCKET": running.source_bucket,
        "CHANGESETS_BUCKET": running.changesets_bucket,
        "DEFAULT_CULTURE": "en-GB",
    }
    done = subprocess.run([program(), *arguments], cwd=ROOT, env=environment, capture_output=True)
    if done.returncode:
        raise AssertionError(f"operate {' '.join(arguments)}: {done.stderr.decode()}")
    return done.stdout


class Operators(unittest.TestCase):
    def test_an_older_version_is_read_and_gone_back_to(self) -> None:
        running, history = stack(), History()
        tenant = running.fresh_tenant("operated")
        first, second = (Taxonomy.read(SAMPLES / f"job-board-v{number}.json") for number in (1, 2))
        for number, taxonomy in ((1, first), (2, second)):
            pushed = running.push(tenant, (SAMPLES / f"job-board-v{number}.json").read_bytes())
            head = running.wait_projected(pushed)
            history.commit(number, expected_items(taxonomy, tenant), head["CommittedAt"])

        for number, taxonomy in ((1, first), (2, second)):
            state = operate(running, "state", tenant, str(number))
            self.assertEqual(state, canonical(expected_snapshot(taxonomy)), f"version {number} read again")

        self.assertEqual(operate(running, "roll-back", tenant, "1").decode().split(), ["3", "AtRest"])
        head = running.head_item(tenant)
        history.commit(3, expected_items(first, tenant), head["CommittedAt"])
        same("the table after the way back", history.table, running.projection(tenant))
        verdict = operate(running, "verify", tenant).decode()
        print(f"\n{tenant} rolled back from version 2 to 1: {verdict}", flush=True)
        self.assertIn("differences: 0", verdict)

        self.assertEqual(operate(running, "rebuild", tenant).decode().split(), ["4", "AtRest"])
        self.assertIn("differences: 0", operate(running, "verify", tenant).decode())
        live = {key for key, item in running.projection(tenant).items() if not item.get("Removed")}
        self.assertEqual(live, set(expected_items(first, tenant)))
        log = [line.split()[:2] for line in operate(running, "history", tenant).decode().splitlines()]
        self.assertEqual(log, [["4", "rebuild"], ["3", "rollback"], ["2", "upload"], ["1", "upload"]])


if __name__ == "__main__":
    unittest.main()
