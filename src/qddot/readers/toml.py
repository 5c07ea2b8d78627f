"""Robots in TOML files: the document schema, with the line of every key."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from qddot.errors import BadFile
from qddot.model import Model
from qddot.readers.document import read_document
from qddot.readers.document_table import LineOf, nearest_line
from qddot.readers.files import read_text
from qddot.readers.json_file import SHORTER, TOO_LONG

HEADER = re.compile(r"\s*(\[\[?)\s*([\w.\-]+)\s*\]\]?\s*(#.*)?$")
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
