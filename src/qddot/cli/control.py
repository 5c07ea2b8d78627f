"""Verbs about control: control."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qddot.cli import completion, words
from qddot.cli.terminal import (
    ENDINGS_OF_MOTIONS,
    Animate,
    AsJson,
    Degrees,
    Effort,
    File,
    OptionWords,
    Plot,
    Settings,
    Source,
    WrenchAxes,
    Wrenches,
    WrenchesOn,
    doubt_positions,
    entry,
    frame_name,
    number,
    positions,
    read_numeric,
    read_robot,
    saves,
    tell,
    vector,
)
from qddot.errors import BadArgument, printable

if TYPE_CHECKING:
    from qddot.motions.description import Situation

NEARBY = 0.2  # [rad or m] that joints move to where a frame goes if no reference is given


def control(
    source: Source,
    law: Annotated[
        str,
        entry("The control law: <laws>.", "NAME", autocompletion=completion.among(words.law_names)),
    ] = "computed_torque",
    reference: Annotated[
        str,
        entry(
            "The motion to follow, see above. Waves if not given; for laws that move a frame, "
            "a place nearby.",
            "WORDS",
            autocompletion=completion.among(words.reference_names),
            show_default=False,
        ),
    ] = "",
    q0: Annotated[
        str,
        vector(
            "Positions at the start [rad or m], one per joint: 0,90deg. If not given, those of the "
            "reference at its start; the home position if it does not move the joints."
        ),
    ] = "",
    qd0: Annotated[
        str,
        vector(
            "Velocities at the start [rad/s or m/s], one per joint: 0,1. If not given, those of "
            "the reference where it also gives the positions, else 0."
        ),
    ] = "",
    duration: Annotated[
        float | None,
        number(
            "Length of the run. If not given, one second more than the reference takes; if that "
            "has no end, 5 s, or one period if that is longer.",
            "SECONDS",
        ),
    ] = None,
    gains: Annotated[
        OptionWords,
        entry(
            "Gains of the law, one number or one per joint: kp=100,kd=20. Chosen for the arm "
            "if not given.",
            "KEY=VALUE",
        ),
    ] = None,
    frame: Annotated[
        str, frame_name("The frame that the law moves, if it moves one. The tool if not given.")
    ] = "",
    axes: Annotated[
        str,
        entry(
            "Axes of the base along which the law moves the frame: xy. All along which the "
            "arm can move it if not given.",
            "AXES",
        ),
    ] = "",
    model: Annotated[
        str,
        entry(
            "The robot whose model the law uses, a built-in name or a file. The arm itself if "
            "not given.",
            "ROBOT",
            autocompletion=completion.robots,
        ),
    ] = "",
    model_set: Annotated[
        OptionWords,
        entry(
            "Change the model of the law, like --set: payload.tool=0, a1=1.2. May be given "
            "several times.",
            "KEY=VALUE",
        ),
    ] = None,
    model_error: Annotated[
        float | None,
        number(
            "Make each link of the law's model too heavy or too light by this share, at random: "
            "0.3 for 30 %.",
            "SHARE",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        number(
            "Samples of the law per second, its torques held in between: 1000. If not given, the "
            "law is continuous; with noise or a delay, 1000.",
            "HERTZ",
        ),
    ] = None,
    noise_q: Annotated[
        str,
        vector(
            "Standard deviation of measured positions [rad or m], one number or one per joint: "
            "1e-4. No noise if not given."
        ),
    ] = "",
    noise_qd: Annotated[
        str,
        vector(
            "Standard deviation of measured velocities [rad/s or m/s], one number or one per "
            "joint: 0.01. No noise if not given."
        ),
    ] = "",
    delay: Annotated[
        float, number("Age of the measurements when the law gets them.", "SECONDS")
    ] = 0.0,
    effort: Effort = "enforce",
    seed: Annotated[int, entry("Seed of the noise and of --model-error.", "SEED", min=0)] = 1,
    wrenches: Wrenches = None,
    wrench_axes: WrenchAxes = "world",
    wrenches_on: WrenchesOn = "robot",
    settings: Settings = None,
    plot: Plot = None,
    animate: Animate = None,
    output: Annotated[File, saves("A motion", ENDINGS_OF_MOTIONS)] = None,
    degrees: Degrees = False,
    as_json: AsJson = False,
) -> None:
    """Run a robot under a control law, and report its errors.

    \b
    References, positions in rad or m, one per joint, 30deg for degrees:
      <references>

    Prints errors, torques, the Lyapunov function, and whether each assumption of the law's
    stability proof holds: yes, no, or open (not decided). The exit status is 1 if the run could
    not go on. After Ctrl-C the part computed so far is kept.

    Examples:
      qddot control panda
      qddot control two_link --law adaptive --model-error 0.3 --plot run.png
      qddot control two_link --reference "quintic 0,0 1,1 2.0" --q0 0.01,0
    """
    import numpy as np

    from qddot.control.loop import InterruptedLoop, closed_loop
    from qddot.control.spec import axes_of, described_control, law_kind, ready_posture
    from qddot.errors import BadPlan, SimulationWarning
    from qddot.motions.description import Situation
    from qddot.present.terminal.results import loop_lines

    kind = law_kind(law)
    arm = read_numeric(source, settings)
    where = frame or arm.tip
    along = axes or axes_of(arm, where)
    q = np.array(positions("--q0", q0, arm)) if q0 else arm.home
    if not q0 and not reference and kind.moves_frame:
        q = ready_posture(arm, where, along)
    if len(q) != arm.n:
        raise BadArgument(
            f"--q0 holds {words.how_many(len(q))} and {arm.name} has {arm.n} joints: "
            f"{', '.join(map(printable, arm.joint_names))}."
        )
    followed = _followed(reference, Situation(arm, q, where, along, kind.moves_frame))
    described = {
        "law": law,
        "gains": words.gains_of(gains or []),
        "reference": followed,
        "frame": where,
        "axes": along,
        "model_set": words.settings_of(model_set or [], "--model-set") or None,
        "model_error": model_error,
        "effort": effort,
        "rate": rate,
        "delay": delay,
        "noise_q": words.formulas(noise_q) if noise_q else None,
        "noise_qd": words.formulas(noise_qd) if noise_qd else None,
    }
    believed, unset = read_robot(model) if model else None, None
    if believed is not None and believed.n != arm.n:
        raise BadArgument(f"--model has {believed.n} joints, and {arm.name} has {arm.n}.")
    if settings and model_set and not model:
        plain = read_robot(source)
        unset = (plain, words.read_set(plain, settings))
    options: dict[str, Any] = {"start_given": bool(q0), "seconds": duration, "seed": seed}
    try:
        spec = described_control(described, arm, q, model=believed, unset=unset, **options)
    except BadPlan as error:
        raise words.refused(error.problems, followed) from None
    for place in () if kind.moves_frame else words.places_of(followed):
        doubt_positions("--reference", place, arm)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # its status is printed
        try:
            run = closed_loop(
                *(arm, spec.law),
                q0=spec.q0,
                qd0=words.numbers("--qd0", qd0) if qd0 else spec.qd0,
                duration=duration,
                wrenches=words.wrenches_of(wrenches or ()),
                wrenches_on=wrenches_on,
                axes=wrench_axes,  # type: ignore[arg-type]  # one of the three
                seed=seed,
                **spec.options,
            )
            stopped = False
        except InterruptedLoop as interruption:
            run, stopped = interruption.run, True
    moved = run.trajectory
    if output is not None:
        moved.save(output)
    if plot is not None:
        from qddot.plot import plot_closed_loop

        plot_closed_loop(run, plot, degrees)
    if animate is not None:
        run.animate(animate)
    tell(as_json, run.to_dict(), loop_lines(run, degrees), [output, plot, animate])
    if not moved.good and not stopped:
        raise typer.Exit(1)


def _followed(text: str, at: Situation) -> Any:
    """Return what a law follows, as a plan has it; by default waves, or a place nearby."""
    kind, _, name = text.strip().partition(" ")
    if kind == "file":
        from qddot.identification.excitation_files import load_motion

        if at.of_frame:
            raise BadArgument(
                "--reference file: it is a motion of joints, and this law moves a frame."
            )
        if not name.strip():
            raise BadArgument(f"--reference file: it needs a name, like this: {words.FILE[0]}.")
        return load_motion(name.strip(), at.robot)
    if text:
        return words.reference_of(text)
    limits = at.robot.limits
    nearby = (at.q + NEARBY).clip(limits.lower, limits.upper)
    return {"kind": "setpoint", "joints": nearby} if at.of_frame else {"kind": "fourier"}
