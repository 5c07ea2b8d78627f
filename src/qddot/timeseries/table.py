"""Columns of numbers with names, in a file or in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from qddot.errors import Problem

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
    quantity: str = ""  # "q" where the whole table is of one quantity


def table_of(source: str, columns: Columns) -> Table:
    """Return the table of columns in memory."""
    return Table(source, tuple(columns), lambda names: {name: columns[name] for name in names})


def repeated(names: Sequence[str]) -> set[str]:
    """Return the names that are there more than once."""
    seen: set[str] = set()
    return {name for name in names if name in seen or seen.add(name)}
