"""The host of functions (`benches/host`): deployed programs over table and buckets of this machine, behind the same HTTP API."""

import json
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from local.api import Answer, Api
from local.problem import Problem

Json = dict[str, Any]

TABLE, SOURCE = "taxonomy", "taxonomy-source"
PROJECTOR_SECONDS = 900
WAIT_SECONDS = 1_800
END_SECONDS = 10


def micros(answer: Answer, name: str) -> int:
    """What the host says of a time: `waited`, `began`, `took`; 0 where there was none."""
    return int(answer.headers.get(f"host-{name}", 0))


def function(command: Sequence[str | Path], most: int = 1, seconds: int = 10, **environment: str) -> Json:
    """A function of the host: its program, its processes at most, its time-out, and what its environment has beside the usual."""
    return {"command": [str(word) for word in command], "most": most, "seconds": seconds, "environment": environment}


def service(programs: Mapping[str, Path], lookups: int = 1, projectors: int = 1) -> Json:
    """Lookup and projector, from the paths of their programs. The projector takes the largest file that it can be configured for."""
    return {
        "lookup": function([programs["lookup"]], lookups),
        "projector": function([programs["projector"]], projectors, PROJECTOR_SECONDS, MAX_FILE_BYTES=str(512 << 20)),
    }


class Host(Api):
    """A running host."""

    def __init__(self, program: Path, functions: Json) -> None:
        self._process = subprocess.Popen([program, json.dumps(functions)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout
        self.address = self._process.stdout.readline().strip()
        if not self.address:
            raise Problem("the host of the functions has ended at its start")
        super().__init__(self.address, seconds=PROJECTOR_SECONDS)

    def __enter__(self) -> "Host":
        return self

    def __exit__(self, *_: object) -> None:
        # At the end of its input the host ends its processes, and then itself.
        assert self._process.stdin
        self._process.stdin.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def own(self, path: str) -> Any:
        """What the host says of itself: `processes`, `requests`, `stop`, `throttle/N`."""
        return self.get(f"/host/{path}").body

    def upload(self, tenant: str, file: bytes) -> None:
        """Puts a tenant's file into the source bucket, of which the projector is told."""
        answer = self.ask("PUT", f"/{SOURCE}/taxonomies/{tenant}.json", {"x-amz-meta-allow-removals": "true"}, file)
        if answer.status != 200:
            raise Problem(f"the bucket answers {answer.status} to an upload")

    def head(self, tenant: str) -> Json:
        """The stored head: names with DynamoDB's typed values; empty before the first version."""
        key = {"PK": {"S": f"TAXONOMY#{tenant}"}, "SK": {"S": "HEAD"}}
        target = {"x-amz-target": "DynamoDB_20120810.GetItem"}
        answer = self.ask("POST", "/", target, json.dumps({"TableName": TABLE, "Key": key, "ConsistentRead": True}).encode())
        found: Json = answer.body.get("Item", {})
        return found

    def wait(self, tenant: str, version: int, attribute: str) -> None:
        """Waits until the head names a version as committed (`V`) or as loaded (`Projected`)."""
        self.until(lambda: int(self.head(tenant).get(attribute, {"N": "0"})["N"]) >= version, f"{attribute} of {tenant} to be {version}")

    def until(self, is_done: Callable[[], bool], what: str) -> None:
        """Waits for something, which is looked at every few milliseconds."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not is_done():
            if time.monotonic() > deadline:
                raise Problem(f"waited {WAIT_SECONDS} s in vain for {what}")
            time.sleep(0.005)
