"""Runs the suites of the testkit's database, and the journeys over it, against a second engine."""

import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from local.build import executables
from local.console import say, step
from local.paths import ROOT
from local.problem import Problem
from local.shell import cargo, environment, locked, run_quietly

from .cargo_tests import results
from .dynamodb_local import NAME, dynamodb_local
from .outcome import Outcome, total

#: Lists the differences, and the tests that cannot run there.
PAGE = ROOT / "docs" / "conformance.md"
#: Longer than the slowest suite takes on a busy machine.
SECONDS_FOR_A_SUITE = 1800
#: The test programs and their packages.
SUITES = {name: ROOT / "shared" / "taxonomy-testkit" for name in ("dynamodb", "faults")} | {"integration": ROOT / "tests"}
#: Journeys without a table.
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


def prove() -> Outcome:
    """Every test passes, but for those that the page lists as ones that cannot run there: each of these fails with the message that it lists."""
    program = cargo()
    listed = dict(re.findall(r"^\| integration \| `([\w:]+)` \| `(.+?)` \|", PAGE.read_text(), re.MULTILINE))
    if not listed:
        raise Problem(f"{PAGE.relative_to(ROOT)} lists no test that cannot run there")
    tests = [word for name in SUITES for word in ("--test", name)]
    # Asks for Java before the build, which takes minutes and has the features of `make test`, so that nothing is built twice.
    with dynamodb_local(), step("Building the tests"):
        command = [program, "test", *locked(), "--workspace", "--no-run", "--message-format=json-render-diagnostics", *tests]
        programs = executables(run_quietly(command, "building the tests"), tuple(SUITES))
    outcomes = []
    for name in SUITES:
        # A server of its own for each suite: DynamoDB Local becomes slower with its history.
        with dynamodb_local() as address, step(f"{name}, against {NAME}"):
            output = _run(name, programs[name], address, (*WITHOUT_TABLE, *LONG) if name == "integration" else ())
            outcomes.append(_judge(output, listed if name == "integration" else {}))
    say("\n".join(f"    cannot run there: {test}" for test in listed))
    return total(outcomes)


def _run(name: str, program: Path, address: str, without: Sequence[str]) -> str:
    """Runs a test program to its end, and returns what it writes."""
    command: list[str | Path] = [program, *(word for test in without for word in ("--skip", test))]
    extra = {"CARGO_MANIFEST_DIR": str(SUITES[name]), "TAXONOMY_ENGINE": address, "TAXONOMY_ENGINE_NAME": NAME, "RUST_BACKTRACE": "0", "INSTA_UPDATE": "no"}
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        try:
            subprocess.run(command, cwd=SUITES[name], env=environment(extra), stdout=log, stderr=log, timeout=SECONDS_FOR_A_SUITE, check=False)
        except subprocess.TimeoutExpired as error:
            raise Problem(f"{name} did not end within {SECONDS_FOR_A_SUITE} s") from error
        log.seek(0)
        return log.read()


def _judge(output: str, listed: Mapping[str, str]) -> Outcome:
    """Counts the tests that passed, and those that are listed and failed with their message. Any other is a violation, and shown."""
    failed = set(re.findall(r"^test (\S+)(?: - should panic)? \.\.\. FAILED$", output, re.MULTILINE))
    messages = dict(re.findall(r"^---- (\S+) stdout ----\n(.*?)(?=^---- \S+ stdout ----$|^failures:$|\Z)", output, re.MULTILINE | re.DOTALL))
    as_listed = {test for test, message in listed.items() if test in failed and message in messages.get(test, "")}
    cases = results(output.splitlines()).cases
    if wrong := (failed | set(listed)) - as_listed:
        say(output)
        say(f"    not as expected: {', '.join(sorted(wrong))}")
    say(f"    {cases - len(wrong)} tests as expected")
    return Outcome(cases, len(wrong))
