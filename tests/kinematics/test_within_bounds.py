"""Least squares within bounds, in so many passes: at the optimum, and what holds before that."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from qddot.backends.kernel import Kernel
from qddot.kinematics.within_bounds import least_within
from qddot.program.recorder import record

N = 5
RNG = np.random.default_rng(1)
A = RNG.normal(size=(400, 8, N)) * 10.0 ** RNG.uniform(-2, 1, (400, 1, N))  # badly scaled
B = RNG.normal(size=(400, 8)) * 3
LOW, HIGH = np.sort(RNG.normal(size=(2, 400, N)), axis=0)
LOW[:50], HIGH[:50, :2] = -np.inf, np.inf  # some have none
HIGH[50:100, 0] = LOW[50:100, 0]  # some have no room
H, G = np.einsum("kij,kil->kjl", A, A), -np.einsum("kij,ki->kj", A, B)
START = np.clip(0.0, LOW, HIGH)


def found(passes):
    def solved(H, g, low, high, z):
        return least_within(H, H @ z + g, z, low, high, passes)

    shapes = {"H": (N, N), **dict.fromkeys(("g", "low", "high", "z"), (N,))}
    return Kernel(record(solved, f"least in {passes}", **shapes))(H, G, LOW, HIGH, START)


def value(z):
    return np.einsum("ki,kij,kj->k", z, H, z) / 2 + np.einsum("ki,ki->k", G, z)


def test_enough_passes_find_the_optimum():
    z = found(12)
    slope = np.einsum("kij,kj->ki", H, z) + G
    room = 1e-9 * (1 + np.abs(G).max(axis=1, keepdims=True))
    # a slope that is not 0 pushes against a bound (Karush, Kuhn and Tucker)
    assert ((slope <= room) | (z == LOW)).all()
    assert ((slope >= -room) | (z == HIGH)).all()
    at_bounds = ((z == LOW) | (z == HIGH)).sum(axis=1)
    assert at_bounds.max() == N
    assert at_bounds.min() == 0
    no_worse = 0
    for k in range(0, 400, 20):
        high = np.where(HIGH[k] > LOW[k], HIGH[k], LOW[k] + 1e-12)
        best = lsq_linear(A[k], B[k], (LOW[k], high), method="bvls").cost
        no_worse += ((A[k] @ z[k] - B[k]) ** 2).sum() / 2 <= best * (1 + 1e-9)
    assert no_worse == 20


@pytest.mark.parametrize("passes", [1, 2, 3])
def test_after_any_pass_it_is_within_and_no_worse(passes):
    z, before = found(passes), START if passes == 1 else found(passes - 1)
    assert (z >= LOW).all()
    assert (z <= HIGH).all()
    assert (value(z) <= value(before) + 1e-9 * (1 + np.abs(value(before)))).all()
    assert (value(z) < value(before) - 1e-6).any()


def test_what_is_no_number_stays_none():
    def solved(H, g):
        return least_within(H, g, np.zeros(2) * g, -np.ones(2), np.ones(2), 3)

    kernel = Kernel(record(solved, "no number", H=(2, 2), g=(2,)))
    assert np.isnan(kernel(np.eye(2), np.array([np.nan, 1.0]))[0])
