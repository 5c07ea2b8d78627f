"""Verbs about motion: simulate, one run, and sweep, many of them."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

import qddot
from qddot import progress
from qddot.cli import completion
from qddot.cli.terminal import (
    ENDINGS_OF_MOTIONS,
    Animate,
    AsJson,
    Degrees,
    Effort,
    File,
    Plot,
    Settings,
    Source,
    WrenchAxes,
    Wrenches,
    WrenchesOn,
    choice,
    entry,
    number,
    positions,
    read_numeric,
    read_varied,
    saves,
    tell,
    vector,
)
from qddot.cli.words import numbers, wrenches_of
from qddot.errors import BadArgument

METHODS = ("auto", "RK45", "DOP853", "Radau", "BDF", "rk4", "midpoint", "semi_implicit_euler")


def simulate(
    source: Source,
    duration: Annotated[float, number("Length of the run: 2.5.", "SECONDS")] = 10.0,
    q0: Annotated[
        str,
        vector(
            "Positions at the start [rad or m], one per joint: 0,90deg. The robot's own start if "
            "not given, which is 0 for most."
        ),
    ] = "",
    qd0: Annotated[
        str,
        vector(
            "Velocities at the start [rad/s or m/s], one per joint: 0,1. At rest if not given, or "
            "as fast as its own start is."
        ),
    ] = "",
    torque: Annotated[
        str, vector("A constant torque [N·m or N] per joint: 10,0. None if not given.")
    ] = "",
    wrenches: Wrenches = None,
    wrench_axes: WrenchAxes = "world",
    wrenches_on: WrenchesOn = "robot",
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
        entry(
            "Stop after this number of steps and keep the result so far. 1,000,000 if not given.",
            "NUMBER",
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
            "Stop joints at their position limits too, with this coefficient of restitution from 0 "
            "(no bounce) to 1. If not given, joints stop where the robot has stops alone."
        ),
    ] = None,
    no_stops: Annotated[
        bool, typer.Option("--no-stops", help="Leave out the stops that the robot has.")
    ] = False,
    effort: Effort = "enforce",
    settings: Settings = None,
    vary: Annotated[
        str,
        entry(
            "Run once for each of these values of a --set: friction.viscous=0,30,80. --plot "
            "draws a row for each. Vectors have semicolons between them.",
            "KEY=A,B,...",
            show_default=False,
        ),
    ] = "",
    plot: Plot = None,
    animate: Animate = None,
    output: Annotated[File, saves("A motion", ENDINGS_OF_MOTIONS)] = None,
    degrees: Degrees = False,
    as_json: AsJson = False,
) -> None:
    """Simulate a robot under torques, and check its energy balance.

    The exit status is 1 if the run could not go on or the energy balance fails. After Ctrl-C
    the part computed so far is still drawn, saved and printed.

    Examples:
      qddot simulate two_link
      qddot simulate two_link --set friction.viscous=30 --plot fall.png
      qddot simulate two_link --vary friction.viscous=0,30,80 --plot three_falls.png
      qddot simulate panda --q0 0,-pi/4,0,-2,0,pi/2,0 --duration 2 -o fall.csv
      qddot simulate two_link --wrench tool=0,0,0,20,0,0 --set friction.viscous=30
    """
    from qddot.errors import Interrupted, SimulationWarning
    from qddot.present.terminal.results import motion_lines

    if no_stops and stops is not None:
        raise BadArgument("Give --stops or --no-stops, not both.")
    _refuse_beside_vary(vary, animate=animate, output=output)
    robots = read_varied(source, settings, vary) if vary else {"": read_numeric(source, settings)}
    limit: dict[str, Any] = {} if max_steps is None else {"max_steps": max_steps}
    runs: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # its status is printed
        for name, robot in robots.items():
            try:
                runs[name] = qddot.simulate(
                    robot,
                    positions("--q0", q0, robot) if q0 else None,
                    numbers("--qd0", qd0) if qd0 else None,
                    torque=numbers("--torque", torque) if torque else None,
                    wrenches=wrenches_of(wrenches or ()),
                    wrenches_on=wrenches_on,
                    axes=wrench_axes,  # type: ignore[arg-type]  # one of the three
                    duration=duration,
                    method=method,
                    tolerance=tolerance,
                    step=step,
                    every=every,
                    friction=friction,
                    stops=False if no_stops else stops,
                    effort=effort,
                    **limit,
                )
            except Interrupted as stopped:
                runs[name] = stopped.trajectory
                break
    if vary:
        if plot is not None:
            from qddot.plot import panels

            panels(runs, plot, degrees)
        lines = [
            line
            for name, run in runs.items()
            for line in (name, "", *motion_lines(run, degrees), "")
        ]
        tell(as_json, {"runs": {name: run.to_dict() for name, run in runs.items()}}, lines, [plot])
    else:
        (run,) = runs.values()
        if output is not None:
            run.save(output)
        if plot is not None:
            run.plot(path=plot, degrees=degrees)
        if animate is not None:
            run.animate(animate)
        tell(as_json, run.to_dict(), motion_lines(run, degrees), [output, plot, animate])
    if not all(run.good for run in runs.values()):
        raise typer.Exit(1)


def _refuse_beside_vary(vary: str, **options: Any) -> None:
    for name, value in options.items():
        if vary and value is not None:
            raise BadArgument(
                f"--{name} is for one run, and --vary makes several.\n"
                "  Leave one of them out; --plot draws several, and qddot sweep saves them."
            )


def sweep(
    plan: Annotated[
        Path,
        typer.Argument(
            metavar="PLAN",
            help="The plan of the sweep: a .toml file.",
            autocompletion=completion.files(".toml"),
        ),
    ],
    output: Annotated[
        Path | None,
        entry(
            "Folder for the results, needed to run a plan. An unfinished sweep in it is continued.",
            "FOLDER",
            "--output",
            "-o",
        ),
    ] = None,
    client: Annotated[
        str,
        entry(
            "Address of the scheduler of a Dask cluster: tcp://HOST:8786. This machine if not "
            "given.",
            "ADDRESS",
        ),
    ] = "",
    workers: Annotated[
        int | None,
        entry(
            "Number of processes: 4. One per core if not given; with 0 this process computes.",
            "N",
            min=0,
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only print what the plan would run; compute nothing.")
    ] = False,
    new: Annotated[
        str,
        entry(
            "Write a first plan for this robot to PLAN, and run nothing.",
            "ROBOT",
            autocompletion=completion.robots,
            show_default=False,
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Run many simulations, varied as a plan says.

    A plan may vary parameters, payloads, friction, starts, gains, targets and noise. The results
    are Parquet files with one row per run, which `qddot.load_sweep(FOLDER)` reads. If a sweep is
    stopped (Ctrl-C, a crash, a full disk, a lost cluster), the same command continues it, and the
    results are the same bytes. The exit status is 1 if units of the sweep failed; the same command
    tries them again.

    Examples:
      qddot sweep plan.toml --new two_link
      qddot sweep plan.toml --check
      qddot sweep plan.toml -o runs --workers 0
      qddot sweep plan.toml -o runs --json
    """
    if new:
        from qddot.sweeps.plan import write_plan

        write_plan(plan, new, read_numeric(new))
        tell(as_json, {"plan": str(plan)}, [], [plan])
        return
    from qddot.present.terminal.results import study_lines
    from qddot.sweeps.plan import study_of

    if check:
        study = study_of(plan)
        tell(as_json, study.to_dict(), study_lines(study))
        return
    if output is None:
        raise BadArgument(
            "Give a folder for the results, -o FOLDER; or --check, to only check the plan."
        )
    _run(plan, output, client, workers, as_json)


def _run(plan: Path, output: Path, client: str, workers: int | None, as_json: bool) -> None:
    from qddot.errors import CannotWrite, CrewLost
    from qddot.present.terminal.results import MOST_RUNS, sweep_lines
    from qddot.sweeps.running import sweep as run

    started = time.monotonic()
    try:
        found = run(plan, output, client=client or None, workers=workers)
    except (CannotWrite, CrewLost) as error:  # not the plan's fault
        progress.write_line(str(error))
        raise typer.Exit(1) from None
    seconds = time.monotonic() - started
    small = bool(found.parts) and found.runs <= MOST_RUNS
    summary = found.summary().to_dict() if small else None
    facts = found.to_dict() | {"seconds": round(seconds, 3), "summary": summary}
    tell(as_json, facts, sweep_lines(found, seconds))
    if not found.complete:
        raise typer.Exit(1)
