"""Columns of numbers with names, in memory or in files: text, NumPy, MATLAB, HDF5, bags, ..."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from qddot.errors import BadFile, Problem

QUANTITIES = ("q", "qd", "qdd", "tau")  # that joints have, as columns are named after them

Columns = dict[str, np.ndarray]


@dataclass(frozen=True)
class Table:
    """The names of some columns, and how to read some of them."""

    source: str
    names: tuple[str, ...]
    read: Callable[[Sequence[str]], Columns]
    # of the file, for a row from 0; of the names, for −1
    line: Callable[[int], int | None] = lambda row: None
    notes: tuple[Problem, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)  # what qddot wrote besides, by kind
    quantity: str = ""  # "q" where the whole table is of one quantity, "t" where it is of times
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # columns of an array


def table_of(source: str, columns: Columns) -> Table:
    """Return the table of columns in memory."""
    return Table(source, tuple(columns), lambda names: {name: columns[name] for name in names})


def side_by_side(tables: Sequence[Table]) -> Table:
    """Return the columns of several tables as one; a table with one column is named by its file."""
    if len(tables) == 1:
        return tables[0]
    single = all(len(table.names) == 1 for table in tables)
    stems = [Path(table.source).stem for table in tables]
    own = stems if single and not repeated(stems) else None
    owner: dict[str, tuple[Table, str]] = {}
    for k, table in enumerate(tables):
        for name in table.names:
            said = own[k] if own else name if name not in owner else f"{name} ({table.source})"
            owner[said] = table, name

    def read(wanted: Sequence[str]) -> Columns:
        found = {name: owner[name][0].read([owner[name][1]])[owner[name][1]] for name in wanted}
        lengths = {len(column): name for name, column in found.items()}
        if len(lengths) > 1:
            said = ", ".join(f"{rows} in {owner[name][0].source}" for rows, name in lengths.items())
            why = f"the files have different numbers of rows: {said}"
            raise BadFile(tables[0].source, why, "Record them together, or cut them.")
        return found

    source = " and ".join(table.source for table in tables)
    notes = tuple(note for table in tables for note in table.notes)
    return Table(source, tuple(owner), read, tables[0].line, notes)


def by_joint(what: str, joints: Sequence[str], rows: np.ndarray) -> Columns:
    """Return the columns of a quantity, "<what>.<joint>", from an array of shape (k, n)."""
    return {f"{what}.{joint}": rows[:, k] for k, joint in enumerate(joints)}


def repeated(names: Sequence[str]) -> set[str]:
    """Return the names that are there more than once."""
    seen: set[str] = set()
    return {name for name in names if name in seen or seen.add(name)}


@contextmanager
def reading(path: Path, what: str, endings: Sequence[str]) -> Iterator[str]:
    """Yield the ending of a file that is to be read; say as a `BadFile` why it cannot be.

    It is to hold `what`, "a motion", and may have one of the endings.
    """
    kind = path.suffix.lower()
    if kind not in endings:
        raise BadFile(path, f"it is not a file of {what}", f"Known are {', '.join(endings)}.")
    if not path.exists():
        raise BadFile(path, "there is no such file", "Check the name and the folder.")
    if not path.is_file():
        raise BadFile(path, "it is not a file", "Name the file itself.")
    try:
        yield kind
    except UnicodeDecodeError:
        raise BadFile(path, "it is not text in UTF-8", "Write it again with `save`.") from None
    except OSError as error:
        why = f"it cannot be read: {error.strerror or error}"
        raise BadFile(path, why, "Check its permissions.") from None
