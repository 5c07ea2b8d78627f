"""The verb that writes a robot on one page: report."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qddot.cli.terminal import AsJson, File, Settings, Source, number, read_robot, saves, tell
from qddot.errors import printable
from qddot.progress import inform

if TYPE_CHECKING:
    from qddot.present.report.report import Outcome


def report(
    source: Source,
    seconds: Annotated[
        float, number("About how long it may take; more gives tighter bounds.", "SECONDS")
    ] = 60.0,
    sections: Annotated[
        str,
        typer.Option(
            metavar="A,B,...",
            help="Which sections: robot, equations, certificate, maps, effective_mass, simulation, "
            "identifiability, speed, provenance. All if not given.",
            show_default=False,
        ),
    ] = "",
    settings: Settings = None,
    output: Annotated[
        File,
        saves(
            "A report",
            (".html", ".htm"),
            "Write the page to; a file named after the robot if not given",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write everything about a robot on one page that works offline.

    The arm to move, its equations, its certificate, maps, a simulation, what can be identified,
    how fast it is, and how to get each of its numbers again. The status is 1 if a section failed.
    Ctrl-C writes the sections that there are.

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
    tell(as_json, facts(robot.name, path, outcomes, spent), lines(path, outcomes, spent))
    if interrupted:
        raise KeyboardInterrupt
    if any(outcome.state == "failed" for outcome in outcomes):
        raise typer.Exit(1)


def facts(name: str, path: Path, outcomes: tuple[Outcome, ...], seconds: float) -> dict[str, Any]:
    """Return what was written, for machines."""
    return {
        "robot": name,
        "file": str(path),
        "bytes": path.stat().st_size,
        "seconds": round(seconds, 3),
        "sections": [outcome.to_dict() for outcome in outcomes],
    }


def lines(path: Path, outcomes: tuple[Outcome, ...], seconds: float) -> list[str]:
    """Return what was written, for people: the main facts, and where the page is."""
    found = [
        printable(f"  {outcome.section.title:<42} {outcome.chapter.glance}")
        for outcome in outcomes
        if outcome.chapter is not None and outcome.chapter.glance
    ]
    done = sum(outcome.state == "done" for outcome in outcomes)
    size = path.stat().st_size / 1e6
    where = path.absolute()
    return [
        *found,
        *([""] if found else []),
        f"{done} of {len(outcomes)} sections, {size:.1f} MB, {seconds:.0f} s",
        printable(str(where)),
        where.as_uri(),
    ]
