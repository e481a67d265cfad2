"""Runs the suites of the testkit's database, and the journeys over it, against a second engine."""

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from local.console import say, step
from local.paths import ROOT
from local.problem import Problem
from local.shell import cargo, environment, locked

from .dynamodb_local import NAME, answers, dynamodb_local
from .outcome import Outcome, total

#: Holds the list of differences and the list of tests that cannot run there.
PAGE = ROOT / "docs" / "conformance.md"
#: Starts the message of a test that the engine lacks something for: `CANNOT_RUN` of the testkit.
CANNOT_RUN = "cannot run there: "
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
    "versions::a_file_answers",
    "versions::a_page_begins",
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


def prove(endpoint: str | None = None, name: str | None = None) -> Outcome:
    """Judges every test: it passes, it is listed as one that cannot run there, or it fails."""
    cargo()
    if endpoint:
        _check(endpoint)
    engine = (name or endpoint) if endpoint else NAME
    listed = _listed() if engine == NAME else None
    # Asks for Java before the build, which takes minutes.
    with _engine(endpoint), step("Building the tests", noisy=True):
        programs = _build()
    outcomes = []
    for suite in SUITES:
        # A server of its own for each suite: DynamoDB Local becomes slower with its history.
        with _engine(endpoint) as address, step(f"{suite.folder}, {suite.test}, against {engine}"):
            outcomes.append(_run(suite, programs[suite], address, engine, listed))
    return _report(engine, outcomes)


def report(endpoint: str, name: str | None) -> int:
    """The same for an engine that runs already; returns the exit code."""
    outcome = prove(endpoint, name)
    say(f"conformance: {outcome.cases - outcome.violations} passed, {outcome.violations} failed")
    return 1 if outcome.violations else 0


@contextmanager
def _engine(endpoint: str | None) -> Iterator[str]:
    if endpoint:
        yield endpoint
        return
    with dynamodb_local() as address:
        yield address


def _check(endpoint: str) -> None:
    """Refuses an address that the testkit would refuse in every single test."""
    parts = urlsplit(endpoint)
    if parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "::1", "localhost") or not parts.port:
        raise Problem(f"ENDPOINT={endpoint} is not http://127.0.0.1:PORT: the tests delete tables there, so it is an engine on this machine")
    if not answers(parts.hostname, parts.port):
        raise Problem(f"no engine answers at {endpoint}")


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


def _run(suite: Suite, program: Path, address: str, engine: str, listed: Sequence[Listed] | None) -> Ended:
    command: list[str | Path] = [program, *(word for name in suite.without for word in ("--skip", name))]
    folder = ROOT / suite.folder
    extra = {"CARGO_MANIFEST_DIR": str(folder)}
    extra |= {"TAXONOMY_ENGINE": address, "TAXONOMY_ENGINE_NAME": engine, "RUST_BACKTRACE": "0", "INSTA_UPDATE": "no"}
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


def outcome_of(suite: Suite, output: str, listed: Sequence[Listed] | None) -> Ended:
    """Reads the output of the tests. A listed test that passes, or fails in another way, is a failure as well. For an engine without a list
    only the testkit itself says that a test cannot run there."""
    outcome = Ended(suite)
    results = dict(re.findall(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED)$", output, re.MULTILINE))
    closing = re.search(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", output, re.MULTILINE)
    counted = closing and (int(closing[1]) + int(closing[2]), int(closing[3])) == (len(results), len(re.findall(r" \.\.\. ignored", output)))
    if not results or not counted:
        say(output)
        raise Problem(f"{suite.folder}, {suite.test} did not run to its end, see above")
    messages = dict(re.findall(r"^---- (\S+) stdout ----\n(.*?)(?=^---- \S+ stdout ----$|^failures:$|\Z)", output, re.MULTILINE | re.DOTALL))
    expected = {one.test: one.message for one in listed or () if one.suite == suite.test}
    for test, result in sorted(results.items()):
        message = messages.get(test, "")
        if result == "ok" and test not in expected:
            outcome.passed += 1
        elif result == "FAILED" and (expected.get(test, "\0") in message or (listed is None and CANNOT_RUN in message)):
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


def _report(engine: str, outcomes: Sequence[Ended]) -> Outcome:
    say()
    if engine == NAME:
        differences = _rows("Differences")
        say(f"{len(differences)} listed differences, each asserted by the suite `dynamodb`:")
        for behaviour, aws, _, embedded, local, _ in differences:
            say(f"    {behaviour}\n        AWS documents: {aws}\n        embedded: {embedded}\n        {engine}: {local}")
        say()
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
