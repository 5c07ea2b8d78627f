"""Boxes, stopping, determinism, and saved proofs."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from faults import interrupted, ticking
from long import long
from made import ARM

import qddot
from qddot.certificate import bounds as bounds_module
from qddot.certificate import problem, search
from qddot.certificate.bound import PI, Box, box_of
from qddot.certificate.bounds import bound, bounds, check
from qddot.errors import BadArgument, NotNumeric, NotProved
from qddot.model import Joint, Limits, Link, Mimic, build
from qddot.model.link import Inertial
from qddot.robot import Robot

BODY = Inertial(1.0, (0.1, 0.0, 0.0), (0.1, 0, 0, 0.1, 0, 0.1))


def slide(**limits: float) -> Robot:
    joint = Joint("lift", "prismatic", "base", "load", axis=(0, 0, 1), limits=Limits(**limits))
    return Robot(build("lifter", [Link("base"), Link("load", BODY)], [joint]))


# boxes


def test_a_box_is_the_limits_or_a_turn():
    assert box_of(ARM) == Box((-PI, -PI), (PI, PI))
    panda = box_of(qddot.load("panda"))
    assert panda.upper[0] == pytest.approx(2.8973)
    assert panda.upper[3] < 0
    assert box_of(qddot.load("panda"), "circle").upper[3] == PI
    assert box_of(ARM, {"j2": (-1, 1)}) == Box((-PI, -1.0), (PI, 1.0))
    assert box_of(ARM, {"j2": 0.5}).lower[1] == 0.5 == box_of(ARM, {"j2": 0.5}).upper[1]
    assert box_of(ARM, [(0, 1), (2, 3)]) == Box((0.0, 2.0), (1.0, 3.0))
    assert box_of(ARM, Box((0.0, 2.0), (1.0, 3.0))) == Box((0.0, 2.0), (1.0, 3.0))
    assert math.pi < PI


def test_limits_are_rounded_outward():
    robot = slide(lower=0.1, upper=0.3)
    box = box_of(robot)
    assert box.lower[0] <= 0.1
    assert box.upper[0] >= 0.3
    assert box.upper[0] - 0.3 < 1e-15


def test_a_slide_without_limits_needs_a_box():
    with pytest.raises(BadArgument, match="'lift' of 'lifter' slides without limits"):
        bounds(slide())
    assert bound(slide(), "g.lift", box={"lift": (0, 1)}).lower == pytest.approx(9.81)


def test_symbols_are_refused():
    links = [Link("base"), Link("link", Inertial(qddot.scalars.expressions.symbol("m1")))]
    joint = Joint("turn", "continuous", "base", "link")
    with pytest.raises(NotNumeric, match="m1"):
        bounds(Robot(build("symbolic", links, [joint])))


def test_a_turn_that_does_not_bring_a_follower_back_is_refused():
    links = [Link("base"), Link("a", BODY), Link("b", BODY)]
    joints = [
        Joint("lead", "continuous", "base", "a", axis=(0, 1, 0)),
        Joint("follow", "continuous", "a", "b", axis=(0, 1, 0), mimic=Mimic("lead", 0.5)),
    ]
    robot = Robot(build("geared", links, joints))
    with pytest.raises(BadArgument, match="'follow' follows it at a ratio of 0"):
        bounds(robot)
    assert bound(robot, "g.lead", box={"lead": (-7.0, 7.0)}, gap=1e-3).closed


# stopping


def test_stopping_early_leaves_valid_bounds(monkeypatch):
    """On a clock that ticks whenever it is looked at: the search looks once in a few cells."""
    ticks = ticking(monkeypatch, bounds_module, search, seconds=0.02)
    robot = qddot.load("ur5")
    found = bounds(robot, ["M.eigenvalue.min", "M.norm1.max", "g.norm1"], gap=1e-6, seconds=1.0)
    assert next(ticks) < 100  # a second, and a few more to see that it is over
    assert not found["M.norm1.max"].closed
    for b in found.values():
        assert b.lower <= b.upper
    assert found["M.norm1.max"].upper >= 6.3326 >= found["M.norm1.max"].lower - 1e-4
    assert found["M.eigenvalue.min"].lower <= 0.0158244
    assert "not as narrow as asked for" in str(found["M.norm1.max"])


def test_no_time_at_all_gives_a_bound_too():
    found = bounds(ARM, seconds=0)
    assert found["M.norm1.max"].upper >= 192.5
    assert found["M.eigenvalue.min"].lower == 0.0


def test_an_interrupt_keeps_what_there_is(monkeypatch):
    monkeypatch.setattr(problem, "prove", interrupted)
    found = bounds(ARM, ["M.norm1.max", "c.norm1"])
    assert list(found) == ["M.norm1.max"]
    assert not found["M.norm1.max"].closed
    assert found["M.norm1.max"].upper >= 192.5


@pytest.mark.parametrize("name", ["rp", *long("puma560")])
def test_bounds_are_the_same_every_time(name):
    robot = qddot.load(name)
    names = ["M.eigenvalue.min", "M.normF.max", "c.norm1", "g.j2"]
    first, second = (bounds(robot, names, gap=0.1) for _ in range(2))
    for name in names:
        assert replace(first[name], seconds=0) == replace(second[name], seconds=0)


# saved proofs


@pytest.fixture(scope="module")
def saved():
    found = bounds(ARM, gap=1e-4)
    return {name: replace(b, proof=json.loads(json.dumps(b.proof))) for name, b in found.items()}


@pytest.mark.long
def test_a_saved_proof_proves_again(saved):
    for b in saved.values():
        again = check(ARM, b)
        assert (again.lower, again.upper) == (b.lower, b.upper)


NAMES = ["M.eigenvalue.max", "M.eigenvalue.min", "M.norm1.min", "c.norm1", "c.norm2", "g.j2"]


@pytest.mark.parametrize("name", NAMES)
def test_a_claim_that_is_too_good_fails(saved, name):
    b = saved[name]
    inner = b.proof["inner"]
    T = inner * (1 - 1e-3) if b.end == "sup" else inner * (1 + 1e-3)
    ends = {"upper": T} if b.end == "sup" else {"lower": T}
    with pytest.raises(NotProved, match="its side of"):
        check(ARM, replace(b, proof={**b.proof, "T": T}, **ends))


def test_numbers_that_are_not_those_of_the_proof_fail(saved):
    b = saved["M.norm1.max"]
    with pytest.raises(NotProved, match="not those of its proof"):
        check(ARM, replace(b, upper=192.5))
    with pytest.raises(NotProved, match="the value attained is"):
        check(ARM, replace(b, lower=192.51, proof={**b.proof, "inner": 192.51}))
    with pytest.raises(NotProved, match="the value attained is nan"):
        check(ARM, replace(b, attained_at=(0.0, 9.0)))
    with pytest.raises(NotProved, match="not complete"):
        check(ARM, replace(b, proof={}))


def test_a_proof_of_another_robot_fails(saved):
    heavier = ARM.with_payload("tool", 1.0)
    with pytest.raises(NotProved):
        check(heavier, saved["M.norm1.max"])


def test_a_form_that_is_not_zero_fails(saved):
    b = saved["c.norm2"]
    forms = [{**form, "unit": 0.3} for form in b.proof["forms"]]
    with pytest.raises(NotProved, match="not complete"):
        check(ARM, replace(b, proof={**b.proof, "forms": forms}))


def test_null_forms_are_zero_on_products():
    from fractions import Fraction

    from qddot.certificate.sums_of_squares import null_form, null_pairs

    n = 3
    rng = np.random.default_rng(0)
    numerators = [int(k) for k in rng.integers(-(2**30), 2**30, len(null_pairs(n)))]
    lower = null_form(n, numerators, 2.0**-20)
    v = [Fraction(int(k)) for k in rng.integers(-99, 99, n)]
    z = [v[i] * v[j] for i in range(n) for j in range(i, n)]
    total, at = Fraction(0), 0
    for i in range(len(z)):
        for j in range(i + 1):
            total += (1 if i == j else 2) * Fraction(lower[at]) * z[i] * z[j]
            at += 1
    assert total == 0
