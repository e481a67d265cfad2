"""Tests of the pages of a stack whose API accepts only tokens: they are open, and nothing else is. `tests/pages/deployed.test.mjs` compares every
file of the pages with another server."""

import os
import subprocess
import unittest
import uuid
from typing import ClassVar

from local.api import Answer, Api
from local.package import TEMPLATE
from local.paths import VENV, credentials
from stack import stack

#: The header of docs/decisions/0024-pages.md.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


class WithTokens(unittest.TestCase):
    """A second stack, of the same code and template, deployed by `sam deploy`."""

    name: ClassVar[str]
    host: ClassVar[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.name = f"tokens-{uuid.uuid4().hex[:6]}"
        parameters = [
            *("Architecture=x86_64", "Stage=local", "AuthMode=jwt", "JwtIssuer=https://id.example/pool", "JwtAudience=api"),
            *("Pages=true", "PagesClientId=explorer", "PagesScope=openid", "PagesEndSessionEndpoint=https://login.example/out"),
            *("PagesAuthorizationEndpoint=https://login.example/page", "PagesTokenEndpoint=https://login.example/token"),
        ]
        words = [str(VENV / "bin" / "sam"), "deploy", "--stack-name", cls.name, "--template-file", str(TEMPLATE), "--region", stack().region]
        words += ["--resolve-s3", "--capabilities", "CAPABILITY_IAM", "--no-confirm-changeset", "--parameter-overrides", *parameters]
        done = subprocess.run(words, env=os.environ | credentials(), capture_output=True, text=True, timeout=300, check=False)
        client = stack().client("cloudformation")
        cls.addClassCleanup(client.delete_stack, StackName=cls.name)
        if done.returncode:
            raise AssertionError(done.stdout + done.stderr)
        outputs = {each["OutputKey"]: each["OutputValue"] for each in client.describe_stacks(StackName=cls.name)["Stacks"][0]["Outputs"]}
        cls.host = outputs["ApiUrl"].split("://", 1)[1]
        if outputs["ExplorerUrl"] != f"{outputs['ApiUrl']}/explore":
            raise AssertionError(outputs["ExplorerUrl"])

    def ask(self, path: str, method: str = "GET") -> Answer:
        """Sends a request without any authentication."""
        return Api(stack().api_url, self.host).ask(method, path)

    def test_the_pages_are_open_and_the_api_is_not(self) -> None:
        for path, method, status in (
            *((page, "GET", 200) for page in ("/explore", "/docs", "/explore/config.json", "/v1/openapi.json", "/v1/health")),
            *((path, "GET", 401) for path in ("/v1/tenants", "/v1/tenants/acme", "/v1/tenants/acme/terms/1")),
            *((page, method, 404) for page in ("/explore", "/docs") for method in ("POST", "PUT", "PATCH", "DELETE")),
            *((path, "GET", 404) for path in ("/explorer", "/doc", "/", "/v1/explore", "/explore/nothing", "/explore/assets/../../v1/health")),
        ):
            with self.subTest(path=path, method=method):
                self.assertEqual(self.ask(path, method).status, status)

    def test_the_settings_name_the_provider_and_its_origins_may_be_asked(self) -> None:
        endpoints = {"authorization": "https://login.example/page", "token": "https://login.example/token", "endSession": "https://login.example/out"}
        provider = {"mode": "jwt", "issuer": "https://id.example/pool", "clientId": "explorer", "scope": "openid", "claim": "tenants", "endpoints": endpoints}
        self.assertEqual(self.ask("/explore/config.json").body, {"formatVersion": 1, "source": {"kind": "stack", "name": self.name}, "auth": provider})
        connect = "connect-src 'self' https://id.example https://login.example"
        for path, policy in (("/explore", POLICY.replace("connect-src 'self'", connect)), ("/docs", POLICY)):
            self.assertEqual(self.ask(path).headers["content-security-policy"], policy)


if __name__ == "__main__":
    unittest.main()
