"""A log on one page that asks for nothing: how it was understood, and how it looks."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from qddot.errors import QddotError
from qddot.identification.log import Log
from qddot.identification.signals import resampled
from qddot.identification.spectrum import suggested
from qddot.present.figures.logs import plot_log
from qddot.present.figures.parameters import plot_spectrum
from qddot.present.pages import page
from qddot.present.terminal import logs
from qddot.saving import ending


def log_page(log: Log, path: str | Path, *, command: Sequence[str] = ()) -> None:
    """Write one HTML page: tables of columns and ranges, the log over time, its spectrum, notes.

    Args:
        log: What `load_log` returned.
        path: The file, .html.
        command: The words of the command line that made it.
    """
    ending(path, "A page", page.PAGES)
    rows, *others = logs.time_words(log)
    facts = {"source": log.source, "rows": rows}
    facts |= {name: words for name, _, words in (line.partition(": ") for line in others)}
    notes = [f"{note.severity}: {note}" for note in log.notes]
    columns = page.table(*logs.columns_table(log)) if log.origin is not None else ""
    document = page.page(
        f"Log of {log.n} joints",
        page.facts(facts),
        page.section("Columns", columns, page.table(*logs.ranges_table(log))),
        page.section("Notes", page.bullets(notes) if notes else page.paragraph("None.")),
        page.section("Over time", _figure(log)),
        page.section("Spectrum", _spectrum(log)),
        *([page.section("How to do it again", _again(command))] if command else []),
        katex=False,
        copying=False,
    )
    page.write_page(path, document)


def _figure(log: Log) -> str:
    caption = "The log as it was read, in SI units at the joints. Grey: rows are missing."
    return page.figure(page.svg_of(plot_log(log)), caption)


def _spectrum(log: Log) -> str:
    caption = (
        "Positions by frequency: motion to the left, noise to the right. The cut-off is what the "
        "spectrum alone suggests; a fit takes the one that predicts best."
    )
    try:
        even = log if log.even else resampled(log)
        drawn = plot_spectrum(even, suggested(even).frequency)
        return page.figure(page.svg_of(drawn), caption)
    except QddotError as error:  # a log too short, or one in which nothing moves
        return page.paragraph(str(error))


def _again(command: Sequence[str]) -> str:
    return page.code(f"$ qddot {shlex.join(command)}", "sh")
