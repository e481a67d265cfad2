"""Tests of the content of a release's archive."""

import hashlib
import os
import shutil
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

import botocore
from checks import links
from released import FIRST, ROOT, code, folder, stack
from stack import unavailable


class TheArchive(unittest.TestCase):
    def test_holds_what_its_checksums_name(self) -> None:
        lines = (folder() / "SHA256SUMS").read_text().splitlines()
        named = {path: digest for digest, path in (line.split("  ") for line in lines)}
        files = {path.relative_to(folder()): path for path in folder().rglob("*") if path.is_file() and path.name != "SHA256SUMS"}
        found = {str(name): hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
        self.assertEqual(named, found)
        print(f"\n{folder().name}: {len(found)} files, {sum(path.stat().st_size for path in files.values()):,} bytes unpacked")

    def test_holds_a_zip_for_each_function(self) -> None:
        self.assertEqual(set(code()), {"aggregator", "lookup", "pages", "projector"})
        for name, path in code().items():
            with self.subTest(name), zipfile.ZipFile(path) as archive:
                [entry] = archive.infolist()
                self.assertEqual((entry.filename, entry.external_attr >> 16 & 0o777), ("bootstrap", 0o755))
                print(f"{name}: {entry.file_size:,} bytes, {path.stat().st_size:,} as a zip")

    def test_has_a_page_and_a_completion_for_each_command(self) -> None:
        pages = {path.stem for path in (folder() / "man" / "man1").glob("*.1")}
        self.assertLessEqual({"taxonomy", "taxonomy-push", "taxonomy-expand", "taxonomy-tenant-purge"}, pages)
        for name in ("taxonomy.bash", "_taxonomy", "taxonomy.fish"):
            script = (folder() / "completions" / name).read_text()
            for page in pages - {"taxonomy"}:
                self.assertIn(page.removeprefix("taxonomy-").split("-")[0], script, f"{name}: {page}")
        bash = ["bash", "-n", str(folder() / "completions" / "taxonomy.bash")]
        self.assertEqual(subprocess.run(bash, check=False).returncode, 0)

    def test_has_no_link_that_leads_nowhere(self) -> None:
        files = {str(path.relative_to(folder())) for path in folder().rglob("*") if path.is_file()}
        found, documents = links.check_in(folder(), files)
        print(f"{found} links of {documents} documents")
        for place in ("guide.md", "policies/deployer.json", "policies/stack-policy.json", "docs/runbook.md", "docs/problems.md", "docs/taxonomy.schema.json", "docs/openapi.json", "samples/stack/README.md"):
            self.assertTrue((folder() / place).is_file(), place)

    def test_names_no_place_of_the_machine_that_made_it(self) -> None:
        for path in folder().rglob("*"):
            if path.is_file():
                self.assertNotIn(str(ROOT).encode(), path.read_bytes(), path.name)


class TheCommandLine(unittest.TestCase):
    """The command line in a root that contains only it and its files: no library, no loader, no shell."""

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.root = Path(made.name)
        shutil.copy2(folder() / "bin" / "taxonomy", self.root)

    def run_alone(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        chroot = shutil.which("chroot") or "/usr/sbin/chroot"
        as_root = [] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user"]
        if subprocess.run([*as_root, chroot, "/", "/bin/true"], capture_output=True, check=False).returncode:
            raise unavailable("this machine lets nobody change the root")
        command = [*as_root, chroot, str(self.root), "/taxonomy", *arguments]
        return subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=60)

    def test_reads_a_file(self) -> None:
        shutil.copyfile(FIRST, self.root / "file.json")
        done = self.run_alone("validate", "/file.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("144 terms", done.stdout)

    def test_looks_names_up(self) -> None:
        """Static programs fail here first: the C library would load a library to resolve a name, and there is none."""
        (self.root / "etc").mkdir()
        (self.root / "etc" / "hosts").write_text("127.0.0.1 stack.test\n")
        address = stack().endpoint.replace("127.0.0.1", "stack.test")
        # A debug build requires certificates, though this address needs none.
        shutil.copyfile(Path(botocore.__file__).with_name("cacert.pem"), self.root / "roots.pem")
        signed = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": stack().region, "SSL_CERT_FILE": "/roots.pem"}
        done = self.run_alone("tenant", "list", "--stack", stack().stack_name, "--endpoint-url", address, **signed)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        (self.root / "etc" / "hosts").write_text("")
        self.assertNotEqual(self.run_alone("tenant", "list", "--stack", stack().stack_name, "--endpoint-url", address, **signed).returncode, 0)


if __name__ == "__main__":
    unittest.main()
