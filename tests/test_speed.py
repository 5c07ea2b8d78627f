"""How fast kernels are: what is measured, and beside what."""

import timeit

import numpy as np
import pytest
from faults import ticking

import qddot
from qddot import speed
from qddot.speed import BATCH, INPUTS, Contender, _repeats, bench, pinocchio

BRIEF = 0.02  # [s]


def test_every_quantity_is_measured_for_one_state_and_for_many():
    rows = bench(qddot.load("two_link"), seconds=BRIEF)
    expected = [(name, batch) for batch in (1, BATCH) for name in INPUTS]
    assert [(row.name, row.batch) for row in rows] == expected
    assert all(row.ns > 0 for row in rows)
    for row in rows:
        assert (row.ratio is None) == (row.peer_ns is None)
        assert row.to_dict().keys() == {"name", "batch", "ns", "peer", "peer_ns", "ratio"}


def test_a_clock_that_hardly_moves_does_not_make_it_endless(monkeypatch):
    """One reading of it would say that a call takes no time, and thousands were made of each."""
    ticking(monkeypatch, speed, seconds=5e-3)
    assert _repeats(timeit.Timer("pass", timer=lambda: 0.0)) <= 16


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(qddot.QddotError, match="m1"):
        bench(qddot.load("two_link_symbolic"))
    with pytest.raises(qddot.QddotError, match="seconds is nan; give a positive number"):
        bench(qddot.load("two_link"), seconds=float("nan"))


@pytest.mark.parametrize("name", ["panda", "puma560", "scara", "kinova_jaco", "two_link", "baxter"])
def test_pinocchio_is_given_the_same_robot(name):
    """Gravity of its own, rotor inertia, slides, joints without limits, a tree: all agree."""
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    robot = qddot.load(name).without("friction", "springs")
    peer = pinocchio(robot)
    assert peer is not None
    rng = np.random.default_rng(0)
    for quantity, inputs in INPUTS.items():
        states = [rng.uniform(-2, 2, robot.n) for _ in range(inputs)]
        expected = getattr(robot, quantity)(*states)
        assert peer.agrees(quantity, states, expected)
        assert not peer.agrees(quantity, states, 1.001 * expected)


def test_its_batches_are_of_the_same_states():
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    robot = qddot.load("scara").without("friction")
    peer = pinocchio(robot)
    assert peer is not None
    states = [np.random.default_rng(k).uniform(-2, 2, (16, robot.n)) for k in range(3)]
    contender = peer.contender("inverse_dynamics", states)
    contender.function(*contender.args)
    np.testing.assert_allclose(contender.args[-1].T, robot.inverse_dynamics(*states))
    assert contender.states == 16


def test_a_robot_whose_joints_follow_others_has_no_peer():
    assert pinocchio(qddot.load("panda_hand")) is None


def test_a_robot_of_one_joint_is_never_handed_over_as_a_batch():
    """A matrix of one row is misread there, and memory beyond it written to."""
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    robot = qddot.load("pendulum").without("friction")
    peer = pinocchio(robot)
    assert peer is not None
    assert not peer.many
    assert peer.words("inverse_dynamics", BATCH) == "Pinocchio rnea"


def test_the_timed_loop_holds_the_call_with_its_arguments():
    calls = []
    Contender(
        lambda *args, **named: calls.append((args, named)), (1, 2), 1, {"out": 3}
    ).timer().timeit(2)
    assert calls == [((1, 2), {"out": 3})] * 2
