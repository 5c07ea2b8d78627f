"""When two equations are equal: fixed angles that depend on each other, and what is not decided."""

import numpy as np
import pytest

import qddot
from qddot.equations.equality import common_units, difference, witness
from qddot.scalars.expressions import expression, symbol
from qddot.scalars.reader import read_formula


def arm(*alphas, length=0.5):
    """Return two links whose axes are turned against each other by the sum of some angles."""
    first = {"alpha": alphas[0], "mass": 1.0, "com": [0.1, 0, 0]}
    between = [{"alpha": alpha} for alpha in alphas[1:]]
    last = {"a": length, "mass": 1.5, "com": [-0.2, 0, 0]}
    whole = qddot.from_dh([first, *between, last], "standard")
    return whole.locked({f"j{k + 2}": 0 for k in range(len(between))})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([0.6], [0.3, 0.3]),
        ([0.9], [0.3, 0.6]),
        ([0.5], [0.8, -0.3]),
        ([2.0], [0.7, 0.7, 0.6]),
        (["beta"], ["beta/3", "2*beta/3"]),
        (["beta + gamma"], ["gamma", "beta"]),
        (["beta"], ["beta + pi/3", "-pi/3"]),
        (["3*pi/7"], ["pi/7", "2*pi/7"]),
        (["0.3 + pi/4"], [0.2, "pi/4", 0.1]),
    ],
)
def test_equal_arms_are_equal_however_their_angles_are_split(one, other):
    a, b = qddot.derive(arm(*one)), qddot.derive(arm(*other))
    assert a.equal(b) is True
    assert a == b
    assert (a.M == b.M).all()
    assert hash(a.M[0, 0]) == hash(b.M[0, 0])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(60))
def test_arms_are_equal_if_and_only_if_their_angles_add_up_to_the_same(seed):
    rng = np.random.default_rng(seed)
    parts = [int(k) for k in rng.integers(-6, 7, int(rng.integers(2, 5))) if k] or [1]
    unit = float(rng.choice([0.1, 0.25, 0.3]))
    off = int(rng.choice([0, 0, 1]))
    whole = qddot.derive(arm(round(unit * (sum(parts) + off), 10)))
    split = qddot.derive(arm(*(round(unit * k, 10) for k in parts)))
    assert whole.equal(split) is (off == 0)


def test_arms_that_differ_a_little_are_shown_to_differ():
    a, b = qddot.derive(arm(0.6)), qddot.derive(arm(0.6000001))
    assert a.equal(b) is False
    assert a != b
    assert a.equal(qddot.derive(qddot.load("pendulum"))) is False


def test_what_is_not_decided_is_none_and_not_equal():
    # a common unit of 1e-5, of which nobody would want sixty thousand
    a, b = qddot.derive(arm(0.6)), qddot.derive(arm(0.30001, 0.29999))
    assert a.equal(b) is None
    assert a != b
    # cos π/7 − cos 2π/7 + cos 3π/7 = ½, which no rule here knows
    a = qddot.derive(arm(0.0, length="cos(pi/7) - cos(2*pi/7) + cos(3*pi/7)"))
    assert a.equal(qddot.derive(arm(0.0, length=0.5))) is None
    claim = difference(a.M[0, 0], qddot.derive(arm(0.0, length=0.5)).M[0, 0])
    assert claim
    assert witness(claim) is None


def test_units_are_a_basis_of_what_the_angles_span():
    beta, gamma = symbol("beta"), symbol("gamma")
    angles = [beta + gamma, beta - gamma, 2 * gamma, expression(0.6), expression(0.9)]
    units, multiples = common_units(angles)
    for angle in angles:
        total = sum((k * unit for k, unit in zip(multiples[angle], units, strict=True)), 0)
        assert total == angle
    assert len(units) == 3


def test_a_witness_tries_values_that_are_not_all_alike():
    """m1 − m2 is zero where every parameter is 1."""
    rows = [{"a": 1, "mass": "m1"}, {"a": 1, "mass": "m2"}]
    eqs = qddot.derive(qddot.from_dh(rows, "standard"))
    value, where = witness(eqs.robot.ring.scalar(read_formula("m1 - m2")))
    assert value != 0
    assert "m1 = " in where
