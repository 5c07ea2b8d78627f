"""Logs as text: a line of names, then a line a row, separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TextIO

import numpy as np

from qddot.errors import BadFile, Problem, listing, printable, shorten
from qddot.identification.log_problems import BadLog, bad_log
from qddot.identification.log_tables import Columns, Table
from qddot.simulation.csv_file import NUMBER, Lines, parsed, repeated

SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas"}
MOST_PROBLEMS = 100


def from_csv(path: Path) -> Table:
    """Return the table of a text file. Its numbers are read when they are asked for."""
    try:
        with opened(path) as stream:
            names, separator, line = header(stream, path)
    except UnicodeDecodeError:
        raise bad_log(path, "it is not text in UTF-8", "Save it as CSV in UTF-8.") from None
    except csv.Error as error:
        raise bad_log(path, f"it is not CSV: {error}", "Save it as CSV.") from None
    twice = sorted(repeated(names) - {""})
    if twice:
        raise bad_log(
            path,
            f"it has the columns {listing(twice, 6)} more than once",
            "Give each column a name of its own.",
            line=line,
        )
    lines: list[int] = []

    def read(wanted: Sequence[str]) -> Columns:
        lines.clear()
        try:
            with opened(path) as stream:
                return numbers(stream, path, names, wanted, separator, line, lines)
        except UnicodeDecodeError:
            raise bad_log(path, "it is not text in UTF-8", "Save it as CSV in UTF-8.") from None

    notes = ()
    if separator != ",":
        said = f"its columns are separated by {SEPARATORS[separator]}"
        notes = (Problem("note", "", said, ""),)
    return Table(
        str(path),
        tuple(names),
        read,
        lambda row: lines[row] if row < len(lines) else None,
        notes,
    )


def opened(path: Path) -> TextIO:
    # a byte order mark, which spreadsheets write, is not part of the text
    return path.open(encoding="utf-8-sig", newline="")


def reader(lines: Iterator[str], separator: str) -> Iterator[list[str]]:
    return csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)


def header(stream: TextIO, path: Path) -> tuple[list[str], str, int]:
    """Return the names of the columns, what separates them, and their line."""
    lines = Lines(stream)
    while (first := lines.peek()).startswith("#") or not first.strip():
        if not first:
            raise bad_log(path, "it is empty", "A log has a line of names and rows of numbers.")
        next(lines)
    separator = max(SEPARATORS, key=first.count)
    names = [cell.strip() for cell in next(reader(lines, separator))]
    if all(NUMBER.fullmatch(name) for name in names):
        raise bad_log(
            path,
            "it has no line of names: its first line holds numbers",
            "Put a line of names first, or give a table: pandas.read_csv(path, names=[...]).",
            line=lines.count,
        )
    return names, separator, lines.count


def numbers(
    stream: TextIO,
    path: Path,
    names: list[str],
    wanted: Sequence[str],
    separator: str,
    first: int,
    lines: list[int],
) -> Columns:
    """Return the columns wanted; on the first stumble, every problem of the file."""

    def whole() -> Iterator[str]:
        for count, text in enumerate(stream, 1):
            if count > first and text.strip():
                if text.count(separator) != len(names) - 1 or '"' in text:
                    raise ValueError("ragged")
                lines.append(count)
                yield text

    use = [names.index(name) for name in wanted]
    rows = whole()
    try:
        start = list(islice(rows, 1))
        if not start:
            return {name: np.empty(0) for name in wanted}
        table = np.loadtxt(
            chain(start, rows), delimiter=separator, comments=None, usecols=use, ndmin=2
        )
    except ValueError:
        stream.seek(0)
        lines.clear()
        table = slowly(stream, path, names, use, separator, first, lines)
    return {name: table[:, k].copy() for k, name in enumerate(wanted)}


def slowly(
    stream: TextIO,
    path: Path,
    names: list[str],
    use: list[int],
    separator: str,
    first: int,
    lines: list[int],
) -> np.ndarray:
    """Return the columns of a text cell by cell, or tell what is wrong with it, all at once."""
    counted, rows, problems = Lines(stream), [], []
    for _ in range(first):
        next(counted)
    try:
        for row in reader(counted, separator):
            if not any(cell.strip() for cell in row):
                continue
            lines.append(counted.count)
            try:
                rows.append(cells(row, names, use, path, counted.count))
            except BadFile as error:
                problems += error.problems
                if len(problems) == MOST_PROBLEMS:
                    break
    except csv.Error as error:
        why = f"it is not CSV: {error}"
        problems.append(Problem("error", "", why, "Save it as CSV.", counted.count, str(path)))
    if problems:
        raise BadLog(path, problems)
    return np.array(rows, dtype=float).reshape(-1, len(use))


def cells(row: list[str], names: list[str], use: list[int], path: Path, line: int) -> list[float]:
    """Return the numbers of the columns in use of one row."""
    if len(row) != len(names):
        return parsed(row, names, path, line)
    texts = [row[k].strip() for k in use]
    for k, text in zip(use, texts, strict=True):
        if text.startswith("="):
            raise BadFile(
                path,
                f"column {k + 1} ({printable(shorten(names[k], 40))}) holds the formula "
                f"{printable(shorten(text, 40))!r}, and formulas are never computed",
                "Save the values instead: copy the sheet and paste it as values.",
                line,
            )
        if not NUMBER.fullmatch(text):
            return parsed([*["0"] * k, row[k], *["0"] * (len(row) - k - 1)], names, path, line)
    return [float(text) for text in texts]
