"""Tests of the guide's way from a checkout: `make aws-tools`, then `sam build`, without Docker.

A program of one line stands for the functions, whose build with the release profile takes ten minutes; the template's method, the tools and
the path are the guide's. zig links it, for this machine's architecture and for the other one where Rust has its target."""

import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from local.paths import ROOT
from local.shell import require
from release import cross
from release.glibc import check_c_library

#: What the header of a program calls an architecture of Lambda.
MACHINES = {"x86_64": 62, "arm64": 183}
MANIFEST = '[package]\nname = "one-line"\nversion = "0.1.0"\nedition = "2024"\n'
SECONDS = 600


def template() -> str:
    """A template with one function, which is built as those of the project."""
    method = re.search(r"BuildMethod: (\S+)\n", (ROOT / "template.yaml").read_text())
    assert method is not None
    return f"""Transform: AWS::Serverless-2016-10-31
Parameters:
  Architecture: {{ Type: String }}
Resources:
  OneLine:
    Type: AWS::Serverless::Function
    Metadata: {{ BuildMethod: {method[1]}, BuildProperties: {{ Binary: one-line }} }}
    Properties: {{ CodeUri: ., Handler: bootstrap, Runtime: provided.al2023, Architectures: [!Ref Architecture] }}
"""


class ACheckout(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)
        (self.folder / "Cargo.toml").write_text(MANIFEST)
        (self.folder / "src").mkdir()
        (self.folder / "src" / "main.rs").write_text('fn main() { println!("{:?}", std::env::args()); }\n')
        (self.folder / "template.yaml").write_text(template())
        shutil.copy2(ROOT / "rust-toolchain.toml", self.folder)

    def run_command(self, *words: str, folder: Path) -> None:
        rust = Path(require("cargo", "install Rust from https://rustup.rs")).parent
        # The tools of the guide's line, Rust, and the C compiler of the system.
        path = os.pathsep.join(map(str, [ROOT / ".tools" / "venv" / "bin", rust, "/usr/bin", "/bin"]))
        kept = {name: value for name, value in os.environ.items() if name in ("HOME", "RUSTUP_HOME", "CARGO_HOME")}
        environment = kept | {"PATH": path, "DOCKER_HOST": "unix:///nonexistent", "SAM_CLI_TELEMETRY": "0", "AWS_DEFAULT_REGION": "eu-west-1"}
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, 0, f"{' '.join(words)}: {done.stdout}{done.stderr}")

    def test_is_built_by_the_tools_that_one_command_installs(self) -> None:
        self.run_command("make", "aws-tools", folder=ROOT)
        built = [architecture for architecture in MACHINES if cross.targets(architecture)[0] not in cross.missing_targets(architecture)]
        self.assertTrue(built, "Rust has no target of Lambda")
        for architecture in built:
            with self.subTest(architecture):
                self.run_command("sam", "build", "--parameter-overrides", f"Architecture={architecture}", folder=self.folder)
                program = self.folder / ".aws-sam" / "build" / "OneLine" / "bootstrap"
                (machine,) = struct.unpack_from("<H", program.read_bytes(), 0x12)
                self.assertEqual(machine, MACHINES[architecture])
                check_c_library([program])
        print(f"\nbuilt for {', '.join(built)}")


if __name__ == "__main__":
    unittest.main()
