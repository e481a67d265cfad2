"""The process of the emulator on a game day, extended by measurements and refusals of AWS that it lacks.

Measures: metrics of functions out of their logs, errors, throttles, the age of a batch of a stream, records that were given up or dropped, answers
of the HTTP API, throttles of the table, and the queues once a second. Each value is a line of `measurements.jsonl`.

Refuses: requests that the policy of a bucket or a queue denies to everybody, and requests beyond the maximum of the table or its index.

Ends processes of functions as Lambda ends one that outgrows its memory, and slows processes as Lambda does with a small share of a processor:
those whose function has less memory than the tag `game-day-needs-mb` or `game-day-slow-below-mb` says.
"""

import json
import runpy
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ministack.core import lambda_runtime
from ministack.core.responses import error_response_json, new_uuid
from ministack.services import apigateway, cloudfront, dynamodb, lambda_svc, s3, sqs

MEASUREMENTS = Path("measurements.jsonl")
LOCAL = Path(__file__).resolve().parents[2] / "local"
READS = {"GetItem", "BatchGetItem", "Query", "Scan"}
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem"}
_lock = threading.Lock()


def measure(namespace: str, name: str, dimensions: dict[str, str], *values: float, at: float | None = None) -> None:
    """Writes values of a metric."""
    moment = time.time() if at is None else at
    lines = [json.dumps([moment, namespace, name, dimensions, value]) + "\n" for value in values]
    with _lock, MEASUREMENTS.open("a") as file:
        file.writelines(lines)


# ---------------------------------------------------------------- functions


def _name(func: dict[str, Any]) -> str:
    return str((func.get("config") or func).get("FunctionName"))


emit_logs, execute = lambda_svc._emit_lambda_logs, lambda_svc._execute_function


def measured_logs(func: dict[str, Any], request_id: str, log_text: str, error: bool, duration_ms: int, **others: Any) -> None:
    """An invocation has ended: its metrics are in its log, each line in the embedded metric format."""
    emit_logs(func, request_id, log_text, error, duration_ms, **others)
    here = {"FunctionName": _name(func)}
    measure("AWS/Lambda", "Invocations", here, 1)
    measure("AWS/Lambda", "Errors", here, int(error))
    measure("AWS/Lambda", "Duration", here, duration_ms)
    for line in (log_text or "").splitlines():
        if '"_aws"' in line:
            _embedded(json.loads(line[line.index("{") :]))


def _embedded(line: dict[str, Any]) -> None:
    for directive in line["_aws"]["CloudWatchMetrics"]:
        for names in directive["Dimensions"]:
            dimensions = {name: line[name] for name in names}
            for metric in directive["Metrics"]:
                found = line[metric["Name"]]
                values = found if isinstance(found, list) else [found]
                measure(directive["Namespace"], metric["Name"], dimensions, *values, at=line["_aws"]["Timestamp"] / 1000)


def measured_execution(func: dict[str, Any], event: Any) -> dict[str, Any]:
    """Runs a function. A batch of a stream whose function names failed records is delivered again, as the mapping requires."""
    ended: dict[str, Any] = execute(func, event)
    here = {"FunctionName": _name(func)}
    measure("AWS/Lambda", "Throttles", here, int(bool(ended.get("throttle"))))
    records = event.get("Records") if isinstance(event, dict) else None
    if records and records[0].get("eventSource") == "aws:dynamodb":
        created = float(records[-1]["dynamodb"]["ApproximateCreationDateTime"])
        measure("AWS/Lambda", "IteratorAge", here, (time.time() - created) * 1000)
        if isinstance(ended.get("body"), dict) and ended["body"].get("batchItemFailures"):
            return {**ended, "error": True}
    return ended


def deliver_given_up(mapping: dict[str, Any], func: dict[str, Any], batch: list[Any], stream_arn: str, result: dict[str, Any], condition: str) -> None:
    """Lambda's delivery of records that are too old, into the bucket of the mapping's on-failure destination."""
    here, bucket = {"EventSourceMappingUUID": mapping["UUID"]}, mapping["DestinationConfig"]["OnFailure"]["Destination"].rsplit(":", 1)[-1]
    first, last = batch[0]["dynamodb"], batch[-1]["dynamodb"]
    now, shard = time.gmtime(), "shardId-00000000000000000000-00000000"
    stamp = lambda record: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(float(record["ApproximateCreationDateTime"])))  # noqa: E731
    info = {"shardId": shard, "startSequenceNumber": first["SequenceNumber"], "endSequenceNumber": last["SequenceNumber"]}
    ages = {"approximateArrivalOfFirstRecord": stamp(first), "approximateArrivalOfLastRecord": stamp(last)}
    payload = json.dumps({"Records": batch})
    body = {
        "requestContext": {"requestId": new_uuid(), "functionArn": (func.get("config") or func)["FunctionArn"], "condition": condition},
        "version": "1.0",
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", now),
        "DDBStreamBatchInfo": {**info, **ages, "batchSize": len(batch), "streamArn": stream_arn},
        # A bucket gets the records themselves besides, as text.
        "payload": payload,
    }
    key = f"aws/lambda/{mapping['UUID']}/{shard}/{time.strftime('%Y/%m/%d/%Y-%m-%dT%H.%M.%S', now)}-{new_uuid()}"
    if denies(_bucket_policy(bucket), "s3:PutObject", f"arn:aws:s3:::{bucket}/{key}"):
        measure("AWS/Lambda", "DroppedEventCount", here, len(batch))
        return
    s3._put_object(bucket, key, json.dumps(body).encode(), {"content-type": "application/json"})
    measure("AWS/Lambda", "OnFailureDestinationDeliveredEventCount", here, len(batch))


def end_those_without_memory() -> None:
    """Ends each process whose function has less memory than its tag says it needs."""
    while True:
        time.sleep(0.01)
        for process in _short_of_memory("game-day-needs-mb", while_working=True):
            process.kill()


def stop_those_without_processor() -> None:
    """Stops each process for 1.1 of 3 seconds whose function has less memory, and so less of a processor, than its tag says it needs."""
    while True:
        stopped = list(_short_of_memory("game-day-slow-below-mb", while_working=False))
        for number, seconds in ((signal.SIGSTOP, 1.1), (signal.SIGCONT, 1.9)):
            for process in stopped:
                process.send_signal(number)
            time.sleep(seconds)


def _short_of_memory(tag: str, while_working: bool) -> Iterator[Any]:
    for worker in _workers():
        function, process = lambda_svc._functions.get(worker.func_name, {}), worker._proc
        needs = int(function.get("tags", {}).get(tag, 0))
        works = worker._current_request_id or not while_working
        if process and process.poll() is None and works and function["config"]["MemorySize"] < needs:
            yield process


def _workers() -> list[Any]:
    with lambda_runtime._lock:
        return [each for pool in lambda_runtime._workers.values() for each in pool if hasattr(each, "_current_request_id")]


# ---------------------------------------------------------------- HTTP API

execute_api = apigateway.handle_execute


async def measured_api(api_id: str, *words: Any, **others: Any) -> Any:
    """Answers a request of the HTTP API."""
    begun, here = time.time(), {"ApiId": api_id}
    answer = await execute_api(api_id, *words, **others)
    status = answer[0]
    # A function that is throttled or ends without an answer is 503 and 500 behind an HTTP API.
    if status == 429:
        answer, status = (503, answer[1], b'{"message":"Service Unavailable"}'), 503
    measure("AWS/ApiGateway", "Count", here, 1)
    measure("AWS/ApiGateway", "4xx", here, int(400 <= status < 500))
    measure("AWS/ApiGateway", "5xx", here, int(status >= 500))
    measure("AWS/ApiGateway", "Latency", here, (time.time() - begun) * 1000)
    return answer


# ---------------------------------------------------------------- the table

answer_table = dynamodb.handle_request
#: By table and index: the most units a second of reads and of writes.
_maximums: dict[tuple[str, str], dict[str, float]] = {}
_spent: dict[tuple[str, str, str], tuple[float, float]] = {}


async def limited_table(method: str, path: str, headers: dict[str, str], body: bytes, query: dict[str, Any]) -> Any:
    """Answers a request to the table, or refuses it; each request counts as one unit, for each item of a batch."""
    action = headers.get("x-amz-target", "").rsplit(".", 1)[-1]
    if action == "UpdateTable":
        _note_maximums(json.loads(body))
    if action in READS | WRITES:
        request = json.loads(body)
        for table, index, units in _uses(action, request):
            if not _may(table, index, "Read" if action in READS else "Write", units):
                return error_response_json("ThrottlingException", f"Throughput exceeds the maximum of {table} {index}".strip(), 400)
    begun = time.time()
    answer = await answer_table(method, path, headers, body, query)
    if action in READS | WRITES and answer[0] == 200:
        for table in {table for table, _, _ in _uses(action, request)}:
            measure("AWS/DynamoDB", "SuccessfulRequestLatency", {"TableName": table, "Operation": action}, (time.time() - begun) * 1000)
    return answer


def _note_maximums(request: dict[str, Any]) -> None:
    changed = {"": request.get("OnDemandThroughput")}
    for update in request.pop("GlobalSecondaryIndexUpdates", []):
        changed[update["Update"]["IndexName"]] = update["Update"].get("OnDemandThroughput")
    for index, maximum in changed.items():
        if maximum is not None:
            _maximums[request["TableName"], index] = {"Read": float(maximum.get("MaxReadRequestUnits", -1)), "Write": float(maximum.get("MaxWriteRequestUnits", -1))}


def _uses(action: str, request: dict[str, Any]) -> list[tuple[str, str, int]]:
    if action == "BatchGetItem":
        return [(table, "", len(wanted["Keys"])) for table, wanted in request["RequestItems"].items()]
    if action == "TransactWriteItems":
        parts = [next(iter(each.values())) for each in request["TransactItems"]]
        places = [place for part in parts for place in _places(part)]
        return [(table, index, places.count((table, index))) for table, index in sorted(set(places))]
    if action == "BatchWriteItem":
        return [(table, "", len(items)) for table, items in request["RequestItems"].items()]
    if request.get("IndexName"):
        return [(request["TableName"], request["IndexName"], 1)]
    if action in READS:
        return [(request["TableName"], "", 1)]
    return [(table, index, 1) for table, index in _places(request)]


def _places(write: dict[str, Any]) -> list[tuple[str, str]]:
    """The table of a write, and its index where the write names a key of it."""
    table = write["TableName"]
    return [(table, ""), (table, "GSI1")] if "GSI1" in json.dumps(write) else [(table, "")]


def _may(table: str, index: str, kind: str, units: int) -> bool:
    most = _maximums.get((table, index), {}).get(kind, -1)
    throttled = False
    if most >= 0:
        now = time.monotonic()
        left, since = _spent.get((table, index, kind), (most, now))
        left = min(most, left + (now - since) * most)
        throttled = left < 1
        _spent[table, index, kind] = (left if throttled else left - units, now)
    here = {"TableName": table} | ({"GlobalSecondaryIndexName": index} if index else {})
    measure("AWS/DynamoDB", f"{kind}ThrottleEvents", here, int(throttled))
    return not throttled


# ---------------------------------------------------------------- policies of resources


def denies(policy: str, action: str, resource: str) -> bool:
    """Whether a policy denies an action to everybody, without a condition."""
    statements = json.loads(policy or "{}").get("Statement", [])
    plain = [each for each in statements if each["Effect"] == "Deny" and "Condition" not in each]
    as_list = lambda value: value if isinstance(value, list) else [value]  # noqa: E731
    fits = lambda pattern, text: text == pattern or (pattern.endswith("*") and text.startswith(pattern[:-1]))  # noqa: E731
    return any(any(fits(a, action) for a in as_list(each["Action"])) and any(fits(r, resource) for r in as_list(each["Resource"])) for each in plain)


def _bucket_policy(bucket: str) -> str:
    found = s3._bucket_policies.get(bucket) or ""
    return found.decode() if isinstance(found, bytes) else found


answer_s3, answer_sqs = s3.handle_request, sqs._act_send_message


async def guarded_s3(method: str, path: str, *words: Any, **others: Any) -> Any:
    """Answers a request to S3, or refuses it."""
    bucket, _, key = unquote(path).lstrip("/").partition("/")
    action = {"GET": "s3:GetObject", "HEAD": "s3:GetObject", "PUT": "s3:PutObject", "POST": "s3:PutObject"}.get(method, "")
    if key and denies(_bucket_policy(bucket), action, f"arn:aws:s3:::{bucket}/{key}"):
        return s3._error("AccessDenied", "Access Denied", 403)
    return await answer_s3(method, path, *words, **others)


def guarded_sqs(data: dict[str, Any], url: str) -> Any:
    """Takes a message, or refuses it."""
    attributes = sqs._get_q(data.get("QueueUrl", url))["attributes"]
    if denies(attributes.get("Policy", ""), "sqs:SendMessage", attributes.get("QueueArn", "")):
        raise sqs._Err("AccessDenied", "Access to the resource is denied", 403)
    return answer_sqs(data, url)


#: A distribution that refuses each invalidation, as CloudFront does one with an argument that it does not take.
REFUSING = "EREFUSESEACHONE"
answer_cloudfront = cloudfront.handle_request


async def guarded_cloudfront(method: str, path: str, *words: Any) -> Any:
    """Answers a request to CloudFront, or refuses it."""
    if f"/distribution/{REFUSING}/" in path:
        error = "<Error><Type>Sender</Type><Code>InvalidArgument</Code><Message>The argument is invalid.</Message></Error>"
        return 400, {"Content-Type": "text/xml"}, f"<ErrorResponse>{error}<RequestId>{new_uuid()}</RequestId></ErrorResponse>".encode()
    return await answer_cloudfront(method, path, *words)


# ---------------------------------------------------------------- queues


def measure_queues() -> None:
    """Once a second, the messages that wait in each queue, and the age of the oldest one that was received less than three times."""
    while True:
        time.sleep(1)
        now = time.time()
        for queue in list(sqs._queues.to_dict().values()):
            here = {"QueueName": queue["name"]}
            messages = list(queue.get("messages") or [])
            ages = [now - each["sent_at"] for each in messages if each.get("receive_count", 0) < 3]
            visible = sum(each.get("visible_at", 0) <= now for each in messages)
            measure("AWS/SQS", "ApproximateNumberOfMessagesVisible", here, visible)
            measure("AWS/SQS", "ApproximateAgeOfOldestMessage", here, max(ages, default=0))


if __name__ == "__main__":
    lambda_svc._emit_lambda_logs, lambda_svc._execute_function = measured_logs, measured_execution
    lambda_svc._send_ddb_stream_failure_record = deliver_given_up
    apigateway.handle_execute, dynamodb.handle_request, s3.handle_request = measured_api, limited_table, guarded_s3
    sqs._HANDLERS["SendMessage"], cloudfront.handle_request = guarded_sqs, guarded_cloudfront
    for endless in (measure_queues, end_those_without_memory, stop_those_without_processor):
        threading.Thread(target=endless, daemon=True).start()
    runpy.run_path(str(LOCAL / "ministack_process.py"), run_name="__main__")
