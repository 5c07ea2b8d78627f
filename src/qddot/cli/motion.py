"""Verbs about motion: simulate."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import qddot
from qddot.cli.settings import changed, numbers
from qddot.cli.terminal import AsJson, Source, echo_json, read_model
from qddot.errors import BadArgument
from qddot.saving import check_place

if TYPE_CHECKING:
    from qddot.simulation.trajectory import Trajectory

File = Path | None
INTERRUPTED = 130  # what a shell expects after Ctrl-C


def simulate(
    source: Source,
    duration: Annotated[float, typer.Option(help="How long, in seconds.")] = 10.0,
    q0: Annotated[str, typer.Option(help="Where it starts: 0,pi/2,... Zero if not given.")] = "",
    qd0: Annotated[str, typer.Option(help="How fast it starts. At rest if not given.")] = "",
    torque: Annotated[str, typer.Option(help="A constant torque a joint. Zero if not given.")] = "",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="friction.viscous=30, gravity=0,0,-1.62, payload.tool=2, m1=3."),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="auto, RK45, DOP853, Radau, BDF, or fixed: rk4, midpoint, semi_implicit_euler."
        ),
    ] = "auto",
    tolerance: Annotated[float, typer.Option(help="Of adaptive methods.")] = 1e-10,
    step: Annotated[
        float | None, typer.Option(help="Of fixed steps, in seconds; else the longest.")
    ] = None,
    every: Annotated[
        float | None, typer.Option(help="How far apart the rows are, in seconds.")
    ] = None,
    friction: Annotated[str, typer.Option(help="exact, or smooth (tanh for sgn).")] = "exact",
    stops: Annotated[
        float | None, typer.Option(help="Stops at the limits, with this restitution.")
    ] = None,
    effort: Annotated[str, typer.Option(help="report or enforce effort limits.")] = "report",
    plot: Annotated[File, typer.Option(help="Draw it: .png, .svg or .pdf.")] = None,
    animate: Annotated[File, typer.Option(help="A moving picture: .gif, .html or .mp4.")] = None,
    output: Annotated[
        File, typer.Option("--output", "-o", help="Save it: .csv, .parquet or .npz.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let a robot move under torques, with an account of its energy.

    The status is 1 if the run could not go on or its energy is not accounted for. Ctrl-C keeps
    what was computed: it is still drawn, saved and told.

    Example:  qddot simulate two_link --duration 10 --set friction.viscous=30 --plot fall.png
    """
    from qddot.simulation.simulate import Interrupted, SimulationWarning

    _check_places(plot, animate, output)
    robot = changed(qddot.Robot(read_model(source)), settings or [])
    if robot.symbols:
        raise BadArgument(
            f"{robot.name} has symbols without a value: {', '.join(robot.symbols)}.\n"
            f"  Give each one: --set {robot.symbols[0]}=1.0"
        )
    zeros = [0.0] * robot.n
    interrupted = False
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
            )
        except Interrupted as stopped:
            run, interrupted = stopped.trajectory, True
    written = _written(run, plot, animate, output)
    if as_json:
        echo_json(facts(run) | {"files": [str(path) for path in written]})
    else:
        for line in report(run):
            typer.echo(line)
        for path in written:
            typer.echo(f"{path}")
    if interrupted:
        sys.exit(INTERRUPTED)
    if not run.good:
        sys.exit(1)


def _check_places(plot: File, animate: File, output: File) -> None:
    """Refuse files that could not be written before the run, not after it."""
    from qddot.plot.animation import ENDINGS
    from qddot.plot.figure_file import FIGURES
    from qddot.simulation.files import WRITERS

    wanted = [(plot, "A figure", FIGURES), (animate, "A film", ENDINGS)]
    for path, what, known in [*wanted, (output, "A motion", tuple(WRITERS))]:
        if path is not None:
            check_place(path, what, known)


def _written(run: Trajectory, plot: File, animate: File, output: File) -> list[Path]:
    if output is not None:
        run.save(output)
    if plot is not None:
        run.plot(path=plot)
    if animate is not None:
        run.animate(animate)
    return [path for path in (output, plot, animate) if path is not None]


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
    from qddot.errors import printable

    energy = run.energy
    width = max([5, *(len(name) for name in run.joint_names)])
    lines = [f"{'joint':<{width}}  {'q':>8}      {'q̇':>8}        {'work':>9}    {'lost':>9}"]
    for i, (name, unit) in enumerate(zip(run.joint_names, run.units, strict=True)):
        state = f"{run.q[-1, i]:>8.4f} {unit:<3}  {run.qd[-1, i]:>8.4f} {unit + '/s':<5}"
        work = f"{energy.actuators[-1, i]:>9.4g} J  {energy.friction[-1, i]:>9.4g} J"
        lines.append(f"{printable(name):<{width}}  {state}  {work}")
    lines += [
        "",
        f"energy  {energy.total[0]:.6g} J at the start, {energy.total[-1]:.6g} J at the end; "
        f"{energy.given[-1]:.4g} J given, {energy.lost[-1]:.4g} J lost",
    ]
    if run.events:
        lines += ["", *(printable(str(event)) for event in run.events[:most])]
        if len(run.events) > most:
            lines.append(f"... and {len(run.events) - most} more; --json lists them all.")
    return [*lines, "", run.status]
