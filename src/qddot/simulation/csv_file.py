"""Motions as text: a comment with the facts, a line of names, a line an instant.

Numbers are written with as many digits as bring back the same number, and read the same way on
every machine: a point, no separators, or nan, inf, -inf.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from qddot.errors import BadFile, listing, printable, shorten
from qddot.simulation.about import About, from_columns, from_json, to_json
from qddot.simulation.table import gathered

MARK = "# qddot trajectory "
NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf)|nan", re.ASCII)


def write_csv(path: Path, facts: About, numbers: dict[str, np.ndarray]) -> None:
    names = [column for those in facts.layout.values() for column in those]
    with path.open("x", encoding="utf-8", newline="") as stream:
        stream.write(f"{MARK}{to_json(facts)}\n")
        # the writer itself does not see that a carriage return needs quotes
        quotes = csv.QUOTE_ALL if any("\r" in name for name in names) else csv.QUOTE_MINIMAL
        csv.writer(stream, lineterminator="\n", quoting=quotes).writerow(names)
        csv.writer(stream, lineterminator="\n").writerows(
            np.hstack(list(numbers.values())).tolist()
        )


def read_csv(path: Path) -> tuple[About, dict[str, np.ndarray]]:
    try:
        # a byte order mark, which spreadsheets write, is not part of the text
        with path.open(encoding="utf-8-sig", newline="") as stream:
            return read_lines(stream, path)
    except UnicodeDecodeError:
        raise BadFile(path, "it is not text in UTF-8", "Save it as CSV in UTF-8.") from None
    except csv.Error as error:
        raise BadFile(path, f"it is not CSV: {error}", "Save it as CSV with commas.") from None


def read_lines(stream: Iterator[str], path: Path) -> tuple[About, dict[str, np.ndarray]]:
    lines = Lines(stream)
    facts, rows = None, csv.reader(lines, strict=True)
    first = lines.peek()
    while first.startswith("#") or not first.strip():
        if first.startswith(MARK):
            facts = from_json(first.removeprefix(MARK), path)
        elif not first:
            raise BadFile(path, "it is empty", "A motion has a line of names and at least one row.")
        next(lines)
        first = lines.peek()
    if first.startswith('"# qddot'):
        raise BadFile(
            path,
            "its first line was changed by a spreadsheet",
            "Delete that line: the columns can be read alone.",
            line=lines.count + 1,
        )
    names = next(rows)
    facts = facts or from_columns(names)
    check_names(names, facts, path, lines.count)
    where, numbers = lines.count, array("d")
    for row in rows:
        if row:
            numbers.extend(parsed(row, names, path, where + 1))
        where = lines.count
    if facts.rows is not None and not lines.last.endswith("\n"):
        raise BadFile(
            path,
            "its last line has no end, so it may have been cut",
            "Write it again; if it is whole, end it with a new line.",
            line=lines.count,
        )
    table = np.frombuffer(numbers, dtype=float).reshape(-1, max(len(names), 1))
    found = {name: table[:, k].copy() for k, name in enumerate(names)}
    return facts, gathered(facts.layout, found, len(table))


def check_names(names: list[str], facts: About, path: Path, line: int | None = None) -> None:
    """See that every column is there, once."""
    if len(names) == 1 and ";" in names[0]:
        raise BadFile(
            path,
            "its columns are separated by semicolons",
            "Save it with commas between the columns and points in the numbers.",
            line,
        )
    wanted = [column for those in facts.layout.values() for column in those]
    missing = [name for name in wanted if name not in set(names)]
    if missing:
        raise BadFile(
            path,
            f"it lacks the columns {listing(missing, 6)}",
            "A motion has t, q, qd, qdd, tau and energy for every joint; `save` writes them all.",
            line,
        )
    twice = sorted({name for name in wanted if names.count(name) > 1} | repeated(wanted))
    if twice:
        raise BadFile(
            path,
            f"it has the columns {listing(twice, 6)} more than once",
            "Give each joint and each frame a name of its own.",
            line,
        )


def repeated(names: list[str]) -> set[str]:
    seen: set[str] = set()
    return {name for name in names if name in seen or seen.add(name)}


def parsed(row: list[str], names: list[str], path: Path, line: int) -> list[float]:
    """Return the numbers of a row."""
    if len(row) != len(names):
        raise BadFile(
            path,
            f"this line has {len(row)} entries, but there are {len(names)} columns",
            "Give every column a number in every line; the file may have been cut.",
            line,
        )
    if all(map(NUMBER.fullmatch, row)):
        return [float(cell) for cell in row]
    bad = next(k for k, cell in enumerate(row) if not NUMBER.fullmatch(cell))
    said = f"{printable(shorten(row[bad], 40))!r}" if row[bad] else "nothing"
    raise BadFile(
        path,
        f"column {bad + 1} ({printable(shorten(names[bad], 40))}) holds {said}, not a number",
        "Numbers are like -1.5e-3, nan or inf: a point, no spaces and no separators.",
        line,
    )


class Lines:
    """The lines of a text, counted, with a look at the next one."""

    def __init__(self, stream: Iterator[str]):
        self.stream, self.count, self.last = stream, 0, ""
        self.ahead: str | None = None

    def peek(self) -> str:
        if self.ahead is None:
            self.ahead = next(self.stream, "")
        return self.ahead

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> str:
        line, self.ahead = self.peek(), None
        if not line:
            raise StopIteration
        self.count += 1
        self.last = line
        return line
