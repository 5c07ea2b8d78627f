"""Equations and virtual work at random states, with eighty digits: where exact work takes too long.

The states have rational sines and cosines, at which polynomials have exact values. Virtual work is
computed in balls, so that no digit agrees by luck.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from math import floor, log10

import numpy as np
from flint import arb, ctx, fmpq

from qddot.equations.equations import Equations
from qddot.equations.polynomial import Polynomial, check_work
from qddot.equations.values import ball_at, by_generator
from qddot.errors import QddotError
from qddot.formulations.virtual_work import Mechanism, derive, turning
from qddot.model.model import mapped, scalars
from qddot.scalars.expressions import atomic, free_symbols

DIGITS, STATES = 80, 3
ENOUGH = 50  # digits that agree; rounding takes fewer than thirty


def agreeing_digits(eqs: Equations, masses: Mechanism) -> tuple[int, str] | None:
    """Return how many digits of M, c and g agree at every state, and where the fewest do.

    Symbols get random values. None if too few states are found at which all numbers have a value.
    """
    rng, found, masses = np.random.default_rng(0), [], turning(masses)
    numbers = [*scalars(masses), *map(atomic, eqs.robot.ring.parameters)]
    symbols = sorted(set().union(*map(free_symbols, numbers)))
    for attempt in range(4 * STATES):
        check_work(0)
        t, qd = ([fmpq(int(k), 64) for k in rng.integers(-99, 99, eqs.n)] for _ in range(2))
        drawn = rng.choice(np.arange(20, 2000), len(symbols), replace=False)
        size = Fraction(3) ** (attempt // 2 * (-1) ** attempt) / 1000  # larger and smaller
        values = {name: int(k) * size for name, k in zip(symbols, drawn, strict=True)}
        # as of 1/(a − b), where a is b, and of roots of negative numbers
        with suppress(QddotError, ArithmeticError, ValueError), ctx.workdps(DIGITS):
            found.append(min(compared(eqs, masses, t, qd, values), default=(DIGITS, "")))
        if len(found) == STATES:
            return min(found)
    return None


def compared(
    eqs: Equations, masses: Mechanism, t: list[fmpq], qd: list[fmpq], symbols: dict[str, Fraction]
) -> Iterator[tuple[int, str]]:
    """Yield how many digits of each entry agree, and how it differs; t is q, or tan q/2."""
    ring, size = eqs.robot.ring, 1.0
    pairs = zip(t, ring.turns, strict=True)
    q = [2 * arb(x).atan() if turns else arb(x) for x, turns in pairs]
    theirs = derive(mapped(masses, lambda x: ball_at(x, symbols)), q, [arb(x) for x in qd])
    angles = [(2 * x / (1 + x * x), (1 - x * x) / (1 + x * x)) for x in t]
    parameters = [ball_at(atomic(atom), symbols).mid().fmpq() for atom in ring.parameters]
    still, no_signs = [fmpq(0)] * ring.n, dict.fromkeys(ring.signs, fmpq(0))
    middle = [x.mid().fmpq() for x in q]
    state = by_generator(ring, angles, middle, qd, still, no_signs, parameters)
    for name in ("M", "c", "g"):
        entries = np.ravel(getattr(eqs, name))
        right = [arb(x.value(*state) if isinstance(x, Polynomial) else x) for x in entries]
        size = max((float(abs(x).upper()) for x in right), default=0.0) or size
        for k, (x, y) in enumerate(zip(right, np.ravel(getattr(theirs, name)), strict=True), 1):
            off = float(abs(x - y).upper())  # NaN where a number has no value
            digits = min(DIGITS, floor(-log10(off / size))) if off else DIGITS
            words = f"entry {k} of {name} differs by {off:.4g} of {size:.4g} at q = "
            words += f"{[float(x) for x in q]}, q̇ = {[float(arb(x)) for x in qd]}"
            yield digits, words
