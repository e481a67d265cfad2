"""Checks the SARIF of `taxonomy validate` by the standard's schema, and by Microsoft's validator, which knows the rules that no schema says.

The validator says nothing at all of a log that violates the schema."""

import re
import subprocess
import tempfile
from pathlib import Path

from local.console import say
from local.paths import ROOT, TOOLS, VENV
from local.shell import environment

from . import npm
from .outcome import Outcome

SOURCE = ROOT / "tests" / "sarif"
WORK = TOOLS / "sarif"
SAMPLES = ROOT / "cli" / "tests" / "commands" / "places.in"
#: Not found in a log whose tool has no page of its own.
ACCEPTED = {"SARIF2005"}
#: A log with one of these replacements violates the schema, with the other a rule. A check that finds neither would find nothing in any log.
BROKEN = {"against the schema": ('"level": "error"', '"level": "fatal"'), "against a rule": ('"uri": "', '"uri": "no uri: ')}


def check(program: str) -> Outcome:
    """Validates the logs of refused files, of one that is named by its whole path and of one without issues."""
    npm.install(SOURCE, WORK)
    logs = {"relative": _log(program, *sorted(path.name for path in SAMPLES.iterdir())), "absolute": _log(program, str(SAMPLES / "one-line.json"))}
    logs["accepted"] = _log(program, str(ROOT / "samples" / "job-board-v1.json"))
    results = [_validate(name, log) for name, log in logs.items()]
    results += [_is_missed(name, logs["relative"].replace(*replaced)) for name, replaced in BROKEN.items()]
    return Outcome(len(results), sum(results))


def _log(program: str, *files: str) -> str:
    command = [program, "validate", "--output", "sarif", *files]
    return subprocess.run(command, cwd=SAMPLES, env=environment(), capture_output=True, text=True, check=False).stdout


def _validate(name: str, log: str) -> bool:
    """Whether an issue is found."""
    issues = _issues(name, log)
    say(f"{'FAILED' if issues else 'ok    '} SARIF, {name}{''.join(f'{chr(10)}    {issue}' for issue in issues)}")
    return bool(issues)


def _is_missed(name: str, log: str) -> bool:
    """Whether no issue is found in a log that has one."""
    is_missed = not _issues(name, log)
    say(f"{'FAILED' if is_missed else 'ok    '} SARIF {name} is found")
    return is_missed


def _issues(name: str, log: str) -> list[str]:
    # The package of this system.
    (package,) = WORK.glob("node_modules/@microsoft/sarif-multitool-*")
    validator = package / "Sarif.Multitool"
    validator.chmod(0o755)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.sarif"
        file.write_text(log)
        by_schema = _run([VENV / "bin" / "python", SOURCE / "errors.py", package / "sarif-2.1.0.json", file])
        ended = _run([validator, "validate", file], {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"})
    if "Done. 1 files scanned." not in ended.stdout:
        return [ended.stdout.strip() or f"the validator ended with {ended.returncode}"]
    found = re.findall(r"^.*?: ((?:error|warning) (\w+):? .*)$", ended.stdout, re.MULTILINE)
    return by_schema.stdout.splitlines() + [issue for issue, rule in found if rule not in ACCEPTED]


def _run(command: list[str | Path], extra: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, env=environment(extra), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
