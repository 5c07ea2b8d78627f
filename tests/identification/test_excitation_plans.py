"""Plans beyond one motion: loads, and what a log left open."""

from functools import partial

import numpy as np
import pytest
from long import long
from made import ARM, PANDA

import qddot
from qddot.identification import Log, identifiable
from qddot.identification.excitation_basis import FourierBasis
from qddot.identification.excitation_criterion import better_known, criterion
from qddot.identification.excitation_limits import half_spaces, motion_limits
from qddot.identification.excitation_result import Excitation
from qddot.identification.excitation_search import Search
from qddot.identification.excitation_use import loaded

TWO_LINK = {"lower": -2.5, "upper": 2.5, "velocity": 3.0}
excite = partial(qddot.excite, ARM, limits=TWO_LINK, terms=(), starts=1, seconds=600)
LOAD = ("tool", 2.0, (0.1, -0.05, 0.2))


def states_of(robot, limits, count=200):
    rng, size = np.random.default_rng(3), (count, robot.n)
    spans = (limits.velocity, limits.acceleration)
    rates = (span * rng.uniform(-1, 1, size) for span in spans)
    return rng.uniform(limits.lower, limits.upper, size), *rates


def resting(joint, rows=400, duration=20.0):
    """Return a log of an arm one of whose joints does not move."""
    t = np.linspace(0, duration, rows)
    w = 2 * np.pi * np.array([[0.3, 0.5], [0.7, 0.9]])
    x, y = np.multiply.outer(t, w[0]), np.multiply.outer(t, w[1])
    q, qd = np.sin(x) + 0.3 * np.sin(y), w[0] * np.cos(x) + 0.3 * w[1] * np.cos(y)
    qdd = -(w[0] ** 2) * np.sin(x) - 0.3 * w[1] ** 2 * np.sin(y)
    for array in (q, qd, qdd):
        array[:, joint] = 0
    return Log(ARM.joint_names, t, q, qd, qdd, ARM.inverse_dynamics(q, qd, qdd))


def test_the_information_of_runs_with_loads_is_that_of_their_rows():
    """By the stacked regressor, the columns of the load from the torques that it really adds."""
    ur5 = qddot.load("ur5")
    limits = motion_limits(ur5)
    measure = criterion("condition", ur5, limits, ["tool"])
    states, p = states_of(ur5, limits), measure.p
    W = measure.regressor(*states)
    load = W @ measure.runs[1][:, p:]
    rows = np.vstack([np.hstack([W, 0 * load]), np.hstack([W, load])])
    np.testing.assert_allclose(measure.information(W), rows.T @ rows / 2, rtol=0, atol=1e-12)
    assert measure.names[p:][:3] == ("load 1.m", "load 1.mx", "load 1.my")
    assert len(measure.names) == 36 + 10
    empty, full = loaded(ur5, [{"frame": "tool", "mass": 2.0, "com": (0.1, -0.05, 0.2)}])
    added = full.inverse_dynamics(*states) - empty.inverse_dynamics(*states)
    added = added.reshape(-1) / np.sqrt(len(states[0]))
    found = np.linalg.lstsq(load, added, rcond=None)[0]
    np.testing.assert_allclose(load @ found, added, rtol=0, atol=1e-10)


def with_a_load_and_a_log(name):
    """Return a search that knows a log, with a load and limits of effort."""
    limits = motion_limits(ARM, TWO_LINK | {"effort": 400.0})
    robots = loaded(ARM, [{"frame": "tool", "mass": 20.0, "com": (0.1, 0, 0)}])
    measure = criterion(name, ARM, limits, ["tool"], [resting(1)], 10.0)
    return Search(robots, FourierBasis(10.0, 3), measure, limits, (), None, np.inf)


def in_a_workspace(name):
    """Return a search of a tool that keeps to one side of two planes."""
    limits = motion_limits(PANDA, {"effort": 20.0})
    spaces = half_spaces(PANDA, {"tool": ["z > 0.5", "x < 0.1"]})
    measure = criterion(name, PANDA, limits)
    return Search((PANDA,), FourierBasis(10.0, 3), measure, limits, spaces, None, np.inf)


@pytest.mark.parametrize(
    ("search", "name"),
    [
        (with_a_load_and_a_log, "condition"),
        (with_a_load_and_a_log, "determinant"),
        (in_a_workspace, "condition"),
        *long((in_a_workspace, "determinant")),
    ],
)
def test_the_gradient_of_the_search_is_that_of_its_objective(search, name):
    search, rng = search(name), np.random.default_rng(0)
    X = search.sizes * 0.6 * rng.standard_normal(search.sizes.shape)
    X[0] += search.limits.middle
    D, h = search.sizes * rng.standard_normal(X.shape), 1e-6
    up, down = (search.objective(X + s * h * D, 4, 10.0)[0] for s in (1, -1))
    slope = np.sum(search.objective(X, 4, 10.0)[1] * D)
    assert slope == pytest.approx((up - down) / (2 * h), rel=1e-5)


def test_torques_keep_their_limits_with_every_load(tmp_path):
    weak = TWO_LINK | {"effort": [1800.0, 600.0]}
    motion = excite(limits=weak, payloads=[("tool", 5.0), LOAD])
    t = np.linspace(0, motion.period, 20_000)
    for robot in loaded(ARM, motion.payloads):
        assert (np.abs(robot.inverse_dynamics(*motion.at(t))) <= motion.limits.effort).all()
    assert not motion.violations()
    assert "with each of: 5 kg at tool, 2 kg at tool" in repr(motion)
    motion.save(tmp_path / "motion.json")
    back = Excitation.load(tmp_path / "motion.json", ARM)
    assert not back.violations()
    assert repr(back) == repr(motion)
    heavy = ARM.with_payload("tool", 60.0)
    assert any(each.what == "effort" for each in back.violations(heavy))


def test_after_a_log_the_motion_shows_what_the_log_does_not():
    """The second joint stood still: its friction and inertia are new, the rest is known."""
    robot = ARM.with_friction(viscous=1.0)
    motion = excite(after=resting(1), terms=("viscous",))
    assert motion.after["condition"] is None
    new = {name for name, factor in motion.after["better"] if factor > 1e3}
    unseen = set(identifiable(robot, resting(1), terms=("viscous",)).lost)
    assert new >= {"j2.fv"}
    assert {text.split(" ")[0] for text in unseen} <= new
    assert "which does not show them all" in repr(motion)
    # and the sum is what a log of both would have
    both = motion.to_log(rate=40)
    measure = criterion("condition", robot, motion.limits, (), [resting(1)], motion.period)
    W = [measure.regressor(log.q, log.qd, log.qdd) for log in (both[:-1], resting(1))]
    M = (10 * W[0].T @ W[0] + 20 * W[1].T @ W[1]) / 30
    values = np.sqrt(np.linalg.eigvalsh(M))
    assert motion.condition == pytest.approx(values[-1] / values[0], rel=1e-3)


def test_a_motion_after_a_log_differs_from_one_without():
    """The log turns joint 1 much: with it, the criterion is smaller than with another motion."""
    log, limits = resting(1), motion_limits(ARM, TWO_LINK)
    measure = criterion("condition", ARM, limits, (), [log], 10.0)
    halves = criterion("condition", ARM, limits, (), [log[:200], log[200:]], 10.0)
    np.testing.assert_allclose(halves.known, measure.known, rtol=0.01, atol=1e-6)
    states = [excite(after=given).to_log(50)[:-1] for given in (log, None)]
    after, without = (measure.condition(x.q, x.qd, x.qdd) for x in states)
    assert after < without
    factors = dict(better_known(measure, (states[0].q, states[0].qd, states[0].qdd)))
    assert min(factors.values()) >= 1 - 1e-9  # a motion more takes nothing away


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"payloads": "tool"}, "payloads is 'tool'; give each as"),
        ({"payloads": [("tool", "heavy")]}, "A payload is .* give each as"),
        ({"payloads": [("tool", 1, (0, 0))]}, "A payload is .* give each as"),
        ({"payloads": [("tool", -1)]}, "The mass of a payload is -1"),
        ({"payloads": [("base", 1)]}, "does not move"),
        ({"after": 3}, "The log"),
        ({"after": "nowhere.csv"}, "nowhere.csv"),
        ({"payloads": [("nose", 1.0)]}, "no frame named 'nose'"),
    ],
)
def test_plans_that_cannot_be_are_refused(choice, words):
    with pytest.raises(qddot.QddotError, match=words):
        excite(**choice)
