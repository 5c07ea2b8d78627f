"""Verbs about motion: simulate."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

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
from qddot.errors import printable

if TYPE_CHECKING:
    from qddot.simulation.trajectory import Trajectory

METHODS = ("auto", "RK45", "DOP853", "Radau", "BDF", "rk4", "midpoint", "semi_implicit_euler")
FILMS = (".gif", ".html", ".mp4")


def simulate(
    source: Source,
    duration: Annotated[float, number("How long to simulate, such as 2.5.", "SECONDS")] = 10.0,
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
            "Length of a step of rk4, midpoint and semi_implicit_euler; the longest step of "
            "the other methods.",
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
            help="Stop after so many steps, with what there is. A million if not given.",
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
            "Let joints bounce at their position limits, with this coefficient of "
            "restitution from 0 to 1. Limits are passed if not given."
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
    """Let a robot move under torques, with an account of its energy.

    The status is 1 if the run could not go on or its energy is not accounted for. Ctrl-C keeps
    what was computed: it is still drawn, saved and told.

    Examples:
      qddot simulate two_link
      qddot simulate two_link --set friction.viscous=30 --plot fall.png
      qddot simulate panda --q0 0,-pi/4,0,-2,0,pi/2,0 --duration 2 -o fall.csv
    """
    from qddot.errors import Interrupted, SimulationWarning

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
    tell(as_json, facts(run), report(run), [output, plot, animate])
    if not run.good:
        raise typer.Exit(1)


def facts(run: Trajectory) -> dict[str, Any]:
    """Return what a run came to, for machines."""
    energy, audit = run.energy, run.audit
    return {
        "robot": run.robot_name,
        "joints": list(run.joint_names),
        "units": list(run.units),
        "duration": float(run.t[-1]),
        "finished": run.finished,
        "good": run.good,
        "status": run.status,
        "how": dict(run.how),
        "q": run.q[-1].tolist(),
        "qd": run.qd[-1].tolist(),
        "energy": {
            "start": float(energy.total[0]),
            "end": float(energy.total[-1]),
            "given": float(energy.given[-1]),
            "lost": float(energy.lost[-1]),
            "friction": energy.friction[-1].tolist(),
            "actuators": energy.actuators[-1].tolist(),
            "unaccounted": float(energy.residual[-1]),
        },
        "audit": {"number": audit.number, "limit": audit.limit, "exchanged": audit.exchanged},
        "events": [
            {"t": e.t, "name": e.name, "joint": e.joint, "detail": e.detail} for e in run.events
        ],
    }


def report(run: Trajectory, most: int = 12) -> list[str]:
    """Return what a run came to, for people: state, energy, events, verdict."""
    energy = run.energy
    width = max([5, *(len(printable(name)) for name in run.joint_names)])
    # the column of the joints has friction alone
    stops = energy.impacts[-1]
    at_stops = f" ({stops:.4g} J of it at stops)" if stops else ""
    lines = [f"{'joint':<{width}}  {'q':>8}      {'q̇':>8}        {'work':>9}    {'lost':>9}"]
    for i, (name, unit) in enumerate(zip(run.joint_names, run.units, strict=True)):
        state = f"{run.q[-1, i]:>8.4f} {unit:<3}  {run.qd[-1, i]:>8.4f} {unit + '/s':<5}"
        work = f"{energy.actuators[-1, i]:>9.4g} J  {energy.friction[-1, i]:>9.4g} J"
        lines.append(f"{printable(name):<{width}}  {state}  {work}")
    lines += [
        "",
        f"energy  {energy.total[0]:.6g} J at the start, {energy.total[-1]:.6g} J at the end; "
        f"{energy.given[-1]:.4g} J given, {energy.lost[-1]:.4g} J lost{at_stops}",
    ]
    if run.events:
        lines += ["", *(printable(str(event)) for event in run.events[:most])]
        if len(run.events) > most:
            lines.append(f"... and {len(run.events) - most} more; --json lists them all.")
    return [*lines, "", run.status]
