"""Checks the SARIF of `taxonomy validate` by Microsoft's validator, which has the standard's schema, and knows the rules that no schema says."""

import re
import subprocess
import tempfile
from pathlib import Path

from local.console import say
from local.paths import ROOT, TOOLS
from local.shell import environment

from . import npm
from .outcome import Outcome

SOURCE = ROOT / "tests" / "sarif"
WORK = TOOLS / "sarif"
SAMPLES = ROOT / "cli" / "tests" / "commands" / "places.in"
#: Not found in a log whose tool has no page of its own.
ACCEPTED = {"SARIF2005"}


def check(program: str) -> Outcome:
    """Validates the logs of refused files, of one that is named by its whole path and of one without issues."""
    npm.install(SOURCE, WORK)
    logs = {"relative": _log(program, *sorted(path.name for path in SAMPLES.iterdir())), "absolute": _log(program, str(SAMPLES / "one-line.json"))}
    logs["accepted"] = _log(program, str(ROOT / "samples" / "job-board-v1.json"))
    results = [_validate(name, log) for name, log in logs.items()]
    # A validator that finds nothing in anything would say nothing here either.
    broken = logs["relative"].replace('"level": "error"', '"level": "fatal"')
    results.append(not _issues("broken", broken))
    return Outcome(len(results), sum(results))


def _log(program: str, *files: str) -> str:
    command = [program, "validate", "--output", "sarif", *files]
    return subprocess.run(command, cwd=SAMPLES, env=environment(), capture_output=True, text=True, check=False).stdout


def _validate(name: str, log: str) -> bool:
    """Whether the validator finds an issue."""
    issues = _issues(name, log)
    say(f"{'FAILED' if issues else 'ok    '} SARIF, {name}{''.join(f'{chr(10)}    {issue}' for issue in issues)}")
    return bool(issues)


def _issues(name: str, log: str) -> list[str]:
    # The package of this system.
    (package,) = WORK.glob("node_modules/@microsoft/sarif-multitool-*")
    validator = package / "Sarif.Multitool"
    validator.chmod(0o755)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.sarif"
        file.write_text(log)
        variables = environment({"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"})
        ended = subprocess.run([validator, "validate", file], env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if "Done. 1 files scanned." not in ended.stdout:
        return [ended.stdout.strip() or f"the validator ended with {ended.returncode}"]
    found = re.findall(r"^.*?: ((?:error|warning) (\w+):? .*)$", ended.stdout, re.MULTILINE)
    return [issue for issue, rule in found if rule not in ACCEPTED]
