"""A configuration is not a velocity: a robot with two numbers q a joint moves, is controlled,
identified and exported as the same robot with angles.
"""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from cos_sin import KIND, in_cosines, pairs
from long import long
from nearness import ROUND_OFF, SINGLE, assert_near

import qddot
from qddot.control import closed_loop
from qddot.control.laws import (
    AdaptiveSlotineLi,
    ComputedTorque,
    FeedForwardPD,
    JointImpedance,
    MomentumObserver,
    OperationalSpace,
    PDGravity,
    SlotineLi,
)
from qddot.control.report import rate_program
from qddot.errors import BadArgument, WrongShape
from qddot.identification import prepared
from qddot.motions import CartesianLine, Quintic, time_optimal
from qddot.plot import plot_log
from qddot.present.terminal.logs import log_lines
from qddot.scalars import sincos
from qddot.simulation.files import load
from qddot.studio.library import check as check_arm
from qddot.sweeps.study import prepared as prepare_study

Q, QD = np.array([0.4, 0.5]), np.array([3.0, 1.0])
SAME = 1e-8  # of two adaptive runs at a tolerance of 1e-10, in other numbers


@pytest.fixture(scope="module")
def both():
    """An arm that turns and slides, with dry friction and a stop, and the same in cosines."""
    plain = qddot.load("rp").with_friction(viscous=0.5, coulomb=1.0)
    with pytest.MonkeyPatch.context() as patch:
        yield plain, in_cosines(plain, patch)


@pytest.fixture(scope="module")
def runs(both):
    """A run of both, over an impact and with joints that stick."""
    plain, other = both
    more = {"duration": 1.0, "stops": 0.3, "torque": [2.0, 15.0]}
    return qddot.simulate(plain, Q, QD, **more), qddot.simulate(other, pairs(plain, Q), QD, **more)


def assert_same_motion(plain, other, robot, tolerance=SAME):
    for name in ("q", "qd", "tau"):
        expected = getattr(plain, name)
        expected = pairs(robot, expected) if name == "q" else expected
        assert_near(getattr(other, name), expected, tolerance=tolerance)


def test_a_run_is_that_of_the_same_robot(both, runs):
    expected, found = runs
    instants = np.linspace(0, 1, 40)
    for a, b in zip(expected.at(instants)[1:], found.at(instants)[1:], strict=True):
        assert_near(b, a, tolerance=1e-5)
    assert_near(found.at(instants)[0], pairs(both[0], expected.at(instants)[0]), tolerance=SAME)
    assert_near((found.q[:, :2] ** 2).sum(axis=1), np.ones(len(found)), tolerance=1e-15)
    assert [(e.name, e.joint) for e in found.events] == [(e.name, e.joint) for e in expected.events]
    assert {"hits its upper stop", "turns round"} <= {e.name for e in found.events}
    assert found.good
    assert found.q.shape == (len(found), 3)


@pytest.mark.parametrize("method", ["rk4", "semi_implicit_euler"])
def test_steps_of_equal_length_are_those_of_the_same_robot(both, method):
    plain, other = both
    more = {"duration": 0.1, "method": method, "step": 0.002, "every": 0.01, "audit_limit": 1}
    expected = qddot.simulate(plain, Q, QD, **more)
    assert_same_motion(expected, qddot.simulate(other, pairs(plain, Q), QD, **more), plain, 1e-6)


def test_it_starts_where_its_joints_are_neutral_and_on_the_circle(both):
    _, other = both
    more = {"duration": 0.01, "every": 0.01}
    assert_near(qddot.simulate(other, **more).q[0], [1, 0, 0], tolerance=0)
    assert_near(qddot.simulate(other, [0, 2, 0.5], **more).q[0], [0, 1, 0.5], tolerance=0)
    with pytest.raises(WrongShape, match=r"shape \(3,\)[\s\S]*j1.cos, j1.sin, j2"):
        qddot.simulate(other, [0.4, 0.5], duration=0.1)
    with pytest.raises(BadArgument, match="joints with one coordinate each"):
        qddot.simulate(other, duration=0.1, method="midpoint", step=0.01)


def test_a_saved_run_comes_back(runs, tmp_path):
    _, run = runs
    for ending in ("csv", "npz"):
        run.save(tmp_path / f"run.{ending}")
        found = load(tmp_path / f"run.{ending}", run.robot)
        assert found.positions == ("j1.cos", "j1.sin", "j2")
        assert_near(found.q, run.q, tolerance=0)
        assert_near(found.at(0.5)[0], run.at(0.5)[0], tolerance=0)


def test_home_limits_and_random_positions_have_the_numbers_of_q(both):
    plain, other = both
    assert_near(other.home, pairs(plain, plain.home), tolerance=1e-15)
    assert other.limits.lower.tolist() == [-np.inf, -np.inf, 0]
    drawn = other.random_positions((2, 5))
    assert drawn.shape == (2, 5, 3)
    assert_near((drawn[..., :2] ** 2).sum(axis=-1), np.ones((2, 5)), tolerance=1e-15)


class InCosines:
    """A motion of the joints, as one in cosines and sines."""

    def __init__(self, motion, robot):
        self.motion, self.robot, self.n = motion, robot, motion.n
        self.duration = motion.duration

    def at(self, t):
        q, qd, qdd = self.motion.at(t)
        s, c = sincos(q[0])
        return np.array([c, s, q[1]], dtype=object), qd, qdd


MOVE = Quintic([[0.4, 0.5], [1.4, 1.0]], 0.5)
PLACE = [2.9, 0.8]
LAWS = {
    "pd": lambda r, at: PDGravity(r, 60, 20, at),
    "pd at the target": lambda r, at: PDGravity(r, 60, 20, at, compensate="target"),
    "computed torque": lambda r, at: ComputedTorque(r, 100, 20, at),
    "feed forward": lambda r, at: FeedForwardPD(r, 100, 20, at),
    "slotine li": lambda r, at: SlotineLi(r, 5, 20, at),
    "adaptive": lambda r, at: AdaptiveSlotineLi(r, 5, 20, at),
    "impedance": lambda r, at: JointImpedance(r, 100, 20, at),
    "observer": lambda r, at: MomentumObserver(PDGravity(r, 60, 20, at), 10.0),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("moving", [True, False])
def test_a_law_gives_the_torques_and_the_v_of_the_same_robot(both, name, moving):
    plain, _ = both
    at = (MOVE, InCosines(MOVE, plain)) if moving else (PLACE, pairs(plain, np.array(PLACE)))
    first, second = (LAWS[name](robot, x) for robot, x in zip(both, at, strict=True))
    q, rest = np.array([-0.2, 0.6]), [np.array([0.3, -0.2]), *([first.x0] if len(first.x0) else [])]
    here, there = (np.array(0.3), q, *rest), (np.array(0.3), pairs(plain, q), *rest)
    tau, torque = (law.whole(*x) for law, x in ((first, here), (second, there)))
    for a, b in zip(*((x if isinstance(x, tuple) else (x,)) for x in (tau, torque)), strict=True):
        assert_near(b, a, tolerance=1e-10)
    V = [law.lyapunov(robot) for law, robot in zip((first, second), both, strict=True)]
    if V[0] is not None:
        assert_near(V[1](*there), V[0](*here), tolerance=1e-10)
        more = [np.array([1.0, 2.0]), *([np.ones(len(first.x0))] if len(first.x0) else [])]
        rates = [rate_program(v, robot.tree) for v, robot in zip(V, both, strict=True)]
        assert_near(rates[1](*there, *more), rates[0](*here, *more), tolerance=1e-9)


def test_an_error_is_the_short_way(both):
    plain, other = both
    law = PDGravity(other, 60, 20, pairs(plain, np.array(PLACE)))
    found = np.asarray(law.error(0.0, pairs(plain, np.array([-2.0, 0.6]))), float)
    assert_near(found, [2 * np.pi - 4.9, -0.2], tolerance=1e-14)


def test_a_closed_loop_is_that_of_the_same_robot(both):
    plain, other = both
    laws = (
        ComputedTorque(plain, 100, 20, MOVE),
        ComputedTorque(other, 100, 20, InCosines(MOVE, plain)),
    )
    expected, found = (
        closed_loop(robot, law, duration=0.5, every=0.05, stops=0.0)
        for robot, law in zip(both, laws, strict=True)
    )
    assert_same_motion(expected.trajectory, found.trajectory, plain, 1e-7)
    assert_near(found.error, expected.error, expected.trajectory.q, tolerance=1e-7)
    assert_near(found.V, expected.V, tolerance=1e-6)
    statements = [[a.statement for a in run.report.assumptions] for run in (expected, found)]
    own = "Velocity and acceleration of the reference are derivatives of its position"
    assert statements[1] == [*statements[0][:2], own, *statements[0][2:]]
    assert next(a.holds for a in found.report.assumptions if a.statement == own)


def test_a_sampled_loop_with_late_and_noisy_measurements_is_that_of_the_same_robot(both):
    plain, other = both
    laws = PDGravity(plain, 60, 20, PLACE), PDGravity(other, 60, 20, pairs(plain, np.array(PLACE)))
    more = {"duration": 0.2, "rate": 100, "delay": 0.004, "noise_q": 0.01, "noise_qd": 0.01}
    expected = closed_loop(plain, laws[0], q0=Q, **more)
    found = closed_loop(other, laws[1], q0=pairs(plain, Q), **more)
    assert_same_motion(expected.trajectory, found.trajectory, plain, 1e-6)
    first, second = (run.report.assumptions[-1].why for run in (expected, found))
    assert first[:60] == second[:60]
    assert "spectral radius" in first


def test_a_law_of_a_frame_gives_the_torques_of_the_same_robot(both):
    plain, _ = both
    q, qd = np.array([0.3, 0.9]), np.array([0.1, 0.2])
    laws = [
        OperationalSpace(robot, "tool", 100, 20, [0.5, 0.6], axes="xy", posture=place)
        for robot, place in zip(both, (PLACE, pairs(plain, np.array(PLACE))), strict=True)
    ]
    here, there = (law(0.0, x, qd) for law, x in zip(laws, (q, pairs(plain, q)), strict=True))
    assert_near(there, here, tolerance=1e-10)
    with pytest.raises(WrongShape, match=r"shape \(3,\)"):
        laws[1](0.0, q, qd)


def measured(robot):
    """Return t, q, q̇, q̈ and torques of a motion over more than a turn."""
    t = np.linspace(0, 6, 601)
    sizes, speeds = np.array([[3.0, 0.5], [0.3, 0.2]]), np.array([[2.0, 5.1], [3.3, 7.0]])
    waves = speeds * t[:, None, None]
    q = np.array([0, 1]) + (sizes * np.sin(waves)).sum(axis=2)
    qd, qdd = (
        (sizes * speeds * np.cos(waves)).sum(axis=2),
        (-sizes * speeds**2 * np.sin(waves)).sum(axis=2),
    )
    noise = 0.01 * np.random.default_rng(0).normal(size=q.shape)
    return t, q, qd, qdd, robot.inverse_dynamics(q, qd, qdd) + noise


def test_small_motions_and_equilibria_are_those_of_the_same_robot(both):
    plain, other = both
    mine, theirs = plain.linearised(Q, QD), other.linearised(pairs(plain, Q), QD)
    assert_near(theirs.A, mine.A)
    assert_near(theirs.B, mine.B)
    held = plain.equilibrium(plain.gravity_torque(Q), near=Q + 0.05)
    found = other.equilibrium(plain.gravity_torque(Q), near=pairs(plain, Q + 0.05))
    assert_near(held, Q, tolerance=SAME)
    assert_near(found, pairs(plain, Q), tolerance=SAME)


def test_a_log_with_the_numbers_of_q_gives_the_parameters_of_the_same_robot(both, tmp_path):
    plain, other = both
    t, q, qd, qdd, tau = measured(plain)
    expected = qddot.identify(plain, (q, qd, qdd, tau))
    found = qddot.identify(other, (pairs(plain, q), qd, qdd, tau))
    assert_near(found.values, expected.values, tolerance=1e-9)
    with pytest.raises(BadArgument, match=r"q has shape .*must have shape \(k, 3\)"):
        qddot.identify(other, (q, qd, qdd, tau))

    columns = {"t": t, "tau.j1": tau[:, 0], "tau.j2": tau[:, 1]}
    of_q = dict(zip(("q.j1.cos", "q.j1.sin", "q.j2"), pairs(plain, q).T, strict=True))
    file = tmp_path / "log.npz"
    np.savez(file, **columns, **of_q)
    log = qddot.load_log(file, other)
    told = [line.split() for line in log_lines(log, other)]
    assert told[6:9] == [["j1.sin", "q.j1.sin"], ["j2", "q.j2"], ["j1", "tau.j1"]]
    plot_log(log)
    ready = prepared(log, other, cutoff=20.0)
    inside = np.searchsorted(t, ready.t + 1e-9) - 1
    assert_near(ready.qd, qd[inside], tolerance=0.01)
    assert_near(ready.qdd[9:-9], qdd[inside][9:-9], tolerance=0.05)
    assert_near((ready.q[:, :2] ** 2).sum(axis=1), np.ones(len(ready)), tolerance=1e-15)
    assert_near(qddot.identify(other, ready).values, expected.values, tolerance=0.05)
    with pytest.raises(BadArgument, match="several numbers per joint"):
        qddot.load_log(file, other, units={"q": "deg"})


def test_a_simulated_run_is_a_log(both, runs):
    log = qddot.load_log(runs[1], both[1])
    assert log.positions == ("j1.cos", "j1.sin", "j2")
    assert not [note for note in log.notes if note.severity == "warning"]


@pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")
def test_exported_c_gives_the_torques_of_the_same_robot(both, tmp_path):
    plain, other = both
    law = PDGravity(other, 60, 20, pairs(plain, np.array(PLACE)))
    wanted = ["inverse_dynamics", law]
    qddot.export(other, tmp_path, functions=wanted)
    assert "q has 3 numbers, in this order: j1.cos, j1.sin, j2." in (tmp_path / "rp.h").read_text()
    library = tmp_path / "rp.so"
    subprocess.run(
        ["gcc", "-std=c99", "-shared", "-fPIC", "-o", library, tmp_path / "rp.c", "-lm"], check=True
    )
    made, numbers = ctypes.CDLL(str(library)), np.ctypeslib.ndpointer(float)
    q, qd, qdd, tau = np.array([-0.2, 0.6]), QD, np.array([1.0, 2.0]), np.zeros(2)
    made.rp_inverse_dynamics.argtypes = [numbers] * 4
    made.rp_inverse_dynamics(pairs(plain, q), qd, qdd, tau)
    assert_near(tau, plain.inverse_dynamics(q, qd, qdd), tolerance=1e-12)
    still = np.zeros(2)
    made.rp_pd_gravity.argtypes = [numbers] * 7
    place = pairs(plain, np.array(PLACE))
    made.rp_pd_gravity(np.zeros(1), pairs(plain, q), qd, place, still, still, tau)
    assert_near(tau, PDGravity(plain, 60, 20, PLACE)(0.0, q, qd), tolerance=1e-12)


@pytest.mark.parametrize("to", ["to_casadi", *long("to_jax", "to_torch")])
def test_other_packages_give_the_torques_of_the_same_robot(both, to):
    package = to.removeprefix("to_")
    pytest.importorskip(package, reason=f"{package} is not installed")
    plain, other = both
    expected = plain.inverse_dynamics(Q, QD, 2 * QD)
    given = (pairs(plain, Q), QD, 2 * QD)
    functions = getattr(qddot, to)(other)
    if to == "to_torch":
        given = tuple(map(__import__("torch").tensor, given))
    found = functions.inverse_dynamics(*given)
    tolerance = SINGLE if to == "to_jax" else ROUND_OFF  # JAX computes so unless told otherwise
    assert_near(np.asarray(found, dtype=float).reshape(-1), expected, tolerance=tolerance)


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        (lambda robot: qddot.derive(robot, "lagrange"), "A closed form"),
        (lambda robot: qddot.certify(robot), "A certificate"),
        (lambda robot: qddot.excite(robot), "An exciting motion"),
        (lambda robot: qddot.report(robot), "A report"),
        (lambda robot: time_optimal(robot, [[1, 0, 0.5], [0, 1, 1]]), "Time-optimal timing"),
        (lambda robot: CartesianLine(robot, "tool", [1, 0, 0.5], [0.1, 0, 0]), "A path of a frame"),
        (lambda robot: Quintic([[0, 0.5], [1, 1]], 1.0, robot), "This reference"),
        (lambda robot: prepare_study({}, robot), "A sweep"),
        (lambda robot: check_arm(robot), "The studio"),
    ],
)
def test_what_needs_one_number_a_joint_says_so(both, asked, what):
    words = f"^{what} takes joints whose position is one number each; .*j1.cos, j1.sin, j2"
    with pytest.raises(BadArgument, match=words):
        asked(both[1])


def test_a_file_may_name_its_kind(both, tmp_path):
    plain, other = both
    other.save(tmp_path / "arm.toml")
    found = qddot.load(tmp_path / "arm.toml")
    assert [joint.kind for joint in found.model.joints] == [KIND, "prismatic"]
    assert_near(
        found.inverse_dynamics(pairs(plain, Q), QD, QD),
        plain.inverse_dynamics(Q, QD, QD),
        tolerance=1e-12,
    )


def test_it_is_shown_and_drawn(both, runs):
    _, other = both
    assert "j1" in repr(other)
    assert_near(runs[1].joint_positions, runs[0].q, tolerance=SAME)
    with pytest.raises(BadArgument, match="A smooth motion through rows takes joints"):
        runs[1].as_motion()
