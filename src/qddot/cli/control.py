"""Verbs about control: control."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from qddot.cli import completion, references
from qddot.cli.laws import gains_of
from qddot.cli.settings import numbers
from qddot.cli.terminal import (
    ENDINGS_OF_MOTIONS,
    ROBOT,
    AsJson,
    Effort,
    File,
    Plot,
    Settings,
    Source,
    Words,
    choice,
    number,
    read_numeric,
    saves,
    tell,
    vector,
)
from qddot.control.ready_laws import (
    FRAMES,
    LAWS,
    OTHER_NAMES,
    Wanted,
    axes_of,
    made,
    ready_posture,
)
from qddot.errors import BadArgument, printable

if TYPE_CHECKING:
    from qddot.robot import Robot

RATE = 1000.0  # [Hz], where noise or a delay is given and no rate


def control(
    source: Source,
    law: Annotated[str, choice("--law", tuple(LAWS), "Which", OTHER_NAMES)] = "computed_torque",
    reference: Annotated[
        str,
        typer.Option(
            metavar="WORDS",
            help="What it follows; see above. A wave; of a frame, a place nearby.",
            autocompletion=completion.among(references.SYNTAX),
            show_default=False,
        ),
    ] = "",
    q0: Annotated[str, vector("Where the arm starts; else on the reference.")] = "",
    qd0: Annotated[
        str, vector("Velocities at the start [rad/s or m/s]; else those of the reference, or 0.")
    ] = "",
    duration: Annotated[
        float | None,
        number("How long; a second longer than the reference, or 5 s, if not given.", "SECONDS"),
    ] = None,
    gains: Annotated[
        Words,
        typer.Option(metavar="KEY=VALUE", help="kp=100,kd=20, or one a joint; else chosen."),
    ] = None,
    frame: Annotated[
        str,
        typer.Option(
            metavar="FRAME",
            help="Of laws that move one. The tool if not given.",
            autocompletion=completion.frames,
            show_default=False,
        ),
    ] = "",
    axes: Annotated[
        str, typer.Option(metavar="AXES", help="Along which it is moved: xy. All it can.")
    ] = "",
    model: Annotated[
        str,
        typer.Option(
            metavar="ROBOT",
            help=f"What the law takes the arm for. {ROBOT}",
            autocompletion=completion.robots,
        ),
    ] = "",
    model_set: Annotated[
        Words,
        typer.Option(
            metavar="KEY=VALUE",
            help="Changes of the law's model, like --set: payload.tool=0, a1=1.2.",
        ),
    ] = None,
    model_error: Annotated[
        float | None,
        number(
            "Make the links of the law's model too heavy or too light by a share: 0.3.", "SHARE"
        ),
    ] = None,
    rate: Annotated[
        float | None, number("How often the law is asked; else all the time.", "HERTZ")
    ] = None,
    noise_q: Annotated[
        str, vector("Standard deviation of measured positions [rad or m], one or one a joint.")
    ] = "",
    noise_qd: Annotated[
        str, vector("Standard deviation of measured rates [rad/s or m/s], one or one a joint.")
    ] = "",
    delay: Annotated[float, number("Of measurements.", "SECONDS")] = 0.0,
    effort: Effort = "enforce",
    seed: Annotated[
        int, typer.Option(metavar="SEED", help="Of the noise and of --model-error.", min=0)
    ] = 1,
    settings: Settings = None,
    plot: Plot = None,
    output: Annotated[File, saves("A motion", ENDINGS_OF_MOTIONS)] = None,
    as_json: AsJson = False,
) -> None:
    """Put a robot under a control law, and judge how well it does.

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
      file motion.json               what qddot excite saved; or a motion, a log

    It tells errors, torques, the Lyapunov function, and whether what the law's proof assumes is so:
    yes, no, or open. The status is 1 if the run could not go on. Ctrl-C keeps what there is so far.

    Examples:
      qddot control panda
      qddot control two_link --law adaptive --model-error 0.3 --plot run.png
      qddot control two_link --reference "quintic 0,0 1,1 2.0" --q0 0.01,0
    """
    from qddot.control.loop import InterruptedLoop, closed_loop
    from qddot.control.loop_arguments import lasting
    from qddot.errors import SimulationWarning
    from qddot.present.terminal.results import loop_lines

    given = gains_of(law, gains or [])
    arm = read_numeric(source, settings)
    believed = _believed(source, arm, model, settings or [], model_set or [])
    where = frame or arm.tip
    along = axes or axes_of(arm, where)
    q = np.array(numbers("--q0", q0)) if q0 else arm.home
    if not q0 and not reference and law in FRAMES:
        q = ready_posture(arm, where, along)
    if len(q) != arm.n:
        raise BadArgument(
            f"--q0 holds {len(q)} numbers and {arm.name} has {arm.n} joints: "
            f"{', '.join(map(printable, arm.joint_names))}."
        )
    asked = references.Asked(arm, q, where, along, law in FRAMES)
    aim = references.reference(reference, asked) if reference else references.otherwise(asked)
    seconds = lasting(aim) if duration is None else duration
    start, speed = _start(aim, q, bool(q0), asked.of_frame)
    speed = numbers("--qd0", qd0) if qd0 else speed
    wanted = Wanted(
        name=law,
        arm=arm,
        model=_mistaken(arm if law == "approximate_jacobian" else believed, model_error, seed),
        lengths=believed,
        reference=aim,
        q=start,
        seconds=seconds,
        frame=where,
        axes=along,
        gains=given,
    )
    spread = {
        name: _one_or_each(f"--{name.replace('_', '-')}", text)
        for name, text in (("noise_q", noise_q), ("noise_qd", noise_qd))
        if text
    }
    if rate is None and (spread or delay):
        rate = RATE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # its status is printed
        try:
            run = closed_loop(
                *(arm, made(wanted)),
                q0=start,
                qd0=speed,
                duration=seconds,
                **spread,
                delay=delay,
                rate=rate,
                effort=effort,
                seed=seed,
            )
            stopped = False
        except InterruptedLoop as interruption:
            run, stopped = interruption.run, True
    moved = run.trajectory
    if output is not None:
        moved.save(output)
    if plot is not None:
        from qddot.plot import plot_closed_loop

        plot_closed_loop(run, plot)
    tell(as_json, run.to_dict(), loop_lines(run), [output, plot])
    if not moved.good and not stopped:
        raise typer.Exit(1)


def _believed(
    source: str, arm: Robot, model: str, settings: list[str], believe: list[str]
) -> Robot:
    """Return what the law believes the arm to be."""
    if not model and not believe:
        return arm
    # what is believed stands instead of what is set
    keys = {text.partition("=")[0] for text in believe}
    kept = [] if model else [text for text in settings if text.partition("=")[0] not in keys]
    found = read_numeric(model or source, kept, believe)
    if found.n != arm.n:
        raise BadArgument(f"--model has {found.n} joints, and {arm.name} has {arm.n}.")
    return found


def _one_or_each(option: str, text: str) -> Any:
    found = numbers(option, text)
    return found[0] if len(found) == 1 else found


def _mistaken(robot: Robot, share: float | None, seed: int) -> Robot:
    from qddot.control.mistaken import wrong_model

    return robot if share is None else wrong_model(robot, share, seed)


def _start(
    aim: Any, q: np.ndarray, told: bool, of_frame: bool
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return where the arm starts: where it was told to, or on a reference that moves."""
    if told or of_frame or not hasattr(aim, "at") or type(aim).__name__ == "Setpoint":
        return q, None
    place, speed, _ = (np.asarray(part, dtype=float) for part in aim.at(0.0))
    return place, speed
