"""Logs in SI units on the joints' side: units, gears, couplings, offsets, torque constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import is_number, number, spread
from qddot.checks import numbers as matrix
from qddot.errors import BadArgument, did_you_mean, listing, printable, shorten
from qddot.timeseries import QUANTITIES

if TYPE_CHECKING:
    from qddot.identification.log_columns import Raw
    from qddot.robot import Robot

TURNING = {"rad": 1.0, "deg": pi / 180, "°": pi / 180, "mrad": 1e-3, "rev": 2 * pi, "turn": 2 * pi}
SLIDING = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "um": 1e-6, "µm": 1e-6, "in": 0.0254}
TIMES = {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
TORQUES = {"N·m": 1.0, "Nm": 1.0, "N*m": 1.0, "N.m": 1.0, "mNm": 1e-3, "kNm": 1e3}
FORCES = {"N": 1.0, "kN": 1e3, "mN": 1e-3}
CURRENTS = {"A": 1.0, "mA": 1e-3}


def rates_of(units: Mapping[str, float], per: str) -> dict[str, float]:
    ends = ("/s",) if per == "s" else ("/s²", "/s^2", "/s2", "/s/s")
    return {f"{unit}{end}": factor for unit, factor in units.items() for end in ends}


# by quantity, the SI value of each unit: for joints that turn, for joints that slide
SI_FACTORS: dict[str, tuple[dict[str, float], dict[str, float]]] = {
    "q": (TURNING, SLIDING),
    "qd": (rates_of(TURNING, "s") | {"rpm": pi / 30}, rates_of(SLIDING, "s")),
    "qdd": (rates_of(TURNING, "s²"), rates_of(SLIDING, "s²")),
    "tau": (TORQUES | CURRENTS, FORCES | CURRENTS),
}


def joint_side(
    raw: Raw,
    robot: Robot | None,
    units: Mapping[str, Any],
    gear: Any,
    coupling: Any,
    offset: Any,
    torque_constants: Any,
) -> Raw:
    """Change the values of a log, in place, into SI units on the joints' side."""
    unknown = [str(name) for name in units if name not in ("t", *QUANTITIES)]
    if unknown:
        raise BadArgument(
            f"units is for t, {', '.join(QUANTITIES)}, not for {listing(unknown)}.\n"
            '  Write, for example, {"q": "deg", "qd": "deg/s", "tau": "A"}.'
        )
    n, given = len(raw.joints), (units.get("q"), gear, coupling, offset)
    if robot and robot.nq != robot.n and any(each is not None for each in given):
        raise BadArgument(
            f"Positions of {printable(robot.name)!r} are several numbers per joint; units of q, "
            "gear, coupling and offset are for one number per joint."
        )
    slides = [not joint.turns for joint in robot.model.free_joints] if robot else [None] * n
    constants = torque_constants
    if constants is not None:
        constants = numbers("torque_constants", constants, raw.joints)
    raw.t = raw.t * time_factor(raw, units.get("t"))
    if "tau" in raw.values and units.get("tau") is None and constants is None:
        leave_out_currents(raw)
    for name, values in raw.values.items():
        if values.shape[1] == n:
            said = units.get(name)
            raw.values[name] = values * factors(raw, name, said, slides, constants)
    motor_side(raw, gear, coupling)
    if offset is not None:
        raw.values["q"] = raw.values["q"] + numbers("offset", offset, raw.joints)
    return raw


def leave_out_currents(raw: Raw) -> None:
    """Do without torques that are currents, while nobody says what torque an ampere makes."""
    if found := set(raw.units["tau"]) & set(CURRENTS):
        raw.note(
            "warning",
            "tau",
            f"its columns, {listing(raw.columns['tau'], 3)}, hold currents [{found.pop()}], and "
            "what torque these make is not known, so they are left out",
            "Give N·m (or N) per ampere, one per joint: torque_constants=[...]; or have it found: "
            "torque_constants=1, and then identify(..., gains={...}).",
        )
        del raw.values["tau"]
        raw.unused += raw.columns.pop("tau")


def time_factor(raw: Raw, said: Any) -> float:
    """Return how many seconds a unit of time is."""
    found = raw.units["t"][0]
    unit = said if said is not None else found if found in TIMES else "s"
    if unit not in TIMES:
        raise BadArgument(
            f"The unit of t is {shorten(repr(unit))}; it must be one of {', '.join(TIMES)}."
        )
    raw.units["t"] = [unit]
    if unit not in ("s", "sec"):
        raw.note("note", "time", f"read in {unit}" + ("" if said else ", as its column says"))
    return TIMES[unit]


def factors(
    raw: Raw, name: str, said: Any, slides: list[Any], constants: np.ndarray | None
) -> np.ndarray:
    """Return what each column is multiplied by to be in SI units."""
    n = len(raw.joints)
    if said is None:
        given = [unit if is_known(name, unit) else "" for unit in raw.units[name]]
        for unit in sorted({unit for unit in given if unit}):
            raw.note("note", name, f"read in {unit}, as the names of its columns say")
    else:
        given = [said] * n if isinstance(said, str) or is_number(said) else list(said)
    if len(given) != n:
        raise BadArgument(f"units has {len(given)} entries for {name}; it must have {n}.")
    result = np.ones(n)
    raw.units[name] = [str(unit) for unit in given]
    for j, unit in enumerate(given):
        if is_number(unit):
            result[j] = number("units", unit)
        elif unit:
            result[j] = factor(name, unit, slides[j], raw.joints[j])
        if name == "tau" and unit in CURRENTS:
            if constants is None:
                raise BadArgument(
                    f"tau is in {unit}, a current, so the torque it makes is not known.\n"
                    "  Give N·m (or N) per ampere, one per joint: torque_constants=[...]."
                )
            result[j] *= constants[j]
    if name == "tau" and constants is not None and not set(given) & set(CURRENTS):
        # values without a unit are taken as amperes, since constants are given for them
        result = result * constants
    return result


def is_known(name: str, unit: str) -> bool:
    return any(unit in table for table in SI_FACTORS[name])


def factor(name: str, unit: str, slides: bool | None, joint: str) -> float:
    """Return the SI value of a unit of a quantity, for a joint that turns or slides."""
    turning, sliding = SI_FACTORS[name]
    right = turning | sliding if slides is None else sliding if slides else turning
    if unit in right:
        return right[unit]
    who = f"joint {printable(joint)!r}"
    if is_known(name, unit):
        does = "slides" if slides else "turns"
        raise BadArgument(
            f"The unit of {name} is {unit!r}, but {who} {does}.\n"
            f"  Give one per joint: units={{{name!r}: [...]}}, from {', '.join(right)}."
        )
    raise BadArgument(
        f"The unit of {name} of {who} is {shorten(printable(repr(unit)))}, which is not known."
        f"{did_you_mean(str(unit), right)}\n  Known are {', '.join(right)}."
    )


def motor_side(raw: Raw, gear: Any, coupling: Any) -> None:
    """Bring what was measured at the motors to the joints.

    So that q̇ · τ stays the same:

        q = A (q_motor / N)          τ = A⁻ᵀ (N τ_motor)
    """
    n = len(raw.joints)
    if gear is None and coupling is None:
        return
    for name, values in raw.values.items():
        N = numbers("gear", given(gear, name), raw.joints)
        if not N.all():
            raise BadArgument(f"gear is {N}; a ratio of zero turns nothing.")
        A = given(coupling, name)
        wanted = f"an invertible matrix A of shape {(n, n)}: q = A (q_motor / N)"
        A = np.eye(n) if A is None else matrix("coupling", A, wanted, finite=False)
        if A.shape != (n, n) or not np.isfinite(A).all() or np.linalg.cond(A) > 1e12:
            raise BadArgument(f"coupling must be {wanted}.")
        if name == "tau":
            raw.values[name] = (values * N) @ np.linalg.inv(A)  # rows of A⁻ᵀ (N τ)
        else:
            raw.values[name] = (values / N) @ A.T
    which = [name for name in raw.values if given(gear, name) is not None]
    which += [name for name in raw.values if given(coupling, name) is not None]
    raw.note("note", "gears", f"{', '.join(dict.fromkeys(which))} brought to the joints")


def given(value: Any, name: str) -> Any:
    """Return what is said for a quantity; what is said plainly is for all."""
    return value.get(name) if isinstance(value, Mapping) else value


def numbers(what: str, value: Any, joints: Sequence[str]) -> np.ndarray:
    """Return a finite number for every joint; one stands for all, and nothing for 1."""
    return np.ones(len(joints)) if value is None else spread(what, value, joints)
