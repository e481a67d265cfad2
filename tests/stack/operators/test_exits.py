"""Tests of the exit codes that need a stack, credentials or a terminal; those of files alone are in the pages of cli/tests/commands."""

import os
import pty
import signal
import subprocess
import unittest

from program import environment, program, succeed, taxonomy
from stack import FIRST, stack


class Exits(unittest.TestCase):
    def ends(self, code: int, says: str, *arguments: object, **changes: str | None) -> None:
        done = taxonomy(*map(str, arguments), **changes)
        self.assertEqual(done.code, code, done)
        self.assertIn(says, done.err, arguments)

    def test_1_the_command_failed(self) -> None:
        self.ends(1, "there is no stack nowhere", "tenant", "list", "--stack", "nowhere")
        self.ends(1, "there is no terminal", "rebuild", "nobody-at-all")
        self.ends(1, "failed", "tenant", "list", AWS_ENDPOINT_URL="http://127.0.0.1:9", AWS_MAX_ATTEMPTS="1")

    def test_4_not_signed_in(self) -> None:
        without = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None, "AWS_CONFIG_FILE": "/nonexistent", "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent"}
        self.ends(4, "Sign in", "tenant", "list", **without)

    def test_5_refused(self) -> None:
        tenant = stack().fresh_tenant("exits")
        succeed("push", FIRST, "--tenant", tenant)
        self.ends(5, "the content is invalid under these settings", "tenant", "set", tenant, "--default-culture", "ja-JP")

    def test_130_interrupted_at_a_question(self) -> None:
        tenant = stack().fresh_tenant("asked")
        succeed("push", FIRST, "--tenant", tenant)
        person, terminal = pty.openpty()
        asked = subprocess.Popen([program(), "rebuild", tenant], env=environment(), stdin=terminal, stdout=terminal, stderr=terminal)
        os.close(terminal)
        said = b""
        while b"Type `yes`" not in said:
            said += os.read(person, 1000)
        asked.send_signal(signal.SIGINT)
        self.assertEqual(asked.wait(10), 130)
        os.close(person)
        self.assertEqual(int(stack().head_item(tenant)["V"]), 1)


if __name__ == "__main__":
    unittest.main()
