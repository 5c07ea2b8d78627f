"""Sine and cosine together, inline, without a call: reduction by π/2 and two polynomials.

The argument is reduced by k π/2 with fused multiply-adds and π/2 in three parts (W. Cody, W.
Waite, *Software Manual for the Elementary Functions*, 1980). The results are within 1.5 units in
the last place for every |x| up to 1e14 in double and 1e5 in single precision, next to the zeros
of sine and cosine too. Beyond, neighbouring floats are so far apart that an angle means nothing,
and the result is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qddot.backends.ir import Emitter


@dataclass(frozen=True)
class SinCosConstants:
    """The constants of one precision."""

    half_pi: tuple[float, ...]  # its leading parts
    sine: tuple[float, ...]  # sin y = y + y³ P(y²), highest power first
    cosine: tuple[float, ...]  # cos y = 1 − y²/2 + y⁴ Q(y²)
    magic: float  # adding it rounds to an integer that stands in the low bits
    largest: float  # beyond this an angle means nothing


# the polynomials are those of the C library of BSD (k_sin.c, k_cos.c), within 2⁻⁵⁸ on ±π/4
DOUBLE = SinCosConstants(
    half_pi=(1.57079632679489655800e00, 6.12323399573676603587e-17, -1.4973849048591698e-33),
    sine=(
        1.58969099521155010221e-10,
        -2.50507602534068634195e-08,
        2.75573137070700676789e-06,
        -1.98412698298579493134e-04,
        8.33333333332248946124e-03,
        -1.66666666666666324348e-01,
    ),
    cosine=(
        -1.13596475577881948265e-11,
        2.08757232129817482790e-09,
        -2.75573143513906633035e-07,
        2.48015872894767294178e-05,
        -1.38888888888741095749e-03,
        4.16666666666666019037e-02,
    ),
    magic=6755399441055744.0,
    largest=1e14,
)
SINGLE = SinCosConstants(
    half_pi=(1.5707963705062866, -4.371139000186241e-08, -1.7151245100058819e-15),
    sine=(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1),
    cosine=(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2),
    magic=12582912.0,
    largest=1e5,
)


class SinCos:
    """Emits sine and cosine of a value, once."""

    def __init__(self, out: Emitter, precision: SinCosConstants):
        self.out, self.precision = out, precision
        self.done: dict[str, tuple[str, str]] = {}

    def both(self, x: str) -> tuple[str, str]:
        """Return the names of sin x and cos x."""
        if x not in self.done:
            self.done[x] = self._emit(x)
        return self.done[x]

    def _emit(self, x: str) -> tuple[str, str]:
        out, p, lanes = self.out, self.precision, self.out.lanes
        constant = lanes.constant

        # k, the nearest multiple of π/2, and what is left of x
        shifted = out.fma(x, constant(1 / p.half_pi[0]), constant(p.magic))
        k = out.value(f"fsub {lanes.type} {shifted}, {constant(p.magic)}")
        y = x
        for part in p.half_pi:
            y = out.fma(k, constant(-part), y)
        far = out.compare("ugt", out.intrinsic("fabs", x), constant(p.largest))
        y = out.select(far, constant(float("nan")), y)

        # the two polynomials
        z = out.binary("fmul", y, y)
        P, Q = constant(p.sine[0]), constant(p.cosine[0])
        for a in p.sine[1:]:
            P = out.fma(P, z, constant(a))
        for a in p.cosine[1:]:
            Q = out.fma(Q, z, constant(a))
        sine = out.fma(out.binary("fmul", y, z), P, y)
        # 1 + z (z Q − ½): rounded at the end only, where 1 − z/2 would be rounded on its own
        cosine = out.fma(z, out.fma(z, Q, constant(-0.5)), constant(1.0))

        # the quadrant, in the two lowest bits, swaps them and sets their signs
        bits = out.value(f"bitcast {lanes.type} {shifted} to {lanes.integers}")
        low = out.value(f"and {lanes.integers} {bits}, {lanes.integer(1)}")
        odd = out.value(f"icmp ne {lanes.integers} {low}, {lanes.integer(0)}")
        next_bits = out.value(f"add {lanes.integers} {bits}, {lanes.integer(1)}")
        return (
            self._signed(out.select(odd, cosine, sine), bits),
            self._signed(out.select(odd, sine, cosine), next_bits),
        )

    def _signed(self, x: str, bits: str) -> str:
        """Emit x with its sign changed where the second lowest of the bits is set."""
        out, lanes = self.out, self.out.lanes
        second = out.value(f"and {lanes.integers} {bits}, {lanes.integer(2)}")
        move = lanes.integer(8 * lanes.size - 2)
        flip = out.value(f"shl {lanes.integers} {second}, {move}")
        raw = out.value(f"bitcast {lanes.type} {x} to {lanes.integers}")
        flipped = out.value(f"xor {lanes.integers} {raw}, {flip}")
        return out.value(f"bitcast {lanes.integers} {flipped} to {lanes.type}")
