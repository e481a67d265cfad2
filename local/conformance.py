"""Runs the suites of the testkit's database, and the journeys over it, against a second engine."""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from .dynamodb_local import NAME, dynamodb_local
from .paths import ROOT
from .problem import Problem
from .say import say, step
from .shell import environment, require

#: Holds the list of differences and the list of tests that cannot run there.
PAGE = ROOT / "docs" / "conformance.md"
#: Longer than the slowest suite takes on a busy machine.
SECONDS_FOR_A_SUITE = 1800


@dataclass(frozen=True)
class Suite:
    """A test binary; the tests of `without` have no table in them."""

    package: str
    test: str
    without: Sequence[str] = ()


SUITES = (
    Suite("taxonomy-testkit", "dynamodb"),
    Suite("taxonomy-testkit", "faults"),
    Suite("taxonomy-testkit", "late"),
    Suite("taxonomy-testkit", "interleaving"),
    Suite("taxonomy-testkit", "production"),
    Suite("taxonomy-tests", "it", ("architecture::", "lambda_http::", "reach::", "template::")),
)


@dataclass(frozen=True)
class Listed:
    """A row of the page: a test that cannot run there, and a part of the message that it fails with."""

    suite: str
    test: str
    message: str


@dataclass
class Outcome:
    """How one suite ended."""

    suite: Suite
    passed: int = 0
    cannot: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def conformance(endpoint: str | None, name: str | None) -> None:
    """Judges every test: it passes, it is listed as one that cannot run there, or it fails."""
    require("cargo", "install Rust from https://rustup.rs, the version is in rust-toolchain.toml")
    with _engine(endpoint, name) as (address, engine):
        listed = _listed() if engine == NAME else []
        with step("Building the tests"):
            _build()
        outcomes = []
        for suite in SUITES:
            with step(f"{suite.package}, {suite.test}, against {engine}"):
                outcomes.append(_run(suite, address, engine, listed))
    _report(engine, outcomes)


@contextmanager
def _engine(endpoint: str | None, name: str | None) -> Iterator[tuple[str, str]]:
    if endpoint:
        yield endpoint, name or endpoint
        return
    with dynamodb_local() as address:
        yield address, NAME


def _cargo_test(suite: Suite) -> list[str]:
    locked = ["--locked"] if os.environ.get("CI") else []
    return ["cargo", "test", *locked, "--quiet", "--package", suite.package, "--test", suite.test]


def _build() -> None:
    for suite in SUITES:
        if subprocess.run([*_cargo_test(suite), "--no-run"], cwd=ROOT, check=False).returncode != 0:
            raise Problem(f"{suite.package} does not build, see above")


def _run(suite: Suite, address: str, engine: str, listed: Iterable[Listed]) -> Outcome:
    skipped = [word for name in suite.without for word in ("--skip", name)]
    command = [*_cargo_test(suite), "--no-fail-fast", "--", "--format=pretty", *skipped]
    extra = {"TAXONOMY_ENGINE": address, "TAXONOMY_ENGINE_NAME": engine, "RUST_BACKTRACE": "0", "INSTA_UPDATE": "no"}
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        try:
            subprocess.run(
                command, cwd=ROOT, env=environment(extra), stdout=log, stderr=subprocess.STDOUT, timeout=SECONDS_FOR_A_SUITE, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise Problem(f"{suite.package}, {suite.test} did not end within {SECONDS_FOR_A_SUITE} s") from error
        log.seek(0)
        output = log.read()
    return judge(suite, output, [one for one in listed if one.suite == suite.test])


def judge(suite: Suite, output: str, listed: Sequence[Listed]) -> Outcome:
    """Reads what the tests said. A listed test that passes, or fails in another way, is a failure as well."""
    outcome = Outcome(suite)
    results = dict(re.findall(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED)$", output, re.MULTILINE))
    closing = re.search(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", output, re.MULTILINE)
    counted = closing and (int(closing[1]) + int(closing[2]), int(closing[3])) == (len(results), 0)
    if not results or not counted:
        say(output)
        raise Problem(f"{suite.package}, {suite.test} did not run to its end, see above")
    messages = dict(re.findall(r"^---- (\S+) stdout ----\n(.*?)(?=^---- \S+ stdout ----$|^failures:$|\Z)", output, re.MULTILINE | re.DOTALL))
    expected = {one.test: one.message for one in listed}
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


def _report(engine: str, outcomes: Sequence[Outcome]) -> None:
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
    say(f"{'package':<18}{'tests':<14}{'passed':>8}{'failed':>8}{'cannot run there':>18}")
    for outcome in outcomes:
        figures = f"{outcome.passed:>8}{len(outcome.failures):>8}{len(outcome.cannot):>18}"
        say(f"{outcome.suite.package:<18}{outcome.suite.test:<14}{figures}")
    for outcome in outcomes:
        for test in outcome.cannot:
            say(f"    cannot run there: {outcome.suite.test}::{test}")
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(len(outcome.failures) for outcome in outcomes)
    cannot = sum(len(outcome.cannot) for outcome in outcomes)
    say(f"conformance: {passed} passed, {failed} failed, {cannot} cannot run there")
    if failed:
        raise Problem(f"{failed} tests fail against {engine}")
