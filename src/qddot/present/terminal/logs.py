"""How a log was understood, as tables: which column is what, in which unit; rate, gaps, ranges."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import listing, printable, shorten
from qddot.identification.log import GAP, Log
from qddot.model.units import BY_POSITION
from qddot.plain_text import table_lines
from qddot.present.terminal.results import WIDTH

if TYPE_CHECKING:
    from qddot.robot import Robot

SIGNS = {"q": "q", "qd": "q̇", "qdd": "q̈", "tau": "τ"}
KINDS = {"q": "position", "qd": "velocity", "qdd": "acceleration", "tau": "effort"}
NARROWEST, WIDEST = 7, 40  # characters of a column
SHOWN = 8  # columns that are not used


def log_lines(log: Log, robot: Robot | None = None) -> list[str]:
    """Return how a log was understood: rows and times, columns, ranges, notes."""
    lines = [printable(shorten(log.source, 200)), *(f"  {line}" for line in time_words(log))]
    if log.origin is not None:
        lines += ["", *grid(*columns_table(log))]
    lines += ["", *grid(*ranges_table(log, robot))]
    notes = [f"{note.severity}: {note}" for note in log.notes if note.severity == "note"]
    wrapped = [
        line for note in notes for line in textwrap.wrap(note, WIDTH, subsequent_indent="  ")
    ]
    return [*lines, *([""] if notes else []), *wrapped]


def time_words(log: Log) -> list[str]:
    """Return how many rows there are, how fast they come, where some are missing, what is left."""
    origin = log.origin
    taken = ""
    if origin is not None and origin.taken < origin.total:
        last = origin.first + origin.taken - 1
        taken = f" (rows {origin.first:,} to {last:,} of {origin.total:,})"
    left = "" if origin is None else f", {origin.taken - len(log):,} left out"
    rows = f"{len(log):,} rows{taken}{left if left[2:3] != '0' else ''}"
    even = "evenly" if log.even else "not evenly"
    steps = f"{log.duration:.6g} s at {log.rate:.6g} Hz, {even}"
    lines = [f"{rows}; {steps}; {gap_words(log)}", f"time: {clock_words(log)}"]
    if origin is not None and origin.unused:
        lines.append(f"columns not used: {listing(map(printable, origin.unused), SHOWN)}")
    return lines


def clock_words(log: Log) -> str:
    """Return where the times come from."""
    if log.origin is None:
        return "as it was made"
    if "t" not in log.origin.columns:
        return "counted at the rate that was given"
    column, unit = log.origin.columns["t"][0], log.origin.units["t"][0]
    return f"column {shorten(printable(column), WIDEST)!r} [{unit or 's'}]"


def gap_words(log: Log) -> str:
    """Return how many gaps there are, and how much time they take."""
    steps = np.diff(log.t)
    gaps = steps[steps > GAP * np.median(steps)]
    if not len(gaps):
        return "no gaps"
    count = "1 gap" if len(gaps) == 1 else f"{len(gaps)} gaps"
    return f"{count}, {gaps.sum():.3g} s together"


def columns_table(log: Log) -> tuple[list[str], list[list[str]]]:
    """Return the column of every quantity of every joint, with its unit where it is not SI."""
    assert log.origin is not None
    columns, units = log.origin.columns, log.origin.units
    there = [name for name in SIGNS if name in columns]
    head = ["joint", *(f"{SIGNS[name]} from column" for name in there)]
    parts = [(log.joint_names, there)]
    if log.positions:  # several numbers per joint have lines of their own
        parts = [(log.positions, ["q"]), (log.joint_names, [name for name in there if name != "q"])]
    rows = [
        [
            printable(label),
            *(_column(columns[name], units[name], j) if name in those else "" for name in there),
        ]
        for labels, those in parts
        for j, label in enumerate(labels)
    ]
    return head, rows


def _column(columns: Any, units: Any, j: int) -> str:
    unit = f" [{units[j]}]" if j < len(units) and units[j] else ""
    return f"{printable(shorten(columns[j], WIDEST))}{unit if unit not in columns[j] else ''}"


def ranges_table(log: Log, robot: Robot | None = None) -> tuple[list[str], list[list[str]]]:
    """Return the range of every quantity of every joint, in SI units at the joints."""
    there = [(name, x) for name, x in log.arrays() if x.shape[1] == log.n]
    kinds = [joint.units for joint in robot.model.free_joints] if robot else BY_POSITION.values()
    units = {
        name: " or ".join(dict.fromkeys(getattr(each, kind) for each in kinds))
        for name, kind in KINDS.items()
    }
    head = ["joint", *(f"{SIGNS[name]} [{units[name]}]" for name, _ in there)]
    rows = [
        [printable(joint), *(f"{x[:, j].min():.4g} … {x[:, j].max():.4g}" for _, x in there)]
        for j, joint in enumerate(log.joint_names)
    ]
    return head, rows


def grid(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return a table for a terminal, its columns as wide as they must be."""
    cells = [head, *([shorten(cell, WIDEST) for cell in row] for row in rows)]
    return table_lines(cells, len(head), NARROWEST)


def log_facts(log: Log) -> dict[str, Any]:
    """Return the same for machines."""
    origin = log.origin
    steps = np.diff(log.t)
    gaps = np.flatnonzero(steps > GAP * np.median(steps))
    facts: dict[str, Any] = {
        "source": log.source,
        "rows": len(log),
        "duration": log.duration,
        "rate": log.rate,
        "even": log.even,
        "gaps": [{"after": float(log.t[k]), "seconds": float(steps[k])} for k in gaps],
        "joints": list(log.joint_names),
        "ranges": {
            name: [[float(a), float(b)] for a, b in zip(x.min(axis=0), x.max(axis=0), strict=True)]
            for name, x in log.arrays()
        },
        "notes": [{"severity": note.severity, "text": str(note)} for note in log.notes],
    }
    if origin is not None:
        facts |= {
            "columns": {name: list(those) for name, those in origin.columns.items()},
            "units": {name: list(those) for name, those in origin.units.items()},
            "first_row": origin.first,
            "rows_taken": origin.taken,
            "rows_in_file": origin.total,
            "unused": list(origin.unused),
        }
    return facts
