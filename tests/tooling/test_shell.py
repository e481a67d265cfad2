"""Tests of programs that run without output, concurrently, and fail."""

import io
import sys
import tempfile
import time
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest.mock import patch

from local import shell
from local.problem import Problem
from local.console import duration, step
from local.shell import run_quietly, side_by_side


def python(program: str) -> list[str]:
    """Returns a command that runs these lines."""
    return [sys.executable, "-c", program]


class AQuietProgram(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.logs = Path(folder.name) / "made" / "when-needed"
        for name, value in {"LOGS": self.logs, "ROOT": Path(folder.name), "_CHILDREN": shell._Children()}.items():
            replaced = patch.object(shell, name, value)
            replaced.start()
            self.addCleanup(replaced.stop)

    def test_prints_nothing_and_returns_its_output(self) -> None:
        with redirect_stdout(io.StringIO()) as screen:
            output = run_quietly(python("import sys; print('out'); print('err', file=sys.stderr)"), "Trying")
        self.assertEqual((output, screen.getvalue()), ("out\n", ""))

    def test_that_fails_is_named_and_shows_the_end_of_its_output(self) -> None:
        lines = "for number in range(200): print(f'line {number}.')\nprint('{\"reason\":\"compiler-artifact\"}')"
        with redirect_stdout(io.StringIO()) as screen, self.assertRaisesRegex(Problem, "^Downloading x failed with exit code 3"):
            run_quietly(python(f"{lines}\nraise SystemExit(3)"), "Downloading x")
        self.assertIn("line 199.", screen.getvalue())
        self.assertNotIn("line 100.", screen.getvalue())
        self.assertNotIn("reason", screen.getvalue())
        self.assertIn("line 0.\n", (self.logs / "downloading-x.log").read_text())

    def test_that_is_not_there_is_named(self) -> None:
        with self.assertRaisesRegex(Problem, "^Trying failed: no-such-program cannot be run"):
            run_quietly(["no-such-program"], "Trying")

    def test_ends_when_one_beside_it_fails(self) -> None:
        started = time.monotonic()

        def fails() -> None:
            time.sleep(0.5)
            raise Problem("the first failure")

        def waits() -> None:
            with step("Waiting"):
                run_quietly(python("print('begun', flush=True); import time; time.sleep(60)"), "Waiting")

        with redirect_stdout(io.StringIO()) as screen, self.assertRaisesRegex(Problem, "the first failure"):
            side_by_side(waits, fails)
        self.assertRegex(screen.getvalue(), r"^==> Waiting: stopped after \d s\n$")
        self.assertLess(time.monotonic() - started, 30)

    def test_is_not_begun_after_a_failure_beside_it(self) -> None:
        def late() -> None:
            time.sleep(1)
            run_quietly(python("print('too late')"), "Another")

        def fails() -> None:
            raise Problem("the first failure")

        with self.assertRaisesRegex(Problem, "the first failure"):
            side_by_side(late, fails)
        with self.assertRaisesRegex(Problem, "Another was not begun"):
            run_quietly(python("print('too late')"), "Another")


class AStep(unittest.TestCase):
    def test_is_one_line_with_its_time(self) -> None:
        with redirect_stdout(io.StringIO()) as screen, step("Building"):
            pass
        self.assertEqual(screen.getvalue(), "==> Building: 0 s\n")

    def test_that_fails_says_so(self) -> None:
        with redirect_stdout(io.StringIO()) as screen, self.assertRaises(Problem), step("Building"):
            raise Problem("no")
        self.assertEqual(screen.getvalue(), "==> Building: failed after 0 s\n")

    def test_has_a_time_that_people_read(self) -> None:
        self.assertEqual([duration(seconds) for seconds in (0.4, 59.4, 59.6, 192)], ["0 s", "59 s", "1 min 0 s", "3 min 12 s"])


if __name__ == "__main__":
    unittest.main()
