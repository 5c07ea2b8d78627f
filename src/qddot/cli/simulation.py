"""Verbs about motion: simulate."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import typer

import qddot
from qddot.cli.terminal import (
    ENDINGS_OF_MOTIONS,
    AsJson,
    Effort,
    File,
    Plot,
    Settings,
    Source,
    choice,
    number,
    read_numeric,
    saves,
    tell,
    vector,
    writes,
)
from qddot.cli.words import numbers

METHODS = ("auto", "RK45", "DOP853", "Radau", "BDF", "rk4", "midpoint", "semi_implicit_euler")
FILMS = (".gif", ".html", ".mp4")


def simulate(
    source: Source,
    duration: Annotated[float, number("Length of the run: 2.5.", "SECONDS")] = 10.0,
    q0: Annotated[
        str, vector("Positions at the start [rad or m], one per joint: 0,pi/2. All 0 if not given.")
    ] = "",
    qd0: Annotated[
        str,
        vector("Velocities at the start [rad/s or m/s], one per joint: 0,1. At rest if not given."),
    ] = "",
    torque: Annotated[
        str, vector("A constant torque [N·m or N] per joint: 10,0. None if not given.")
    ] = "",
    method: Annotated[
        str,
        choice(
            "--method",
            METHODS,
            "How to integrate; the first five choose their steps by --tolerance, the others "
            "take steps of --step",
        ),
    ] = "auto",
    tolerance: Annotated[
        float, number("Error per step that adaptive methods allow, relative and absolute: 1e-6.")
    ] = 1e-10,
    step: Annotated[
        float | None,
        number(
            "Length of a step of rk4, midpoint and semi_implicit_euler, which need it: 0.001; the "
            "longest step of the other methods, which choose it if not given.",
            "SECONDS",
        ),
    ] = None,
    every: Annotated[
        float | None,
        number(
            "Time between two rows of the result: 0.01. A thousandth of the duration if not given.",
            "SECONDS",
        ),
    ] = None,
    max_steps: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            help="Stop after this number of steps and keep the result so far. 1,000,000 if not "
            "given.",
        ),
    ] = None,
    friction: Annotated[
        str,
        choice(
            "--friction",
            ("exact", "smooth"),
            "Dry friction: exact (joints can stand still) or smoothed by tanh (joints creep)",
        ),
    ] = "exact",
    stops: Annotated[
        float | None,
        number(
            "Stop joints at their position limits, with this coefficient of restitution from 0 "
            "(no bounce) to 1. If not given, joints pass their limits."
        ),
    ] = None,
    effort: Effort = "enforce",
    settings: Settings = None,
    plot: Plot = None,
    animate: Annotated[
        File, writes("--animate", what="A film", endings=FILMS, words="Write a film of the motion")
    ] = None,
    output: Annotated[File, saves("A motion", ENDINGS_OF_MOTIONS)] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a robot under torques, and check its energy balance.

    The exit status is 1 if the run could not go on or the energy balance fails. After Ctrl-C
    the part computed so far is still drawn, saved and printed.

    Examples:
      qddot simulate two_link
      qddot simulate two_link --set friction.viscous=30 --plot fall.png
      qddot simulate panda --q0 0,-pi/4,0,-2,0,pi/2,0 --duration 2 -o fall.csv
    """
    from qddot.errors import Interrupted, SimulationWarning
    from qddot.present.terminal.results import motion_lines

    robot = read_numeric(source, settings)
    zeros = [0.0] * robot.n
    limit: dict[str, Any] = {} if max_steps is None else {"max_steps": max_steps}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # its status is printed
        try:
            run = qddot.simulate(
                robot,
                numbers("--q0", q0) if q0 else zeros,
                numbers("--qd0", qd0) if qd0 else zeros,
                torque=numbers("--torque", torque) if torque else None,
                duration=duration,
                method=method,
                tolerance=tolerance,
                step=step,
                every=every,
                friction=friction,
                stops=stops,
                effort=effort,
                **limit,
            )
        except Interrupted as stopped:
            run = stopped.trajectory
    if output is not None:
        run.save(output)
    if plot is not None:
        run.plot(path=plot)
    if animate is not None:
        run.animate(animate)
    tell(as_json, run.to_dict(), motion_lines(run), [output, plot, animate])
    if not run.good:
        raise typer.Exit(1)
