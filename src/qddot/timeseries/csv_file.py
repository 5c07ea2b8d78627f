"""Tables as text: a comment with facts, a line of names, a line per row.

Numbers are written with as many digits as bring back the same number, and read the same way on
every machine: a point, no separators, or nan, inf, -inf.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import TextIO

import numpy as np

from qddot.errors import BadFile, Problem, printable, shorten
from qddot.timeseries import Columns, Table

MARK = "# qddot "  # then the kind of the facts, and the facts
SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas"}
SPACES = " "  # as many as there are, where nothing else separates
MOST_PROBLEMS = 100
MOST_COLUMNS = 10_000
MOST_BEFORE = 100_000  # lines before the one of names
FINITE = r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf)|nan"
NUMBER = re.compile(FINITE, re.ASCII)
ROW = re.compile(rf"(?:{FINITE})(?:,(?:{FINITE}))*\r?\n?", re.ASCII)


def write_csv(path: Path, kind: str, facts: str, names: Sequence[str], rows: np.ndarray) -> None:
    """Write a new file: facts of a kind on one line, names, and an array of rows."""
    with path.open("x", encoding="utf-8", newline="") as stream:
        stream.write(f"{MARK}{kind} {facts}\n")
        write_rows(stream, names, rows)


def write_rows(stream: TextIO, names: Sequence[str], rows: np.ndarray) -> None:
    """Write a line of names and an array of rows."""
    # the writer itself does not see that a carriage return needs quotes
    quotes = csv.QUOTE_ALL if any("\r" in name for name in names) else csv.QUOTE_MINIMAL
    csv.writer(stream, lineterminator="\n", quoting=quotes).writerow(names)
    csv.writer(stream, lineterminator="\n").writerows(rows.tolist())


def read_csv(path: Path, exact: bool = False) -> Table:
    """Return the table of a text file. Its numbers are read when they are asked for.

    An exact one must be as `write_csv` writes it: commas, no spaces, and where there are facts, an
    end of the last line. Otherwise semicolons, tabs and spaces are understood too, and a text
    without a line of names, whose columns are then numbered from 1.
    """
    with _opened(path) as stream:
        text = _header(stream, path, exact)
    said = list(text.notes)
    if text.separator != ",":
        what = SEPARATORS.get(text.separator, "spaces")
        said.insert(0, f"its columns are separated by {what}")
    notes = tuple(Problem("note", "", each, "") for each in said)
    return Table(str(path), tuple(text.names), text.read, text.line, notes, text.facts)


@dataclass
class Text:
    """What is known of a text after its line of names."""

    path: Path
    exact: bool
    names: list[str]
    separator: str
    first: int  # the line of names, or the one before the rows
    facts: dict[str, str]
    notes: tuple[str, ...] = ()
    lines: list[int] = field(default_factory=list)  # of the rows that were read last

    def line(self, row: int) -> int | None:
        if row < 0:
            return self.first
        return self.lines[row] if row < len(self.lines) else None

    def rows(self, lines: Iterator[str]) -> Iterator[list[str]]:
        return _rows(lines, self.separator, self.exact)

    def read(self, wanted: Sequence[str]) -> Columns:
        """Return the columns wanted; on the first stumble, every problem of the file."""
        use = [self.names.index(name) for name in wanted]
        with _opened(self.path) as stream:
            try:
                table = self._quickly(stream, use)
            except ValueError as error:
                if isinstance(error, (BadFile, UnicodeDecodeError)):
                    raise
                stream.seek(0)
                table = self._slowly(stream, use)
        return {name: table[:, k].copy() for k, name in enumerate(wanted)}

    def _quickly(self, stream: TextIO, use: list[int]) -> np.ndarray:
        """Return the columns in use of a text without quotes."""
        self.lines.clear()
        text = "\n"

        def whole() -> Iterator[str]:
            nonlocal text
            for count, text in enumerate(stream, 1):
                if count > self.first and text.strip():
                    ragged = _entries(text, self.separator) != len(self.names)
                    if ragged or '"' in text or (self.exact and not ROW.fullmatch(text)):
                        raise ValueError("to be read cell by cell")
                    self.lines.append(count)
                    yield text

        rows = whole()
        start = list(islice(rows, 1))
        table = np.empty((0, len(use)))
        if start:
            table = np.loadtxt(
                chain(start, rows),
                delimiter=None if self.separator == SPACES else self.separator,
                comments=None,
                usecols=use,
                ndmin=2,
            )
        self._check_end(text)
        return table

    def _slowly(self, stream: TextIO, use: list[int]) -> np.ndarray:
        """Return the columns in use cell by cell, or say what is wrong with them, all at once."""
        self.lines.clear()
        counted, rows, problems = Lines(stream), [], []
        for _ in range(self.first):
            next(counted)
        try:
            for row in self.rows(counted):
                if not any(cell.strip() for cell in row):
                    continue
                self.lines.append(counted.count)
                try:
                    rows.append(self._cells(row, use, counted.count))
                except BadFile as error:
                    problems += error.problems
                    if len(problems) == MOST_PROBLEMS:
                        break
        except csv.Error as error:
            why = f"it is not CSV: {error}"
            problems += BadFile(self.path, why, "Save it as CSV.", counted.count).problems
        if problems:
            error = BadFile(self.path, problems[0].message, problems[0].remedy, problems[0].line)
            error.problems = tuple(problems)
            raise error
        self._check_end(counted.last)
        return np.array(rows, dtype=float).reshape(-1, len(use))

    def _check_end(self, last: str) -> None:
        if self.exact and self.facts and not last.endswith("\n"):
            raise BadFile(
                self.path,
                "its last line has no end, so it may have been cut",
                "Write it again; if it is whole, end it with a new line.",
                line=self.lines[-1] if self.lines else self.first,
            )

    def _cells(self, row: list[str], use: list[int], line: int) -> list[float]:
        """Return the numbers of the columns in use of one row."""
        if len(row) != len(self.names):
            raise BadFile(
                self.path,
                f"this line has {len(row)} entries, but there are {len(self.names)} columns",
                "Give every column a number in every line; the file may have been cut.",
                line,
            )
        texts = [row[k] if self.exact else row[k].strip() for k in use]
        for k, text in zip(use, texts, strict=True):
            if not NUMBER.fullmatch(text):
                raise self._no_number(k, row[k], line)
        return [float(text) for text in texts]

    def _no_number(self, k: int, text: str, line: int) -> BadFile:
        said = f"{printable(shorten(text, 40))!r}" if text else "nothing"
        column = f"column {k + 1} ({printable(shorten(self.names[k], 40))}) holds"
        if text.strip().startswith("="):
            return BadFile(
                self.path,
                f"{column} the formula {said}, and formulas are never computed",
                "Save the values instead: copy the sheet and paste it as values.",
                line,
            )
        return BadFile(
            self.path,
            f"{column} {said}, not a number",
            "Numbers are like -1.5e-3, nan or inf: a point, no spaces and no separators.",
            line,
        )


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    try:
        # a byte order mark, which spreadsheets write, is not part of the text
        with path.open(encoding="utf-8-sig", newline="") as stream:
            yield stream
    except UnicodeDecodeError:
        raise BadFile(path, "it is not text in UTF-8", "Save it as CSV in UTF-8.") from None
    except csv.Error as error:
        raise BadFile(path, f"it is not CSV: {error}", "Save it as CSV with commas.") from None


def _rows(lines: Iterator[str], separator: str, exact: bool) -> Iterator[list[str]]:
    if separator == SPACES:
        return (line.split() for line in lines)
    return csv.reader(lines, delimiter=separator, skipinitialspace=not exact, strict=True)


def _header(stream: TextIO, path: Path, exact: bool) -> Text:
    """Return what stands before the rows."""
    lines, facts, comment = Lines(stream), {}, ""
    while (first := lines.peek()).startswith("#") or not first.strip():
        if not first:
            raise BadFile(path, "it is empty", "It needs a line of names and rows of numbers.")
        if first.startswith(MARK):
            kind, _, said = first.removeprefix(MARK).partition(" ")
            facts[kind] = said.rstrip("\r\n")
        comment = next(lines)
        if lines.count > MOST_BEFORE:
            why = f"no row is in its first {MOST_BEFORE} lines"
            raise BadFile(path, why, "It needs a line of names and rows of numbers.")
    if first.startswith(f'"{MARK}'):
        raise BadFile(
            path,
            "its first line was changed by a spreadsheet",
            "Delete that line: the columns can be read alone.",
            line=lines.count + 1,
        )
    next(lines)
    separator = "," if exact else _separator(first, lines.peek())
    if (count := _entries(first, separator)) > MOST_COLUMNS:
        why = f"it has {count} columns; at most {MOST_COLUMNS} are read"
        raise BadFile(path, why, "Is it the right file?", line=lines.count)
    names = next(_rows(chain([first], lines), separator, exact))
    if exact:
        return Text(path, exact, names, separator, lines.count, facts)
    names = [cell.strip() for cell in names]
    if not all(NUMBER.fullmatch(name) for name in names):
        return Text(path, exact, names, separator, lines.count, facts)
    above = comment.removeprefix("#").strip()  # where np.savetxt writes names
    said = next(_rows(iter([above]), separator, exact), []) if above else []
    if len(said) == len(names) and not any(NUMBER.fullmatch(name.strip()) for name in said):
        note = "its names stand in the comment above its rows"
        names = [name.strip() for name in said]
    else:
        note = f"it has no line of names, so its columns are called 1 to {len(names)}"
        names = [str(k + 1) for k in range(len(names))]
    return Text(path, exact, names, separator, lines.count - 1, facts, (note,))


def _separator(first: str, second: str) -> str:
    """Return what separates the entries of the first two lines."""
    found = max(SEPARATORS, key=first.count)
    if found in first:
        return found
    words = len(first.split())
    return SPACES if words > 1 and words == len(second.split() or first.split()) else ","


def _entries(line: str, separator: str) -> int:
    return len(line.split()) if separator == SPACES else line.count(separator) + 1


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
