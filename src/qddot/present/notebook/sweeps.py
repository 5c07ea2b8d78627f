"""A sweep in a notebook: how far it is, and how its runs are spread."""

from __future__ import annotations

from qddot.errors import printable
from qddot.present.notebook.cell import rows, shown
from qddot.present.pages.page import bullets
from qddot.sweeps.result import Sweep
from qddot.sweeps.summary import Summary

MOST_RUNS = 1_000_000  # of which a notebook shows a summary unasked
MOST_FAILURES = 5


def sweep_html(sweep: Sweep) -> str:
    """Return what there is to say of a sweep; every name is escaped."""
    name = printable(str(sweep.manifest["robot"].get("name", "")))
    facts = [
        f"{sweep.done:,} of {sweep.units:,} units are finished",
        f"runs differ in {', '.join(map(printable, sweep.varied)) or 'nothing'}",
        f"kept in {printable(str(sweep.folder))}",
    ]
    facts += [f"unit {unit} failed: {words}" for unit, words in
              list(sweep.failed.items())[:MOST_FAILURES]]  # fmt: skip
    parts = [bullets(facts)]
    if sweep.parts and sweep.runs <= MOST_RUNS:
        head, *body = sweep.summary().lines()
        parts.append(rows(head, body))
    return shown(f"Sweep of {name}: {sweep.runs:,} runs", *parts)


def summary_html(summary: Summary) -> str:
    """Return how columns are spread."""
    head, *body = summary.lines()
    return shown("Summary", rows(head, body))
