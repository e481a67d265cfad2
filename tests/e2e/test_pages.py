"""Tests of the explorer and the API page as the deployed stack serves them, byte for byte against `pages/`."""

import gzip
import http.client
import json
import os
import re
import subprocess
import unittest
import uuid
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from urllib.parse import urlsplit

import brotli
from local.package import TEMPLATE
from local.paths import VENV, credentials
from stack import ROOT, stack

PAGES = ROOT / "pages"
#: The headers of docs/decisions/0024-pages.md.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
#: Both use the assets of the explorer.
PAGE_NAMES = ("explore", "docs")
TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8"}
#: The largest body that is sent uncompressed, in bytes (docs/decisions/0005-http.md).
SMALL = 1024
DECODERS = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}


@dataclass(frozen=True)
class Raw:
    """A response with its unparsed body."""

    status: int
    headers: Message
    body: bytes


def ask(path: str, method: str = "GET", **headers: str) -> Raw:
    """Sends a request without any authentication."""
    running = stack()
    connection = http.client.HTTPConnection(urlsplit(running.api_url).netloc, timeout=30)
    try:
        connection.request(method, path, headers={"Host": running.api_host} | {name.replace("_", "-").title(): value for name, value in headers.items()})
        answer = connection.getresponse()
        return Raw(answer.status, answer.headers, answer.read())
    finally:
        connection.close()


def digest(page: str) -> str:
    """Returns the digest of the assets, as the page names it."""
    found = set(re.findall(r'"explore/assets/([0-9a-f]+)/', ask(f"/{page}").body.decode()))
    if len(found) != 1:
        raise AssertionError(f"/{page} names the digests {found}")
    return str(found.pop())


class ThePages(unittest.TestCase):
    maxDiff = None

    def headers_of(self, answer: Raw) -> None:
        self.assertEqual(answer.headers["content-security-policy"], POLICY)
        self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
        self.assertEqual(answer.headers["referrer-policy"], "no-referrer")
        self.assertEqual(answer.headers["cross-origin-opener-policy"], "same-origin")

    def test_both_are_the_files_of_the_project_with_the_digest_in_their_paths(self) -> None:
        for page in PAGE_NAMES:
            with self.subTest(page):
                answer = ask(f"/{page}")
                self.assertEqual((answer.status, answer.headers["content-type"], answer.headers["cache-control"]), (200, "text/html; charset=utf-8", "no-cache"))
                self.headers_of(answer)
                source = (PAGES / page / "index.html").read_text()
                self.assertEqual(answer.body.decode(), source.replace("explore/assets/", f"explore/assets/{digest(page)}/"))

    def test_every_asset_is_its_file_in_every_coding_and_is_kept_for_good(self) -> None:
        count = 0
        folder, below = PAGES / "explore" / "assets", f"/explore/assets/{digest('explore')}"
        self.assertEqual(digest("docs"), digest("explore"))
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            for coding in DECODERS:
                path = f"{below}/{file.relative_to(folder)}"
                with self.subTest(path=path, coding=coding):
                    answer = ask(path, accept_encoding=coding or "identity")
                    sent = coding if file.stat().st_size > SMALL else None
                    self.assertEqual((answer.status, answer.headers["content-encoding"]), (200, sent))
                    self.assertEqual(DECODERS[sent](answer.body), file.read_bytes())
                    self.assertEqual(answer.headers["content-type"], TYPES[file.suffix])
                    self.assertEqual(answer.headers["cache-control"], "public, max-age=31536000, immutable")
                    self.assertEqual(answer.headers["vary"].lower(), "accept-encoding")
                    self.headers_of(answer)
                    count += 1
        self.assertGreater(count, 100)

    def test_the_settings_are_those_of_the_stack(self) -> None:
        answer = ask("/explore/config.json")
        self.assertEqual((answer.status, answer.headers["content-type"], answer.headers["cache-control"]), (200, "application/json", "no-store"))
        self.headers_of(answer)
        self.assertEqual(
            json.loads(answer.body),
            {"formatVersion": 1, "source": {"kind": "stack", "name": stack().stack_name}, "auth": {"mode": "none"}},
        )

    def test_head_is_get_without_its_body(self) -> None:
        asset = f"/explore/assets/{digest('docs')}/reference/main.js"
        for path in ("/explore", "/docs", asset, "/explore/config.json", "/explore/nothing"):
            for coding in ("br", "identity"):
                with self.subTest(path=path, coding=coding):
                    get, head = (ask(path, method, accept_encoding=coding) for method in ("GET", "HEAD"))
                    self.assertEqual((head.status, head.body), (get.status, b""))
                    self.assertEqual(own(head), own(get))
                    self.assertEqual(head.headers["content-length"], str(len(get.body)))

    def test_what_is_not_there_is_not_found(self) -> None:
        old = digest("explore")[::-1]
        for path in ("/explore/nothing", "/explore/assets/main.js", f"/explore/assets/{old}/main.js", "/docs/config.json", "/explore/assets/../../v1/health"):
            with self.subTest(path):
                answer = ask(path)
                self.assertEqual((answer.status, answer.headers["cache-control"]), (404, "no-store"))
                self.headers_of(answer)
        for path in ("/explorer", "/doc", "/", "/v1/explore"):
            self.assertEqual((path, ask(path).status), (path, 404))


class TheirReach(unittest.TestCase):
    def test_they_are_read_and_nothing_else(self) -> None:
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            for path in ("/explore", "/docs", "/explore/config.json"):
                self.assertEqual((method, path, ask(path, method).status), (method, path, 404))

    def test_their_routes_are_open_and_lead_to_their_own_function(self) -> None:
        client, api = stack().client("apigatewayv2"), stack().api_host.split(".")[0]
        integrations = {each["IntegrationId"]: each["IntegrationUri"] for each in client.get_integrations(ApiId=api)["Items"]}
        routes = [route for page in client.get_paginator("get_routes").paginate(ApiId=api) for route in page["Items"]]
        functions: dict[str, set[str]] = {"pages": set(), "lookup": set()}
        for route in routes:
            uri = integrations[route["Target"].removeprefix("integrations/")]
            [name] = [name for name in functions if uri.rsplit(":", 1)[-1].endswith(f"-{name}")]
            functions[name].add(route["RouteKey"])
            if name == "pages":
                self.assertEqual((route["AuthorizationType"], route.get("AuthorizerId")), ("NONE", None))
        expect = {f"{method} /{path}" for method in ("GET", "HEAD") for path in ("explore", "explore/{proxy+}", "docs", "docs/{proxy+}")}
        self.assertEqual(functions["pages"], expect)
        # A path of the API is never a path of the pages, whose routes need no authentication.
        self.assertTrue(all(key.split(" ")[1].startswith("/v1/") for key in functions["lookup"]), functions["lookup"])
        answer = ask("/v1/tenants/none-of-this-name")
        self.assertEqual((answer.status, json.loads(answer.body)["type"]), (404, "/problems/tenant-not-found"))

    def test_their_role_may_write_a_log_and_nothing_else(self) -> None:
        iam = stack().client("iam")
        name = stack().client("lambda").get_function(FunctionName=stack().pages)["Configuration"]["Role"].rsplit("/", 1)[-1]
        self.assertEqual(iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"], [])
        actions = set()
        for policy in iam.list_role_policies(RoleName=name)["PolicyNames"]:
            document = iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
            for statement in document["Statement"]:
                actions |= {statement["Action"]} if isinstance(statement["Action"], str) else set(statement["Action"])
        self.assertEqual(actions, {"logs:CreateLogStream", "logs:PutLogEvents"})


class WithTokens(unittest.TestCase):
    """A second stack, whose API accepts only tokens: the same code and template, deployed by `sam deploy`."""

    name: str
    host: str

    @classmethod
    def setUpClass(cls) -> None:
        name = f"tokens-{uuid.uuid4().hex[:6]}"
        parameters = [
            *("Architecture=x86_64", "Stage=local", "AuthMode=jwt", "JwtIssuer=https://id.example/pool", "JwtAudience=api"),
            *("Pages=true", "PagesClientId=explorer", "PagesScope=openid", "PagesEndSessionEndpoint=https://login.example/out"),
            *("PagesAuthorizationEndpoint=https://login.example/page", "PagesTokenEndpoint=https://login.example/token"),
        ]
        words: list[str | Path] = [VENV / "bin" / "sam", "deploy", "--stack-name", name, "--template-file", TEMPLATE, "--region", stack().region]
        words += ["--resolve-s3", "--capabilities", "CAPABILITY_IAM", "--no-confirm-changeset", "--parameter-overrides", *parameters]
        done = subprocess.run(words, env=os.environ | credentials(), capture_output=True, text=True, timeout=300, check=False)
        client = stack().client("cloudformation")
        cls.addClassCleanup(client.delete_stack, StackName=name)
        if done.returncode:
            raise AssertionError(done.stdout + done.stderr)
        outputs = {each["OutputKey"]: each["OutputValue"] for each in client.describe_stacks(StackName=name)["Stacks"][0]["Outputs"]}
        cls.name, cls.host = name, outputs["ApiUrl"].split("://", 1)[1]
        if outputs["ExplorerUrl"] != f"{outputs['ApiUrl']}/explore":
            raise AssertionError(outputs["ExplorerUrl"])

    def test_the_pages_are_open_and_the_api_is_not(self) -> None:
        for path, status in (
            *((page, 200) for page in ("/explore", "/docs", "/explore/config.json", "/v1/openapi.json", "/v1/health")),
            *((path, 401) for path in ("/v1/tenants", "/v1/tenants/acme", "/v1/tenants/acme/terms/1")),
        ):
            with self.subTest(path):
                self.assertEqual(ask(path, host=self.host).status, status)

    def test_the_settings_name_the_provider_and_its_origins_may_be_asked(self) -> None:
        answer = ask("/explore/config.json", host=self.host)
        endpoints = {"authorization": "https://login.example/page", "token": "https://login.example/token", "endSession": "https://login.example/out"}
        provider = {"mode": "jwt", "issuer": "https://id.example/pool", "clientId": "explorer", "scope": "openid", "claim": "tenants", "endpoints": endpoints}
        self.assertEqual(json.loads(answer.body), {"formatVersion": 1, "source": {"kind": "stack", "name": self.name}, "auth": provider})
        connect = "connect-src 'self' https://id.example https://login.example"
        for path, policy in (("/explore", POLICY.replace("connect-src 'self'", connect)), ("/docs", POLICY)):
            self.assertEqual(ask(path, host=self.host).headers["content-security-policy"], policy)


class TheirParameters(unittest.TestCase):
    """Parameters that the rules of the template refuse, before anything is created."""

    bucket: str

    def test_an_incomplete_provider_is_refused(self) -> None:
        jwt = {"Stage": "prod", "AuthMode": "jwt", "JwtIssuer": "https://id.example", "JwtAudience": "api", "Pages": "true"}
        page = "https://id.example/page"
        for given, said in (
            ({"Pages": "true", "Stage": "prod"}, "Pages needs AuthMode jwt or none"),
            ({"Pages": "true", "Stage": "prod", "AuthMode": "iam"}, "taxonomy explore"),
            (jwt, "Pages with AuthMode jwt needs PagesClientId"),
            (jwt | {"PagesClientId": "c", "PagesAuthorizationEndpoint": page}, "need PagesTokenEndpoint"),
            (jwt | {"PagesClientId": "c", "PagesTokenEndpoint": page}, "need PagesAuthorizationEndpoint"),
            (jwt | {"PagesClientId": "c", "PagesEndSessionEndpoint": page}, "need PagesAuthorizationEndpoint"),
        ):
            with self.subTest(given), self.assertRaisesRegex(Exception, said):
                self.plan(given)
        endpoints = {"PagesAuthorizationEndpoint": page, "PagesTokenEndpoint": page, "PagesEndSessionEndpoint": page}
        for complete in ({}, {"Stage": "local", "AuthMode": "none", "Pages": "true"}, jwt | {"PagesClientId": "c"}, jwt | {"PagesClientId": "c"} | endpoints):
            with self.subTest(complete):
                self.plan(complete)

    @classmethod
    def setUpClass(cls) -> None:
        cls.bucket = f"pages-{uuid.uuid4().hex[:6]}"
        s3 = stack().client("s3")
        s3.create_bucket(Bucket=cls.bucket)
        template = (ROOT / "template.yaml").read_text()
        code = f"    CodeUri: s3://{cls.bucket}/code.zip\n"
        s3.put_object(Bucket=cls.bucket, Key="template.yaml", Body=template.replace("    CodeUri: .\n", code).encode())

    def plan(self, parameters: dict[str, str]) -> None:
        """Creates a change set of a new stack, which is never executed."""
        name = f"planned-{uuid.uuid4().hex[:6]}"
        client = stack().client("cloudformation")
        client.create_change_set(
            StackName=name,
            ChangeSetName=name,
            ChangeSetType="CREATE",
            TemplateURL=f"https://s3.us-east-1.amazonaws.com/{self.bucket}/template.yaml",
            Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
            Parameters=[{"ParameterKey": name, "ParameterValue": value} for name, value in parameters.items()],
        )
        self.addCleanup(client.delete_stack, StackName=name)


def own(answer: Raw) -> dict[str, str]:
    """Returns the headers of the function, without those of the gateway and those that change with time."""
    return {name.lower(): value for name, value in answer.headers.items() if name.lower() not in ("date", "apigw-requestid", "content-length", "connection")}


if __name__ == "__main__":
    unittest.main()
