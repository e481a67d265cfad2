"""The lookup of a term as a team would write it in Python: an item of the table by boto3, in a plain loop over the runtime API.

The line of each ancestor in `Lineage` begins with its id and its name, with TABs between them.
"""

import http.client
import json
import os
from typing import Any

import boto3

CLIENT = boto3.client("dynamodb")
API = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
INVOCATION = "/2018-06-01/runtime/invocation"


def answer(event: dict[str, Any]) -> dict[str, Any]:
    """The response to an event of API Gateway."""
    tenant, term = event["pathParameters"]["tenant"], event["pathParameters"]["id"]
    key = {"S": f"TERM#{tenant}#{term}"}
    item = CLIENT.get_item(TableName=os.environ["TABLE_NAME"], Key={"PK": key, "SK": key}).get("Item")
    if item is None:
        return {"statusCode": 404, "body": "{}"}
    name, final_name = item["Name"]["S"], item["FinalName"]["S"]
    category = final_name[: len(final_name) - len(name)]
    lines = [line.split("\t") for line in item["Lineage"]["S"].split("\n")] if "Lineage" in item else []
    ancestors = [{"id": int(line[0]), "name": line[1], "finalName": category + line[1]} for line in lines]
    body = {"tenant": tenant, "id": int(term), "name": name, "finalName": final_name, "culture": item["Culture"]["S"], "ancestors": ancestors}
    return {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": json.dumps(body)}


while True:
    API.request("GET", f"{INVOCATION}/next")
    response = API.getresponse()
    event = json.loads(response.read())
    API.request("POST", f"{INVOCATION}/{response.headers['lambda-runtime-aws-request-id']}/response", json.dumps(answer(event)))
    API.getresponse().read()
