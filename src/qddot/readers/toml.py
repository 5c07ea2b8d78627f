"""Robots in TOML and JSON files: the document schema, with the line of every key."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from qddot.errors import BadFile, shorten
from qddot.model import Model
from qddot.readers.document import read_document
from qddot.readers.document_table import LineOf, dotted, nearest_line
from qddot.readers.files import read_text
from qddot.readers.places import Places

HEADER = re.compile(r"\s*(\[\[?)\s*([\w.\-]+)\s*\]\]?\s*(#.*)?$")
KEY = re.compile(r"\s*([\w.\-]+)\s*=\s*(\"{3}|'{3})?")
LARGEST_DOCUMENT = 3_000_000  # [characters]; ten times the largest robot that we have written
DEEPEST_KEY = 20  # names with dots between them: reading a key takes the square of their number
PART_OF_KEY = re.compile(r"""[ \t]*("[^"\n]*"|'[^'\n]*'|[^\s=,#{}\[\]]+)[ \t]*""")
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]|-?Infinity|NaN')


def read_toml(path: Path, places: Places | None = None, symbolic: bool = False) -> Model:
    """Return the model in a TOML file; as symbols, if wanted, where the file gives values."""
    text, data = parsed(path, "TOML", tomllib.loads)
    if symbolic:
        data.pop("values", None)
    return read_document(data, path.stem, line_finder(text), places or Places(path.parent))


def read_json(path: Path, places: Places | None = None) -> Model:
    """Return the model in a JSON file.

    Raises:
        BadFile: If it cannot be read, is not JSON, or names something twice.
        BadRobot: With every problem of the robot in it.
    """
    text, data = parsed(path, "JSON", json.loads)
    if not isinstance(data, dict):
        raise BadFile(path, "it is not a table", "Start it with { and name its fields.")
    lines = nearest_line(lines_of(path, text))
    return read_document(data, path.stem, lines, places or Places(path.parent))


def parsed(path: Path, language: str, parse: Callable[[str], Any]) -> tuple[str, Any]:
    """Return the text of a file and what it says; BadFile, with the line, if it says nothing."""
    text = read_text(path)
    if len(text) > LARGEST_DOCUMENT:
        why = f"it has {len(text)} characters, and at most {LARGEST_DOCUMENT} are read"
        raise BadFile(path, why, "Is it the right file?")
    if language == "TOML":
        refuse_deep_keys(path, text)
    try:
        return text, parse(text)
    except json.JSONDecodeError as error:
        why, at = error.msg, error.lineno
    except tomllib.TOMLDecodeError as error:
        why = re.sub(r" \(at line \d+, column \d+\)$", "", str(error))
        line = re.search(r"at line (\d+)", str(error))
        at = int(line[1]) if line else text.count("\n") + 1
    except ValueError:
        why = "a whole number in it has thousands of digits"
        raise BadFile(path, why, "Write it with an exponent, such as 1e9.") from None
    except RecursionError:
        raise BadFile(path, "it is nested too deeply", "Write plain tables.") from None
    raise BadFile(path, f"it is not {language}: {why}", "Correct that line.", at)


def refuse_deep_keys(path: Path, text: str) -> None:
    """Raise BadFile for a key of very many names with dots between them."""
    names, at = 0, 0
    for part in text.split("."):
        at += len(part) + 1
        names = names + 1 if PART_OF_KEY.fullmatch(part) else 0
        if names > DEEPEST_KEY:
            why = f"more than {DEEPEST_KEY} names stand in a row with dots between them"
            remedy = "Write plain tables."
            raise BadFile(path, why, remedy, text.count("\n", 0, at) + 1)


def line_finder(text: str) -> LineOf:
    """Return a function from a path of keys and indices to the line that wrote it.

    The standard library's reader keeps no positions, so headers and keys are looked up again;
    inside a multi-line value the line of its key is given.
    """
    lines: dict[tuple, int] = {}
    counts: dict[tuple, int] = {}  # of the tables in each array so far
    here: tuple = ()
    closing = None  # of the text of many lines that we are in
    for number, line in enumerate(text.split("\n"), 1):
        if closing:
            closing = None if closing in line else closing
        elif header := HEADER.match(line):
            *outer, name = header[2].split(".")
            here = ()
            for part in outer:
                here = (*here, part)
                here = (*here, counts[here]) if here in counts else here
            here = (*here, name)
            if header[1] == "[[":
                counts[here] = counts.get(here, -1) + 1
                here = (*here, counts[here])
            lines.setdefault(here, number)
        elif key := KEY.match(line):
            lines.setdefault((*here, *key[1].split(".")), number)
            if key[2] and key[2] not in line[key.end() :]:
                closing = key[2]

    return nearest_line(lines)


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
