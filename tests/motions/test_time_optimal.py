"""The fastest motion along a path: never over a limit, always at one, and never beaten."""

import numpy as np
import pytest
from made import PANDA

import qddot
from qddot.backends.kernel import Kernel
from qddot.errors import BadArgument
from qddot.motions import (
    CartesianLine,
    Path,
    Quintic,
    Trapezoidal,
    time_optimal,
    time_optimal_batch,
)
from qddot.motions.path_grid import PathGrid
from qddot.motions.path_passes import Passes, lines
from qddot.motions.path_rounds import PathLimits, solved
from qddot.motions.path_timing import KEPT
from qddot.program import record

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


@pytest.mark.parametrize("d", [4.0, 200.0])
def test_viscous_friction_is_taken_in_full(d):
    """Against a long integration of m v̇ = ±F − d v, forward and backward, to where both meet."""
    m, F, length = float(cart().mass_matrix([0.0])[0, 0]), 5.0, 3.0

    def gone(t):  # speeding up from rest
        return F / d * (t - m / d * (1 - np.exp(-d / m * t))), F / d * (1 - np.exp(-d / m * t))

    def left(t):  # slowing down to rest, backwards
        return F / d * (m / d * (np.exp(d / m * t) - 1) - t), F / d * (np.exp(d / m * t) - 1)

    up = np.linspace(0, 4 + d * length / F, 2_000_001)
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


def limits_of(rng, least):
    """Return limits |a u + b x + c| ≤ 1 with smooth random coefficients, shape (30, 4) each."""
    s = np.linspace(0, 1.5, 30)[:, None]
    a, b, c = (
        sum(rng.uniform(-1, 1, 4) * np.sin(s * k + rng.uniform(0, 6, 4)) for k in range(3))
        for _ in range(3)
    )
    a = np.sign(a[0]) * np.maximum(np.abs(a), least) if least else a
    return a, b, 0.3 * c


def strips_of(a, b, c, delta):
    """Return the strips |α x + β y + c| ≤ 1 of every piece, of both its ends."""
    half = a[:-1] / (2 * delta[:, None]), a[1:] / (2 * delta[:, None])
    alpha = np.hstack([b[:-1] - half[0], -half[1]])
    beta = np.hstack([half[0], b[1:] + half[1]])
    return alpha, beta, np.hstack([c[:-1], c[1:]])


def fastest(strips, most=4.0):
    """Return x by the two passes, at rest at both ends, and where it is blocked."""
    m = strips[0].shape[1]
    shapes = {"alpha": (m,), "beta": (m,), "c": (m,)}
    program = record(
        lambda alpha, beta, c: lines(alpha, beta, c, np.ones(m), (most, most)), **shapes
    )
    back, ahead = Kernel(program)(*(x[None] for x in strips))
    x, blocked = Passes(m).speeds(back, ahead, np.zeros(2))
    return x[0], int(blocked[0])


def largest(strips, most=4.0):
    """Return the feasible x with the largest sum, by a linear program; None if there is none."""
    from scipy.optimize import linprog

    alpha, beta, c = strips
    count = len(alpha) + 1
    rows = np.zeros((len(alpha), alpha.shape[1], count))
    for i in range(len(alpha)):
        rows[i, :, i], rows[i, :, i + 1] = alpha[i], beta[i]
    rows, c = rows.reshape(-1, count), c.reshape(-1)
    rows, limits = np.vstack([rows, -rows]), np.concatenate([1 - c, 1 + c])
    bounds = [(0, 0), *[(0, most)] * (count - 2), (0, 0)]
    found = linprog(-np.ones(count), rows, limits, bounds=bounds)
    return (found.x, rows, limits) if found.status == 0 else None


def lasts(x, delta):
    return (2 * delta / (np.sqrt(x[:-1]) + np.sqrt(x[1:]))).sum()


@pytest.mark.parametrize("seed", range(8))
def test_the_passes_find_what_a_linear_program_finds(seed):
    """The fastest x is the largest at every point at once, so it has the largest sum."""
    rng = np.random.default_rng(seed)
    delta = rng.uniform(0.02, 0.08, 29)
    strips = strips_of(*limits_of(rng, least=0.5), delta)
    x, _, _ = largest(strips)
    assert fastest(strips)[0] == pytest.approx(x, abs=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_where_a_joint_stops_to_matter_the_passes_lose_little(seed):
    """Where a changes its sign, larger x here may mean smaller x there; then they are greedy."""
    rng = np.random.default_rng(seed)
    delta = rng.uniform(0.02, 0.08, 29)
    strips = strips_of(*limits_of(rng, least=0), delta)
    expected = largest(strips)
    found, blocked = fastest(strips)
    if expected is None:
        assert blocked >= 0
        return
    x, rows, most = expected
    assert blocked < 0
    assert (rows @ found <= most + 1e-6).all()
    assert lasts(found, delta) < 1.01 * lasts(x, delta)


def exact_duration(robot, reference):
    """Return the least time with limits at both ends of each piece, by second-order cones."""
    import cvxpy as cp

    s = reference.profile.curve.coefficients[1:, 0, 0]
    q, slope, bend = reference.path.curve.values(s)
    g = robot.inverse_dynamics(q, 0 * q, 0 * q)
    a = robot.inverse_dynamics(q, 0 * q, slope) - g
    b = robot.inverse_dynamics(q, slope, bend) - g
    effort, most, delta = robot.limits.effort, 1 - KEPT, np.diff(s)
    cap = most / np.abs(slope / robot.limits.velocity).max(axis=1) ** 2
    x = cp.Variable(len(s))
    u = cp.multiply(x[1:] - x[:-1], 1 / (2 * delta))
    limits = [x[0] == 0, x[-1] == 0, x <= cap]
    for end in (slice(None, -1), slice(1, None)):
        for i in range(robot.n):
            torque = cp.multiply(a[end, i], u) + cp.multiply(b[end, i], x[end]) + g[end, i]
            limits += [torque <= most * effort[i], torque >= -most * effort[i]]
    spans = cp.multiply(2 * delta, cp.inv_pos(cp.sqrt(x[1:]) + cp.sqrt(x[:-1])))
    return cp.Problem(cp.Minimize(cp.sum(spans)), limits).solve(solver="CLARABEL")


@pytest.mark.parametrize(
    ("name", "near"), [("panda", 1e-6), pytest.param("ur5", 1e-6, marks=pytest.mark.long)]
)
def test_an_arm_is_as_fast_as_a_solver_of_cone_programs_finds(name, near):
    """Inertias along these paths change their sign ten times; there one corner may be worse."""
    pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    robot = qddot.load(name).without("friction")
    low, high = np.maximum(robot.limits.lower, -2), np.minimum(robot.limits.upper, 2)
    way = low + (high - low) * np.random.default_rng(0).uniform(0.3, 0.7, (4, robot.n))
    quick = time_optimal(robot, way, pieces=100, between=False)
    limits = PathLimits(robot.limits.effort, robot.limits.velocity, np.full(robot.n, np.inf))
    grid = PathGrid.of(quick.path, 100, np.zeros((0, robot.n)))
    (found,) = solved(robot, limits, [grid], np.zeros(2), between=False, thorough=True)
    exact = exact_duration(robot, quick)
    assert found.times[-1] == pytest.approx(exact, rel=near)
    assert found.times[-1] <= quick.duration < exact * (1 + 1e-4)


def test_several_paths_at_once_are_as_fast_as_each_alone():
    """Of different lengths and numbers of points; in lanes, and few enough for none."""
    rng = np.random.default_rng(4)
    ways = [READY + rng.uniform(-0.3, 0.3, (m, 7)) for m in (2, 3, 5, 4, 2, 3)]
    alone = [time_optimal(PANDA, way, pieces=60).duration for way in ways]
    for count in (2, 6):
        found = time_optimal_batch(PANDA, ways[:count], pieces=60)
        assert found.duration == pytest.approx(alone[:count], rel=1e-9)
        assert found[1].duration == found.duration[1]
        assert found.found.all()
    robot = qddot.load("two_link")
    both = time_optimal_batch(robot, [POINTS, POINTS - [1.5, 0]], effort=[700.0, 1000.0])
    assert list(both.found) == [False, True]
    assert both.duration[0] == np.inf
    assert "'j1'" in both.problems[0]
    with pytest.raises(BadArgument, match="to be held still"):
        both[0]
    assert len(time_optimal_batch(PANDA, [])) == 0


def test_motions_can_be_joined_at_speed():
    """A path in two parts takes as long as the whole, if both go as fast where they meet."""
    robot, line = cart(), Path.through([[0.0], [3.0]])
    whole = time_optimal(robot, line, effort=5.0)
    t = 0.3 * whole.duration
    s, speed, _ = (float(x[0]) for x in whole.profile.curve.at(t))
    first = time_optimal(robot, [[0.0], [s]], effort=5.0, speeds=(0, speed))
    second = time_optimal(robot, [[s], [3.0]], effort=5.0, speeds=(speed, 0))
    assert first.duration == pytest.approx(t, rel=1e-5)
    assert second.duration == pytest.approx(whole.duration - t, rel=1e-4)
    assert second.at(0.0)[1] == pytest.approx([speed])
    with pytest.raises(BadArgument, match="beyond 0 of 3"):
        time_optimal(robot, line, effort=5.0, speeds=(10, 0))


def test_limits_at_the_points_alone_allow_more_and_say_by_how_much():
    way, limits = [READY, READY + 0.5, READY], (PANDA.limits.effort, PANDA.limits.velocity)
    strict, loose = (time_optimal(PANDA, way, pieces=50, between=x) for x in (True, False))
    assert loose.duration < strict.duration
    assert strict.use < 1 < loose.use
    t = np.linspace(0, loose.duration, 20_001)
    q, qd, qdd = loose.sampled(t)
    torque = np.abs(PANDA.inverse_dynamics(q, qd, qdd)) / limits[0]
    share = max(torque.max(), (np.abs(qd) / limits[1]).max() ** 2)  # velocities count squared
    assert loose.use == pytest.approx(share, abs=1e-5)


def test_friction_that_takes_most_of_the_motors_is_borne():
    robot = PANDA.without("friction").with_friction(viscous=20.0, coulomb=2.0)
    way = [READY, READY + 0.4, READY + np.array([0.4, -0.4, 0, 0, 0, 0, 0]), READY]
    few, many = (time_optimal(robot, way, pieces=n) for n in (200, 800))
    assert used(robot, many, robot.limits.effort, robot.limits.velocity).max() <= 1
    assert many.duration < few.duration < 1.003 * many.duration


def test_a_path_goes_through_its_points():
    path = Path.through(POINTS)
    assert path.curve.values(path.knots)[0] == pytest.approx(POINTS)


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
