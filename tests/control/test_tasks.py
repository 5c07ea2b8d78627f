"""Joint velocities for several tasks: limits hold, levels do not disturb, optima are optima."""

from __future__ import annotations

import ctypes
import pickle
import shutil
import subprocess

import numpy as np
import pytest
from long import long
from made import PANDA, SHOULDER, UR5
from numpy.testing import assert_allclose
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

import qddot
from qddot.control import (
    ComputedTorque,
    ComTask,
    FrameTask,
    PDGravity,
    PostureTask,
    SlotineLi,
    TaskTracking,
    TaskVelocity,
    closed_loop,
)
from qddot.control.tasks.task_velocity import LEAST, PRIORITY
from qddot.motions import CartesianLine, Quintic, blended
from qddot.program.recorder import record
from qddot.robot.nearest import reach_of

HOME = np.array([0.0, 0.3, 0.0, -1.6, 0.0, 1.9, 0.5])
LIMITS = PANDA.limits
UNIT = 0.35 * reach_of(PANDA, "tool")  # [m] that counts as a radian
SCALE = np.array([1, 1, 1, *[1 / UNIT] * 3])
POSE = TaskVelocity(PANDA, FrameTask("tool"))
BOTH = TaskVelocity(PANDA, [FrameTask("tool"), PostureTask(gain=1, level=1, target=HOME)])
FREE = dict(limits=False, rate=np.inf)


def missing(X, wanted):
    """Return the error of a pose, in SciPy's words."""
    turn = Rotation.from_matrix(wanted[:3, :3] @ X[:3, :3].T).as_rotvec()
    angle = np.linalg.norm(turn)
    e = turn * (2 * np.sin(angle / 2) / angle), wanted[:3, 3] - X[:3, 3]
    return np.concatenate(e) * SCALE


def bounds(q, approach=10.0):
    v = LIMITS.velocity
    return [np.clip(approach * (end - q), -v, v) for end in (LIMITS.lower, LIMITS.upper)]


def damped(e, gain=5.0, step=1e-3):
    return 0.1 * e @ e + 4 * gain * step * np.linalg.norm(e) + LEAST


def test_a_level_is_the_optimum_of_scipy_within_limits():
    q, goals = PANDA.random_positions(100, 1), PANDA.pose(PANDA.random_positions(100, 2), "tool")
    found, held, optimal = POSE(q, goals), 0, 0
    for q_k, X, qd in zip(q, goals, found, strict=True):
        e, J = missing(PANDA.pose(q_k, "tool"), X), PANDA.jacobian(q_k, "tool") * SCALE[:, None]
        if np.linalg.norm(e[:3]) > 1.9999:  # half a turn away there is no way to be nearest
            optimal += 1
            continue
        low, high = bounds(q_k)
        A = np.vstack([J, np.sqrt(damped(e)) * np.eye(7)])
        b = np.concatenate([5 * e, np.zeros(7)])
        best = lsq_linear(A, b, (low, high), method="bvls")
        held += bool(best.active_mask.any())
        optimal += bool(((A @ qd - b) ** 2).sum() / 2 <= best.cost * (1 + 1e-9) + 1e-15)
    assert held > 80  # poses anywhere ask for more than the joints can do
    assert optimal == 100


def test_levels_without_limits_are_projections_on_null_spaces():
    tasks = [FrameTask("tool", match="position"), FrameTask("tool", match="rotation", level=1,
             name="turn"), PostureTask(level=2, target="told")]  # fmt: skip
    ik = TaskVelocity(PANDA, tasks, **FREE)
    rng, q = np.random.default_rng(3), PANDA.random_positions(50, 3)
    u, w, v = rng.normal(size=(50, 3)), rng.normal(size=(50, 3)), rng.normal(size=(50, 7))
    X = PANDA.pose(q, "tool")
    targets = {"tool": X[:, :3, 3], "turn": X, "posture": q}  # no error: velocities alone
    rates = {"tool": u, "turn": np.concatenate([w, 0 * w], axis=1), "posture": v}
    found = ik(q, targets, rates)
    for q_k, wanted, qd in zip(q, zip(u, w, v, strict=True), found, strict=True):
        J = PANDA.jacobian(q_k, "tool")
        right, N = np.zeros(7), np.eye(7)
        for Jk, xd in zip((J[3:], J[:3], np.eye(7)), wanted, strict=True):
            # Siciliano and Slotine (1991), with all levels below in N
            part = np.linalg.pinv(Jk @ N, rcond=1e-9)
            right = right + part @ (xd - Jk @ right)
            N = N - np.linalg.pinv(Jk @ N, rcond=1e-9) @ (Jk @ N)
        if np.linalg.svd(J, compute_uv=False)[-1] > 0.05:
            assert np.abs(qd - right).max() < 1e-4 * np.abs(right).max()


def test_a_level_within_limits_is_the_optimum_over_what_the_one_below_leaves():
    place = FrameTask("tool", match="position")
    ik = TaskVelocity(PANDA, [place, PostureTask(gain=20, level=1, target=HOME)])
    alone = TaskVelocity(PANDA, place)
    q = PANDA.random_positions(30, 5)
    X = PANDA.pose(np.clip(q + 0.05, LIMITS.lower, LIMITS.upper), "tool")[:, :3, 3]
    found, first = ik(q, X), alone(q, X)
    held = optimal = 0
    for q_k, qd, below in zip(q, found, first, strict=True):
        J, (low, high) = PANDA.jacobian(q_k, "tool")[3:], bounds(q_k)
        wanted = 20 * (HOME - q_k)
        A, b = np.vstack([1e5 * J, np.eye(7)]), np.concatenate([1e5 * J @ below, wanted])
        best = lsq_linear(A, b, (low, high), method="bvls").x
        optimal += ((qd - wanted) ** 2).sum() <= ((best - wanted) ** 2).sum() * (1 + 1e-5)
        assert_allclose(J @ qd, J @ below, rtol=0, atol=1e-4)
        held += ((qd <= low) | (qd >= high)).any()
    assert held > 20
    assert optimal == 30


@pytest.mark.parametrize("passes", [8, *long(1)])
def test_limits_hold_whatever_is_asked(passes):
    h, c = 1e-3, 1000.0
    ik = TaskVelocity(PANDA, [FrameTask("tool", gain=900), PostureTask(gain=1000, level=1)],
                      step=h, approach=c, passes=passes)  # fmt: skip
    rng = np.random.default_rng(passes)
    q = PANDA.random_positions(2000, 7)
    q[:500] = np.where(rng.random((500, 7)) < 0.5, LIMITS.lower, LIMITS.upper)  # in corners
    X = PANDA.pose(PANDA.random_positions(2000, 8), "tool")
    X[::3, :3, 3] *= 1e6
    qd = ik(q, X)
    assert (np.abs(qd) <= LIMITS.velocity).all()
    reached = q + h * qd
    assert (reached >= LIMITS.lower - 1e-15).all()
    assert (reached <= LIMITS.upper + 1e-15).all()


def test_a_joint_beyond_its_limit_comes_back_and_no_faster_than_its_rate():
    q = LIMITS.upper + np.array([0.001, 1.0, 0.1, 3.0, 0.0, 0.01, 1e3])
    qd = BOTH(q, PANDA.pose(HOME, "tool"))
    wanted = np.maximum(-10 * (q - LIMITS.upper), -LIMITS.velocity)
    assert (qd <= wanted + 1e-12).all()
    assert (np.abs(qd) <= LIMITS.velocity).all()


@pytest.mark.parametrize("passes", [3, *long(1)])
def test_a_level_disturbs_the_one_below_by_no_more_than_was_said(passes):
    told = PostureTask(gain=50, level=1, target="told")
    q, X = PANDA.random_positions(300, 9), PANDA.pose(PANDA.random_positions(300, 10), "tool")
    below = TaskVelocity(PANDA, FrameTask("tool"), passes=passes)(q, X)
    both = TaskVelocity(PANDA, [FrameTask("tool"), told], passes=passes)
    far = np.random.default_rng(1).uniform(-3, 3, (300, 7))
    qd = both(q, {"tool": X, "posture": q + far})
    J = PANDA.jacobian(q, "tool") * SCALE[:, None]
    moved = np.linalg.norm(np.einsum("kij,kj->ki", J, qd - below), axis=1)
    lacks = np.linalg.norm(50 * far - below, axis=1)
    assert (moved <= np.sqrt(PRIORITY) * lacks + 1e-12).all()


def test_the_hand_keeps_to_its_line_while_the_posture_is_second():
    line = CartesianLine(PANDA, "tool", HOME, duration=1.0,
                         end=PANDA.pose(HOME, "tool")[:3, 3] + [-0.1, 0.3, -0.1])  # fmt: skip
    other = HOME + np.array([0.3, 0, -0.3, 0, 0.3, 0, 0])
    tasks = [FrameTask("tool", target=line, gain=20), PostureTask(gain=4, level=1, target=other)]
    ik = TaskVelocity(PANDA, tasks)
    motion = ik.followed(HOME, 1.5, every=0.01)
    wanted = np.array([np.asarray(line.frame_at(t)[0], dtype=float) for t in motion.t])
    off = PANDA.pose(motion.q, "tool") - wanted
    assert np.abs(off).max() < 2e-4  # steps of Euler's
    assert (motion.q >= LIMITS.lower).all()
    assert (motion.q <= LIMITS.upper).all()
    assert (np.abs(motion.qd) <= LIMITS.velocity).all()
    # the free motion is used: nothing along the null space pulls any more
    q = motion.q[-1]
    along = np.linalg.svd(PANDA.jacobian(q, "tool"))[2][6]
    alone = TaskVelocity(PANDA, tasks[0]).followed(HOME, 1.5, every=0.01).q[-1]
    assert abs(along @ (other - q)) < 0.01 < abs(along @ (other - alone)) / 10
    # the same, one after the other in Python
    q = HOME
    for k in range(100):
        q = q + 1e-3 * ik(q, t=k * 1e-3)
    assert_allclose(q, motion.q[10], rtol=0, atol=1e-9)
    assert motion.as_motion(1e-3).n == 7


def test_many_arms_at_once_are_each_alone():
    q, X = PANDA.random_positions(20, 11), PANDA.pose(PANDA.random_positions(20, 12), "tool")
    together = BOTH(q.reshape(4, 5, 7), X.reshape(4, 5, 4, 4))
    assert together.shape == (4, 5, 7)
    alone = np.array([BOTH(q_k, X_k.tolist()) for q_k, X_k in zip(q, X, strict=True)])
    assert_allclose(together.reshape(20, 7), alone, rtol=0, atol=1e-8)
    moved = BOTH.followed(q, 0.05, X, every=0.05)
    assert repr(moved).startswith("<FollowedTasks: ")
    assert repr(moved).endswith(" instants from 0 to 0.05 s>")
    assert moved.q.shape == (20, 2, 7)
    assert_allclose(moved.q[3], BOTH.followed(q[3], 0.05, X[3], every=0.05).q, rtol=0, atol=1e-8)


def test_out_of_reach_the_arm_becomes_calm():
    X = PANDA.pose(HOME, "tool")
    X[:3, 3] = [2.0, 0.5, 0.6]  # a metre too far: the arm stretches out, where it is singular
    motion = BOTH.followed(HOME, 6.0, X, every=0.001)
    last = motion.qd[-500:]
    assert np.abs(last).max() < 0.05
    assert np.abs(np.diff(last, axis=0)).max() < 1e-3
    out = np.linalg.norm(PANDA.pose(motion.q[-1], "tool")[:3, 3] - [0, 0, 0.333])
    assert out > 0.84  # stretched out


@pytest.mark.parametrize("q", [np.zeros(7), [0, 0, 0, -0.07, 0, 0, 0], [0, 0, 0, -1.5, 0, 0, 0]])
def test_singular_positions_do_not_blow_up(q):
    q = np.clip(np.asarray(q, dtype=float), LIMITS.lower, LIMITS.upper)
    X = PANDA.pose(q, "tool")
    X[:3, 3] += 1e-6 * np.random.default_rng(1).normal(size=3)
    assert np.abs(POSE(q, X)).max() < 0.05
    assert np.isfinite(BOTH(q, X)).all()


def test_tasks_that_conflict_share_by_weight_or_the_lower_level_wins():
    start = HOME[:4]
    there, aside = SHOULDER.pose(start, "tool")[:3, 3], np.array([0, 0.1, 0])

    def ends(**second):
        tasks = [
            FrameTask("tool", match="position", target=there + aside, name="one"),
            FrameTask("tool", match="position", target=there - aside, name="other", **second),
        ]
        ik = TaskVelocity(SHOULDER, [*tasks, PostureTask(level=2)])
        return SHOULDER.pose(ik.followed(start, 6.0, every=6.0).q[-1], "tool")[:3, 3] - there

    assert_allclose(ends(), 0 * aside, rtol=0, atol=1e-4)
    assert_allclose(ends(weight=2.0), -0.6 * aside, rtol=0, atol=1e-3)  # least squares: 1 to 4
    assert_allclose(ends(level=1), aside, rtol=0, atol=1e-5)


@pytest.mark.long
def test_two_hands_go_to_two_places():
    robot = qddot.load("baxter")
    hands = "left_tool", "right_tool"
    away = np.random.default_rng(1).uniform(-0.3, 0.3, robot.n)
    there = np.clip(robot.home + away, robot.limits.lower, robot.limits.upper)
    targets = {hand: robot.pose(there, hand) for hand in hands}
    ik = TaskVelocity(robot, [*map(FrameTask, hands), PostureTask(gain=1, level=1)])
    q = ik.followed(robot.home, 3.0, targets, every=3.0).q[-1]
    for hand in hands:
        assert_allclose(robot.pose(q, hand), targets[hand], rtol=0, atol=1e-6)


def test_an_axis_points_and_the_centre_of_mass_stays():
    X = PANDA.pose(HOME + 0.3, "tool")
    axis = FrameTask("tool", match="z", weight=[1, 1, 1, 0, 0, 0])
    ik = TaskVelocity(PANDA, [ComTask(weight=[1, 1, 0]), axis, PostureTask(level=1, target=HOME)])
    com = PANDA.center_of_mass(HOME)
    q = ik.followed(HOME, 4.0, {"center_of_mass": com, "tool": X}, every=4.0).q[-1]
    assert_allclose(PANDA.pose(q, "tool")[:3, 2], X[:3, 2], rtol=0, atol=1e-5)
    assert_allclose(PANDA.center_of_mass(q)[:2], com[:2], rtol=0, atol=1e-6)
    assert abs(PANDA.pose(q, "tool")[:3, 0] @ X[:3, 0]) < 1 - 1e-3  # it may turn about its axis


def test_the_centre_of_mass_moves_as_its_jacobian_says():
    task = ComTask(weight=[2, 0, 1]).of(UR5)
    q, h = UR5.random_positions((), 4), 1e-6
    e, J, v = task.rows(q, np.zeros(3), np.array([1.0, 2.0, 3.0]))
    unit = 0.35 * reach_of(UR5, UR5.tip)
    by_steps = [(UR5.center_of_mass(q + h * d) - UR5.center_of_mass(q - h * d)) / (2 * h)
                for d in np.eye(6)]  # fmt: skip
    rows = np.array(by_steps).T[[0, 2]] * np.array([[2], [1]]) / unit
    assert_allclose(np.asarray(J, dtype=float), rows, rtol=0, atol=1e-8)
    assert_allclose(np.asarray(e, dtype=float), -UR5.center_of_mass(q)[[0, 2]] * [2, 1] / unit)
    assert_allclose(np.asarray(v, dtype=float), [2 / unit, 3 / unit])


def tracking(robot, start):
    there = robot.pose(start, "tool")[:3, 3]
    line = CartesianLine(robot, "tool", start, duration=0.6, orientation="free",
                         end=there + np.array([-0.1, 0.2, -0.1]))  # fmt: skip
    tasks = [FrameTask("tool", match="position", target=line, gain=20),
             PostureTask(gain=2, level=1, target=start)]  # fmt: skip
    ik = TaskVelocity(robot, tasks)
    return TaskTracking(ik, ComputedTorque(robot, 400, 40, start))


def check_tracking(robot, start):
    law = tracking(robot, start)
    run = closed_loop(robot, law, q0=start, duration=0.8)
    assert np.abs(run.error[:, :3]).max() < 1e-4  # the line
    q, reference = run.trajectory.q, run.x
    assert np.abs(q - reference).max() < 1e-6
    assert (reference >= robot.limits.lower).all()
    assert (reference <= robot.limits.upper).all()
    assert (np.abs(run.trajectory.qd) <= robot.limits.velocity + 1e-6).all()
    assert run.report.sound is None
    assert run.report.falls is True
    return law


def test_a_law_follows_tasks_in_a_closed_loop():
    law = check_tracking(SHOULDER, HOME[:4])
    assert law.error_names[:3] == ("tool along x", "tool along y", "tool along z")
    again = pickle.loads(pickle.dumps(law))
    state = 0.1, HOME[:4], np.zeros(4), HOME[:4] + 0.01
    for one, other in zip(law(*state), again(*state), strict=True):
        assert_allclose(one, other)


@pytest.mark.long
def test_limits_hold_in_a_closed_loop_that_pushes_against_them():
    start, limits = HOME[:4], SHOULDER.limits
    place = SHOULDER.pose(start, "tool")[:3, 3] + np.array([0.6, 0.2, -0.3])  # out of reach
    far = PostureTask(target=limits.upper + 1, level=1)
    tasks = [FrameTask("tool", match="position", target=place), far]
    law = TaskTracking(
        TaskVelocity(SHOULDER, tasks, approach=20), ComputedTorque(SHOULDER, 400, 40, start)
    )
    run = closed_loop(SHOULDER, law, q0=start, duration=2)
    left, speed = limits.upper - run.x, np.diff(run.x, axis=0) / np.diff(run.t)[:, None]
    assert 0 <= left.min() < 1e-6  # it is at a limit, and not beyond
    assert (np.abs(speed) <= limits.velocity * (1 + 1e-9)).all()
    assert np.abs(speed / limits.velocity).max() > 0.999


def test_a_law_for_set_points_is_not_sound_behind_tasks():
    ik, start = tracking(SHOULDER, HOME[:4]).velocity, HOME[:4]
    for law in (PDGravity(SHOULDER, 100, 20, start), SlotineLi(SHOULDER, 5, 20, start)):
        said = {each.statement: each.holds for each in TaskTracking(ik, law).assumptions()}
        assert said["The tasks can all be met"] is None
        assert said.get("The reference is a set point", False) is False


@pytest.mark.long
def test_a_panda_follows_tasks_in_a_closed_loop():
    check_tracking(PANDA, HOME)


@pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")
def test_exported_c_gives_the_same_velocities(tmp_path):
    qddot.export(PANDA, tmp_path, functions=[BOTH])
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror"]
    made = ["gcc", *flags, "panda.c", "panda_check.c", "-o", "made", "-lm"]
    subprocess.run(made, cwd=tmp_path, check=True)
    said = subprocess.run(["./made"], cwd=tmp_path, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout
    shared = ["gcc", *flags, "-shared", "-fPIC", "panda.c", "-o", "panda.so", "-lm"]
    subprocess.run(shared, cwd=tmp_path, check=True)
    function = ctypes.CDLL(str(tmp_path / "panda.so")).panda_task_velocity
    q, X = PANDA.random_positions(40, 13), PANDA.pose(PANDA.random_positions(40, 14), "tool")
    found, still = np.empty(7), np.zeros(6)
    for q_k, X_k in zip(q, X, strict=True):
        X_k = np.ascontiguousarray(X_k)
        arrays = [x.ctypes.data_as(ctypes.c_void_p) for x in (q_k, X_k, still, found)]
        function(*arrays)
        assert_allclose(found, BOTH(q_k, X_k), rtol=0, atol=1e-7)
    with pytest.raises(qddot.QddotError, match="double precision"):
        qddot.export(PANDA, tmp_path / "single", functions=[BOTH], dtype="float32")


TOOL = PANDA.pose(HOME, "tool")


def test_a_blend_of_paths_is_a_target_that_turns():
    up = CartesianLine(PANDA, "tool", HOME, end=TOOL[:3, 3] + [0, 0, 0.1], duration=1.0)
    over = CartesianLine(
        PANDA, "tool", up.last_q, end=PANDA.pose(HOME + 0.15, "tool"), duration=1.0
    )
    path, h = blended([up, over], radius=0.04, duration=1.0), 1e-6
    program = record(lambda t: path.frame_at(t), "frame", t=())
    t = np.linspace(0.01, 0.99, 60)
    X, V = program(t)
    once = np.array([np.asarray(path.frame_at(float(x))[0], dtype=float) for x in t])
    assert_allclose(X, once, rtol=0, atol=1e-14)
    rate = (program(t + h)[0] - program(t - h)[0]) / (2 * h)
    turn = np.einsum("kij,klj->kil", rate[:, :3, :3], X[:, :3, :3])  # [ω]×
    assert_allclose(
        np.stack([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]], 1), V[:, :3], rtol=0, atol=1e-8
    )
    assert_allclose(rate[:, :3, 3], V[:, 3:], rtol=0, atol=1e-8)


def test_motions_are_targets_of_any_task():
    go = Quintic([HOME, HOME + 0.1], 1.0)
    ik = TaskVelocity(PANDA, PostureTask(target=go, gain=10))
    motion = ik.followed(HOME, 1.2, every=0.1)
    assert_allclose(motion.q[-1], HOME + 0.1, rtol=0, atol=1e-4)
    assert "posture (level 0)" in repr(ik)
