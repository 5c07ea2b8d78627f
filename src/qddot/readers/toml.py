"""Robots in TOML and JSON files: the document schema, with line numbers for TOML."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from qddot.errors import BadFile
from qddot.model import Model
from qddot.readers.document import read_document
from qddot.readers.files import read_text
from qddot.readers.table import LineOf

HEADER = re.compile(r"\s*(\[\[?)\s*([\w.\-]+)\s*\]\]?\s*(#.*)?$")
TOO_LONG = "a whole number in it has thousands of digits"
SHORTER = "Write it with an exponent, such as 1e9."
KEY = re.compile(r"\s*([\w.\-]+)\s*=\s*(\"{3}|'{3})?")


def read_toml(path: Path, symbolic: bool = False) -> Model:
    """Return the model in a TOML file; as symbols, if wanted, where the file gives values."""
    text = read_text(path)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        why = re.sub(r" \(at line \d+, column \d+\)$", "", str(error))
        line = re.search(r"at line (\d+)", str(error))
        at = int(line[1]) if line else text.count("\n") + 1
        raise BadFile(path, f"it is not TOML: {why}", "Correct that line.", at) from None
    except ValueError:
        raise BadFile(path, TOO_LONG, SHORTER) from None
    except RecursionError:
        raise BadFile(path, "it is nested too deeply", "Write plain tables.") from None
    if symbolic:
        data.pop("values", None)
    return read_document(data, path.stem, line_finder(text))


def read_json(path: Path) -> Model:
    """Return the model in a JSON file."""
    try:
        data = json.loads(read_text(path), parse_constant=_refuse)
    except json.JSONDecodeError as error:
        why = f"it is not JSON: {error.msg}"
        raise BadFile(path, why, "Correct that line.", error.lineno) from None
    except _NotFinite as error:
        raise BadFile(path, f"{error} is not a number in JSON", "Give a finite number.") from None
    except ValueError:
        raise BadFile(path, TOO_LONG, SHORTER) from None
    except RecursionError:
        raise BadFile(path, "it is nested too deeply", "Write plain tables.") from None
    if not isinstance(data, dict):
        raise BadFile(path, "it is not a table", "Start it with { and name its fields.")
    return read_document(data, path.stem)


class _NotFinite(ValueError):
    """A NaN or an infinity in JSON."""


def _refuse(constant: str) -> float:
    raise _NotFinite(constant)


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

    def line_of(path: tuple) -> int | None:
        while path and path not in lines:
            path = path[:-1]
        return lines.get(path)

    return line_of
