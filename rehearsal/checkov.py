"""The findings of checkov, each of which is mended or excused."""

import json
import shutil
import subprocess
from pathlib import Path

from .outcome import Outcome

#: The reason of each finding that stays, by check and resource.
EXCUSED = Path(__file__).with_name("excused_findings.json")
SECONDS = 300


def check(template: Path) -> Outcome:
    """Runs checkov where it is installed, as the nightly workflow has it: it brings 90 packages for this one run."""
    program = shutil.which("checkov")
    if program is None:
        return Outcome("checkov", not_checked="it is not installed; `pip install checkov` in an environment of yours, and its folder in PATH")
    command = [program, "--file", str(template), "--framework", "cloudformation", "--output", "json", "--compact", "--quiet"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return Outcome("checkov", not_checked=f"it did not end within {SECONDS} s")
    try:
        report = json.loads(done.stdout)
        findings = {(each["check_id"], each["resource"].rpartition(".")[2]) for each in report["results"]["failed_checks"]}
        passed = int(report["summary"]["passed"])
    except (ValueError, KeyError, TypeError) as error:
        return Outcome("checkov", not_checked=f"its answer cannot be read ({error}): {done.stderr.strip()[-200:]}")
    return compared(findings, passed)


def compared(findings: set[tuple[str, str]], passed: int) -> Outcome:
    """The findings against the excuses."""
    excused = {(check, resource) for check, excuse in json.loads(EXCUSED.read_text()).items() for resource in excuse["resources"]}
    faults = [f"{check} of {resource}: mend it, or excuse it in {EXCUSED.name} with its reason" for check, resource in sorted(findings - excused)]
    faults += [f"{check} of {resource} is excused in {EXCUSED.name}, and checkov finds no fault" for check, resource in sorted(excused - findings)]
    return Outcome("checkov", f"{passed} checks passed, {len(findings)} findings excused with their reasons", faults)
