"""Verbs about control: control."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

import qddot
from qddot.cli import laws, references
from qddot.cli.control_report import facts, report
from qddot.cli.settings import changed, numbers
from qddot.cli.terminal import AsJson, Source, echo_json, read_model
from qddot.errors import BadArgument, NotNumeric, printable
from qddot.saving import check_place

if TYPE_CHECKING:
    from qddot.control.closed_loop import ClosedLoop

File = Path | None
INTERRUPTED = 130  # what a shell expects after Ctrl-C
AFTER = 1.0  # [s], how long a run goes on after its reference has ended
SPELL = 5.0  # [s], how long it lasts where the reference has no end
RATE = 1000.0  # [Hz], where noise or a delay is given and no rate


def control(
    source: Source,
    law: Annotated[str, typer.Option(help=f"{', '.join(laws.LAWS)}.")] = "computed_torque",
    reference: Annotated[
        str,
        typer.Option(help='"setpoint 0.5,0.3", "quintic 0,0 1,1 2.0", "fourier", "line", ...'),
    ] = "fourier",
    q0: Annotated[str, typer.Option(help="Where the arm starts; else on the reference.")] = "",
    duration: Annotated[float | None, typer.Option(help="How long, in seconds.")] = None,
    gains: Annotated[
        list[str] | None, typer.Option(help="kp=100,kd=20, or one a joint; else chosen.")
    ] = None,
    frame: Annotated[str, typer.Option(help="Of laws that move one. The tool.")] = "",
    axes: Annotated[str, typer.Option(help="Along which it is moved: xy. All it can.")] = "",
    model: Annotated[str, typer.Option(help="What the law believes: another robot file.")] = "",
    believe: Annotated[
        list[str] | None,
        typer.Option(help="The same, in parts, like --set: payload.tool=0, a1=1.2."),
    ] = None,
    wrong: Annotated[
        float | None, typer.Option(help="Links the law believes in are wrong by this share: 0.3.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="How often the law is asked [Hz]; else all the time.")
    ] = None,
    noise: Annotated[str, typer.Option(help="Of positions, and of rates: 1e-4,1e-3.")] = "",
    delay: Annotated[float, typer.Option(help="Of measurements, in seconds.")] = 0.0,
    seed: Annotated[int, typer.Option(help="Of the noise and of --wrong.", min=0)] = 1,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="The arm: friction.viscous=30, payload.tool=2, m1=3."),
    ] = None,
    plot: Annotated[File, typer.Option(help="Draw it: .png, .svg or .pdf.")] = None,
    output: Annotated[
        File, typer.Option("--output", "-o", help="Save the motion: .csv, .parquet or .npz.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Put a robot under a control law, and say how well it did and whether it had a right to.

    \b
    References, positions in rad or m, one a joint:
      setpoint 0.5,0.3               stay there; of a frame: its place [m]
      quintic 0,0 1,1 2.0            through points, in so many seconds
      trapezoidal 0,0 1,1 velocity=1 acceleration=2
      s_curve 0,0 1,1 velocity=1 acceleration=2 jerk=10
      fourier 0,0 amplitude=0.3 frequency=0.2 harmonics=3 seed=1
      line 1.2,0.6 2.0               the frame, straight to a place
      arc 1,0,0 0,0,1 pi/2 2.0       the frame: centre, axis, angle, seconds
      fastest 0,0 1,1 effort=3000,1000   as fast as the motors allow

    The status is 1 if the run could not go on.

    Example:  qddot control panda --law adaptive --wrong 0.3 --reference fourier --plot run.png
    """
    from qddot.simulation.simulate import Interrupted, SimulationWarning

    _check_places(plot, output)
    name = laws.law_name(law)
    given = laws.gains_of(name, gains or [])
    arm = _numeric(changed(qddot.Robot(read_model(source)), settings or []))
    believed = _believed(source, arm, model, settings or [], believe or [])
    where = laws.frame_of(arm, frame)
    along = axes or laws.axes_of(arm, where)
    q = np.array(numbers("--q0", q0)) if q0 else home(arm)
    if len(q) != arm.n:
        raise BadArgument(
            f"--q0 holds {len(q)} numbers and {arm.name} has {arm.n} joints: "
            f"{', '.join(map(printable, arm.joint_names))}."
        )
    asked = references.Asked(arm, q, where, along, name in laws.FRAMES)
    aim = references.reference(reference, asked)
    seconds = _duration(aim) if duration is None else duration
    start, speed = _start(aim, q, bool(q0), asked.of_frame)
    wanted = laws.Wanted(
        name=name,
        arm=arm,
        model=_mistaken(arm if name == "approximate_jacobian" else believed, wrong, seed),
        lengths=believed,
        reference=aim,
        q=start,
        seconds=seconds,
        frame=where,
        axes=along,
        gains=given,
    )
    made = laws.made(wanted)
    spread = numbers("--noise", noise) if noise else []
    if len(spread) > 2:
        raise BadArgument("--noise takes one number, of positions, or two, of rates as well.")
    if rate is None and (spread or delay):
        rate = RATE
    from qddot.control.closed_loop import closed_loop

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # its status is printed
        try:
            run = closed_loop(
                *(arm, made),
                q0=start,
                qd0=speed,
                duration=seconds,
                noise=(*spread, *[0.0] * (2 - len(spread))) if spread else None,
                delay=delay,
                rate=rate,
                seed=seed,
            )
        except Interrupted as stopped:
            sys.stderr.write(f"qddot: {stopped.trajectory.status}\n")
            sys.exit(INTERRUPTED)
    written = _written(run, plot, output)
    if as_json:
        echo_json(facts(run) | {"files": [str(path) for path in written]})
    else:
        for line in [*report(run), *map(str, written)]:
            typer.echo(line)
    if not run.trajectory.good:
        sys.exit(1)


def home(robot: qddot.Robot) -> np.ndarray:
    """Return where an arm stands if nobody says: at zero, or amid limits that zero is not within.

    A tenth of the range is kept from either limit.
    """
    from qddot.control.references.limits import bounds_of

    limits = bounds_of(robot)
    with np.errstate(invalid="ignore"):
        room = 0.1 * (limits.upper - limits.lower)
        inside = (limits.lower + room <= 0) & (limits.upper - room >= 0)
        middle = (limits.lower + limits.upper) / 2
    return np.where(inside | ~np.isfinite(middle), 0.0, middle)


def _numeric(robot: qddot.Robot) -> qddot.Robot:
    if robot.symbols:
        raise NotNumeric(robot.name, robot.symbols)
    return robot


def _believed(
    source: str, arm: qddot.Robot, model: str, settings: list[str], believe: list[str]
) -> qddot.Robot:
    """Return what the law believes the arm to be."""
    if not model and not believe:
        return arm
    # what is believed stands instead of what is set
    keys = {text.partition("=")[0] for text in believe}
    kept = [] if model else [text for text in settings if text.partition("=")[0] not in keys]
    found = changed(qddot.Robot(read_model(model or source)), [*kept, *believe])
    if found.n != arm.n:
        raise BadArgument(f"--model has {found.n} joints, and {arm.name} has {arm.n}.")
    return _numeric(found)


def _mistaken(robot: qddot.Robot, share: float | None, seed: int) -> qddot.Robot:
    from qddot.control.wrong_model import wrong_model

    return robot if share is None else wrong_model(robot, share, seed)


def _duration(aim: Any) -> float:
    length = getattr(aim, "duration", np.inf)
    return float(length) + AFTER if np.isfinite(length) else SPELL


def _start(
    aim: Any, q: np.ndarray, told: bool, of_frame: bool
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return where the arm starts: where it was told to, or on a reference that moves."""
    if told or of_frame or not hasattr(aim, "at") or type(aim).__name__ == "Setpoint":
        return q, None
    place, speed, _ = (np.asarray(part, dtype=float) for part in aim.at(0.0))
    return place, speed


def _check_places(plot: File, output: File) -> None:
    """Refuse files that could not be written before the run, not after it."""
    from qddot.plot.figure_file import FIGURES
    from qddot.simulation.files import WRITERS

    for path, what, known in ((plot, "A figure", FIGURES), (output, "A motion", tuple(WRITERS))):
        if path is not None:
            check_place(path, what, known)


def _written(run: ClosedLoop, plot: File, output: File) -> list[Path]:
    if output is not None:
        run.trajectory.save(output)
    if plot is not None:
        from qddot.control.figures import plot_closed_loop

        plot_closed_loop(run, plot)
    return [path for path in (output, plot) if path is not None]
