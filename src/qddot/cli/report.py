"""The verb that writes a robot on one page: report."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Annotated

import typer

from qddot.cli.terminal import AsJson, File, Settings, Source, number, read_robot, saves, tell
from qddot.progress import inform


def report(
    source: Source,
    seconds: Annotated[
        float,
        number("About how long it may take. With more time the bounds are narrower.", "SECONDS"),
    ] = 60.0,
    sections: Annotated[
        str,
        typer.Option(
            metavar="A,B,...",
            help="The sections of the page: robot, equations, certificate, maps, effective_mass, "
            "simulation, identifiability, speed, provenance. All if not given.",
            show_default=False,
        ),
    ] = "",
    settings: Settings = None,
    output: Annotated[
        File,
        saves(
            "A report",
            (".html", ".htm"),
            "Where to write the page, a file named after the robot if not given",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write everything about a robot on one page that works offline.

    The page has the arm to move, its equations, its certificate, maps, a simulation, what can be
    identified, how fast it is, and how to compute each number again. The exit status is 1 if a
    section failed. After Ctrl-C the sections made so far are written.

    Examples:
      qddot report panda
      qddot report two_link -o two_link.html --sections robot,equations --seconds 10
    """
    from qddot.present.report.report import (
        InterruptedReport,
        progress_line,
        subject_of,
        write_report,
    )
    from qddot.present.terminal.results import report_lines

    robot = read_robot(source, settings)
    # a robot that was changed is not what the file says
    subject = replace(subject_of(robot, seconds), source="" if settings else source)
    wanted = [key.strip() for key in sections.split(",") if key.strip()] if sections else None
    started, interrupted = time.monotonic(), False
    try:
        path, outcomes = write_report(
            subject, output, wanted, lambda *made: inform(progress_line(*made))
        )
    except InterruptedReport as stopped:
        path, outcomes, interrupted = stopped.path, stopped.outcomes, True
    spent = time.monotonic() - started
    facts = {
        "robot": robot.name,
        "file": str(path),
        "bytes": path.stat().st_size,
        "seconds": round(spent, 3),
        "sections": [outcome.to_dict() for outcome in outcomes],
    }
    tell(as_json, facts, report_lines(path, outcomes, spent))
    if interrupted:
        raise KeyboardInterrupt
    if any(outcome.state == "failed" for outcome in outcomes):
        raise typer.Exit(1)
