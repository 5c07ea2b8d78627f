"""Links as capsules: how far apart they are, and motions in which none touch."""

import numpy as np
import pytest
from long import long
from made import PANDA

import qddot
from qddot.errors import BadArgument, UnknownName
from qddot.identification.excitation_collision import clearance
from qddot.identification.excitation_limits import motion_limits
from qddot.identification.excitation_result import Excitation
from qddot.identification.excitation_use import used
from qddot.motions import Fourier

HOME = [0, -0.785, 0, -2.356, 0, 1.571, 0.785]


def postures(robot, limits, count):
    return np.random.default_rng(0).uniform(limits.lower, limits.upper, (count, robot.n))


def segments(apart, q):
    """Return the ends of every capsule's segment, placed by the robot's own poses."""
    tree, robot = apart.robot.tree, apart.robot
    poses = {-1: np.eye(4)}
    for i, body in enumerate(tree.bodies):
        poses[i] = robot.pose(q, robot.model.joint(body.name).child)
    at = lambda end: poses[end[0]][:3, :3] @ end[1] + poses[end[0]][:3, 3]  # noqa: E731
    return [(at(c.ends[0]), at(c.ends[1])) for c in apart.capsules]


ARMS = {
    "panda": None,
    "ur5": None,
    "stanford": {"lower": -2.0, "upper": 2.0, "velocity": 1.0},
}


@pytest.mark.parametrize("name", ARMS)
def test_distances_are_those_of_many_points_and_of_coal(name):
    robot = qddot.load(name)
    limits = motion_limits(robot, ARMS[name])
    apart, _ = clearance(robot, limits, 0.03, floor=0.1)
    grid = np.linspace(0, 1, 101)
    for q in postures(robot, limits, 6):
        found, ends = apart.distances(q), segments(apart, q)
        for k, (a, b) in enumerate(apart.pairs):
            ours = found[k] + apart.capsules[a].radius + apart.capsules[b].radius
            lines = [p + np.multiply.outer(grid, r - p) for p, r in (ends[a], ends[b])]
            brute = np.linalg.norm(lines[0][:, None] - lines[1], axis=-1).min()
            step = sum(np.linalg.norm(r - p) for p, r in (ends[a], ends[b])) / 200
            assert ours - 1e-9 <= brute <= ours + step
            assert ours == pytest.approx(by_coal(ends[a], ends[b]), abs=1e-6)
        for k, each in enumerate(apart.standing, len(apart.pairs)):
            low = min(ends[each][0][2], ends[each][1][2])
            assert found[k] == pytest.approx(low - 0.03 - 0.1, abs=1e-12)


def by_coal(first, second):
    """Return the distance of two segments, as capsules of 1 µm are seen by Coal."""
    coal = pytest.importorskip("coal", reason="Coal is not installed")
    thin = 1e-6
    shapes, places = [], []
    for a, b in (first, second):
        length = np.linalg.norm(b - a)
        z = (b - a) / length if length else np.array([0.0, 0, 1])
        x = np.cross(z, [1.0, 0, 0] if abs(z[0]) < 0.9 else [0, 1.0, 0])
        x /= np.linalg.norm(x)
        shapes.append(coal.Capsule(thin, length))
        places.append(coal.Transform3s(np.column_stack([x, np.cross(z, x), z]), (a + b) / 2))
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    return coal.distance(shapes[0], places[0], shapes[1], places[1], request, result) + 2 * thin


def test_parallel_and_crossing_and_touching_segments():
    from qddot.dynamics.capsules import distance, nearest

    x, y, z = np.eye(3)
    cases = [
        ((0 * x, x), (y, x + y), 1.0),  # parallel, beside each other
        ((0 * x, x), (2 * x + y, 3 * x + y), np.sqrt(2)),  # parallel, one after the other
        ((0 * x, x), (3 * x, 2 * x), 1.0),  # on one line
        ((-x, x), (z - y, z + y), 1.0),  # crossing
        ((-x, x), (-y, y), 0.0),  # through each other
        ((0 * x, x), (z, z), 1.0),  # a point
        ((0 * x, x), (x + 1e-9 * y + z, z), 1.0),  # all but parallel
    ]
    for first, second, expected in cases:
        s, t = nearest(first, second)
        assert distance(first, second, s, t) == pytest.approx(expected, abs=1e-6)


def test_the_gradient_is_that_of_the_distances():
    limits = motion_limits(PANDA)
    apart, _ = clearance(PANDA, limits, True, floor=0.0)
    q, h = postures(PANDA, limits, 50), 1e-6
    weights, step = np.random.default_rng(1).normal(size=(2, 50, 16))
    weights, step = weights[:, : len(apart.names)], step[:, :7]
    ahead, behind = apart.distances(q + h * step), apart.distances(q - h * step)
    slope = np.sum(weights * (ahead - behind), axis=1) / (2 * h)
    pulled = np.sum(apart.pulled(PANDA, q, weights) * step, axis=1)
    np.testing.assert_allclose(pulled, slope, rtol=0, atol=1e-7)


@pytest.mark.parametrize("name", ARMS)
def test_no_distance_changes_faster_than_its_bound(name):
    robot = qddot.load(name)
    limits = motion_limits(robot, ARMS[name])
    apart, _ = clearance(robot, limits, True, floor=0.0)
    q = postures(robot, limits, 500)
    for j in range(robot.n):
        one = np.eye(robot.n)[j] * 1e-5
        rate = np.abs(apart.distances(q + one) - apart.distances(q)) / 1e-5
        assert (rate <= apart._bounds[:, j] + 1e-6).all()


def test_what_is_proved_between_instants_is_below_what_many_more_show():
    limits = motion_limits(PANDA)
    apart, _ = clearance(PANDA, limits, True)
    a, b = np.random.default_rng(2).uniform(-1, 1, (2, 7, 3))
    curve = Fourier(np.array(HOME), a, b, 0.1)
    fastest = np.abs(a).sum(axis=1) + np.abs(b).sum(axis=1)
    least, when = apart.proved(curve, fastest)
    seen = apart.distances(curve.values(np.linspace(0, 10, 200_001))[0]).min(axis=0)
    assert (least <= seen).all()
    assert (seen - least < 0.002).all()
    k = int(least.argmin())
    assert apart.distances(curve.at(when[k])[0])[k] == pytest.approx(least[k], abs=0.002)


@pytest.mark.parametrize(("name", "limits"), [("scara", {"velocity": 2.0}), *long(("panda", None))])
def test_no_links_touch_in_a_motion_that_must_keep_them_apart(tmp_path, name, limits):
    """However long the search: at every instant of a fine grid, and after coming back."""
    robot = qddot.load(name)
    choices = dict(limits=limits, terms=(), starts=1, seconds=0.5, harmonics=3)
    motion = qddot.excite(robot, collision=True, floor=0.1, apart=0.02, **choices)
    apart, _ = clearance(robot, motion.limits, True, 0.1)
    d = apart.distances(motion.at(np.linspace(0, 10, 40_001))[0])
    assert d.min() >= motion.use.clearance >= 0.02
    assert not motion.violations()
    assert f"links stay {motion.use.clearance:.3g} m apart" in repr(motion)
    motion.save(tmp_path / "motion.csv")
    back = Excitation.load(tmp_path / "motion.csv", robot)
    assert not back.violations()
    assert repr(back) == repr(motion)


def test_links_that_touch_are_named_with_the_instant():
    limits = motion_limits(PANDA)
    apart, _ = clearance(PANDA, limits, True, 0.0)
    waves = np.zeros((7, 1))
    waves[1] = 1.0  # the shoulder leans forward, by 1.6 rad at most
    curve = Fourier(np.array(HOME), waves, 0 * waves, 0.1)
    _, broken = used(PANDA, curve, limits, (apart,))
    worst = next(each for each in broken if each.who == "panda_link7 and the floor")
    assert worst.t == pytest.approx(2.5, abs=0.1)
    assert worst.value < 0
    assert str(worst).endswith("m apart, less than 0.01 m")


def test_neighbours_are_left_out_and_what_touches_at_home_is_told():
    robot = qddot.load("ur5")
    apart, notes = clearance(robot, motion_limits(robot), {"*": 0.06, "forearm_link": 0.08}, 0.0)
    assert "upper_arm_link and forearm_link" not in apart.names  # neighbours
    assert "forearm_link and wrist_3_link" not in apart.names  # thicker than what is between
    assert "always touch: forearm_link and wrist_2_link; forearm_link and wrist_3_link" in notes[0]
    assert "base_link and upper_arm_link" in apart.names  # which are 0.011 m apart at most
    assert {round(c.radius, 3) for c in apart.capsules} == {0.06, 0.08}
    # below the floor at home: told, and watched all the same
    assert "at home: wrist_2_link and the floor; wrist_3_link and the floor" in notes[1]
    assert "wrist_3_link and the floor" in apart.names
    gone, _ = clearance(robot, motion_limits(robot), {"forearm_link": 0})
    assert not any("forearm_link" in name for name in gone.names)
    fat, notes = clearance(PANDA, motion_limits(PANDA), {"*": 0.05, "panda_link7": 0.7})
    assert "panda_link0 and panda_link7" not in fat.names
    assert notes[0].endswith("touch where the arm is at home: panda_link0 and panda_link7")


TOUCHING = {
    "ur5": ["base_link and upper_arm_link", "forearm_link and wrist_3_link"],
    "kinova_jaco": ["base and j2s6s200_link_2", "j2s6s200_link_3 and j2s6s200_link_5"],
    "ur3": ["forearm_link and wrist_2_link"],
}


@pytest.mark.parametrize("name", TOUCHING)
def test_links_that_nearly_always_touch_are_named_and_not_watched(name):
    """An arm with the radii that it gets by itself, above the floor it stands on, can be moved."""
    robot = qddot.load(name)
    chosen = dict(limits={"velocity": 1.0, "acceleration": 5.0, "effort": 300.0}, seconds=1e-9)
    motion = qddot.excite(robot, collision=True, floor=0.0, **chosen)
    (line,) = (note for note in motion.limits.notes if "always touch" in note)
    assert all(names in line for names in TOUCHING[name])
    assert not motion.violations()


def test_links_that_often_touch_are_watched():
    limits = motion_limits(PANDA)
    apart, _ = clearance(PANDA, limits, {"*": 0.05, "panda_link7": 0.4})
    share = (apart.distances(postures(PANDA, limits, 1000)) <= 0).mean(axis=0)
    often = dict(zip(apart.names, share, strict=True))
    assert 0.6 < often["panda_link3 and panda_link7"] < 0.8
    robot = qddot.load("ur5")
    limits = motion_limits(robot)
    # what a wide gap asks for is no reason to look away
    wide, _ = clearance(robot, limits, 0.03, least=0.2)
    assert "base_link and upper_arm_link" in wide.names


def test_there_must_be_something_left_to_watch():
    with pytest.raises(BadArgument, match="No links of robot 'panda' are left that could be kept"):
        qddot.excite(PANDA, collision=3.0)


def test_what_cannot_be_kept_apart_is_refused_in_words():
    with pytest.raises(UnknownName, match="no link named 'panda_lnk3'"):
        qddot.excite(PANDA, collision={"panda_lnk3": 0.1})
    with pytest.raises(BadArgument, match=r"The radius of links is -0\.1"):
        qddot.excite(PANDA, collision=-0.1)
    with pytest.raises(BadArgument, match="clearance is nan"):
        qddot.excite(PANDA, collision=True, apart=np.nan)
    with pytest.raises(BadArgument, match="At the start panda_link7 and the floor are nearer"):
        qddot.excite(PANDA, start=HOME, floor=0.6)
    with pytest.raises(BadArgument, match="panda_link7 touches it in every posture"):
        qddot.excite(PANDA, floor=3.0)
    with pytest.raises(BadArgument, match=r"in the workspace \(panda_link\d and the floor\)"):
        qddot.excite(PANDA, floor=0.0, apart=1.0)
