"""Exponential, hyperbolic tangent and logarithm, inline, without a call: ln 2 and polynomials.

An exponential reduces its argument to x = k ln 2 + r with ln 2 in two parts, of which the first is
so short that k times it is exact (W. Cody, W. Waite, *Software Manual for the Elementary
Functions*, 1980). It is within 1 unit in the last place, also where it is subnormal, and the
hyperbolic tangent within 2, however small it is; the most that was found is 0.98 and 1.98. Both end
where they should: at 0, ∞ and ±1. NaN stays NaN.

The logarithm is the exponent times ln 2, and a polynomial, as in the C library of BSD (e_log.c). It
is within 1 unit in the last place, next to one and for subnormal numbers too; the most that was
found is 0.86. Zero of either sign gives −∞, a negative number NaN, and NaN stays NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qddot.backends.ir import Emitter


@dataclass(frozen=True)
class ExpConstants:
    """The constants of one precision."""

    ln2: tuple[float, float]  # a short part, and the rest
    exp_polynomial: tuple[float, ...]  # eʳ − 1 = r + r² P(r), highest power first
    log_polynomial: tuple[float, ...]  # log((1 + s)/(1 − s)) = 2s + s³ P(s²), highest power first
    fraction: int  # bits below those of the exponent
    bias: int  # the exponent that stands for 2⁰
    not_zero: float  # below this eˣ is zero
    finite: float  # beyond this eˣ is infinite
    saturated: float  # beyond this tanh is one
    root_half: int  # the bits of √½, rounded up
    smallest: float  # below this numbers are subnormal


# the polynomials are minimax, from Remez exchange with 60 digits: that of eʳ − 1 on |r| ≤ 0.34658,
# relative to it, within 2⁻⁶¹ and 2⁻³¹; that of the logarithm on |s| ≤ 0.1716, within 2⁻⁵⁹ and 2⁻³⁰
DOUBLE = ExpConstants(
    ln2=(0.6931471805598903, 5.497923018708371e-14),
    exp_polynomial=(
        2.087533741832542e-09,
        2.5108970090152592e-08,
        2.7557402585996647e-07,
        2.7557244397110168e-06,
        2.4801587172648165e-05,
        1.9841269885945668e-04,
        1.3888888888962288e-03,
        8.333333333321698e-03,
        4.166666666666651e-02,
        1.6666666666666677e-01,
        5.0e-01,
    ),
    log_polynomial=(
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
    not_zero=-750.0,
    finite=711.0,
    saturated=20.0,
    root_half=0x3FE6A09E667F3BCD,
    smallest=2.0**-1022,
)
SINGLE = ExpConstants(
    ln2=(0.693145751953125, 1.428606765330187e-06),
    exp_polynomial=(
        1.9845878705382347e-04,
        1.3940618373453617e-03,
        8.333389647305012e-03,
        4.1666362434625626e-02,
        1.666666567325592e-01,
        5.0e-01,
    ),
    log_polynomial=(2.987186312675476e-01, 3.9977535605430603e-01, 6.666677594184875e-01),
    fraction=23,
    bias=127,
    not_zero=-105.0,
    finite=90.0,
    saturated=10.0,
    root_half=0x3F3504F4,
    smallest=2.0**-126,
)


def exp(out: Emitter, x: str) -> str:
    """Emit eˣ = 2ᵏ eʳ."""
    p, lanes = _precision(out), out.lanes
    lowest, highest = lanes.constant(p.not_zero), lanes.constant(p.finite)
    x = _at_most(out, x, highest)
    x = out.select(out.compare("olt", x, lowest), lowest, x)
    # 2ᵏ may be too large or too small for one exponent, so that it is multiplied by in halves
    k, r = _reduced(out, x, 2 * p.bias)
    half = out.value(f"lshr {lanes.integers} {k}, {lanes.integer(1)}")
    rest = out.value(f"sub {lanes.integers} {k}, {half}")
    result = out.binary("fadd", _exp_minus_one(out, r), lanes.constant(1.0))
    for part in (half, rest):
        result = out.binary("fmul", result, _power(out, part))
    return result


def tanh(out: Emitter, x: str) -> str:
    """Emit the hyperbolic tangent, as what differs from a number next to it.

    With a = |x| and t = e²ᵃ − 1 = 2ᵏ (eʳ − 1) + 2ᵏ − 1:

        tanh a = t/(t + 2) = a + (t − 2a − a t)/(t + 2) = 1 − 2/(t + 2)

    The second form rounds well where t is small, the third where it is large.
    """
    p, lanes = _precision(out), out.lanes
    minus_two, one, two = (lanes.constant(c) for c in (-2.0, 1.0, 2.0))
    a = _at_most(out, out.intrinsic("fabs", x), lanes.constant(p.saturated))
    twice = out.binary("fadd", a, a)
    k, r = _reduced(out, twice, p.bias)
    power = _power(out, k)
    t = out.fma(power, _exp_minus_one(out, r), out.binary("fsub", power, one))

    differs = out.fma(out.value(f"fneg {lanes.type} {a}"), t, out.binary("fsub", t, twice))
    large = out.compare("ogt", t, two)
    numerator = out.select(large, minus_two, differs)
    share = out.binary("fdiv", numerator, out.binary("fadd", t, two))
    size = out.binary("fadd", out.select(large, one, a), share)
    return out.intrinsic("copysign", size, x)


def log(out: Emitter, x: str) -> str:
    """Emit the logarithm of x = 2ᵏ (1 + f), where 1 + f is between √½ and √2.

    With s = f/(2 + f):

        log(1 + f) = f − f²/2 + s (f²/2 + s² P(s²))
    """
    p, lanes = _precision(out), out.lanes
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
    P = constant(p.log_polynomial[0])
    for c in p.log_polynomial[1:]:
        P = out.fma(P, z, constant(c))
    half = out.binary("fmul", out.binary("fmul", f, constant(0.5)), f)
    small = out.fma(s, out.fma(z, P, half), out.binary("fmul", k, constant(p.ln2[1])))
    rest = out.binary("fsub", f, out.binary("fsub", half, small))
    result = out.fma(k, constant(p.ln2[0]), rest)

    result = out.select(out.compare("oeq", x, infinity), x, result)
    result = out.select(out.compare("oeq", x, zero), constant(-math.inf), result)
    return out.select(out.compare("ult", x, zero), constant(math.nan), result)


def _precision(out: Emitter) -> ExpConstants:
    return SINGLE if out.lanes.single else DOUBLE


def _at_most(out: Emitter, x: str, bound: str) -> str:
    return out.select(out.compare("ogt", x, bound), bound, x)  # NaN stays NaN


def _reduced(out: Emitter, x: str, bias: int) -> tuple[str, str]:
    """Emit k + bias, an integer in the lowest bits of what is returned, and r = x − k ln 2."""
    p, lanes = _precision(out), out.lanes
    # adding it rounds to an integer that stands in the low bits
    magic = lanes.constant(1.5 * 2**p.fraction + bias)
    shifted = out.fma(x, lanes.constant(1 / sum(p.ln2)), magic)
    k = out.value(f"fsub {lanes.type} {shifted}, {magic}")
    r = x
    for part in p.ln2:
        r = out.fma(k, lanes.constant(-part), r)
    return out.value(f"bitcast {lanes.type} {shifted} to {lanes.integers}"), r


def _exp_minus_one(out: Emitter, r: str) -> str:
    """Emit eʳ − 1 for |r| ≤ ln 2 / 2."""
    p, lanes = _precision(out), out.lanes
    P = lanes.constant(p.exp_polynomial[0])
    for c in p.exp_polynomial[1:]:
        P = out.fma(P, r, lanes.constant(c))
    return out.fma(out.binary("fmul", r, r), P, r)


def _power(out: Emitter, exponent: str) -> str:
    """Emit the power of two with this biased exponent, which the lowest bits hold."""
    p, lanes = _precision(out), out.lanes
    moved = out.value(f"shl {lanes.integers} {exponent}, {lanes.integer(p.fraction)}")
    return out.value(f"bitcast {lanes.integers} {moved} to {lanes.type}")
