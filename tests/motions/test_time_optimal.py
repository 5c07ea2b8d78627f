"""The fastest motion along a path: never over a limit, always at one, and never beaten."""

import numpy as np
import pytest
from made import PANDA

import qddot
from qddot.errors import BadArgument, WrongShape
from qddot.motions import CartesianLine, Path, Quintic, Trapezoidal, time_optimal
from qddot.motions.path_timing import Blocked, HalfPlanes, fastest

EFFORT = np.array([3000.0, 1000.0])
POINTS = np.array([[0.0, 0.0], [1.0, 0.5], [1.5, 2.0]])
READY = np.array([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.7])


def cart(friction=0.0):
    """A mass of 2 kg that slides without gravity, pushed by a force."""
    pair = qddot.load("mass_spring_damper").without("gravity", "springs", "friction")
    return pair.locked({"x0": 0}).with_friction(viscous=[friction], coulomb=[0.0])


def used(robot, reference, effort, velocity=np.inf):
    """Return the instants and the largest share of a limit used at each, by inverse dynamics."""
    t = np.linspace(0, reference.duration, 20_001)[:-1]
    q, qd, qdd = reference.sampled(t)
    tau = np.abs(robot.inverse_dynamics(q, qd, qdd)) / effort
    return np.maximum(tau, np.abs(qd) / velocity).max(axis=1)


def test_a_double_integrator_bangs_to_and_fro():
    robot = cart()
    m = float(robot.mass_matrix([0.0])[0, 0])
    for pieces in (10, 400):
        reference = time_optimal(robot, [[0.0], [3.0]], effort=5.0, pieces=pieces)
        assert reference.duration == pytest.approx(2 * np.sqrt(m * 3 / 5), rel=1e-6)
    odd = time_optimal(robot, [[0.0], [3.0]], effort=5.0, pieces=401)
    assert odd.duration == pytest.approx(2 * np.sqrt(m * 3 / 5), rel=1e-4)


def test_a_double_integrator_with_a_speed_limit_is_a_trapezoid():
    robot = cart()
    m = float(robot.mass_matrix([0.0])[0, 0])
    reference = time_optimal(robot, [[0.0], [3.0]], effort=5.0, velocity=0.8)
    expected = Trapezoidal([0.0], [3.0], 0.8, 5 / m).duration
    assert reference.duration == pytest.approx(expected, rel=1e-4)


def test_viscous_friction_is_taken_in_full():
    """Against a long integration of m v̇ = ±F − d v, forward and backward, to where both meet."""
    m, F, d, length = float(cart().mass_matrix([0.0])[0, 0]), 5.0, 4.0, 3.0

    def gone(t):  # speeding up from rest
        return F / d * (t - m / d * (1 - np.exp(-d / m * t))), F / d * (1 - np.exp(-d / m * t))

    def left(t):  # slowing down to rest, backwards
        return F / d * (m / d * (np.exp(d / m * t) - 1) - t), F / d * (np.exp(d / m * t) - 1)

    up = np.linspace(0, 10, 2_000_001)
    s, v = gone(up)
    down = m / d * np.log(1 + v * d / F)
    k = int(np.argmin(np.abs(s + left(down)[0] - length)))
    few, many = (time_optimal(cart(d), [[0.0], [length]], effort=F, pieces=n) for n in (400, 800))
    assert few.duration == pytest.approx(up[k] + down[k], rel=2e-3)
    assert many.duration == pytest.approx(up[k] + down[k], rel=1e-3)


def test_springs_and_dampers_between_joints_are_counted():
    robot = qddot.load("mass_spring_damper")
    reference = time_optimal(robot, [[0.0, 0.0], [0.3, -0.2], [0.1, 0.5]], effort=120.0)
    share = used(robot, reference, np.full(2, 120.0))
    assert 0.999 < share.max() <= 1


@pytest.mark.parametrize("points", [POINTS[[0, 2]], POINTS])
@pytest.mark.parametrize("friction", [0.0, 50.0])
def test_torques_stay_within_their_limits_and_at_one_of_them(points, friction):
    robot = qddot.load("two_link")
    robot = robot.with_friction(viscous=[friction] * 2, coulomb=[friction / 2] * 2)
    reference = time_optimal(robot, points, effort=EFFORT)
    share = used(robot, reference, EFFORT)
    assert share.max() <= 1
    assert reference.use == pytest.approx(share.max(), abs=1e-3)
    assert np.mean(share >= 0.98) > 0.95
    assert reference.saturated == pytest.approx(np.mean(share >= 0.98), abs=0.02)
    assert reference.at(0.0)[0] == pytest.approx(points[0])
    assert reference.at(reference.duration)[0] == pytest.approx(points[-1])


def test_a_panda_is_at_a_torque_or_a_speed_all_the_time():
    panda = PANDA
    limits = [joint.limits for joint in panda.model.free_joints]
    effort, velocity = (
        np.array([float(x.effort or 0) for x in limits]),
        np.array([float(x.velocity or 0) for x in limits]),
    )
    reference = time_optimal(
        panda, [READY, READY + 0.5, READY + np.array([0.3, 0.2, 1, 0.4, 0, 0.3, 1])]
    )
    share = used(panda, reference, effort, velocity)
    assert share.max() <= 1
    assert np.mean(share >= 0.98) > 0.98


def quickest(feasible):
    """Return the shortest duration that is feasible, by bisection."""
    short, long = 1e-3, 20.0
    for _ in range(40):
        middle = np.sqrt(short * long)
        short, long = (short, middle) if feasible(middle) else (middle, long)
    return long


@pytest.mark.long
def test_it_beats_the_best_quintic_and_the_best_trapezoid_on_the_same_path():
    robot = qddot.load("two_link")
    start, end = POINTS[0], POINTS[2]
    best = time_optimal(robot, [start, end], effort=EFFORT).duration
    quintic = quickest(
        lambda T: used(robot, Quintic([start, end], T), EFFORT).max() <= 1,
    )

    def trapezoid(T, ramp):  # with ramps of a share of the duration
        v = 1 / (T * (1 - ramp))
        far = np.abs(end - start)
        return Trapezoidal(start, end, v * far, v / (ramp * T) * far)

    trapezoidal = min(
        quickest(lambda T, r=ramp: used(robot, trapezoid(T, r), EFFORT).max() <= 1)
        for ramp in (0.2, 0.35, 0.5)
    )
    assert best < 0.9 * trapezoidal
    assert best < 0.8 * quintic


def test_more_pieces_change_the_duration_by_little():
    robot = qddot.load("two_link")
    few, many = (time_optimal(robot, POINTS, effort=EFFORT, pieces=n) for n in (100, 800))
    assert many.duration < few.duration < many.duration * 1.005


def test_an_acceleration_limit_is_kept_too():
    robot = qddot.load("two_link")
    free = time_optimal(robot, POINTS, effort=EFFORT)
    held = time_optimal(robot, POINTS, effort=EFFORT, acceleration=[8.0, 8.0])
    qdd = held.sampled(np.linspace(0, held.duration, 10_000))[2]
    assert np.abs(qdd).max() <= 8.0
    assert held.duration > free.duration


def test_a_line_in_space_can_be_gone_in_the_least_time():
    panda = PANDA
    end = panda.pose(READY, "tool")[:3, 3] + [-0.1, 0.3, 0.1]
    line = CartesianLine(panda, "tool", READY, end, duration=2.0)
    reference = time_optimal(panda, line)
    place = panda.pose(reference.sampled(np.linspace(0, reference.duration, 500))[0], "tool")
    away = np.cross(place[:, :3, 3] - line.start, (end - line.start) / line.length)
    assert np.abs(away).max() < 2e-7
    assert reference.duration < 0.5


def half_planes(rng, least):
    """Return limits |a u + b x + c| ≤ 1 with smooth random coefficients, and x ≤ 4."""
    s = np.linspace(0, 1.5, 30)[:, None]
    a, b, c = (
        sum(rng.uniform(-1, 1, 4) * np.sin(s * k + rng.uniform(0, 6, 4)) for k in range(3))
        for _ in range(3)
    )
    a, one = np.sign(a[0]) * np.maximum(np.abs(a), least) if least else a, np.ones_like(s)
    return HalfPlanes(
        np.hstack([a, -a, 0 * one]),
        np.hstack([b, -b, one]),
        np.hstack([1 - 0.3 * c, 1 + 0.3 * c, 4 * one]),
    )


def largest(planes, delta):
    """Return the feasible x with the largest sum, by a linear program; None if there is none."""
    from scipy.optimize import linprog

    rows, most, count = [], [], len(planes.A)
    for i in range(count - 1):
        for k in (i, i + 1):
            for a, b, c in zip(planes.A[k], planes.B[k], planes.C[k], strict=True):
                row = np.zeros(count)
                row[i : i + 2] = -a / (2 * delta[i]), a / (2 * delta[i])
                row[k] += b
                rows.append(row)
                most.append(c)
    bounds = [(0, 0), *[(0, None)] * (count - 2), (0, 0)]
    found = linprog(-np.ones(count), np.array(rows), np.array(most), bounds=bounds)
    return (found.x, np.array(rows), np.array(most)) if found.status == 0 else None


def lasts(x, delta):
    return (2 * delta / (np.sqrt(x[:-1]) + np.sqrt(x[1:]))).sum()


@pytest.mark.parametrize("seed", range(8))
def test_the_passes_find_what_a_linear_program_finds(seed):
    """The fastest x is the largest at every point at once, so it has the largest sum."""
    rng = np.random.default_rng(seed)
    delta = rng.uniform(0.02, 0.08, 29)
    planes = half_planes(rng, least=0.5)
    x, _, _ = largest(planes, delta)
    assert fastest(planes, delta) == pytest.approx(x, abs=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_where_a_joint_stops_to_matter_the_passes_lose_little(seed):
    """Where a changes its sign, larger x here may mean smaller x there; then they are greedy."""
    rng = np.random.default_rng(seed)
    delta = rng.uniform(0.02, 0.08, 29)
    planes = half_planes(rng, least=0)
    expected = largest(planes, delta)
    if expected is None:
        with pytest.raises(Blocked):
            fastest(planes, delta)
        return
    x, rows, most = expected
    found = fastest(planes, delta)
    assert (rows @ found <= most + 1e-6).all()
    assert lasts(found, delta) < 1.01 * lasts(x, delta)


def test_a_path_goes_through_its_points():
    path = Path.through(POINTS)
    assert path.curve.values(path.knots)[0] == pytest.approx(POINTS)
    with pytest.raises(BadArgument, match="Points 1 and 2 of the path are the same"):
        Path.through([[0.0], [1.0], [1.0]])
    with pytest.raises(BadArgument, match="at least two points"):
        Path.through([[0.0]])


def test_what_cannot_be_gone_is_refused_with_the_reason():
    robot = qddot.load("two_link")
    with pytest.raises(BadArgument, match=r"its model has no effort limits.*\n.*effort="):
        time_optimal(robot, POINTS)
    with pytest.raises(BadArgument, match=r"start of the path joint 'j1' .* to be held still"):
        time_optimal(robot, POINTS, effort=100.0)
    stuck = robot.with_friction(viscous=[0, 0], coulomb=[5000.0, 0.0])
    with pytest.raises(
        BadArgument, match=r"cannot take it along the path beyond .* dry friction .*'j1' can"
    ):
        time_optimal(stuck, POINTS, effort=EFFORT)
    with pytest.raises(WrongShape, match="j1, j2"):
        time_optimal(robot, [[0.0], [1.0]], effort=EFFORT)
    with pytest.raises(BadArgument, match="pieces is 1; give a whole number, 2 or more"):
        time_optimal(robot, POINTS, effort=EFFORT, pieces=1)
    panda = PANDA
    with pytest.raises(BadArgument, match="leaves the limits of joint 'panda_joint4'"):
        time_optimal(panda, [READY, READY + np.array([0, 0, 0, 3, 0, 0, 0])])


def turning(seed, name="puma560", pieces=100, friction=1.0):
    """A path on which joints turn round, of an arm with friction, looked at 200 times a piece."""
    robot = qddot.load(name).without("friction")
    if friction:
        robot = robot.with_friction(coulomb=friction, viscous=friction / 2)
    bounds = robot.limits
    low, high = np.maximum(bounds.lower, -2), np.minimum(bounds.upper, 2)
    points = low + (high - low) * np.random.default_rng(seed).uniform(0.3, 0.7, (3, robot.n))
    effort = np.minimum(bounds.effort, 500.0)
    reference = time_optimal(robot, points, effort=effort, pieces=pieces)
    ends = reference.profile.breaks
    t = (ends[:-1] + np.diff(ends) * np.linspace(1e-6, 1 - 1e-6, 200)[:, None]).T.reshape(-1)
    q, qd, qdd = reference.sampled(t)
    share = np.abs(robot.inverse_dynamics(q, qd, qdd)) / effort
    return reference, np.maximum(share, np.abs(qd) / bounds.velocity).max()


@pytest.mark.parametrize(("name", "seed"), [("puma560", 2), ("scara", 3), ("iiwa14", 0)])
def test_no_limit_is_passed_between_the_places_that_are_looked_at(name, seed):
    """Where joints turn round dry friction jumps; where the motion starts damping grows as √s."""
    reference, share = turning(seed, name)
    assert 1 - 1e-5 < share <= 1
    assert reference.use < 1


@pytest.mark.long
@pytest.mark.parametrize("name", ["ur5", "panda", "puma560", "iiwa14", "scara"])
def test_no_limit_is_passed_on_any_of_twelve_paths(name):
    for seed in range(12):
        _, share = turning(seed, name, [50, 100, 400][seed % 3], seed % 2)
        assert share <= 1, (seed, share)
