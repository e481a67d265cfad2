"""Tests of the files that `taxonomy` writes, on a full disk and killed at random moments: each is as it was, or as an undisturbed run writes it."""

import json
import os
import random
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from program import environment, kill, program, succeed
from stack import FIRST, stack, unavailable

#: The number of kills of each command.
KILLS = int(os.environ.get("PROVE_CLI_KILLS", "10"))
#: Terms of the file that is exported and rows of the table that is imported: each output has more than 1 MB.
NODES = 20_000
#: Mounts a file system of 1 MB at $1 with a copy of the file $2 in it, fills $3 bytes, runs the rest, and shows what is there.
SMALL_DISK = """
set -e; disk=$1; old=$2; fill=$3; shift 3
mount -t tmpfs -o size=1m tmpfs "$disk"
cp "$old" "$disk/out"
head -c "$fill" /dev/zero 2> /dev/null > "$disk/filler" || true
code=0; "$@" > /dev/null || code=$?
ls -A "$disk"; cat "$disk/out"
exit $code
"""


def rows(count: int) -> str:
    """Returns a table."""
    return "id,parent,name\n" + "".join(f"{id},{'' if id == 1 else 1},{'x' * 60} {id}\n" for id in range(1, count))


class Files(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)
        self.disk, self.out, self.map = self.folder / "disk", self.folder / "out", self.folder / "map"
        self.disk.mkdir()
        terms = [{"id": id, "name": f"{'x' * 60} {id}"} for id in range(NODES)]
        self.file, self.table = self.folder / "file.json", self.folder / "table.csv"
        self.file.write_text(json.dumps({"defaultCulture": "en-GB", "categories": [{"id": 1, "name": "Sector", "terms": terms}]}))
        # An earlier release.
        self.table.write_text(rows(NODES // 5))
        succeed("import", "csv", self.table, "--out", self.out, "--ids", self.map)
        self.table.write_text(rows(NODES))

    def on_small_disk(self, old: Path, fill: int, *command: str | Path) -> subprocess.CompletedProcess[str]:
        as_root = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
        if subprocess.run([*as_root, "mount", "-t", "tmpfs", "tmpfs", str(self.disk)], capture_output=True, check=False).returncode:
            raise unavailable("this machine lets nobody mount a file system")
        words = [*as_root, "sh", "-c", SMALL_DISK, "sh", self.disk, old, fill, program(), *command]
        return subprocess.run([*map(str, words)], env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False)

    def test_a_full_disk_keeps_what_was_there(self) -> None:
        full, new = self.disk / "out", self.folder / "new"
        tenant = stack().fresh_tenant("full-disk")
        imports: list[str | Path] = ["import", "csv", self.table, "--out"]
        for old, fill, command in (
            (self.out, 0, ["export", "csv", self.file, "--out", full]),
            (self.map, 0, [*imports, new, "--ids", full]),
            (self.out, 2 << 20, ["plan", FIRST, "--tenant", tenant, "--out", full]),
        ):
            with self.subTest(" ".join(map(str, command))):
                done = self.on_small_disk(old, fill, *command)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("out cannot be written to: No space left on device", done.stderr)
                self.assertTrue(done.stdout == f"filler\nout\n{old.read_text()}", "the file as it was, and nothing beside it")

    def test_a_killed_command_leaves_whole_files(self) -> None:
        chosen = random.Random(7)
        exports: list[str | Path] = ["export", "csv", self.file, "--out", self.out]
        imports: list[str | Path] = ["import", "csv", self.table, "--out", self.out, "--ids", self.map]
        for command in (exports, imports):
            old = {path: path.read_bytes() for path in (self.out, self.map)}
            began = time.monotonic()
            succeed(*command)
            seconds, new = time.monotonic() - began, {path: path.read_bytes() for path in old}
            names, ended = {path.name for path in self.folder.iterdir()}, 0
            for _ in range(KILLS):
                for path, content in old.items():
                    path.write_bytes(content)
                ended += kill(command, chosen.uniform(0, seconds), signal.SIGKILL) == -signal.SIGKILL
                for path in old:
                    self.assertTrue(path.read_bytes() in (old[path], new[path]), path)
                left = {path.name for path in self.folder.iterdir()} - names
                self.assertTrue(all(name.startswith(".taxonomy-") and name.endswith(".part") for name in left), left)
                succeed(*command)
                self.assertTrue({path: path.read_bytes() for path in old} == new, "the same command completes it")
            print(f"\n{command[0]}: {ended} of {KILLS} killed", flush=True)
            self.assertGreater(ended, 0)


if __name__ == "__main__":
    unittest.main()
