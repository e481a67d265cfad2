"""Tests of the workflow for repositories of taxonomies, each of its steps executed against the deployed stack."""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from program import succeed
from stack import stack
from workflow import SOURCE, Run, Runner, workflow


class ARepository(unittest.TestCase):
    """A repository with two tenants of its own, published by the first commit."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.runner = Runner(Path(folder.name))
        self.acme, self.globex = (stack().fresh_tenant(f"workflow-{name}") for name in ("acme", "globex"))
        for tenant, sample in ((self.acme, "acme"), (self.globex, "globex")):
            self.write(tenant, json.loads((SOURCE / "taxonomies" / f"{sample}.json").read_text()))
        self.base = self.runner.commit("Begin")
        self.succeeded(self.runner.merge())

    def write(self, tenant: str, content: Any) -> None:
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=2)
        (self.runner.repository / "taxonomies" / f"{tenant}.json").write_text(text)

    def read(self, tenant: str) -> Any:
        return json.loads((self.runner.repository / "taxonomies" / f"{tenant}.json").read_text())

    def succeeded(self, run: Run) -> None:
        self.assertTrue(run.succeeded, run.log)

    def comments(self) -> list[str]:
        found: list[str] = json.loads(self.runner.comments.read_text())
        return found

    def version(self, tenant: str) -> int:
        return int(stack().head_item(tenant)["V"])


class AChange(ARepository):
    def test_is_answered_by_one_comment_that_shows_the_plan(self) -> None:
        content = self.read(self.acme)
        content["categories"][0]["terms"][0]["names"][0]["name"] = "Technology"
        del content["categories"][0]["terms"][1]
        self.write(self.acme, content)
        self.runner.commit("Rename")
        self.succeeded(self.runner.propose(self.base))
        [comment] = self.comments()
        self.assertIn(f"### `{self.acme}`\n", comment)
        self.assertIn('"Engineering" -> "Technology"', comment)
        self.assertRegex(comment, r"- remove +Department:Finance \(20\)")
        self.assertRegex(comment, r"Terms: 0 added, \d+ changed .*, 1 removed\.")
        self.assertNotIn(self.globex, comment)
        # Nothing is published before the merge.
        self.assertEqual(self.version(self.acme), 1)
        content["categories"][0]["terms"][0]["names"][0]["name"] = "Products"
        self.write(self.acme, content)
        self.runner.commit("Rename again")
        self.succeeded(self.runner.propose(self.base))
        [comment] = self.comments()
        self.assertIn('"Engineering" -> "Products"', comment)
        self.assertNotIn("Technology", comment)

    def test_with_a_broken_file_fails_and_is_told_the_place(self) -> None:
        self.write(self.acme, '{\n  "categories": [\n    { "id": 1, "names": [] }\n  ]\n}\n')
        self.write("no tenant", self.read(self.globex))
        self.runner.commit("Break")
        run = self.runner.propose(self.base)
        self.assertFalse(run.succeeded)
        [comment] = self.comments()
        self.assertIn(f"### ❌ `{self.acme}`: refused", comment)
        self.assertRegex(comment, rf"taxonomies/{self.acme}\.json:3:\d+")
        self.assertIn("### ❌ A file that is no taxonomy of a tenant", comment)
        self.assertEqual(run.summary, comment)

    def test_of_names_that_are_code_elsewhere_shows_them_as_text(self) -> None:
        hostile = ["$(touch stolen)", "`touch stolen`", "```` </details> <img src=x>", "@everyone", "[link](http://example.com)", "'; touch stolen; '"]
        content = self.read(self.acme)
        content["categories"][0]["terms"] += [{"id": 100 + number, "name": name} for number, name in enumerate(hostile)]
        self.write(self.acme, content)
        for name in ("$(touch stolen)", "x\n```\n<script>"):
            (self.runner.repository / "taxonomies" / f"{name}.json").write_text("{}")
        self.runner.commit("$(touch stolen) `touch stolen` ${{ github.token }}")
        self.assertFalse(self.runner.propose(self.base).succeeded)
        [comment] = self.comments()
        # What is left beside the fences, each of which is closed by a line of its own.
        outside = re.sub(r"^(`{3,})\n.*?\n\1$", "", comment, flags=re.MULTILINE | re.DOTALL)
        self.assertNotRegex(outside, r"(?m)^```", "a fence is open at the end")
        for name in (*hostile, "<script>"):
            self.assertIn(name, comment)
            self.assertNotIn(name, outside)
        self.assertEqual(len(re.findall("^</details>", outside, re.MULTILINE)), 1)
        self.assertEqual([path.name for path in self.runner.repository.rglob("stolen")], [])

    def test_whose_names_are_commands_of_the_runner_is_logged_between_marks(self) -> None:
        content = self.read(self.acme)
        content["categories"][0]["terms"] += [{"id": 100, "name": "##[add-mask]Paris"}, {"id": 101, "name": "::add-mask::Paris"}]
        self.write(self.acme, content)
        self.runner.commit("Command")
        log = self.runner.propose(self.base).log["Plan"]
        inside = re.search(r"^::stop-commands::([0-9a-f]{32})$(.*)^::\1::$", log, re.MULTILINE | re.DOTALL)
        assert inside is not None, log
        self.assertIn("##[add-mask]Paris", inside[2])
        self.assertNotIn("add-mask", log.replace(inside[2], ""))

    def test_from_a_fork_is_compared_without_credentials_and_without_a_comment(self) -> None:
        content = self.read(self.globex)
        content["categories"][0]["terms"][0]["name"] = "Bremen"
        self.write(self.globex, content)
        self.write("workflow-newcomer", self.read(self.acme))
        self.runner.commit("Move")
        run = self.runner.propose(self.base, fork=True)
        self.succeeded(run)
        self.assertEqual(set(run.log), {"Install taxonomy", "Plan"})
        self.assertIn("comes from a fork", run.summary)
        self.assertIn('"Hamburg" -> "Bremen"', run.summary)
        self.assertRegex(run.summary, r"Terms: 4 added, 0 changed")
        self.assertEqual(self.comments(), [])

    def test_of_very_many_terms_is_cut_to_what_a_comment_takes(self) -> None:
        content = self.read(self.acme)
        content["categories"][0]["terms"] += [{"id": 1000 + number, "name": f"Ünit {number} " + "x" * 60} for number in range(2000)]
        self.write(self.acme, content)
        self.runner.commit("Grow")
        run = self.runner.propose(self.base)
        self.succeeded(run)
        [comment] = self.comments()
        self.assertGreater(len(comment), 40000)
        self.assertIn("... cut here", comment)
        self.assertEqual(comment.count("<details>"), comment.count("</details>"))
        self.assertIn("Unit 1999", run.log["Plan"].replace("Ü", "U"))

    def test_that_only_removes_a_file_or_brings_a_link(self) -> None:
        (self.runner.repository / "taxonomies" / f"{self.globex}.json").unlink()
        self.runner.commit("Remove")
        self.succeeded(self.runner.propose(self.base))
        [comment] = self.comments()
        self.assertIn(f"### `{self.globex}`: the file is removed", comment)
        (self.runner.repository / "taxonomies" / f"{self.globex}.json").symlink_to("/proc/self/environ")
        self.runner.commit("Link")
        self.assertFalse(self.runner.propose(self.base).succeeded)
        self.assertIn("### ❌ A file that is no taxonomy of a tenant", self.comments()[0])
        self.assertNotIn("RUNNER_TEMP", self.comments()[0])
        self.assertFalse(self.runner.merge().succeeded)


class AMerge(ARepository):
    def test_publishes_what_differs_and_keeps_whose_change_it_is(self) -> None:
        content = self.read(self.acme)
        content["categories"][0]["terms"][1]["name"] = "Treasury"
        self.write(self.acme, content)
        commit = self.runner.commit("--reason of José: Finance is called Treasury\n\nAs the board wants it.")
        run = self.runner.merge()
        self.succeeded(run)
        self.assertIn("published", run.summary)
        self.assertEqual((self.version(self.acme), self.version(self.globex)), (2, 1))
        history = succeed("history", self.acme, "--output", "json").json()
        newest = max(history["versions"], key=lambda each: each["version"])
        kept = {name: newest["provenance"][name] for name in ("release", "author", "reason")}
        self.assertEqual(kept, {"release": commit, "author": "Ada Example", "reason": "--reason of Jos??: Finance is called Treasury"})
        self.assertIn("Treasury", succeed("get", "20", "--tenant", self.acme).out)

    def test_of_a_file_that_removes_nearly_everything_fails_and_publishes_the_others(self) -> None:
        grown = self.read(self.acme)
        grown["categories"][0]["terms"] += [{"id": 1000 + number, "name": f"Unit {number}"} for number in range(100)]
        self.write(self.acme, grown)
        self.runner.commit("Grow")
        self.succeeded(self.runner.merge())
        grown["categories"][0]["terms"] = grown["categories"][0]["terms"][:1]
        self.write(self.acme, grown)
        other = self.read(self.globex)
        other["categories"][0]["terms"][0]["name"] = "Bremen"
        self.write(self.globex, other)
        self.runner.commit("Shrink")
        run = self.runner.merge()
        self.assertFalse(run.succeeded)
        self.assertIn("removal", run.log["Publish"])
        self.assertEqual((self.version(self.acme), self.version(self.globex)), (2, 2))

    def test_with_another_archive_than_the_one_that_was_reviewed_runs_nothing(self) -> None:
        self.runner.archive["ARCHIVE_SHA256"] = "1" * 64
        run = self.runner.merge()
        self.assertFalse(run.succeeded)
        self.assertEqual(set(run.log), {"Install taxonomy"})


class TheWorkflow(unittest.TestCase):
    def test_scripts_are_clean(self) -> None:
        for script in (SOURCE / ".github" / "taxonomy.sh", SOURCE.parent / "stack" / ".github" / "stack.sh"):
            done = subprocess.run(["shellcheck", str(script)], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, ""), script.name)

    def test_grants_no_more_than_each_job_needs(self) -> None:
        described = workflow()
        self.assertEqual(described["permissions"], {})
        self.assertEqual(described["jobs"]["check"]["permissions"], {"contents": "read", "id-token": "write", "pull-requests": "write"})
        self.assertEqual(described["jobs"]["publish"]["permissions"], {"contents": "read", "id-token": "write"})
        self.assertFalse(described["jobs"]["publish"]["concurrency"]["cancel-in-progress"])
        # Never pull_request_target, which would give credentials to the code of a fork.
        self.assertEqual(set(described[True]), {"pull_request", "push", "workflow_dispatch"})
        for job in described["jobs"].values():
            self.assertIn("timeout-minutes", job)


if __name__ == "__main__":
    unittest.main()
