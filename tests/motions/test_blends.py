"""Paths of a frame joined with rounded corners: one motion, in which nothing jumps."""

import numpy as np
import pytest
from made import PANDA
from scipy.linalg import expm, logm

import qddot
from qddot.errors import QddotError
from qddot.motions import CartesianArc, CartesianLine, CartesianScrew, blended
from qddot.program import record
from qddot.spatial.rotation import about_axis
from qddot.spatial.vector import skew

READY = np.array([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.7])
X0 = PANDA.pose(READY, "tool")
ROUGH = dict(duration=9.0, tolerance=1e-3)  # of single paths, whose timing does not count


def shifted(X, by, turn=(0.0, 0.0, 0.0)):
    X = X.copy()
    X[:3, :3] = expm(skew(np.array(turn))) @ X[:3, :3]
    X[:3, 3] += by
    return X


@pytest.fixture(scope="module")
def corner():
    """Return two lines at a right angle, and the motion round their corner."""
    first = CartesianLine(PANDA, "tool", READY, X0[:3, 3] + [0, 0.2, 0], **ROUGH)
    then = CartesianLine(PANDA, "tool", first.last_q, X0[:3, 3] + [-0.1, 0.2, 0], **ROUGH)
    return first, then, blended([first, then], 0.06, duration=3.0)


@pytest.fixture(scope="module")
def tour():
    """Return a line that turns, an arc and a screw, and the motion through all."""
    line = CartesianLine(PANDA, "tool", READY, shifted(X0, [0, 0.15, 0.05], [0.2, 0, 0.3]), **ROUGH)
    at = line.pose(line.length)
    center = at[:3, 3] + [-0.1, 0.0, 0.0]
    arc = CartesianArc(PANDA, "tool", line.last_q, center, [0, 0, 1], 1.2, **ROUGH)
    end = shifted(arc.pose(arc.length), [0.05, -0.15, 0.05], [0, -0.4, 0.2])
    screw = CartesianScrew(PANDA, "tool", arc.last_q, end, **ROUGH)
    paths = line, arc, screw
    return paths, blended(paths, [0.03, 0.04], velocity=0.25, acceleration=0.5, jerk=4.0)


def test_a_corner_of_two_lines_is_a_smooth_parabola(corner):
    first, then, path = corner
    assert path.length == pytest.approx(0.3)
    np.testing.assert_allclose(path.knots, [0, 0.14, 0.26, 0.3])
    at = X0[:3, 3] + [0, 0.2, 0]
    e1, e2 = np.array([0, 1, 0]), np.array([-1, 0, 0])
    # x′ = e₁ + (e₂ − e₁)(3σ² − 2σ³), and the integral of that
    for share in np.linspace(0, 1, 7):
        x, slope, bend = path.place(0.14 + 0.12 * share)
        way = 0.12 * (share**3 - share**4 / 2)
        np.testing.assert_allclose(
            x, at + e1 * (0.12 * share - 0.06 - way) + e2 * way, rtol=0, atol=1e-15
        )
        w = 3 * share**2 - 2 * share**3
        np.testing.assert_allclose(slope, e1 * (1 - w) + e2 * w, rtol=0, atol=1e-13)
        np.testing.assert_allclose(bend, (e2 - e1) * 50 * share * (1 - share), rtol=0, atol=1e-11)
    missed = path.place(0.2)[0] - at
    np.testing.assert_allclose(missed, 3 / 16 * 0.06 * (e2 - e1), rtol=0, atol=1e-15)
    np.testing.assert_allclose(path.pose(0.1), first.pose(0.1), rtol=0, atol=1e-15)
    np.testing.assert_allclose(path.pose(0.28), then.pose(0.08), rtol=0, atol=1e-9)


def test_nothing_jumps_where_parts_meet(tour):
    _, path = tour
    assert len(path.knots) == 6
    tiny = 1e-9
    for s in path.knots[1:-1]:
        before, after = (path._frame_path for _ in range(2))
        np.testing.assert_allclose(before.pose(s - tiny), after.pose(s + tiny), rtol=0, atol=1e-8)
        np.testing.assert_allclose(before.slope(s - tiny), after.slope(s + tiny), rtol=0, atol=1e-6)
        np.testing.assert_allclose(before.bend(s - tiny), after.bend(s + tiny), rtol=0, atol=1e-4)


def test_turns_and_slopes_are_the_derivatives_of_the_pose(tour):
    """ω and ω′ by differences of matrix logarithms, an independent way."""
    task, h = tour[1]._frame_path, 1e-5
    for s in np.linspace(0.01, task.length - 0.01, 23):
        R, R0, R1 = (task.pose(x)[:3, :3] for x in (s, s - h, s + h))
        W = np.real(logm(R1 @ R.T) - logm(R0 @ R.T)) / (2 * h)
        np.testing.assert_allclose(
            task.slope(s)[:3], [W[2, 1], W[0, 2], W[1, 0]], rtol=0, atol=2e-6
        )
        rate = (task.slope(s + h) - task.slope(s - h)) / (2 * h)
        scale = 1 + np.abs(rate).max()
        np.testing.assert_allclose(task.bend(s) / scale, rate / scale, rtol=0, atol=1e-5)


def test_the_joints_follow_and_do_not_jump(tour):
    paths, path = tour
    t = np.linspace(0, path.duration, 400)
    q, qd, qdd = path.joints.sampled(t)
    assert path.joints_error <= 1e-7
    s = path.profile.curve.values(t)[0][:, 0]
    wanted = np.array([path.pose(x) for x in s])
    np.testing.assert_allclose(PANDA.pose(q, "tool"), wanted, rtol=0, atol=2e-7)
    last = paths[-1].pose(paths[-1].length)
    np.testing.assert_allclose(PANDA.pose(q[-1], "tool"), last, rtol=0, atol=1e-6)
    x, xd, _ = path.sampled(t)
    np.testing.assert_allclose(x, wanted[:, :3, 3], rtol=0, atol=1e-12)
    assert np.linalg.norm(xd, axis=1).max() <= 0.25 * 1.001  # never faster than it may be
    assert np.linalg.norm(xd, axis=1)[50:350].min() > 0.04  # nor does it stop
    h = t[1] - t[0]
    np.testing.assert_allclose(np.diff(q, axis=0) / h, (qd[1:] + qd[:-1]) / 2, rtol=0, atol=1e-3)
    assert np.abs(np.diff(qdd, axis=0)).max() < 0.5  # a jump at a corner would be some rad/s²


def test_the_acceleration_of_the_frame_is_the_given_one_in_corners_and_around_arcs_too(tour):
    paths, path = tour
    assert fastest(path) == pytest.approx(0.5, rel=1e-12)
    for how in (
        {"velocity": 0.25},
        {"velocity": 2.0},
        {"velocity": 0.02},
        {"velocity": 1, "jerk": 9},
    ):
        path = blended(paths, [0.03, 0.04], acceleration=1.0, tolerance=1e-3, **how)
        assert fastest(path) <= 1 + 1e-9
        speeds = np.linalg.norm(path.sampled(np.linspace(0, path.duration, 500))[1], axis=1)
        assert speeds.max() <= how["velocity"] * (1 + 1e-12)
    for k, r in ((1, paths[1].length), (0, 1e-3)):  # a corner that begins at rest; a sharp one
        path = blended(paths[k : k + 2], r, velocity=0.5, acceleration=2.0, tolerance=1e-3)
        assert fastest(path) <= 2 * (1 + 1e-9)


def test_corners_of_random_lines_keep_to_the_acceleration():
    slide = {"mass": 1.0, "inertia": [0.02, 0, 0, 0.02, 0, 0.01], "type": "prismatic"}
    bends = {"alpha": "pi/2", "theta": "pi/2"}
    gantry = qddot.from_dh([slide | bends, slide | bends, slide], "standard")
    rng, how = np.random.default_rng(0), {"orientation": "free", "tolerance": 1e-2}
    for _ in range(4):
        steps = rng.uniform(-0.3, 0.3, (2, 3))
        at, q, paths = gantry.pose(np.zeros(3), "tool")[:3, 3], np.zeros(3), []
        for step in steps:
            at = at + step
            paths.append(CartesianLine(gantry, "tool", q, at, duration=1.0, **how))
            q = paths[-1].last_q
        radius = rng.uniform(0.05, 1) * min(path.length for path in paths)
        limit = 10.0 ** rng.uniform(-1, 1)
        path = blended(paths, radius, velocity=0.3, acceleration=limit, tolerance=1e-2)
        assert fastest(path) <= limit * (1 + 1e-9)


def test_turns_on_the_spot_keep_to_the_angular_acceleration():
    spot = CartesianLine(PANDA, "tool", READY, shifted(X0, np.zeros(3), [0.3, 0, 0]), **ROUGH)
    at = spot.pose(spot.length)
    then = CartesianLine(PANDA, "tool", spot.last_q, shifted(at, np.zeros(3), [0, 0.3, 0]), **ROUGH)
    path = blended([spot, then], 0.1, velocity=0.5, acceleration=1.0, tolerance=1e-3)
    t, h = np.linspace(1e-3, path.duration - 1e-3, 400), 1e-6
    rates = [[path.frame_at(x + d)[1][:3] for x in t] for d in (-h, h)]
    rate = np.diff(np.array(rates, dtype=float), axis=0)[0] / (2 * h)
    assert np.linalg.norm(rate, axis=1).max() < 1.002


def test_an_arc_alone_keeps_to_the_acceleration_too():
    center = X0[:3, 3] + [-0.05, 0, 0]
    how = dict(velocity=1.0, acceleration=0.5, tolerance=1e-3)
    for jerk in (None, 5.0):
        arc = CartesianArc(PANDA, "tool", READY, center, [0, 0, 1], 1.5, jerk=jerk, **how)
        assert fastest(arc) <= 0.5 * (1 + 1e-9)
        assert fastest(arc) > 0.45


def fastest(path) -> float:
    """Return the largest acceleration of the frame's origin, of many instants."""
    t = np.linspace(0, path.duration, 4001)
    return float(np.linalg.norm(path.sampled(t)[2], axis=1).max())


def test_a_free_orientation_stays_free_and_a_path_is_recorded(corner):
    how = ROUGH | {"orientation": "free"}
    first = CartesianLine(PANDA, "tool", READY, X0[:3, 3] + [0, 0.2, 0], **how)
    then = CartesianLine(PANDA, "tool", first.last_q, X0[:3, 3] + [-0.1, 0.2, 0], **how)
    path = blended([first, then], 0.06, duration=3.0, tolerance=1e-5)
    assert path.orientation == "free"
    program = record(lambda t: dict(zip("xva", path.at(t), strict=True)), "round", t=())
    for t in (0.0, 0.9, 1.5, 1.8, 2.9):
        np.testing.assert_allclose(program(t), path.at(t), rtol=0, atol=1e-13)
        np.testing.assert_allclose(path.at(t), corner[2].at(t), rtol=0, atol=1e-9)


def test_what_does_not_fit_is_refused(corner):
    first, then, _ = corner
    with pytest.raises(QddotError, match=r"Path 2 is 0.1 m long, .* take 0.11 m"):
        blended([first, then], 0.11, duration=3.0)
    with pytest.raises(QddotError, match=r"Path 2 starts 0.224 m and .*\n.*last_q"):
        blended([then, first], 0.02, duration=3.0)
    with pytest.raises(QddotError, match="two or more"):
        blended([first], 0.02, duration=3.0)
    with pytest.raises(QddotError, match="has a str"):
        blended([first, "line"], 0.02, duration=3.0)
    with pytest.raises(QddotError, match="radius"):
        blended([first, then], [0.02, 0.03], duration=3.0)
    with pytest.raises(QddotError, match="The timing"):
        blended([first, then], 0.02)
    turned = about_axis((0, 0, 1), 0.3) @ X0[:3, :3]
    X = np.block([[turned, X0[:3, 3:] + 0.05], [np.zeros((1, 3)), 1]])
    other = CartesianLine(PANDA, "tool", READY, X, **ROUGH)
    with pytest.raises(QddotError, match="Path 2 starts"):
        blended([other, first], 0.02, duration=3.0)
