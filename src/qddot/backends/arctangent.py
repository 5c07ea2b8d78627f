"""The angle of a point, inline, without a call: one division and a polynomial.

With t = smaller/larger of |x| and |y|, the angle within an eighth of a turn is

    atan t = π/4 + atan((t − 1)/(t + 1))      where t ≥ ½, else the polynomial itself

so that the polynomial is needed up to ½ only. What the division leaves over is added in the end,
and π/4 and its multiples come in two parts. The result is within 1 unit in the last place, however
large, small or far apart x and y are; the most that was found is 0.75. Signed zeros, infinities and
NaN give what C says: atan2(±0, −0) is ±π, atan2(∞, ∞) is π/4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qddot.backends.ir import Emitter


@dataclass(frozen=True)
class AtanConstants:
    """The constants of one precision."""

    polynomial: tuple[float, ...]  # atan u = u + u³ P(u²), highest power first
    # multiples of π/4 from 1 to 4: the nearest float, and the rest
    eighths: tuple[tuple[float, float], ...]
    below: float  # numbers up to this are made larger, so that no part of them is subnormal
    larger: float  # by this


# the polynomials are minimax, from Remez exchange with 60 digits, on |u| ≤ ½, relative to atan u:
# within 2⁻⁶² and 2⁻³¹
DOUBLE = AtanConstants(
    polynomial=(
        -8.352049183610596e-03,
        2.3632276614807855e-02,
        -3.7101973670683595e-02,
        4.588729768243268e-02,
        -5.229814898560719e-02,
        5.87777047862168e-02,
        -6.666218896714475e-02,
        7.692277071265013e-02,
        -9.09090766928851e-02,
        1.1111111068548514e-01,
        -1.428571428496067e-01,
        1.9999999999993265e-01,
        -3.3333333333333315e-01,
    ),
    eighths=(
        (0.7853981633974483, 3.061616997868383e-17),
        (1.5707963267948966, 6.123233995736766e-17),
        (2.356194490192345, 9.184850993605148e-17),
        (3.141592653589793, 1.2246467991473532e-16),
    ),
    below=2.0**400,
    larger=2.0**500,
)
SINGLE = AtanConstants(
    polynomial=(
        3.8722313940525055e-02,
        -7.984001934528351e-02,
        1.0940968245267868e-01,
        -1.427207738161087e-01,
        1.9999489188194275e-01,
        -3.33333283662796e-01,
    ),
    eighths=(
        (0.7853981852531433, -2.1855694143368964e-08),
        (1.5707963705062866, -4.371138828673793e-08),
        (2.356194496154785, -5.962440319251527e-09),
        (3.1415927410125732, -8.742277657347586e-08),
    ),
    below=2.0**20,
    larger=2.0**80,
)
SMALLER = 0.125  # what other numbers are multiplied by, so that no sum of two is infinite


def atan2(out: Emitter, y: str, x: str) -> str:
    """Emit the angle of the point (x, y) from the x axis, between −π and π."""
    p, lanes = SINGLE if out.lanes.single else DOUBLE, out.lanes
    constant = lanes.constant
    zero, one = constant(0.0), constant(1.0)

    def exact(op: str, a: str, b: str) -> str:
        return out.value(f"{op} {lanes.type} {a}, {b}")  # never fused

    def minus(a: str) -> str:
        return out.value(f"fneg {lanes.type} {a}")

    # the smaller and the larger of |x| and |y|; of two zeros, t is zero
    width, height = out.intrinsic("fabs", x), out.intrinsic("fabs", y)
    steep = out.compare("ogt", height, width)
    large, small = out.select(steep, height, width), out.select(steep, width, height)
    large = out.select(out.compare("oeq", large, zero), one, large)
    endless = out.compare("oeq", large, constant(math.inf))
    tiny = out.compare("olt", large, constant(p.below))
    scale = out.select(tiny, constant(p.larger), constant(SMALLER))
    large, small = exact("fmul", large, scale), exact("fmul", small, scale)

    # u = n/d, and what rounding leaves of it; of two infinities t is one
    near_one = out.compare("oge", small, exact("fmul", large, constant(0.5)))
    total = exact("fadd", small, large)
    lost = exact("fsub", small, exact("fsub", total, large))
    n = out.select(near_one, exact("fsub", small, large), small)
    d = out.select(near_one, total, large)
    backwards = out.value(f"icmp slt {lanes.integers} {_bits(out, x)}, {lanes.integer(0)}")
    downwards = out.value(f"xor {lanes.booleans} {steep}, {backwards}")
    n = out.select(downwards, minus(n), n)
    inverse = exact("fdiv", one, d)
    u = exact("fmul", n, inverse)
    left = out.fma(minus(u), out.select(near_one, lost, zero), out.fma(minus(u), d, n))
    rest = exact("fmul", left, inverse)
    u, rest = out.select(endless, zero, u), out.select(endless, zero, rest)

    # atan(u + rest) = u + u³ P(u²) + rest (1 − u² …)
    z = exact("fmul", u, u)
    P = constant(p.polynomial[0])
    for c in p.polynomial[1:]:
        P = out.fma(P, z, constant(c))
    rest = out.fma(exact("fmul", u, z), P, out.fma(minus(rest), z, rest))

    # the multiple of π/4 that it is added to
    def start(part: int) -> str:
        quarter, half, most, whole = (constant(parts[part]) for parts in p.eighths)
        along = out.select(steep, half, out.select(backwards, whole, zero))
        return out.select(near_one, out.select(backwards, most, quarter), along)

    first = start(0)
    angle = exact("fadd", first, u)
    rounded_off = exact("fadd", exact("fsub", first, angle), u)
    rest = exact("fadd", rounded_off, exact("fadd", rest, start(1)))
    angle = out.intrinsic("copysign", exact("fadd", angle, rest), y)
    return out.select(out.compare("uno", x, y), constant(math.nan), angle)


def _bits(out: Emitter, x: str) -> str:
    return out.value(f"bitcast {out.lanes.type} {x} to {out.lanes.integers}")
