"""Prints the places where a SARIF log violates the schema, a line each: `errors.py SCHEMA LOG`."""

import json
import sys
from pathlib import Path

from jsonschema.validators import validator_for

schema, log = (json.loads(Path(file).read_text(encoding="utf-8-sig")) for file in sys.argv[1:])
for error in validator_for(schema)(schema).iter_errors(log):
    print(f"{error.json_path}: {error.message[:200]}")
