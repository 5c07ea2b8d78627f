"""Robots changed from the command line: --set friction.viscous=30 --set payload.tool=2.5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qddot.errors import BadArgument, BadExpression, did_you_mean, printable
from qddot.expression_reader import read_formula

if TYPE_CHECKING:
    from qddot.robot import Robot


def changed(robot: Robot, settings: Sequence[str], believed: Sequence[str] = ()) -> Robot:
    """Return the robot with settings applied, each "key=value" or "key=value,value,...".

    Args:
        robot: The robot.
        settings: Those of --set.
        believed: Those of --model-set, which come after them.
    """
    from qddot.model.friction import PARAMETERS

    kinds = [p.name for p in PARAMETERS]
    friction: dict[str, float | list[float]] = {}
    written = [("--set", each) for each in settings] + [("--model-set", each) for each in believed]
    for option, setting in written:
        key, equals, text = setting.partition("=")
        if not equals or not text.strip():
            raise BadArgument(f"{option} {printable(setting)!r} is not of the form key=value.")
        values = numbers(f"{option} {key}", text)
        kind = key.removeprefix("friction.")
        if kind != key and kind in kinds:
            friction[kind] = values[0] if len(values) == 1 else values
        elif key == "gravity":
            robot = robot.with_gravity(values)
        elif key.startswith("payload."):
            robot = robot.with_payload(key.removeprefix("payload."), _only(option, key, values))
        elif key in robot.symbols:
            _only(option, key, values)
            exact: Any = read_formula(text.strip())  # 1/3 stays what it is in a closed form
            robot = robot.with_values(**{key: exact})
        else:
            rubbing = (f"friction.{kind}" for kind in kinds)
            known = (*rubbing, "gravity", "payload.<frame>", *robot.symbols)
            from qddot.readers.read import symbolic_twin

            twin = symbolic_twin(robot.name)
            raise BadArgument(
                f"{option} knows no {printable(key)!r}.{did_you_mean(key, known)}\n"
                f"  There are: {', '.join(known)}."
                + (f"\n  {twin!r} is the same robot with symbols for its numbers." if twin else "")
            )
    # all at once: some kinds of friction make sense only together
    return robot.with_friction(**friction) if friction else robot


def numbers(what: str, text: str) -> list[float]:
    """Return the numbers in a text like "0,pi/2,-1"."""
    try:
        return [one_number(part) for part in text.split(",")]
    except BadExpression as error:
        raise BadArgument(f"{what}: {error}") from None


def one_number(text: str) -> float:
    """Return the number that a text is; a point is the decimal point, whatever the country."""
    found = read_formula(text.strip())
    try:
        return float(found)
    except (ValueError, OverflowError):
        raise BadExpression(text, "write 0.5, 1e-3 or pi/2.") from None


def _only(option: str, key: str, values: list[float]) -> float:
    if len(values) != 1:
        raise BadArgument(f"{option} {printable(key)} takes one number, not {len(values)}.")
    return values[0]
