"""Natural logarithm, inline, without a call: the exponent times ln 2, and a polynomial.

The way is that of the C library of BSD (e_log.c). The result is within 1 unit in the last place,
next to one and for subnormal numbers too; the most that was found is 0.86. Zero of either sign
gives −∞, a negative number NaN, and NaN stays NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qddot.backends.ir import Emitter


@dataclass(frozen=True)
class LogConstants:
    """The constants of one precision."""

    ln2: tuple[float, float]  # a short part, and the rest
    polynomial: tuple[float, ...]  # log((1 + s)/(1 − s)) = 2s + s³ P(s²), highest power first
    fraction: int  # bits below those of the exponent
    bias: int  # the exponent that stands for 2⁰
    root_half: int  # the bits of √½, rounded up
    smallest: float  # below this numbers are subnormal


# the polynomials are minimax on |s| ≤ 0.1716, relative to the logarithm, from Remez exchange with
# 60 digits: within 2⁻⁵⁹ and 2⁻³⁰
DOUBLE = LogConstants(
    ln2=(0.6931471805598903, 5.497923018708371e-14),
    polynomial=(
        1.4796107793018992e-01,
        1.5314035555598027e-01,
        1.8183564879563516e-01,
        2.2222198563197176e-01,
        2.857142874247805e-01,
        3.9999999999414304e-01,
        6.666666666666734e-01,
    ),
    fraction=52,
    bias=1023,
    root_half=0x3FE6A09E667F3BCD,
    smallest=2.0**-1022,
)
SINGLE = LogConstants(
    ln2=(0.693145751953125, 1.428606765330187e-06),
    polynomial=(2.987186312675476e-01, 3.9977535605430603e-01, 6.666677594184875e-01),
    fraction=23,
    bias=127,
    root_half=0x3F3504F4,
    smallest=2.0**-126,
)


def log(out: Emitter, x: str) -> str:
    """Emit the logarithm of x = 2ᵏ (1 + f), where 1 + f is between √½ and √2.

    With s = f/(2 + f):

        log(1 + f) = f − f²/2 + s (f²/2 + s² P(s²))
    """
    p, lanes = SINGLE if out.lanes.single else DOUBLE, out.lanes
    constant, integer, integers = lanes.constant, lanes.integer, lanes.integers
    zero, infinity = constant(0.0), constant(math.inf)

    # k and f; a subnormal number is made a normal one first
    subnormal = out.compare("olt", x, constant(p.smallest))
    larger = out.binary("fmul", x, constant(2.0 ** (p.fraction + 1)))
    bits = out.value(f"bitcast {lanes.type} {out.select(subnormal, larger, x)} to {integers}")
    above = out.value(f"sub {integers} {bits}, {integer(p.root_half - (p.bias << p.fraction))}")
    exponent = out.value(f"lshr {integers} {above}, {integer(p.fraction)}")
    low = out.value(f"and {integers} {above}, {integer((1 << p.fraction) - 1)}")
    near_one = out.value(f"add {integers} {low}, {integer(p.root_half)}")
    f = out.binary(
        "fsub", out.value(f"bitcast {integers} {near_one} to {lanes.type}"), constant(1.0)
    )
    # an integer in the low bits of 2ⁿ adds to it
    number = out.value(f"or {integers} {exponent}, {integer(p.bias + p.fraction << p.fraction)}")
    number = out.value(f"bitcast {integers} {number} to {lanes.type}")
    offsets = (constant(2.0**p.fraction + p.bias + more) for more in (p.fraction + 1, 0))
    k = out.binary("fsub", number, out.select(subnormal, *offsets))

    s = out.binary("fdiv", f, out.binary("fadd", f, constant(2.0)))
    z = out.binary("fmul", s, s)
    P = constant(p.polynomial[0])
    for c in p.polynomial[1:]:
        P = out.fma(P, z, constant(c))
    half = out.binary("fmul", out.binary("fmul", f, constant(0.5)), f)
    small = out.fma(s, out.fma(z, P, half), out.binary("fmul", k, constant(p.ln2[1])))
    rest = out.binary("fsub", f, out.binary("fsub", half, small))
    result = out.fma(k, constant(p.ln2[0]), rest)

    result = out.select(out.compare("oeq", x, infinity), x, result)
    result = out.select(out.compare("oeq", x, zero), constant(-math.inf), result)
    return out.select(out.compare("ult", x, zero), constant(math.nan), result)
