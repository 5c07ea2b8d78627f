"""Exciting motions in files: .json with the coefficients, .csv with the rows for a controller.

A .csv file begins with a comment that holds all that the .json file would, so both come back.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from qddot.checks import whole
from qddot.errors import BadArgument, BadFile, QddotError, listing, printable
from qddot.identification.excitation_limits import KEYS, HalfSpace, MotionLimits
from qddot.identification.excitation_result import RATE, Excitation
from qddot.identification.excitation_use import Use
from qddot.identification.log import load_log
from qddot.motions.fourier import Fourier
from qddot.motions.motion import Reference, check_limits
from qddot.results import json_ready
from qddot.robot import Robot
from qddot.saving import ending, write_whole
from qddot.timeseries import QUANTITIES, by_joint, reading
from qddot.timeseries.csv_file import read_csv, write_csv

FORMAT = 1
KIND = "excitation"  # of the facts in a .csv file
ENDINGS = (".json", ".csv")
PLAIN = ("robot_name", "criterion", "parameters", "finished", "status")
NUMBERS = ("condition", "random_condition", "start_condition")  # infinite where nothing is seen
SHARES = ("position", "velocity", "acceleration", "effort")


def save(motion: Excitation, path: str | Path, rate: float | None, periods: int) -> None:
    """Write a motion to a .json or .csv file."""
    kind = ending(path, "An excitation", ENDINGS)
    whole("periods", periods, 1)
    facts = facts_of(motion)
    if kind == ".json":
        text = json.dumps(facts, indent=1) + "\n"
        write_whole(path, text)
        return
    columns = {"t": motion.times(rate or RATE, periods)}
    for what, rows in zip(QUANTITIES, motion.at(columns["t"]), strict=False):
        columns |= by_joint(what, motion.joint_names, rows)
    names, table = list(columns), np.column_stack(list(columns.values()))
    write_whole(path, lambda beside: write_csv(beside, KIND, json.dumps(facts), names, table))


def facts_of(motion: Excitation) -> dict[str, Any]:
    """Return everything about a motion that brings it back."""
    return {
        "format": FORMAT,
        **{name: getattr(motion, name) for name in PLAIN},
        **{name: json_ready(getattr(motion, name)) for name in NUMBERS},
        "joints": list(motion.joint_names),
        "units": list(motion.units),
        "curve": curve_facts(motion.curve),
        "limits": motion.limits.facts(),
        "use": motion.use.facts(),
        "workspace": [[s.frame, list(s.normal), s.least] for s in motion.spaces],
        "collision": motion.collision,
        "payloads": list(motion.payloads),
        "after": motion.after,
        "history": motion.history.tolist(),
        "how": motion.how,
    }


def curve_facts(curve: Fourier) -> dict[str, Any]:
    """Return what a file needs to hold of a curve; of harmonics one row each."""
    arrays = {"offset": curve.offset, "a": curve.a.T, "b": curve.b.T}
    named = {name: array.tolist() for name, array in arrays.items()}
    return {"kind": "fourier", "period": curve.period} | named


def _curve(facts: dict[str, Any]) -> Fourier:
    """Return the curve that `curve_facts` came from."""
    period = float(facts["period"])
    try:
        a, b = (np.array(facts[name], dtype=float).T for name in "ab")
        return Fourier(facts["offset"], a, b, 1 / period)
    except BadArgument as error:
        raise ValueError from error


def holds_excitation(path: Path) -> bool:
    """Return whether a file looks like one that `save` wrote: a .json, or a .csv that says so."""
    if path.suffix.lower() != ".csv" or not path.is_file():
        return path.suffix.lower() == ".json"
    try:
        return KIND in read_csv(path, exact=True).facts
    except (QddotError, UnicodeDecodeError, OSError):
        return False


def load(path: str | Path, robot: Robot | None = None) -> Excitation:
    """Return the motion in a .json or .csv file that `save` wrote.

    Files hold the name of the robot only; `robot` is the one that is to move.
    """
    path = Path(path)
    with reading(path, "an excitation", ENDINGS) as kind:
        if kind == ".json":
            text = path.read_text(encoding="utf-8-sig")
        else:
            text = read_csv(path, exact=True).facts.get(KIND)
    if text is None:
        raise BadFile(
            path,
            "its first line does not hold the coefficients",
            "Write it again with `save`, or read the rows as a log.",
            line=1,
        )
    try:
        facts = json.loads(text)
        if facts["curve"]["kind"] == "spline":
            why = "its curve is of kind 'spline', and only 'fourier' is known"
            raise BadFile(path, why, "Plan the motion again: excite(robot).")
        return _motion(facts, robot)
    except (BadArgument, BadFile):
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise BadFile(
            path, "it does not hold an excitation, or is damaged", "Write it again with `save`."
        ) from None


def _motion(facts: dict[str, Any], robot: Robot | None) -> Excitation:
    if facts["format"] != FORMAT:
        raise ValueError
    joints = tuple(str(name) for name in facts["joints"])
    if robot is not None and robot.joint_names != joints:
        raise BadArgument(
            f"The motion is of the joints {listing(joints)}, but robot {printable(robot.name)!r} "
            f"has {listing(robot.joint_names)}.\n  Give the robot that is to move, or none."
        )
    curve = _curve(facts["curve"])
    limits, use = facts["limits"], facts["use"]
    arrays = {key: _array(limits[key], len(joints)) for key in KEYS}
    shares = {key: _array(use[key], len(joints)) for key in SHARES}
    if curve.n != len(joints):
        raise ValueError
    plain: dict[str, Any] = {name: facts[name] for name in PLAIN}
    plain |= {name: _number(facts[name]) for name in NUMBERS}
    return Excitation(
        robot=robot,
        curve=curve,
        limits=MotionLimits(
            joints,
            tuple(facts["units"]),
            **arrays,
            margin=float(limits["margin"]),
            notes=tuple(limits["notes"]),
        ),
        use=Use(
            **shares, workspace=_number(use["workspace"]), clearance=_number(use.get("clearance"))
        ),
        spaces=tuple(
            HalfSpace(str(frame), (float(x), float(y), float(z)), float(least))
            for frame, (x, y, z), least in facts["workspace"]
        ),
        collision=dict(facts.get("collision", {})),
        payloads=tuple(dict(load) for load in facts.get("payloads", ())),
        after=dict(facts.get("after", {})),
        history=np.array(facts["history"], dtype=float).reshape(-1, 2),
        how=dict(facts["how"]),
        **plain,
    )


def _array(values: list[float | None], n: int) -> np.ndarray:
    found = np.array([_number(x) for x in values])
    if found.shape != (n,):
        raise ValueError
    return found


def _number(x: float | None) -> float:
    return np.inf if x is None else float(x)


def load_motion(path: str | Path, robot: Robot, tolerance: float = 1e-3) -> Reference:
    """Return the motion in a file, in the order of a robot's joints and within its limits.

    `Excitation.save` or `Trajectory.save` wrote it, or it is any log that `load_log` reads, from
    whose rows the motion may be as far as `tolerance` [rad or m].
    """
    saved = holds_excitation(Path(path))
    motion = load(path, robot) if saved else load_log(path, robot).as_motion(tolerance)
    check_limits(robot, motion)
    return motion
