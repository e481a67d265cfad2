"""Where things are, and what the user may choose through the environment."""

import os
from pathlib import Path

from .problem import Problem

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".tools"
VENV = TOOLS / "venv"
VALKEY = TOOLS / "bin" / "valkey-server"
STATE = ROOT / ".local"
#: Of `sam build`, for AWS.
BUILD = ROOT / ".aws-sam" / "build"
#: Of `make up`, for this machine.
PACKAGE = ROOT / ".aws-sam" / "local"
#: Of `make release`.
DIST = ROOT / "dist"
#: The output of programs that failed.
LOGS = ROOT / ".aws-sam" / "logs"

REGION = "us-east-1"
STACK_NAME = "taxonomy-local"
#: The program of each function, and the logical id of its resource.
FUNCTIONS = {"projector": "Projector", "aggregator": "Aggregator", "lookup": "Lookup", "pages": "PagesFunction"}
#: The program of the package `cli`.
COMMAND_LINE = "taxonomy"


def port() -> int:
    """The emulator's port: PORT, else 4566."""
    text = os.environ.get("PORT", "4566")
    if not text.isdigit() or not 1024 <= int(text) <= 65535:
        raise Problem(f"PORT={text} is not a port between 1024 and 65535")
    return int(text)


def endpoint() -> str:
    """The emulator's address; an IP address, so that SDKs put a bucket's name into the path and not into the host."""
    return f"http://127.0.0.1:{port()}"


def credentials() -> dict[str, str]:
    """The settings that every AWS client requires; the emulator checks none of them, and no real account is within reach."""
    return {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ENDPOINT_URL": endpoint(),
        "AWS_EC2_METADATA_DISABLED": "true",
        "SAM_CLI_TELEMETRY": "0",
    }
