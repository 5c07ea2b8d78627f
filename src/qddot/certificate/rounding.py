"""How far a kernel's results can be from the true ones, anywhere in a box, before it is run.

Every value of the recorded program gets its largest magnitude m and its largest error e over the
box. An operation passes the errors of its arguments on and adds its own rounding, at most u = 2⁻⁵³
of its result (N. Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, chapter 2):

    a ± b:   m = m_a + m_b        e = e_a + e_b + u (m + e_a + e_b)
    a b:     m = m_a m_b          e = m_a e_b + m_b e_a + e_a e_b + u (m + …)
    sin, cos:  m = 1              e = e_a + 3u      (the inline ones are within 1.5 units)

A fused multiply-add rounds once where two operations would round twice, so the same numbers hold
whether the compiler fuses or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from flint import arb

from qddot.program.program import Program

U = 2.0**-53
TINY = 1e-300  # what is lost where a product underflows, with room to spare
OUTWARD = 1 + 1e-12  # the few roundings of these formulas themselves


@dataclass(frozen=True)
class Rounding:
    """Of each result of a program: its largest magnitude and its largest error."""

    magnitude: np.ndarray
    error: np.ndarray


def rounding(
    program: Program, largest: Sequence[float] | np.ndarray, constants: Mapping[float, float]
) -> Rounding:
    """Return what rounding can do to the results of a program.

    Args:
        program: Sums, products, sines and cosines.
        largest: The largest magnitude of each input; the inputs themselves are exact.
        constants: By magnitude of a constant, how far it is from the number it stands for.
    """
    values = [(float(x), 0.0) for x in largest]
    values += [(abs(c), constants.get(abs(c), 0.0)) for c in program.constants]
    for step in program.steps:
        (a, ea), *rest = (values[i] for i in step.args)
        name = step.op.name
        if name == "neg":
            values.append((a, ea))
            continue
        if name in ("sin", "cos"):
            values.append((1.0, (ea + 3 * U) * OUTWARD))
            continue
        ((b, eb),) = rest
        if name in ("add", "sub"):
            m, e = a + b, ea + eb
        elif name == "mul":
            m, e = a * b, a * eb + b * ea + ea * eb
        else:
            raise AssertionError(f"no field is made of {name}")
        values.append((m * OUTWARD, (e + U * (m + e)) * OUTWARD + TINY))
    found = np.array([values[i] for i in program.results], dtype=float).reshape(-1, 2)
    return Rounding(found[:, 0] + found[:, 1], found[:, 1])


def enclosure(
    program: Program, q: Sequence[float] | np.ndarray, constants: Mapping[float, float]
) -> list[arb]:
    """Return balls that hold the true results at one q: the program, run on balls."""
    values = [arb(float(x)) for x in q]
    values += [arb(c, constants.get(abs(c), 0.0)) for c in program.constants]
    for step in program.steps:
        a, *rest = (values[i] for i in step.args)
        values.append(BALLS[step.op.name](a, *rest))
    return [values[i] for i in program.results]


BALLS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "sin": lambda a: a.sin(),
    "cos": lambda a: a.cos(),
}
