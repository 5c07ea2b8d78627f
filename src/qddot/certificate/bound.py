"""A bound that was proved, the box of joint positions that it holds on, and how it is written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from qddot.checks import joint_index
from qddot.errors import BadArgument, NotNumeric, printable, shorten
from qddot.model.arguments import plain_number
from qddot.model.folding import exact
from qddot.model.joint import Joint
from qddot.plain_text import fitted, table_lines
from qddot.results import in_notebook
from qddot.robot import Robot

# the float above π: a turn from −PI to PI is a whole turn
PI = math.nextafter(math.pi, 4.0)
FARTHEST = 1e6  # [rad or m]
# how each bound is written in a book, by the beginning of its name
SYMBOLS = {
    "M.eigenvalue.max": "μ₂ = max λ(M)",
    "M.eigenvalue.min": "μ₁ = min λ(M)",
    "Minv.eigenvalue.max": "max λ(M⁻¹)",
    "Minv.eigenvalue.min": "min λ(M⁻¹)",
    "M.norm1.max": "M₂ = max ‖M‖₁",
    "M.norm1.min": "M₁ = min ‖M‖₁",
    "M.norm2.max": "max ‖M‖₂",
    "M.norm2.min": "min ‖M‖₂",
    "M.normF.max": "max ‖M‖_F",
    "M.normF.min": "min ‖M‖_F",
    "c.norm1": "c_b: ‖c‖₁ ≤ c_b ‖q̇‖₁²",
    "c.norm2": "c_b: ‖c‖₂ ≤ c_b ‖q̇‖₂²",
    "c.norminf": "c_b: ‖c‖∞ ≤ c_b ‖q̇‖∞²",
    "C.norm1": "k_c: ‖C‖₁ ≤ k_c ‖q̇‖₁",
    "C.norm2": "k_c: ‖C‖₂ ≤ k_c ‖q̇‖₂",
    "C.norminf": "k_c: ‖C‖∞ ≤ k_c ‖q̇‖∞",
    "c.crude": "n² max|Γ|, as the decks bound c",
    "g.norm1": "g_b = max ‖g‖₁",
    "g.norm2": "g_b = max ‖g‖₂",
    "g.norminf": "g_b = max ‖g‖∞",
    "dg.norm2": "max ‖∂g/∂q‖₂",
    "D.norm2": "d_max: ‖D q̇‖₂ ≤ d_max ‖q̇‖₂",
    "g.effort": "max |gᵢ| / effort limit",
}


@dataclass(frozen=True)
class Bound:
    """An enclosure of the supremum or infimum of a quantity over a box of joint positions."""

    quantity: str  # "M.norm1.max", "g.elbow", ...
    lower: float  # the supremum or infimum is not below
    upper: float  # and not above
    end: str  # which of the two it is: "sup" or "inf"
    attained_at: tuple[float, ...]  # where the inner of the two numbers is attained [rad or m]
    unit: str  # "" where it mixes units
    closed: bool  # whether the gap asked for was reached
    seconds: float
    proof: Mapping[str, Any] = field(repr=False)  # what is needed to check it again

    @property
    def gap(self) -> float:
        """How far apart the two numbers are, relative to the one that is attained."""
        width = self.upper - self.lower
        inner = abs(self.lower if self.end == "sup" else self.upper)
        return width / inner if inner else (float("inf") if width else 0.0)

    @fitted
    def __str__(self) -> str:
        cells = self.proof.get("cells", 0)
        how = f"proved on {cells:,} cells" if cells else "proved"
        open_end = "" if self.closed else ", not as narrow as asked for"
        unit = f" {self.unit}" if self.unit else ""
        return (
            f"{self.end} {self.quantity} ∈ [{', '.join(outward(self.lower, self.upper))}]{unit}, "
            f"gap {self.gap:.1e}, {how}{open_end}"
        )

    _repr_html_ = in_notebook("certificates.bound_html")


@dataclass(frozen=True)
class Box:
    """The lowest and the highest position of every joint [rad or m]."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]

    @property
    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Both as arrays of shape (n,)."""
        return np.array(self.lower), np.array(self.upper)


def box_of(robot: Robot, given: Any = None) -> Box:
    """Return the box that is meant, checked, of a robot whose parameters are numbers.

    None is the joint limits, a full turn where a joint that turns has none; "circle" is a full turn
    of every joint that turns. By joint name, a pair or a number may be given, the other joints as
    with None; or a pair for each joint.
    """
    if robot.symbols:
        raise NotNumeric(f"Robot {robot.name!r}", robot.symbols)
    robot.model.need_single_numbers("A certificate")
    joints = robot.model.free_joints
    if isinstance(given, Box):
        given = list(zip(given.lower, given.upper, strict=True))
    if given is None or isinstance(given, str):
        if given not in (None, "circle"):
            raise BadArgument(
                f"box is {shorten(given)!r}; it must be 'circle', pairs by joint name such as "
                "{'j1': (-1.0, 1.0)}, a pair for each joint, or None for the joint limits."
            )
        pairs = [_limits(robot, joint, given == "circle") for joint in joints]
    elif isinstance(given, Mapping):
        for name in given:
            joint_index(robot, name)
        pairs = [
            _pair(robot, joint.name, given[joint.name])
            if joint.name in given
            else _limits(robot, joint)
            for joint in joints
        ]
    else:
        pairs = _pairs(robot, given)
    return Box(tuple(low for low, _ in pairs), tuple(high for _, high in pairs))


def _pairs(robot: Robot, given: Any) -> list[tuple[float, float]]:
    try:
        rows = list(given)
    except TypeError:
        rows = []
    if len(rows) != robot.n:
        raise BadArgument(
            f"box has {len(rows)} pairs, but robot {printable(robot.name)!r} has {robot.n} joints: "
            "give one pair of numbers for each, in their order."
        )
    return [_pair(robot, name, row) for name, row in zip(robot.joint_names, rows, strict=True)]


def _pair(robot: Robot, name: str, given: Any) -> tuple[float, float]:
    """Return a range that was given: two numbers in order, or one to hold the joint at."""
    given = given.tolist() if hasattr(given, "tolist") else given  # NumPy's numbers and arrays
    many = isinstance(given, Sequence) and not isinstance(given, str)
    pair = list(given) if many else [given] * 2
    low, high = map(plain_number, pair) if len(pair) == 2 else (math.nan, math.nan)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise BadArgument(
            f"The box of joint {printable(name)!r} of {printable(robot.name)!r} is "
            f"{shorten(repr(given))}; give two finite numbers, the lower first, or one number."
        )
    if max(-low, high) > FARTHEST:
        raise BadArgument(
            f"The box of joint {printable(name)!r} of {printable(robot.name)!r} reaches beyond "
            f"{FARTHEST:g}, where positions have no digits left. Take a smaller one."
        )
    if low > high:
        raise BadArgument(
            f"The box of joint {printable(name)!r} of {printable(robot.name)!r} is empty: it goes "
            f"from {low:g} to {high:g}. Give the lower number first."
        )
    return low, high


def _limits(robot: Robot, joint: Joint, circle: bool = False) -> tuple[float, float]:
    """Return the limits of a joint, rounded outward."""
    k = robot.joint_names.index(joint.name)
    lower, upper = float(robot.limits.lower[k]), float(robot.limits.upper[k])
    limited = math.isfinite(upper - lower)
    if joint.turns and (circle or not limited):
        _same_after_a_turn(robot, joint)
        return -PI, PI
    if not limited:
        raise BadArgument(
            f"Joint {printable(joint.name)!r} of {printable(robot.name)!r} slides without limits, "
            "so nothing that depends on it is bounded.\n"
            f"  Say how far it goes: box={{{printable(joint.name)!r}: (0.0, 1.0)}}."
        )
    low, high = _pair(robot, joint.name, (lower, upper))
    meant = joint.limits.lower, joint.limits.upper
    return _outward(low, meant[0], -math.inf), _outward(high, meant[1], math.inf)


def _same_after_a_turn(robot: Robot, joint: Joint) -> None:
    """Raise if a turn of a joint is not all there is, because of what follows it."""
    k = robot.joint_names.index(joint.name)
    for body, drive in zip(robot.tree.bodies, robot.tree.drives, strict=True):
        angle = body.joint.configuration[0].role == "angle"
        if drive.index == k and not body.spins and not (angle and float(drive.ratio).is_integer()):
            raise BadArgument(
                f"Joint {printable(joint.name)!r} of {printable(robot.name)!r} turns without "
                f"limits, and {printable(body.name)!r} follows it at a ratio of "
                f"{float(drive.ratio):g}: a full turn does not bring it back.\n"
                f"  Say how far it goes: box={{{printable(joint.name)!r}: (-1.0, 1.0)}}."
            )


def _outward(x: float, meant: Any, towards: float) -> float:
    """Return a float that is not inside of the number that was meant."""
    own = meant is not None and x == float(meant)  # not what a joint that follows leaves
    terms = exact(meant).terms if own else None
    if terms is not None and set(terms) <= {()}:
        error = Fraction(x) - terms.get((), Fraction(0))
        if (error >= 0) if towards > 0 else (error <= 0):
            return x
    return math.nextafter(x, towards)


def symbol(quantity: str) -> str:
    """Return how a bound is written in a book."""
    if quantity in SYMBOLS:
        return SYMBOLS[quantity]
    return f"max |g| of {printable(quantity.removeprefix('g.'))}"


def bound_lines(bounds: list[Bound]) -> list[str]:
    """Return the table of bounds."""
    rows = [("bound", "at least", "at most", "gap", "")]
    for b in bounds:
        gap = f"{b.gap:.1e}" if b.gap < 1e-3 else f"{100 * b.gap:.2g} %"
        ends = outward(b.lower, b.upper)
        rows.append((symbol(b.quantity), *ends, gap, "" if b.closed else "wide"))
    return table_lines(rows)


def rounded_down(x: float | Fraction, digits: int = 8) -> str:
    """Return the largest decimal with this many digits that is not above a number."""
    return _decimal(x, digits, ROUND_FLOOR)


def rounded_up(x: float | Fraction, digits: int = 8) -> str:
    """Return the smallest decimal with this many digits that is not below a number."""
    return _decimal(x, digits, ROUND_CEILING)


def outward(lower: float | Fraction, upper: float | Fraction, digits: int = 8) -> tuple[str, str]:
    """Return both ends of a certified interval as decimals that are not inside of it."""
    return rounded_down(lower, digits), rounded_up(upper, digits)


def within(low: float, high: float) -> tuple[str, str]:
    """Return the ends of a range, as short as they were given, none of them outside of it."""
    below, above = (Fraction(repr(float(end))) for end in (low, high))
    return rounded_up(below, 6), rounded_down(above, 6)


def _decimal(x: float | Fraction, digits: int, rounding: str) -> str:
    """Return a number as the format "g" writes it, but rounded to one side."""
    if isinstance(x, float) and not math.isfinite(x):
        return f"{x:g}"
    exact = Fraction(x)
    context = Context(prec=digits, rounding=rounding)
    found = context.divide(Decimal(exact.numerator), Decimal(exact.denominator)).normalize(context)
    if not found or -5 < found.adjusted() < digits:
        return f"{found:f}"
    mantissa, exponent = f"{found:e}".split("e")
    return f"{mantissa}e{int(exponent):+03d}"
