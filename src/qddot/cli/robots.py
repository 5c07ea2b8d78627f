"""Verbs that look at a robot: show, draw, doctor, report, studio."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from qddot.cli import completion
from qddot.cli.terminal import (
    ENDINGS_OF_FIGURES,
    READING,
    ROBOT,
    AsJson,
    Degrees,
    File,
    Settings,
    Source,
    echo_json,
    entry,
    number,
    positions,
    read_numeric,
    read_robot,
    read_shape,
    saves,
    tell,
    vector,
    writes,
)
from qddot.cli.words import numbers
from qddot.errors import BadArgument, printable
from qddot.progress import inform

INTERRUPTED = 130


def show(
    source: Annotated[
        str | None, typer.Argument(metavar="[ROBOT]", help=ROBOT, autocompletion=completion.robots)
    ] = None,
    settings: Settings = None,
    friction: Annotated[
        File,
        writes(
            "--friction",
            what="A figure",
            endings=ENDINGS_OF_FIGURES,
            words="Draw the friction of every joint, torque over velocity",
        ),
    ] = None,
    degrees: Degrees = False,
    as_json: AsJson = False,
) -> None:
    """Print a robot as a table and a tree, or the built-in robots.

    Examples:
      qddot show
      qddot show panda --degrees
      qddot show two_link_symbolic --set m1=50 --json
      qddot show two_link --set friction.coulomb=9 --friction curves.png
    """
    from qddot.robot.loading import show as print_robot

    if source is None:
        if settings or friction:
            raise BadArgument(
                f"{'--set changes' if settings else '--friction draws'} a robot, and none is "
                "named: qddot show panda ..."
            )
        if as_json:
            from qddot.readers.read import library, read

            models = [read(name) for name in library()]
            echo_json([{"name": m.name, "n": m.n, "description": m.description} for m in models])
        else:
            print_robot()
        return
    robot = read_robot(source, settings) if friction is None else read_numeric(source, settings)
    if friction is not None:
        from qddot.plot import plot_friction

        plot_friction(robot, path=friction, degrees=degrees)
    if as_json:
        echo_json(robot.model.to_dict() | ({"files": [str(friction)]} if friction else {}))
    else:
        print_robot(robot.model, degrees=degrees)
        if friction is not None:
            print(printable(str(friction)))


def draw(
    source: Source,
    q: Annotated[
        str,
        entry(
            "Positions [rad or m], one per joint: 0,90deg; or home, which is the default.",
            "A,B,...",
        ),
    ] = "home",
    look: Annotated[
        str,
        entry(
            "From where: corner, front, side, back, top, or two angles: -50deg,20deg. What "
            "suits the robot if not given.",
            "WORD or AZIMUTH,ELEVATION",
            show_default=False,
        ),
    ] = "",
    size: Annotated[
        str, entry("Width and height of the picture, in pixels.", "WIDTHxHEIGHT")
    ] = "900x700",
    ghost: Annotated[
        str, vector("Positions at which the robot is drawn once more, translucent.")
    ] = "",
    frames: Annotated[
        str, entry("Frames whose axes are drawn: tool.", "A,B,...", show_default=False)
    ] = "",
    settings: Settings = None,
    output: Annotated[
        File, saves("A picture", ENDINGS_OF_FIGURES, "Where to draw it, ROBOT.png if not given")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draw a robot at a pose, for a paper or a slide.

    Examples:
      qddot draw panda --q home -o panda.svg
      qddot draw scara --q 30deg,45deg,0.1,0 --ghost 0,0,0,0 --frames tool
      qddot draw two_link --look front --size 1200x800 -o arm.png
    """
    from qddot.plot import plot_robot
    from qddot.present.report.report import file_name

    robot = read_shape(source, settings)
    path = output or Path(file_name(robot.name)).with_suffix(".png")
    wide, cross, high = size.lower().partition("x")
    if not (cross and wide.isdecimal() and high.isdecimal()):
        raise BadArgument(f"--size {printable(size)!r} is not of the form 900x700.")
    angles = tuple(numbers("--look", look)) if "," in look else look or None
    plot_robot(
        robot,
        None if q == "home" else positions("--q", q, robot),
        look=angles,  # type: ignore[arg-type]
        size=(int(wide), int(high)),
        ghost=positions("--ghost", ghost, robot) if ghost else None,
        frames=[name.strip() for name in frames.split(",") if name.strip()],
        path=path,
    )
    tell(as_json, {"robot": robot.name}, [], [path])


def doctor(source: Source, as_json: AsJson = False) -> None:
    """Find the problems of a robot; compare it with other engines.

    Every problem is shown with its place and a remedy. M and g are compared with those of
    Pinocchio, MuJoCo and Drake, if installed. The exit status is 2 if the robot cannot be used.

    Examples:
      qddot doctor puma560
      qddot export ur5 -o arm.urdf
      qddot doctor arm.urdf --json
    """
    from qddot.doctor import examine, print_examination
    from qddot.progress import message_if_slow

    with message_if_slow("asking the other engines"):
        examination = examine(source, **READING)
    if as_json:
        echo_json(examination.to_dict())
    else:
        print_examination(examination)
    if examination.model is None:
        raise typer.Exit(2)


def report(
    source: Source,
    seconds: Annotated[
        float,
        number("About how long it may take. With more time the bounds are narrower.", "SECONDS"),
    ] = 60.0,
    sections: Annotated[
        str,
        entry(
            "The sections of the page: robot, equations, certificate, maps, effective_mass, "
            "simulation, identifiability, speed, provenance. All if not given.",
            "A,B,...",
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


def studio(
    source: Annotated[
        str | None, typer.Argument(metavar="ROBOT", help=ROBOT, autocompletion=completion.robots)
    ] = None,
    port: Annotated[
        int | None,
        entry("Port of the page: 9000. If not given, 8737 or the next free one.", "PORT"),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Open a robot in the browser: move it, and watch its numbers.

    The page simulates the robot, controls it and replays logs; gravity, payload and friction can
    be changed. Robot files and logs can be dropped on the page.

    Prints the address of the page, and serves it until Ctrl-C. Only this machine can open it, and
    it needs no network.

    Examples:
      qddot studio
      qddot studio panda --no-browser
      qddot studio two_link_symbolic --port 9000
    """
    from qddot.readers.read import built_in_names
    from qddot.studio.server import Studio, heeding_signals, open_page

    if settings and source is None:
        raise BadArgument("--set changes a robot, and none is named: qddot studio panda --set ...")
    named = source is None or (source in built_in_names() and not settings)
    robot = source if named or source is None else read_numeric(source, settings)
    with Studio(robot, port) as running, heeding_signals(running):
        if as_json:
            facts = {"address": running.address, "port": running.port, "host": "127.0.0.1"}
            echo_json(facts | {"robot": running.library.label})
        else:
            typer.echo(running.words)
        sys.stdout.flush()
        if browser:
            open_page(running.address)
        interrupted = running.wait()
        if not as_json:
            typer.echo("\nqddot studio: goodbye.", err=True)
    # a thread may be compiling still, and would be waited for
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(INTERRUPTED if interrupted else 0)
