"""Stops that are hit at the same instant: one problem for all of them, whatever their order."""

import numpy as np
import pytest

import qddot
from qddot.simulation.contact import SLOW, Restraints, after_impact, arriving


def cart(fingers: str, more: str = "") -> str:
    """Return a cart on a rail with fingers that slide along it, one way (+) or the other (-)."""
    text = f"""
name = "cart"
gravity = [0, 0, 0]
[[joint]]
name = "cart"
type = "prismatic"
parent = "base"
child = "cart"
axis = [1, 0, 0]
{more}
[[link]]
name = "cart"
mass = 1.0
"""
    for k, way in enumerate(fingers):
        text += f"""
[[joint]]
name = "finger{k}"
type = "prismatic"
parent = "cart"
child = "finger{k}"
axis = [{way}1, 0, 0]
limits = {{ lower = -1, upper = 0.5 }}
[[link]]
name = "finger{k}"
mass = 1.0
"""
    return text


@pytest.fixture
def loaded(tmp_path):
    def load(*args):
        (tmp_path / "cart.toml").write_text(cart(*args))
        return qddot.load(tmp_path / "cart.toml")

    return load


@pytest.mark.parametrize("e", [0.0, 0.3, 0.5, 1.0])
def test_mirror_image_fingers_leave_the_cart_where_it_is(loaded, e):
    run = qddot.simulate(loaded("+-"), [0, 0, 0], [0, 1, 1], duration=0.9, stops=e)
    np.testing.assert_allclose(run.qd[-1], [0, -e, -e], rtol=0, atol=1e-12)
    assert run.good, run.status
    hits = [(event.joint, event.t, event.detail) for event in run.events]
    assert hits == [(name, pytest.approx(0.5), "at 1 m/s") for name in ("finger0", "finger1")]


def test_one_of_two_fingers_in_the_air_does_not_hit(loaded):
    run = qddot.simulate(loaded("+-"), [0, 0, 0], [0, 1, 0.5], duration=0.9, stops=0.5)
    first = run.events[0]
    assert first.joint == "finger0"
    assert [event.t == first.t for event in run.events[1:]].count(True) == 0


def test_a_cart_held_by_dry_friction_stays_held_when_its_fingers_hit_both_ways(loaded):
    rough = loaded("+-", "friction = { coulomb = 5.0 }")
    run = qddot.simulate(rough, [0, 0, 0], [0, 1, 1], duration=0.9, stops=0.5)
    assert np.all(run.q[:, 0] == 0.0)
    np.testing.assert_allclose(run.qd[-1], [0, -0.5, -0.5], rtol=0, atol=1e-12)
    # two that hit the same way throw it off: dry friction has no impulse
    rough = loaded("++", "friction = { coulomb = 5.0 }")
    run = qddot.simulate(rough, [0, 0, 0], [0, 1, 1], duration=0.9, stops=0.5)
    at = next(i for i in range(len(run.t) - 1) if run.t[i] == run.t[i + 1] > 0.4)
    np.testing.assert_allclose(run.qd[at + 1], [1.0, -0.5, -0.5], rtol=0, atol=1e-12)
    assert run.good, run.status


@pytest.mark.parametrize("fingers", ["++--", "+-+-+", "+++"])
def test_the_order_of_the_fingers_does_not_matter(loaded, fingers):
    rates = np.linspace(0.6, 1.4, len(fingers))
    rng, found = np.random.default_rng(0), []
    for order in (np.arange(len(fingers)), rng.permutation(len(fingers))):
        robot = loaded("".join(fingers[k] for k in order))
        start = np.concatenate([[0], 0.5 - 0.2 * rates[order]])  # all arrive at 0.2 s
        qd0 = np.concatenate([[0], rates[order]])
        run = qddot.simulate(robot, start, qd0, duration=0.3, stops=0.5, tolerance=1e-12)
        hits = [event for event in run.events if "hits" in event.name]
        assert len(hits) == len(fingers)
        M = robot.mass_matrix(run.q[-1])
        assert abs((M @ (run.qd[-1] - qd0))[0]) < 1e-12  # nothing outside pushes the cart
        found.append(np.concatenate([run.qd[-1, :1], run.qd[-1, 1:][np.argsort(order)]]))
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-12)


def laws_of_impact(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    factor = rng.standard_normal((n, n)) * 10 ** rng.uniform(-1, 1, n)
    M = factor @ factor.T + 1e-3 * np.eye(n)
    side = rng.integers(-1, 2, n)
    side[rng.integers(n)] = 1
    qd = rng.standard_normal(n) * 10 ** rng.uniform(-5, 1, n)
    qd = np.where(side == 0, qd, side * np.abs(qd) * (rng.random(n) < 0.7))  # some of them rest
    e = rng.choice([0, 0.5, 0.9, 1], n)
    after = after_impact(e, side, qd, M)
    impulse, leaving = -side * (M @ (after - qd)), -side * after
    kinetic, less = qd @ M @ qd / 2, after @ M @ after / 2
    slack = 1e-9 * (1 + np.abs(M).max() * np.abs(qd).max())
    assert less <= kinetic * (1 + 1e-9), "energy rises"
    assert np.abs(impulse[side == 0]).max(initial=0) < slack, "an impulse where there is no stop"
    touched = side != 0
    assert np.all(leaving[touched] >= 0), "a joint enters its stop"
    assert not np.any((leaving > 0) & (leaving < SLOW) & touched)
    assert np.all(impulse[touched & (leaving > 0)] > -slack), "a stop pulls"
    # the same in any order
    order = rng.permutation(n)
    again = after_impact(e[order], side[order], qd[order], M[np.ix_(order, order)])
    np.testing.assert_allclose(again, after[order], rtol=0, atol=1e-7 * (1 + np.abs(after).max()))


@pytest.mark.parametrize("seed", range(60))
def test_an_impact_never_gives_energy_nor_pulls_nor_lets_a_joint_enter(seed):
    laws_of_impact(seed)


@pytest.mark.long
def test_three_thousand_impacts_keep_the_laws():
    for seed in range(60, 3060):
        laws_of_impact(seed)


def test_what_arrives_at_one_instant_is_told_apart_from_what_does_not():
    low, high = np.array([0, 0, -np.inf, 0]), np.array([1, 1, np.inf, 1])
    stops = Restraints(np.zeros((2, 4)), low, high, np.zeros(4))
    q, qd = np.array([0.0, 1 - 1e-12, 3.0, 0.0]), np.array([-1.0, 1.0, 1.0, 1.0])
    assert arriving(stops, q, qd).tolist() == [-1, 1, 0, 0]
