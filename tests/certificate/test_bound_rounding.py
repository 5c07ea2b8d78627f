"""What rounding and curvature are claimed to do, against balls and against derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long import long
from strategies import models

import qddot
from qddot.certificate.bound import box_of
from qddot.certificate.problems import BoundProblems
from qddot.certificate.rounding import BallScalar, Ledger, above, below
from qddot.dynamics import coriolis, rnea
from qddot.dynamics.crba import mass_matrix
from qddot.model.folding import exact, fold
from qddot.robot import Robot

DIGITS = 300  # bits


def plain_ball(x: Any) -> Any:
    """Return a number of a model as a ball, by another way than the certificate's."""
    if isinstance(x, int):
        return x
    terms = exact(x).terms
    if set(terms) <= {()}:
        value = terms[()] if terms else 0
        return BallScalar(arb(fmpq(value.numerator, value.denominator)), Ledger()) if value else 0
    return BallScalar(arb(float(x), 1e-15 * abs(float(x))), Ledger())


def ball(x: Any) -> arb:
    return x.ball if isinstance(x, BallScalar) else arb(int(x))


def inside(mine: np.ndarray, error: np.ndarray, balls: np.ndarray) -> bool:
    """Return whether each true value lies within the claimed error of the kernel's."""
    return all(
        above(abs(ball(b) - arb(float(a)))) <= e
        for a, e, b in zip(mine, error, balls.reshape(-1), strict=True)
    )


def compare(robot: Robot, count: int) -> None:
    box = box_of(robot)
    study = BoundProblems(robot, box)
    upper = np.triu_indices(robot.n)
    rng = np.random.default_rng(1)
    with ctx.workprec(DIGITS):
        tree = fold(robot.model, plain_ball)
        for q in rng.uniform(box.lower, box.upper, (count, robot.n)):
            at = np.array([BallScalar(arb(float(x)), Ledger()) for x in q], dtype=object)
            for field, values in (
                (study.M, mass_matrix(tree, at)[upper]),
                (study.g, rnea.gravity_torque(tree, at)),
                (study.gamma, coriolis.christoffel(tree, at)[:, *upper]),
            ):
                mine = field.kernel(q)
                assert inside(mine, field.rounding.error, np.asarray(values)), field.kind
                enclosed = field.enclosed(q[field.active])
                if np.array_equal(field.full(q[field.active]), q):
                    pairs = zip(enclosed, np.ravel(values), strict=True)
                    assert all(a.overlaps(ball(b)) for a, b in pairs)
                assert np.all(np.abs(mine) <= field.rounding.magnitude)


@pytest.mark.parametrize("name", ["two_link", "stanford", *long("rp", "ur5", "panda")])
def test_kernels_are_as_near_to_the_truth_as_is_claimed(name):
    compare(qddot.load(name), 2)


@settings(max_examples=6, derandomize=True, suppress_health_check=list(HealthCheck))
@given(models(2, 4, kinds=("revolute", "prismatic"), mimic=True))
def test_kernels_of_random_robots_too(model):
    compare(Robot(model), 1)


@settings(max_examples=6, derandomize=True, suppress_health_check=list(HealthCheck))
@given(models(2, 4, kinds=("revolute", "prismatic"), mimic=True), st.integers(0, 99))
def test_no_second_derivative_exceeds_the_curvature(model, seed):
    robot = Robot(model)
    study = BoundProblems(robot, box_of(robot))
    rng, step = np.random.default_rng(seed), 1e-3
    for field in (study.M, study.g, study.gamma):
        q = rng.uniform(study.box.lower, study.box.upper, (500, robot.n))
        for row, k in zip(field.R, field.active, strict=True):
            e = np.zeros(robot.n)
            e[k] = step
            second = (field.kernel(q + e) - 2 * field.kernel(q) + field.kernel(q - e)) / step**2
            size = np.abs(field.kernel(q)).max()
            # the difference errs by step² of fourth derivatives, and by rounding
            assert np.all(np.abs(second) <= row * (1 + 1e-3) + 1e-4 * size + 1e-8)


def test_curvature_is_not_much_more_than_there_is():
    study = BoundProblems(arm := qddot.load("two_link"), box_of(arm))
    assert study.M.R.max() == pytest.approx(50, rel=0.1)  # 2 m₂ a₁ a_C2 cos q₂


def test_floats_from_balls_are_rounded_outward():
    with ctx.workprec(DIGITS):
        third = arb(fmpq(1, 3))
        assert arb(below(third)) < third < arb(above(third))
        assert below(arb(0.25)) == 0.25 == above(arb(0.25))
        ledger = Ledger()
        nearly = BallScalar(arb(1) + arb(2) ** -80, ledger)
        assert float(nearly) != 1.0  # else the recorder would leave the factor out
        assert ledger[float(nearly)] >= math.ulp(1.0) / 2
