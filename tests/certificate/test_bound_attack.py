"""No sampled and no optimised point lies outside of a bound: textbook arms and random robots."""

from __future__ import annotations

import numpy as np
import pytest
from certificate.attack import broken
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long import long
from random_trees import laden
from strategies import models

import qddot
from qddot.certificate.bound import box_of
from qddot.certificate.bounds import bounds
from qddot.certificate.cut import Cut
from qddot.certificate.problems import BoundProblems
from qddot.robot import Robot

MILLION = 1_000_000
TEXTBOOK = ("two_link", "rp", "scara")


@pytest.mark.parametrize(
    ("name", "count"),
    [("rp", 50_000), *long(("two_link", 50_000)), *long(*((r, MILLION) for r in TEXTBOOK))],
)
def test_samples_and_a_local_search_stay_inside(name, count):
    robot = qddot.load(name)
    assert broken(robot, box_of(robot), bounds(robot), count) == []


@settings(max_examples=3, suppress_health_check=list(HealthCheck))
@given(models(2, 4))
def test_random_robots_stay_inside(model):
    robot = Robot(model)
    found = bounds(robot, gap=0.3, seconds=5)
    assert broken(robot, box_of(robot), found, 10_000) == []
    assert all(b.lower <= b.upper for b in found.values())


@pytest.mark.parametrize("sizes", [(2, 3), *long(((3, 4),))])
@settings(max_examples=2, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_branches_followers_and_slides_stay_inside(sizes, data):
    model = data.draw(models(*sizes, kinds=("revolute", "prismatic"), mimic=True))
    robot = Robot(laden(model, np.random.default_rng(3)))
    found = bounds(robot, gap=0.5, seconds=5)
    assert broken(robot, box_of(robot), found, 10_000) == []


@pytest.mark.parametrize(
    "names",
    [
        ["g.norm1", "dg.norm2", "g.panda_joint2", "g.panda_joint7"],
        *long((["M.eigenvalue.max", "M.eigenvalue.min", "c.crude", "C.norm1"],)),
    ],
)
def test_a_seven_joint_arm_stays_inside(names):
    robot = qddot.load("panda")
    found = bounds(robot, names, gap=0.3, seconds=600)
    assert all(b.closed for b in found.values())
    assert broken(robot, box_of(robot), found, 50_000) == []


@pytest.mark.parametrize(("k", "share"), [(2, 0.5), (3, 0.8125)])
def test_cutting_the_energy_gives_no_more_than_there_is(k, share):
    """λ_min(M) ≥ min of the two parts, at every q."""
    robot = qddot.load("panda")
    study = BoundProblems(robot, box_of(robot))
    cut = Cut(study.M, k, share)
    q = np.random.default_rng(0).uniform(study.box.lower, study.box.upper, (2000, 7))
    whole = np.linalg.eigvalsh(robot.mass_matrix(q))[:, 0]
    parts = [part.value(q[:, part.entries.active]) for part in cut.parts]
    assert np.all(whole >= np.minimum(*parts) * (1 - 1e-9))
    assert np.median(np.minimum(*parts) / whole) > 0.5  # and not much less


@pytest.mark.parametrize("name", ["two_link", "rp"])
def test_c_and_C_have_the_same_bound_in_the_2_norm(name):
    """Banach: sup ‖Γ(u, v)‖ over unit u, v is attained at u = v."""
    robot = qddot.load(name)
    found = bounds(robot, ["c.norm2", "C.norm2"])
    assert found["c.norm2"].upper == found["C.norm2"].upper
    rng = np.random.default_rng(0)
    box = box_of(robot)
    q, v = rng.uniform(box.lower, box.upper, (20_000, 2)), rng.standard_normal((20_000, 2))
    C = np.linalg.norm(robot.coriolis_matrix(q, v), 2, axis=(1, 2)) / np.linalg.norm(v, axis=1)
    assert C.max() <= found["c.norm2"].upper
    assert C.max() >= 0.99 * found["c.norm2"].lower
