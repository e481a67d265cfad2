"""Runs the suites of the testkit's database, and the journeys over it, against a second engine."""

import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from local.console import say, step
from local.paths import ROOT
from local.problem import Problem
from local.shell import cargo, environment, locked

from .dynamodb_local import NAME, dynamodb_local
from .outcome import Outcome, total

#: Holds the list of differences and the list of tests that cannot run there.
PAGE = ROOT / "docs" / "conformance.md"
#: Longer than the slowest suite takes on a busy machine.
SECONDS_FOR_A_SUITE = 1800


@dataclass(frozen=True)
class Suite:
    """A test binary. `without` names tests that use no table or take long."""

    folder: str
    test: str
    without: Sequence[str] = ()


WITHOUT_TABLE = ("access_rules::", "changes_bounds::", "dependencies::", "deployer_policies::", "description::", "template::")
#: A world for every request that may fail, or every question about every version: minutes there, for requests that other tests make as well.
LONG = (
    "purge::a_purge_that_dies_anywhere",
    "purge::whatever_fails_once",
    "purge::what_the_sdk_retries",
    "indexing::a_process_that_dies",
    "changes::every_pair_of_versions",
    "downloads::faults::",
    "downloads::history::every_row",
    "suggest::random::",
    "any_version::a_version_is_answered_alike",
    "any_version::while_a_version_is_written",
)

SUITES = (
    Suite("shared/taxonomy-testkit", "dynamodb"),
    Suite("shared/taxonomy-testkit", "faults"),
    Suite("shared/taxonomy-testkit", "production"),
    Suite("tests", "integration", (*WITHOUT_TABLE, *LONG)),
)


@dataclass(frozen=True)
class Listed:
    """A row of the page: a test that cannot run there, and a part of the message that it fails with."""

    suite: str
    test: str
    message: str


@dataclass
class Ended:
    """How one suite ended."""

    suite: Suite
    passed: int = 0
    cannot: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def prove() -> Outcome:
    """Judges every test: it passes, it is listed as one that cannot run there, or it fails."""
    cargo()
    listed = _listed()
    # Asks for Java before the build, which takes minutes.
    with dynamodb_local(), step("Building the tests", noisy=True):
        programs = _build()
    outcomes = []
    for suite in SUITES:
        # A server of its own for each suite: DynamoDB Local becomes slower with its history.
        with dynamodb_local() as address, step(f"{suite.folder}, {suite.test}, against {NAME}"):
            outcomes.append(_run(suite, programs[suite], address, listed))
    return _report(outcomes)


def _build() -> dict[Suite, Path]:
    """The program of each suite, out of one build with the features of `make test`, so that nothing is built twice."""
    tests = [word for suite in SUITES for word in ("--test", suite.test)]
    command = ["cargo", "test", *locked(), "--workspace", "--no-run", "--message-format=json-render-diagnostics", *tests]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Problem("The tests do not build, see above")
    programs = {}
    for line in done.stdout.splitlines():
        built = json.loads(line)
        if built.get("executable"):
            programs[Path(built["manifest_path"]).parent, built["target"]["name"]] = Path(built["executable"])
    return {suite: programs[ROOT / suite.folder, suite.test] for suite in SUITES}


def _run(suite: Suite, program: Path, address: str, listed: Sequence[Listed]) -> Ended:
    command: list[str | Path] = [program, *(word for name in suite.without for word in ("--skip", name))]
    folder = ROOT / suite.folder
    extra = {"CARGO_MANIFEST_DIR": str(folder)}
    extra |= {"TAXONOMY_ENGINE": address, "TAXONOMY_ENGINE_NAME": NAME, "RUST_BACKTRACE": "0", "INSTA_UPDATE": "no"}
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        try:
            subprocess.run(
                command, cwd=folder, env=environment(extra), stdout=log, stderr=subprocess.STDOUT, timeout=SECONDS_FOR_A_SUITE, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise Problem(f"{suite.folder}, {suite.test} did not end within {SECONDS_FOR_A_SUITE} s") from error
        log.seek(0)
        output = log.read()
    return outcome_of(suite, output, listed)


def outcome_of(suite: Suite, output: str, listed: Sequence[Listed]) -> Ended:
    """Reads the output of the tests. A listed test that passes, or fails in another way, is a failure as well."""
    outcome = Ended(suite)
    results = dict(re.findall(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED)$", output, re.MULTILINE))
    closing = re.search(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", output, re.MULTILINE)
    counted = closing and (int(closing[1]) + int(closing[2]), int(closing[3])) == (len(results), len(re.findall(r" \.\.\. ignored", output)))
    if not results or not counted:
        say(output)
        raise Problem(f"{suite.folder}, {suite.test} did not run to its end, see above")
    messages = dict(re.findall(r"^---- (\S+) stdout ----\n(.*?)(?=^---- \S+ stdout ----$|^failures:$|\Z)", output, re.MULTILINE | re.DOTALL))
    expected = {one.test: one.message for one in listed if one.suite == suite.test}
    for test, result in sorted(results.items()):
        message = messages.get(test, "")
        if result == "ok" and test not in expected:
            outcome.passed += 1
        elif result == "FAILED" and expected.get(test, "\0") in message:
            outcome.cannot.append(test)
        elif result == "ok":
            outcome.failures.append(f"{test} passes: take it off the list in {PAGE.relative_to(ROOT)}")
        else:
            outcome.failures.append(f"{test} failed\n{message.strip()}")
    outcome.failures += [f"{test} is listed in {PAGE.relative_to(ROOT)} and not there" for test in expected if test not in results]
    return outcome


def _listed() -> list[Listed]:
    """The rows of the page: suite, test, message, reason."""
    rows = [Listed(suite, test.strip("`"), message.strip("`")) for suite, test, message, _ in _rows("Tests that cannot run there")]
    if not rows:
        raise Problem(f"{PAGE.relative_to(ROOT)} lists no test that cannot run there")
    return rows


def _rows(title: str) -> list[list[str]]:
    _, _, section = PAGE.read_text().partition(f"\n## {title}\n")
    section, _, _ = section.partition("\n## ")
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def _report(outcomes: Sequence[Ended]) -> Outcome:
    say(f"\n{len(_rows('Differences'))} listed differences, each asserted by the suite `dynamodb`\n")
    for outcome in outcomes:
        for failure in outcome.failures:
            say(f"{outcome.suite.test}::{failure}\n")
    say(f"{'folder':<26}{'tests':<14}{'passed':>8}{'failed':>8}{'cannot run there':>18}")
    for outcome in outcomes:
        figures = f"{outcome.passed:>8}{len(outcome.failures):>8}{len(outcome.cannot):>18}"
        say(f"{outcome.suite.folder:<26}{outcome.suite.test:<14}{figures}")
    for outcome in outcomes:
        for test in outcome.cannot:
            say(f"    cannot run there: {outcome.suite.test}::{test}")
    return total(Outcome(outcome.passed + len(outcome.failures), len(outcome.failures)) for outcome in outcomes)
