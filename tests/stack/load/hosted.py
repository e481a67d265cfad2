"""The host of functions (`benches/host`) in the place of the stack, for a load."""

import json
from typing import Any

from local.api import Api
from oracle import Json
from stack import Stack, plain_item

#: How often an upload is tried while the host refuses requests.
UPLOADS = 10


class Hosted(Stack):
    """What a load needs of a stack."""

    def __init__(self, address: str) -> None:
        self.api_url = self.endpoint = f"http://{address}"
        self.api_host, self.source_bucket, self.table = address, "taxonomy-source", "taxonomy"
        # For the thread that publishes; each connection of the load has one of its own.
        self.api = Api(self.api_url, self.api_host)
        self.functions = {name: f"taxonomy-{name}" for name in ("lookup", "projector")}

    def put(self, key: str, body: bytes, **put_object: Any) -> Json:
        """Uploads an object into the source bucket; a refused request is repeated."""
        headers = {f"x-amz-meta-{name}": value for name, value in put_object.get("Metadata", {}).items()}
        for _ in range(UPLOADS):
            answer = self.api.ask("PUT", f"/{self.source_bucket}/{key}", headers, body)
            if answer.status == 200:
                return {"ETag": answer.headers["etag"], "VersionId": answer.headers.get("x-amz-version-id")}
        raise AssertionError(f"the bucket refused an upload {UPLOADS} times")

    def item(self, pk: str, sk: str) -> Json:
        """Returns one item, empty if it does not exist."""
        request = {"TableName": self.table, "Key": {"PK": {"S": pk}, "SK": {"S": sk}}, "ConsistentRead": True}
        headers = {"x-amz-target": "DynamoDB_20120810.GetItem"}
        return plain_item(self.api.ask("POST", "/", headers, json.dumps(request).encode()).body.get("Item", {}))

    def own(self, path: str) -> Any:
        """What the host says of itself: `processes`, `requests`, `throttle/N`."""
        return self.api.get(f"/host/{path}").body
