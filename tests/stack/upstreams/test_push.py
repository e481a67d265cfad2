"""Tests of `taxonomy push` and `plan`, over the deployed stack: uploads, omitted uploads, and their reported outcomes."""

import gzip
import json
import os
import random
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import environment, is_whole, kill, program, succeed, taxonomy
from stack import FIRST, SECOND, stack, until

#: The number of kills by each signal.
KILLS = int(os.environ.get("PROVE_CLI_KILLS", "2"))


def outcome(*arguments: str | Path) -> tuple[int, list[tuple[str, int | None]]]:
    """Returns the exit code, and outcome and version of each file."""
    done = taxonomy("push", *arguments, "--output", "json")
    return done.code, [(push["outcome"], push.get("version")) for push in done.json()["pushes"]]


def uploads(tenant: str) -> int:
    """Returns the number of uploads of the tenant's object."""
    running = stack()
    key = f"taxonomies/{tenant}.json"
    listed = running.client("s3").list_object_versions(Bucket=running.source_bucket, Prefix=key)
    return len([version for version in listed.get("Versions", []) if version["Key"] == key])


class Push(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def written(self, name: str, content: object) -> Path:
        file = self.folder / name
        file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return file

    def test_a_file_is_uploaded_once(self) -> None:
        tenant = stack().fresh_tenant("once")
        self.assertEqual(outcome(FIRST, "--tenant", tenant), (0, [("published", 1)]))
        self.assertEqual(outcome(FIRST, "--tenant", tenant), (0, [("unchanged", 1)]))
        self.assertEqual(uploads(tenant), 1)
        packed = self.written("packed.json.gz", gzip.compress(FIRST.read_bytes()))
        self.assertEqual(outcome(packed, "--tenant", tenant), (0, [("sameContent", 1)]), "other bytes of the same content")

    def test_an_invalid_file_is_not_uploaded(self) -> None:
        tenant = stack().fresh_tenant("invalid")
        file = self.written("invalid.json", {"categories": [{"id": 1, "names": []}]})
        self.assertEqual(outcome(file, "--tenant", tenant), (5, [("invalid", None)]))
        self.assertEqual(uploads(tenant), 0)

    def test_a_removal_beyond_the_limit_is_not_uploaded(self) -> None:
        tenant = stack().fresh_tenant("refused")
        outcome(FIRST, "--tenant", tenant)
        small = self.written("small.json", {"defaultCulture": "en-GB", "categories": [{"id": 1, "names": [{"culture": "en-GB", "name": "Sector"}], "terms": []}]})
        planned = taxonomy("plan", small, "--tenant", tenant)
        self.assertEqual(planned.code, 5, planned)
        done = taxonomy("push", small, "--tenant", tenant)
        self.assertEqual(done.code, 5, done)
        self.assertIn("would refuse to remove 144 terms of 144", done.err)
        self.assertEqual(uploads(tenant), 1)
        done = taxonomy("push", small, "--tenant", tenant, "--allow-removals")
        self.assertEqual(done.code, 0, done)
        self.assertIn("version 2 is served: +0 ~0 -144 terms", done.out)

    def test_a_plan_holds_for_its_file_and_its_head_alone(self) -> None:
        running, tenant = stack(), stack().fresh_tenant("planned")
        outcome(FIRST, "--tenant", tenant)
        plan, stale = self.folder / "plan", self.folder / "stale"
        third = self.written("third.json", SECOND.read_bytes().replace(b"Large language models", b"Language models"))
        succeed("plan", third, "--tenant", tenant, "--out", stale)
        differs = taxonomy("plan", SECOND, "--tenant", tenant, "--out", plan, "--detailed-exitcode")
        self.assertEqual(differs.code, 3, differs)
        self.assertEqual(taxonomy("push", FIRST, "--plan", plan).code, 5, "another file")
        self.assertEqual(outcome(SECOND, "--plan", plan), (0, [("published", 2)]))
        self.assertEqual(outcome(SECOND, "--plan", plan), (0, [("unchanged", 2)]), "a push that is repeated")
        moved = taxonomy("push", third, "--plan", stale)
        self.assertEqual(moved.code, 5, moved)
        self.assertIn("moved from version 1 to 2", moved.err)
        succeed("plan", third, "--tenant", tenant, "--out", plan)
        succeed("tenant", "set", tenant, "--removal-terms", "21")
        self.assertIn("was configured", taxonomy("push", third, "--plan", plan).err)
        succeed("plan", third, "--tenant", tenant, "--out", plan)
        running.push(tenant, FIRST.read_bytes() + b"?")
        until("the refusal", 300, lambda: running.head_item(tenant).get("Refused"))
        self.assertIn("another file was uploaded", taxonomy("push", third, "--plan", plan).err)

    def test_an_upload_that_waits_is_followed_and_not_repeated(self) -> None:
        running, tenant = stack(), stack().fresh_tenant("pending")
        outcome(FIRST, "--tenant", tenant)
        succeed("tenant", "freeze", tenant)
        for _ in range(2):
            self.assertEqual(outcome(SECOND, "--tenant", tenant, "--no-wait"), (0, [("uploaded", None)]))
        self.assertEqual(uploads(tenant), 2, "the second push found the upload of the first")
        succeed("tenant", "thaw", tenant)
        self.assertIn(outcome(SECOND, "--tenant", tenant), [(0, [("published", 2)]), (0, [("unchanged", 2)])])
        self.assertEqual((uploads(tenant), int(running.head_item(tenant)["V"])), (2, 2))

    def test_a_folder_is_pushed_with_one_summary(self) -> None:
        tenants = [stack().fresh_tenant(f"folder-{name}") for name in "abcdef"]
        for tenant in tenants:
            self.written(f"{tenant}.json", FIRST.read_bytes())
        code, outcomes = outcome(self.folder, "--jobs", "3")
        self.assertEqual((code, outcomes), (0, [("published", 1)] * 6))
        self.written(f"{tenants[0]}.json", {"categories": [{"id": 1, "names": []}]})
        self.written(f"{tenants[1]}.json", SECOND.read_bytes())
        done = taxonomy("push", self.folder)
        self.assertEqual(done.code, 5, done)
        self.assertIn("5 files done, 1 not.", done.out)

    def test_an_upload_that_is_overtaken_names_the_version_that_is_served(self) -> None:
        running, tenant = stack(), stack().fresh_tenant("overtaken")
        # Its items take seconds, so the command is stopped before it has seen the last of them.
        large = json.loads(SECOND.read_text())
        names = [{"culture": "en-GB", "name": "Filler"}]
        large["categories"][0]["terms"] += [{"id": number, "names": names} for number in range(10_000, 15_000)]
        command = [program(), "push", str(self.written("large.json", large)), "--tenant", tenant, "--wait-for-table"]
        following = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True)
        until("the upload", 300, lambda: uploads(tenant) == 1 or None)
        following.send_signal(signal.SIGSTOP)
        large["categories"][0]["names"][0]["name"] = "Industry"
        running.wait_projected(running.push(tenant, json.dumps(large).encode()))
        served = running.head_item(tenant)["V"]
        following.send_signal(signal.SIGCONT)
        said, _ = following.communicate(timeout=60)
        self.assertEqual(following.returncode, 0, said)
        self.assertIn("superseded", said)
        self.assertIn(f"version {served} is served", said)

    def test_a_push_that_is_cut_off_is_completed_by_the_next(self) -> None:
        running, tenant, chosen = stack(), stack().fresh_tenant("cut-off"), random.Random(7)
        succeed("push", FIRST, "--tenant", tenant)
        content = json.loads(FIRST.read_text())
        ended: list[int | None] = []
        for round, number in enumerate(KILLS * (signal.SIGINT, signal.SIGKILL)):
            content["categories"][0]["names"][0]["name"] = f"Sector {round}"
            file = self.written("next.json", content)
            ended.append(kill(["push", file, "--tenant", tenant], chosen.uniform(0, 0.6), number))
            self.assertIn(outcome(file, "--tenant", tenant)[1][0][0], ("published", "unchanged", "sameContent", "superseded"))
            self.assertEqual(int(running.head_item(tenant)["V"]), round + 2, "one version for one file")
        is_whole(tenant)
        print(f"\npush: {len(ended)} interrupted, {ended.count(None)} of them too late", flush=True)
        self.assertLessEqual(set(ended) - {None}, {130, -signal.SIGINT, -signal.SIGKILL, 0})

    def test_configuration_comes_from_file_environment_and_flags(self) -> None:
        running = stack()
        tenant = running.fresh_tenant("configured-by-file")
        config = self.written("config.toml", f'stack = "{running.stack_name}"\nendpoint-url = "{running.endpoint}"\nregion = "{running.region}"\n'.encode())
        found = taxonomy("push", FIRST, "--tenant", tenant, "--config", config, AWS_REGION=None, AWS_ENDPOINT_URL=None, TAXONOMY_STACK=None)
        self.assertEqual(found.code, 0, found)
        found = taxonomy("tenant", "show", tenant, "--profile", "nobody", AWS_CONFIG_FILE="/nonexistent")
        self.assertEqual(found.code, 4, f"a profile counts more than credentials in the environment: {found}")
        outputs = [{"OutputKey": name, "OutputValue": value} for name, value in running.outputs.items()]
        file = self.written("outputs.json", outputs)
        found = taxonomy("tenant", "show", tenant, "--outputs", file, TAXONOMY_STACK="no-such-stack")
        self.assertEqual(found.code, 0, found)


if __name__ == "__main__":
    unittest.main()
