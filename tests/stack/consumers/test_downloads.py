"""Tests of downloads of versions: requested, made by the projector through its queue, and read by the URL of the response alone."""

import time
import unittest
import urllib.request
from typing import Any, ClassVar
from urllib.parse import urlsplit

from oracle import Json
from program import pushed_twice, succeed
from stack import Stack, stack, until

# Queue, invocation and upload take a second or two; the rest is slack.
DOWNLOAD_SECONDS = 120
TYPES = {"json": "application/json", "ndjson": "application/x-ndjson", "csv": "text/csv", "skos": "text/turtle", "history": "text/csv"}


class Downloads(unittest.TestCase):
    running: ClassVar[Stack]
    tenant: ClassVar[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.running, cls.tenant = stack(), pushed_twice("downloads")

    def ready(self, version: int, form: str) -> Json:
        """Returns the response once the download is made; every response before it is a 202 with the time of the next try."""

        def look() -> Json | None:
            answer = self.running.api.get(f"/v1/tenants/{self.tenant}/versions/{version}/download", format=form)
            if answer.status == 202:
                time.sleep(min(int(answer.headers["retry-after"]), 5))
                return None
            self.assertEqual((answer.status, answer.headers["cache-control"]), (200, "no-store"), answer)
            found: Json = answer.body
            return found

        return until(f"the download {form} of {self.tenant}", DOWNLOAD_SECONDS, look)

    def fetched(self, ready: Json) -> tuple[bytes, Any]:
        """Returns the file, by a plain request without any authentication, and its headers."""
        self.assertEqual(urlsplit(ready["url"]).netloc, urlsplit(self.running.endpoint).netloc)
        with urllib.request.urlopen(ready["url"], timeout=30) as response:
            return response.read(), response.headers

    def test_each_form_is_what_the_command_line_writes(self) -> None:
        for form, content_type in TYPES.items():
            # A history covers all versions.
            for version in (2,) if form == "history" else (1, 2):
                words = [] if form == "history" else [str(version)]
                with self.subTest(form=form, version=version):
                    ready = self.ready(version, form)
                    body, headers = self.fetched(ready)
                    self.assertEqual((len(body), headers.get_content_type()), (ready["bytes"], content_type))
                    self.assertEqual(headers["Content-Disposition"], f'attachment; filename="{ready["fileName"]}"')
                    self.assertEqual(body.decode(), succeed("export", form, *words, "--tenant", self.tenant).out)


if __name__ == "__main__":
    unittest.main()
