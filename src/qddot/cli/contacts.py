"""The verb about what pushed an arm: contact."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from qddot.cli import logs
from qddot.cli.log_words import sources
from qddot.cli.terminal import (
    AsJson,
    File,
    Plot,
    Settings,
    Source,
    number,
    read_numeric,
    saves,
    tell,
)
from qddot.cli.words import numbers
from qddot.errors import BadArgument, printable
from qddot.progress import message_if_slow


@logs.with_log_options
def contact(
    source: Source,
    log: logs.LogFiles,
    reading: logs.Reading,
    free: Annotated[
        str,
        typer.Option(
            metavar="LOG",
            help="A log in which nothing touches the arm, or seconds of LOG: free.csv, 0:5.",
            show_default=False,
        ),
    ] = "",
    gain: Annotated[
        float | None,
        number(
            "Gain of the momentum observer: 50. 30, or what the log allows, if not given.", "1/S"
        ),
    ] = None,
    false_alarms: Annotated[
        float,
        number("Probability that contacts are found in the log though there are none."),
    ] = 0.01,
    online: Annotated[
        bool,
        typer.Option("--online", help="Observe as while the arm moves, with the delay of that."),
    ] = False,
    cutoff: Annotated[
        float | None,
        number(
            "Cut-off frequency of the low-pass filter: 20. Four times that of the observer if not "
            "given.",
            "HERTZ",
        ),
    ] = None,
    settings: Settings = None,
    plot: Plot = None,
    output: Annotated[File, saves("External torques", (".csv",), "Save them over time")] = None,
    as_json: AsJson = False,
) -> None:
    """Find what pushed an arm while a log was recorded.

    A momentum observer compares the torques of the log with those that the model needs. A contact
    is where they differ more than in a motion without contact, which --free names.

    Examples:
      qddot control two_link --duration 20 -o log.csv
      qddot contact two_link log.csv --free 0:10
    """
    from qddot.identification.observer import external_torque

    robot = reading.arm(read_numeric(source, settings))
    assert robot is not None
    if not free:
        raise BadArgument(
            "Nothing says how large torques are without contact.\n"
            "  Give --free LOG, a log in which nothing touches the arm, or --free 0:5, seconds."
        )
    named = sources(log)
    if len(named) > 1:
        raise BadArgument(f"{len(named)} logs are given; give one at a time.")
    with message_if_slow("reading the log"):
        recorded = reading.load(named[0], robot)
        quiet = _span(free) or replace(reading, rows="", time=None).load(free, robot)
    found = external_torque(
        robot,
        recorded,
        free=quiet,
        gain=gain,
        cutoff=cutoff,
        false_alarms=false_alarms,
        online=online,
    )
    if output is not None:
        found.save(output)
    if plot is not None:
        found.plot(plot)
    tell(as_json, {"robot": robot.name} | found.to_dict(), [repr(found)], [output, plot])


def _span(text: str) -> tuple[float, float] | None:
    """Return the seconds that "0:5" names; None where it is a file."""
    start, colon, end = text.partition(":")
    if not colon or "/" in text or "\\" in text:
        return None
    first, last = numbers("--free", f"{start},{end}")
    if not first < last:
        raise BadArgument(f"--free {printable(text)!r} ends before it begins; give 0:5.")
    return first, last
