"""Speed: how long the robot's kernels take on this machine."""

from __future__ import annotations

from qddot.present.pages import page
from qddot.present.report.chapter import Chapter, Subject, again
from qddot.present.report.sections.provenance import machine
from qddot.speed import BATCH, Speed, bench

SECONDS = 2.0
SHARE = 0.1  # of the report's time


def write(subject: Subject) -> Chapter:
    """Return the chapter."""
    subject.needs_numbers()
    seconds = min(SECONDS, SHARE * subject.seconds)
    rows = bench(subject.robot, seconds=seconds)
    peers = [row for row in rows if row.peer_ns is not None]
    head = ["what", "states a call", "qddot"] + (
        ["beside it", "its time", "ratio"] if peers else []
    )
    parts = [
        page.table(
            head, [line(row, bool(peers)) for row in rows], caption=f"On this machine: {machine()}"
        ),
        page.paragraph(method(bool(peers))),
    ]
    parts.append(again(subject, "bench {robot}", "for row in qddot.bench(robot):\n    print(row)"))
    return Chapter(tuple(parts), glance=in_short(rows))


def in_short(rows: list[Speed]) -> str:
    """Return the speed in a line."""
    batch = next((row for row in rows if row.batch > 1), rows[0])
    words = f"{batch.name.replace('_', ' ')} in {duration(batch.ns)} a state"
    return (
        f"{words}, {batch.ratio:.0f} × as fast as Pinocchio" if batch.ratio is not None else words
    )


def line(row: Speed, compared: bool) -> list[str]:
    """Return one row of the table."""
    cells = [row.name.replace("_", " "), f"{row.batch:,}", duration(row.ns)]
    if not compared:
        return cells
    if row.peer_ns is None or row.ratio is None:
        return [*cells, "", "", ""]
    return [*cells, row.peer, duration(row.peer_ns), f"{row.ratio:.1f} ×"]


def method(compared: bool) -> str:
    """Return how it was measured."""
    both = (
        " Pinocchio was called in the same run, in turn with qddot, and gave the same results; for "
        "a batch by its own parallel functions on one thread, or in a loop where it has none."
        if compared
        else " Pinocchio would stand beside it where it is installed (pip install pin) and knows "
        "such robots."
    )
    return (
        "Times are for one state, on one thread, called from Python: medians of many runs of a few "
        f"milliseconds. A batch has {BATCH:,} states. Friction and springs are left out.{both}"
    )


def duration(ns: float) -> str:
    """Return a time in the unit that suits it."""
    if ns < 1000:
        return f"{ns:.3g} ns"
    return f"{ns / 1000:.3g} µs" if ns < 1e6 else f"{ns / 1e6:.3g} ms"
