"""Tests of the synthesis of an app with the construct of a release, by the CDK itself."""

import hashlib
import json
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any

from checks import npm
from local.paths import FUNCTIONS, TOOLS
from local.shell import capture
from released import ROOT, code, folder, template

SOURCE = ROOT / "tests" / "release" / "cdk"
WORK = TOOLS / "cdk"
#: The values that the app sets, and those that the construct sets as references to assets.
GIVEN = {"Stage": "local", "AuthMode": "none"}
OF_THE_CODE = ("CodeBucket", "AggregatorKey", "LookupKey", "PagesKey", "ProjectorKey")


class TheConstruct(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls) -> None:
        npm.install(SOURCE, WORK)
        for path in (SOURCE / "app.ts", SOURCE / "tsconfig.json", folder() / "cdk" / "taxonomy.ts"):
            shutil.copy(path, WORK)
        run("node_modules/typescript/bin/tsc", "--project", str(WORK))

    def test_synthesizes_the_template_of_the_release(self) -> None:
        with tempfile.TemporaryDirectory() as out:
            run("built/app.js", str(folder()), out)
            synthesized = json.loads((Path(out) / "taxonomy.template.json").read_text())
            manifest = json.loads((Path(out) / "taxonomy.assets.json").read_text())
            assets = {hashlib.sha256(content).hexdigest() for content in uploaded(Path(out), manifest)}
        self.assertLessEqual({hashlib.sha256(path.read_bytes()).hexdigest() for path in code().values()}, assets)
        written = template(folder() / "cloudformation.yaml")
        values: dict[str, Any] = dict(GIVEN)
        for name, logical_id in FUNCTIONS.items():
            place = synthesized["Resources"][logical_id]["Properties"]["CodeUri"]
            values["CodeBucket"], values[f"{name.capitalize()}Key"] = (place[part] for part in ("Bucket", "Key"))
        self.assertEqual(len({str(values[name]) for name in OF_THE_CODE}), len(OF_THE_CODE))
        for section in ("Resources", "Outputs", "Conditions", "Transform", "Globals"):
            self.assertEqual(plain(with_values(written[section], values)), plain(synthesized[section]), section)
        left = set(written["Parameters"]) - set(values)
        self.assertEqual(left, set(synthesized["Parameters"]) - {"BootstrapVersion"})
        print(f"\ncdk: {len(synthesized['Resources'])} resources, {len(assets)} assets, {len(left)} parameters left to the user")

    def test_refuses_a_name_that_buckets_cannot_have(self) -> None:
        with tempfile.TemporaryDirectory() as out, self.assertRaisesRegex(AssertionError, "lower case letters, digits and hyphens: set stackName"):
            run("built/app.js", str(folder()), out, "TaxonomyStack")


def run(*arguments: str) -> None:
    done = capture(["node", *(str(WORK / arguments[0]),), *arguments[1:]], npm.node())
    if done.returncode:
        raise AssertionError(f"{arguments[0]}: {done.stdout}{done.stderr}")


def uploaded(out: Path, manifest: Any) -> list[bytes]:
    """Returns the content of each asset."""
    return [(out / asset["source"]["path"]).read_bytes() for asset in manifest["files"].values()]


def with_values(node: Any, values: dict[str, Any]) -> Any:
    """Returns a part of a template with references to parameters replaced by their values."""
    if isinstance(node, dict):
        if set(node) == {"Ref"} and node["Ref"] in values:
            return values[node["Ref"]]
        return {name: with_values(value, values) for name, value in node.items()}
    if isinstance(node, list):
        return [with_values(value, values) for value in node]
    return node


def plain(node: Any) -> Any:
    """Returns the same part in one form: CloudFormation accepts `Fn::GetAtt` as a list or a text, and `DependsOn` likewise."""
    if isinstance(node, dict):
        if set(node) == {"Fn::GetAtt"} and isinstance(node["Fn::GetAtt"], str):
            return {"Fn::GetAtt": node["Fn::GetAtt"].split(".", 1)}
        return {name: [value] if name == "DependsOn" and isinstance(value, str) else plain(value) for name, value in node.items() if value is not None}
    if isinstance(node, list):
        return [plain(value) for value in node]
    return node


if __name__ == "__main__":
    unittest.main()
