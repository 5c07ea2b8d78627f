"""Equations and virtual work at random states, with eighty digits: where exact work takes too long.

The states have rational sines and cosines, at which polynomials have exact values. Virtual work is
computed in balls, so that no digit agrees by luck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor, log10

import numpy as np
from flint import arb, ctx, fmpq

from qddot.equations.equations import Equations
from qddot.equations.polynomial import Polynomial, check_work
from qddot.equations.values import ball_of
from qddot.errors import QddotError
from qddot.formulations.virtual_work import Mechanism, derive, turning
from qddot.model.model import mapped, scalars
from qddot.scalars import Scalar
from qddot.scalars.expressions import atomic, expression, free_symbols

DIGITS, STATES = 80, 3
ENOUGH = 50  # digits that agree; rounding takes fewer than thirty


def agreeing_digits(eqs: Equations, masses: Mechanism) -> tuple[int, str]:
    """Return how many digits of M, c and g agree at every state, and where the fewest do.

    Args:
        eqs: The equations as polynomials.
        masses: The robot as point masses, in exact expressions. Symbols get random values.
    """
    rng, found = np.random.default_rng(0), []
    masses = turning(masses)
    numbers = [*scalars(masses), *map(atomic, eqs.robot.ring.parameters)]
    symbols = sorted(set().union(*map(free_symbols, numbers)))
    for _ in range(4 * STATES):
        check_work(0)
        q, qd = ([fmpq(int(k), 64) for k in rng.integers(-99, 99, eqs.n)] for _ in range(2))
        drawn = rng.choice(np.arange(20, 2000), len(symbols), replace=False)
        values = {name: Fraction(int(k), 1000) for name, k in zip(symbols, drawn, strict=True)}
        try:
            found.append(compared(eqs, masses, q, qd, values))
        except (QddotError, ArithmeticError, ValueError):  # as of 1/(a − b), where a is b
            continue
        if len(found) == STATES:
            return min(found)
    return 0, ""


def compared(
    eqs: Equations,
    masses: Mechanism,
    t: Sequence[fmpq],
    qd: Sequence[fmpq],
    symbols: Mapping[str, Fraction],
) -> tuple[int, str]:
    """Return how many digits agree at a state, and where they are the fewest.

    Args:
        eqs, masses: What is compared.
        t: Of each coordinate q, or tan q/2 where it turns.
        qd: The velocities.
        symbols: The values of the robot's parameters.
    """

    def ball(x: Scalar) -> arb:
        return ball_of(expression(expression(x).substitute(symbols)))

    ring, fewest, size = eqs.robot.ring, (DIGITS, ""), 0.0
    with ctx.workdps(DIGITS):
        pairs = zip(t, ring.turns, strict=True)
        q = [2 * arb(x).atan() if turns else arb(x) for x, turns in pairs]
        theirs = derive(mapped(masses, ball), q, [arb(x) for x in qd])
        known = {
            "sine": [2 * x / (1 + x * x) for x in t],
            "cosine": [(1 - x * x) / (1 + x * x) for x in t],
            "position": [x.mid().fmpq() for x in q],
            "rate": qd,
            "parameter": [ball(atomic(atom)).mid().fmpq() for atom in ring.parameters],
        }
        state = [known[g.role][g.index] if g.role in known else fmpq(0) for g in ring.generators]
        for name in ("M", "c", "g"):
            found = np.ravel(getattr(theirs, name))
            entries = np.ravel(getattr(eqs, name))
            right = [arb(x.value(*state) if isinstance(x, Polynomial) else x) for x in entries]
            size = max((float(abs(x).upper()) for x in right), default=0.0) or size or 1.0
            for k, (x, y) in enumerate(zip(right, found, strict=True)):
                off = float(abs(x - y).upper())  # NaN where a number has no value
                digits = min(DIGITS, floor(-log10(off / size))) if off else DIGITS
                words = f"entry {k + 1} of {name} differs by {off:.4g} of {size:.4g} at q = "
                words += f"{[float(x) for x in q]}, q̇ = {[float(arb(x)) for x in qd]}"
                fewest = min(fewest, (digits, words))
    return fewest
