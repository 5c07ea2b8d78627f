"""Robots in JSON files: the document schema, with the line of every key."""

from __future__ import annotations

import json
import re
from pathlib import Path

from qddot.errors import BadFile, shorten
from qddot.model import Model
from qddot.readers.document import read_document
from qddot.readers.document_table import dotted, nearest_line
from qddot.readers.files import read_text

TOO_LONG = "a whole number in it has thousands of digits"
SHORTER = "Write it with an exponent, such as 1e9."
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]|-?Infinity|NaN')


def read_json(path: Path) -> Model:
    """Return the model in a JSON file.

    Raises:
        BadFile: If it cannot be read, is not JSON, or names something twice.
        BadRobot: With every problem of the robot in it.
    """
    text = read_text(path)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        why = f"it is not JSON: {error.msg}"
        raise BadFile(path, why, "Correct that line.", error.lineno) from None
    except ValueError:
        raise BadFile(path, TOO_LONG, SHORTER) from None
    except RecursionError:
        raise BadFile(path, "it is nested too deeply", "Write plain tables.") from None
    if not isinstance(data, dict):
        raise BadFile(path, "it is not a table", "Start it with { and name its fields.")
    return read_document(data, path.stem, nearest_line(lines_of(path, text)))


def lines_of(path: Path, text: str) -> dict[tuple, int]:
    """Return the line of every key and every table in an array, by the way that leads there.

    The standard library's reader keeps no positions, takes a key that stands twice, and numbers
    that are none, so the text is gone through once more.
    """
    lines: dict[tuple, int] = {}
    # of each table and array that is open: its path, and which entry is next; None: a key is
    open_: list[tuple[tuple, int | str | None]] = []
    at, line = 0, 1
    for match in TOKEN.finditer(text):
        line, at = line + text.count("\n", at, match.start()), match.start()
        token, (here, entry) = match[0], open_[-1] if open_ else ((), None)
        if token in "{[":
            inner = (*here, entry) if open_ else ()
            lines.setdefault(inner, line)
            open_.append((inner, None if token == "{" else 0))
        elif token in "}]":
            open_.pop()
        elif token == ",":
            open_[-1] = (here, entry + 1 if isinstance(entry, int) else None)
        elif not token.startswith('"'):
            raise BadFile(path, f"{token} is not a number in JSON", "Give a finite number.", line)
        elif entry is None and open_:
            key = json.loads(token)
            if (*here, key) in lines:
                where = f" of {dotted(here)}" if here else ""
                first = lines[(*here, key)]
                why = f"the key {shorten(key)!r}{where} stands twice (first at line {first})"
                raise BadFile(path, why, "Keep one of them.", line)
            lines[(*here, key)] = line
            open_[-1] = (here, key)
    return lines
