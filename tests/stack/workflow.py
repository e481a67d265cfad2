"""Runs a job of the workflow of `samples/repository` as a runner of GitHub does: the steps in order, each `run` by bash, in a git repository.

It implements the expressions and actions that the workflow uses, and fails on any other."""

import os
import re
import shutil
import subprocess
import tarfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from program import environment, program
from stack import ROOT

SOURCE = ROOT / "samples" / "repository"
WORKFLOW = SOURCE / ".github" / "workflows" / "taxonomy.yml"
REPOSITORY = "acme/taxonomies"
#: The environment that `aws-actions/configure-aws-credentials` sets for the steps after it.
CREDENTIALS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_ENDPOINT_URL", "AWS_EC2_METADATA_DISABLED")


def workflow() -> Any:
    """Returns the workflow; `on` is the key that YAML reads as true."""
    return yaml.safe_load(WORKFLOW.read_text())


@dataclass
class Run:
    """A run of a job that has ended."""

    succeeded: bool
    #: The output of the steps, by name.
    log: dict[str, str] = field(default_factory=dict)
    summary: str = ""


class Runner:
    """A machine of GitHub with a checkout: `repository` is the work tree, `github` the program `gh`."""

    def __init__(self, folder: Path) -> None:
        self.repository = folder / "repository"
        self._folder = folder
        self._programs = folder / "programs"
        self._programs.mkdir()
        shutil.copy(Path(__file__).with_name("gh.py"), self._programs / "gh")
        (self._programs / "gh").chmod(0o755)
        self.comments = folder / "comments.json"
        self.comments.write_text("[]")
        shutil.copytree(SOURCE, self.repository)
        for path in (self.repository / "taxonomies").iterdir():
            path.unlink()
        self.git("init", "--quiet", "--initial-branch=main")
        self.archive = self._release()

    def git(self, *arguments: str) -> str:
        """Runs git in the work tree."""
        identity = ["-c", "user.name=Ada Example", "-c", "user.email=ada@example.com"]
        done = subprocess.run(["git", *identity, *arguments], cwd=self.repository, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self, message: str) -> str:
        """Commits all changes, and returns the commit."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def propose(self, base: str, fork: bool = False) -> Run:
        """Runs the jobs that GitHub runs for a proposed change, on a commit that merges the checkout into its base."""
        self.git("branch", "--force", "change")
        self.git("checkout", "--quiet", "--detach", base)
        self.git("merge", "--quiet", "--no-ff", "--no-edit", "change")
        head = "mallory/taxonomies" if fork else REPOSITORY
        try:
            return self._run("check", "pull_request", {"pull_request": {"number": 7, "head": {"repo": {"full_name": head}}}})
        finally:
            self.git("checkout", "--quiet", "main")

    def merge(self) -> Run:
        """Runs the jobs that GitHub runs after a merge."""
        return self._run("publish", "push", {})

    def _run(self, job: str, name: str, event: dict[str, Any]) -> Run:
        described, own = workflow(), environment()
        is_fork = name == "pull_request" and event["pull_request"]["head"]["repo"]["full_name"] != REPOSITORY
        roles = {f"TAXONOMY_{kind}_ROLE": f"arn:aws:iam::123456789012:role/{kind}" for kind in ("PLAN", "PUSH")}
        context: dict[str, Any] = {
            "github": {"event": event, "event_name": name, "repository": REPOSITORY, "token": "token"},
            # A fork has none.
            "vars": {} if is_fork else roles | {variable: own[variable] for variable in ("AWS_REGION", "TAXONOMY_STACK")},
        }
        assert [each for each, body in described["jobs"].items() if evaluate(body["if"], context)] == [job]
        temporary = self._folder / "temporary"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        summary, path = temporary / "summary.md", temporary / "path"
        for file in (summary, path):
            file.touch()
        machine = {
            "HOME": str(self._folder),
            "RUNNER_TEMP": str(temporary),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_PATH": str(path),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_SHA": self.git("rev-parse", "HEAD"),
            "GITHUB_BASE_REF": "main" if name == "pull_request" else "",
            "GH_COMMENTS": str(self.comments),
        }
        given = {key: filled(value, context) for key, value in described["env"].items()} | self.archive
        run = Run(True)
        for step in described["jobs"][job]["steps"]:
            condition = step.get("if", "success()")
            # Without `!cancelled()` a step runs only if all before it succeeded.
            if not (run.succeeded or "!cancelled()" in condition) or not evaluate(condition, context):
                continue
            if "uses" in step:
                action = step["uses"].split("@")[0]
                assert action in ("actions/checkout", "aws-actions/configure-aws-credentials"), action
                given |= {variable: own[variable] for variable in CREDENTIALS} if action.endswith("credentials") else {}
                continue
            assert "${{" not in step["run"], "a text of the event would be code"
            added = os.pathsep.join([*reversed(path.read_text().split()), str(self._programs), os.environ["PATH"]])
            variables = machine | given | {key: filled(value, context) for key, value in step.get("env", {}).items()} | {"PATH": added}
            # As documented for `shell: bash`, which is the default on Linux except for pipefail.
            command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
            output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
            done = subprocess.run(command, cwd=self.repository, env=variables, check=False, timeout=300, **output)
            run.log[step["name"]] = done.stdout
            run.succeeded = run.succeeded and done.returncode == 0
        run.summary = summary.read_text()
        return run

    def _release(self) -> dict[str, str]:
        """Returns an archive in the form of a release, with the built command line."""
        inside = self._folder / "taxonomy-0.1.0-x86_64" / "bin"
        inside.mkdir(parents=True)
        (inside / "taxonomy").write_text(f'#!/bin/sh\nexec "{program()}" "$@"\n')
        (inside / "taxonomy").chmod(0o755)
        archive = self._folder / "taxonomy.tar.gz"
        with tarfile.open(archive, "w:gz") as packed:
            packed.add(inside.parent, inside.parent.name)
        digest = subprocess.run(["sha256sum", archive], capture_output=True, text=True, check=True).stdout.split()[0]
        return {"ARCHIVE": archive.as_uri(), "ARCHIVE_SHA256": digest}


def filled(text: str, context: dict[str, Any]) -> str:
    """Returns a value with its expressions replaced."""

    def value(found: re.Match[str]) -> str:
        evaluated = evaluate(found[1], context)
        return "" if evaluated is None else str(evaluated).lower() if isinstance(evaluated, bool) else str(evaluated)

    return re.sub(r"\$\{\{(.*?)\}\}", value, text)


def evaluate(expression: str, context: dict[str, Any]) -> Any:
    """Returns the value of a name, or the result of a comparison; a name that the event does not have is null."""
    expression = expression.strip().removeprefix("${{").removesuffix("}}").strip()
    if "&&" in expression:
        return all(evaluate(part, context) for part in expression.split("&&"))
    if expression in ("!cancelled()", "success()"):
        return True
    for sign, equal in (("!=", False), ("==", True)):
        if sign in expression:
            left, right = (evaluate(side, context) for side in expression.split(sign))
            return (left == right) is equal
    if found := re.fullmatch(r"'([^']*)'", expression):
        return found[1]
    assert re.fullmatch(r"(github|vars)(\.[a-zA-Z_]+)+", expression), expression
    value: Any = context
    for name in expression.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value
