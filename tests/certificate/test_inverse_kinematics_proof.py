"""Proofs of inverse kinematics: every claim holds, and what cannot be claimed is not."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from flint import arb
from made import ARM, PANDA, UR5
from mpmath import mp
from nearness import CANCELLED, HANDFUL, SOLVED

import qddot
from qddot.certificate import KinematicsProof
from qddot.certificate.bound import box_of
from qddot.certificate.equation_boxes import Boxes
from qddot.certificate.krawczyk import PoseProblem
from qddot.certificate.pose_equations import PoseEquation, PoseEquations, Ranges
from qddot.certificate.pruning import prune, touching
from qddot.certificate.serial_chain import serial_chain
from qddot.model import Joint, Link, Placement, build

PUMA, STANFORD, SCARA = (qddot.load(name) for name in ("puma560", "stanford", "scara"))
# R. Manseur, K. Doty, A robot manipulator with 16 real inverse kinematic solution sets, 1989
SIXTEEN = [(0.3, 0, 90), (1, 0, 1), (0, 0.2, 90), (1.5, 0, 1), (0, 0, 90), (0, 0, 1)]
SIXTEEN_AT = [
    [-0.760117, -0.641689, 0.102262, -1.140175],
    [0.133333, 0, 0.991071, 0],
    [-0.635959, 0.766965, 0.085558, 0],
    [0, 0, 0, 1],
]


def from_table(rows: list[dict[str, Any]]) -> qddot.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qddot.RobotWarning)  # these arms have no mass
        return qddot.from_dh(rows, "standard")


def rotated(X: Any) -> np.ndarray:
    """Return a pose with the nearest rotation in it."""
    X = np.array(X, dtype=float)
    U, _, V = np.linalg.svd(X[:3, :3])
    X[:3, :3] = U @ V
    return X


def searched(robot: qddot.Robot, X: np.ndarray, held: Any = None, count: int = 400) -> np.ndarray:
    """Return the solutions within the limits that Newton's method finds from many starts."""
    box, rng = box_of(robot, held), np.random.default_rng(5)
    low, high = box.edges
    q, free = rng.uniform(low, high, (count, robot.n)), low < high
    for step in range(50):
        at, J = robot.pose(q, "tool"), robot.jacobian(q, "tool")[..., free]
        D = X[:3, :3] @ np.swapaxes(at[:, :3, :3], 1, 2)
        turn = [D[:, 2, 1] - D[:, 1, 2], D[:, 0, 2] - D[:, 2, 0], D[:, 1, 0] - D[:, 0, 1]]
        error = np.concatenate([0.5 * np.array(turn).T, X[:3, 3] - at[:, :3, 3]], axis=1)
        JT, damping = np.swapaxes(J, 1, 2), (1e-6 if step < 35 else 1e-14) * np.eye(free.sum())
        move = np.linalg.solve(JT @ J + damping, JT @ error[..., None])[..., 0]
        q[:, free] += move * np.minimum(1, 0.7 / np.abs(move).max(1, keepdims=True).clip(1e-9))
    q = q[np.abs(robot.pose(q, "tool") - X).max((1, 2)) < 1e-9]
    turns = np.array([joint.turns for joint in robot.model.free_joints])
    q = np.where(turns, q - 2 * np.pi * np.round((q - (low + high) / 2) / (2 * np.pi)), q)
    q = q[((q > low - 1e-9) & (q < high + 1e-9)).all(1)]
    return np.unique(q.round(5) + 0.0, axis=0)


def claimed(proof: KinematicsProof) -> np.ndarray:
    return np.unique(proof.q.round(5) + 0.0, axis=0)


@pytest.mark.parametrize(
    ("robot", "q", "held"),
    [
        (PUMA, [1.83, 1.14, -1.34, -1.79, 0.88, 0.35], None),
        (UR5, [0.15, -0.62, -2.24, 0.65, -2.36, -0.96], None),
        (STANFORD, [0.07, 2.67, 0.44, 2.66, -0.59, -0.45], None),
        (PANDA, [0.4, 0.3, 0.2, -1.5, 0.5, 1.8, 0.7], {"panda_joint7": 0.7}),
    ],
    ids=["spherical wrist", "parallel axes", "a slide", "a joint held"],
)
def test_exactly_the_solutions_that_a_search_from_many_starts_finds(robot, q, held):
    X = robot.pose(q, "tool")
    proof = qddot.prove_inverse_kinematics(robot, X, "tool", box=held)
    assert proof.status == "exact"
    assert proof.for_each
    assert np.allclose(claimed(proof), searched(robot, X, held), atol=3e-5)
    assert np.abs(robot.pose(proof.q, "tool") - X).max() < CANCELLED
    assert f"exactly {len(proof.q)} solutions, proved" in str(proof)


@pytest.mark.parametrize("robot", [PUMA, UR5, STANFORD], ids=lambda robot: robot.name)
def test_proofs_and_closed_forms_have_the_same_solutions(robot):
    rng, (low, high) = np.random.default_rng(3), box_of(robot, "circle").edges
    for q in rng.uniform(robot.limits.lower, robot.limits.upper, (2, robot.n)):
        X = robot.pose(q, "tool")
        closed = robot.inverse_kinematics_all(X, "tool")
        proof = qddot.prove_inverse_kinematics(robot, X, "tool", box="circle")
        slides = [not joint.turns for joint in robot.model.free_joints]
        inside = ((closed.q >= low) & (closed.q <= high))[:, slides].all(1)
        apart = proof.q[:, None] - closed.q[closed.found & inside]
        apart = np.abs(apart - 2 * np.pi * np.round(apart / (2 * np.pi)))
        assert proof.status == "exact"
        assert apart.shape[0] == apart.shape[1]
        assert (apart.max(-1).min(0) < SOLVED).all()


def test_all_sixteen_solutions_of_a_general_arm_to_fifty_digits():
    rows = [{"a": a, "d": d, "alpha": f"{alpha}deg"} for a, d, alpha in SIXTEEN]
    X = rotated(SIXTEEN_AT)
    proof = qddot.prove_inverse_kinematics(from_table(rows), X)
    assert (proof.status, len(proof.q)) == ("exact", 16)

    def pose(q: Any) -> Any:
        T = mp.eye(4)
        for x, (a, d, alpha) in zip(q, SIXTEEN, strict=True):
            c, s, ca, sa = (
                mp.cos(x),
                mp.sin(x),
                mp.cos(mp.radians(alpha)),
                mp.sin(mp.radians(alpha)),
            )
            a, d = mp.mpf(str(a)), mp.mpf(str(d))
            T *= mp.matrix(
                [
                    [c, -s * ca, s * sa, a * c],
                    [s, c * ca, -c * sa, a * s],
                    [0, sa, ca, d],
                    [0, 0, 0, 1],
                ]
            )
        return T

    target = mp.matrix(X.tolist())

    def off(*q: Any) -> list[Any]:  # six entries that fix a pose near this one
        D = pose(q) - target
        return [D[0, 1], D[0, 2], D[1, 2], D[0, 3], D[1, 3], D[2, 3]]

    with mp.workdps(50):
        for q, radius in list(zip(proof.q, proof.radius, strict=True))[::5]:
            exact = mp.findroot(off, tuple(map(mp.mpf, map(float, q))), tol=1e-80)
            assert max(abs(x - float(y)) for x, y in zip(exact, q, strict=True)) <= radius


@pytest.mark.parametrize(
    ("beyond", "status", "count"),
    [
        (-1e-3, "exact", 2),
        (-1e-9, "exact", 2),
        (-1e-13, "undecided", 0),
        (0.0, "undecided", 0),
        (1e-9, "unreachable", 0),
        (1e-3, "unreachable", 0),
    ],
)
def test_around_the_edge_of_reach(beyond, status, count):
    X = ARM.pose([0.0, 0.0], "tool")
    X[0, 3] += beyond
    proof = qddot.prove_inverse_kinematics(ARM, X, match="position")
    assert (proof.status, len(proof.q)) == (status, count)
    assert ("singular" in proof.why) == (status == "undecided")


def test_where_the_wrist_is_stretched_solutions_are_a_curve():
    q = [0.3, 0.5, -1.0, 0.4, 0.0, 0.2]
    proof = qddot.prove_inverse_kinematics(PUMA, PUMA.pose(q, "tool"))
    assert proof.status == "singular"
    assert not proof.proved
    assert 0 < proof.left < 1e-9
    assert len(proof.q) == 1  # the other elbow
    near = PUMA.pose([0.3, 0.5, -1.0, 0.4, 1e-4, 0.2], "tool")
    assert qddot.prove_inverse_kinematics(PUMA, near).status == "exact"


@pytest.mark.parametrize("off", [1e-5, 1e-7])
def test_branches_of_a_nearly_straight_wrist_are_not_taken_for_a_curve(off):
    """Four of the eight solutions are next to singular, and none is on a curve of them."""
    q = [0.3, -1.1, 1.4, 0.5, off, -0.7]
    proof = qddot.prove_inverse_kinematics(UR5, UR5.pose(q, "tool"))
    assert proof.status == "undecided"
    assert len(proof.q) == 4


@pytest.mark.parametrize(("room", "count"), [(-1e-9, 1), (1e-9, 2), (0.0, None)])
def test_limits_cut_solutions_off_or_leave_them_open(room, count):
    X = SCARA.pose([0.1, 0.7, 0.1, 0.3], "tool")
    found = qddot.prove_inverse_kinematics(SCARA, X)
    assert len(found.q) == 2
    assert not found.for_each  # a pose that is tilted a little cannot be taken
    at = {"j2": (-1.0, float(found.q[:, 1].max()) + room)}
    proof = qddot.prove_inverse_kinematics(SCARA, X, box=at)
    if count is None:
        assert proof.status == "undecided"
        assert len(proof.at_limits) == 1
        assert "j2" in proof.why
    else:
        assert (proof.status, len(proof.q)) == ("exact", count)


def random_rows(rng: np.random.Generator) -> list[dict[str, Any]]:
    rows = []
    for _ in range(rng.integers(2, 6)):
        row = {
            "a": float(rng.choice([0, rng.uniform(-0.5, 0.5)])),
            "d": float(rng.choice([0, rng.uniform(-0.5, 0.5)])),
            "alpha": float(rng.choice([0, np.pi / 2, rng.uniform(-2, 2)])),
        }
        if rng.random() < 0.3:
            row |= {"type": "prismatic", "limits": {"lower": -0.4, "upper": 0.7}}
        elif rng.random() < 0.5:
            low = float(rng.uniform(-4, 0))
            row["limits"] = {"lower": low, "upper": low + float(rng.uniform(1, 7))}
        rows.append(row)
    return rows


@pytest.mark.parametrize("seed", range(6))
def test_equations_and_boxes_hold_for_the_poses_within_a_distance(seed):
    """At any q each equation holds for poses near the one at q, and a box that is left holds q."""
    rng = np.random.default_rng(seed)
    robot = from_table(random_rows(rng))
    box, within = box_of(robot), 1e-9
    chain, (low, high) = serial_chain(robot, "tool", box_of(robot)), box.edges
    q = rng.uniform(low, high)
    turn, X = rng.normal(size=3) * within / 4, robot.pose(q, "tool")
    X[:3, :3] = rotated_by(turn) @ X[:3, :3]
    X[:3, 3] += rng.uniform(-0.9, 0.9, 3) * within
    turns = np.array(chain.turns)
    middle, half = (low + high) / 2, (high - low) / 2
    x = np.where(turns, q, (q - middle) / half)
    equations = PoseEquations(chain, X, within, False, Ranges(middle, half)).all()
    assert {k for e in equations for k in e.joints} == set(range(chain.m))
    for equation in equations:
        assert abs(value(equation, x, turns)) <= equation.error
    start = np.where(turns, middle, 0.0)[:, None], np.where(turns, half, 1.0)[:, None]
    pruned = prune(equations, chain.turns, Boxes(*start), np.inf, 100_000)
    both = Boxes.joined([pruned.boxes, pruned.open])
    assert (np.abs(both.middle - x[:, None]) <= both.half).all(0).any()


def rotated_by(w: np.ndarray) -> np.ndarray:
    """Return the rotation by a small vector, to second order."""
    W = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    return np.eye(3) + W + W @ W / 2


def value(equation: PoseEquation, x: np.ndarray, turns: np.ndarray) -> float:
    table = equation.table
    for k in equation.joints:
        basis = [1, np.cos(x[k]), np.sin(x[k])] if turns[k] else [1, x[k], x[k] ** 2]
        table = np.tensordot(basis, table, (0, 0))
    return float(table)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_random_arms_of_six_joints_have_no_solution_that_is_not_claimed(seed):
    rng = np.random.default_rng(seed)
    rows = [dict(zip(("a", "d", "alpha"), rng.uniform(-1, 1, 3).tolist(), strict=True))] * 2
    rows += [{"a": float(rng.choice([0, 0.4])), "d": 0.3, "alpha": float(rng.choice([0.5, 1.5]))}]
    rows += [{"a": 0.0, "d": float(x), "alpha": "pi/2"} for x in rng.uniform(-0.5, 0.5, 3)]
    robot = from_table(rows)
    X = robot.pose(rng.uniform(-np.pi, np.pi, 6), "tool")
    proof = qddot.prove_inverse_kinematics(robot, X)
    assert proof.proved
    assert np.allclose(claimed(proof), searched(robot, X, count=2000), atol=3e-5)


def test_a_chain_is_the_pose_of_the_robot_whatever_its_axes():
    axes = [
        ("revolute", (1.0, 2.0, -1.0)),
        ("prismatic", (0.3, 0.2, 0.1)),
        ("continuous", (0, -1, 0)),
    ]
    joints = [
        Joint(f"j{k}", kind, f"l{k}", f"l{k + 1}", Placement((0.1, k, 0.3), (1, 0.4, k)), axis=axis)
        for k, (kind, axis) in enumerate(axes)
    ]
    odd = qddot.Robot(build("odd", [Link(f"l{k}") for k in range(4)], joints))
    q = np.array([0.4, -0.3, 1.1])
    for held, free in ((None, [0, 1, 2]), (q[1], [0, 2])):
        box = box_of(odd, {"j0": (-1, 1), "j1": (-1, 1) if held is None else held})
        chain = serial_chain(odd, "l3", box)
        X = chain.frames([arb(float(x)) for x in q[free]])[-1]
        found = [[float(X[i, j].mid()) for j in range(4)] for i in range(4)]
        assert list(chain.index) == free
        assert np.allclose(found, odd.pose(q, "l3"), atol=HANDFUL)


def test_stopped_early_it_says_what_is_left():
    proof = qddot.prove_inverse_kinematics(UR5, UR5.pose(np.ones(6), "tool"), most_boxes=30)
    assert proof.status == "undecided"
    assert proof.left > 0
    assert "too many boxes" in str(proof)
    late = qddot.prove_inverse_kinematics(UR5, UR5.pose(np.ones(6), "tool"), seconds=1e-9)
    assert (late.status, late.left, late.boxes) == ("undecided", 1.0, 0)
    assert proof.to_dict()["proved"] is False


@pytest.mark.parametrize(
    ("words", "how"),
    [
        ("Hold 1 of the joints", {"robot": PANDA}),
        ("no rotation", {"X": np.diag([1.0, 1, -1, 1])}),
        ("is off by", {"X": np.diag([1.0, 1, 1 + 1e-6, 1])}),
        ("last row", {"X": np.zeros((4, 4))}),
        ("shape", {"X": np.eye(3)}),
        ("NaN|nan|finite", {"X": np.full((4, 4), np.nan)}),
        ("frame", {"frame": "nose"}),
        ("moves frame", {"frame": "base_link"}),
        ("within", {"within": 1e-20}),
        ("match", {"match": "colour"}),
    ],
)
def test_what_cannot_be_asked_is_said(words, how):
    with pytest.raises(qddot.QddotError, match=words):
        qddot.prove_inverse_kinematics(**({"robot": UR5, "X": np.eye(4)} | how))


def test_a_notebook_shows_the_solutions():
    proof = qddot.prove_inverse_kinematics(ARM, ARM.pose([0.3, 1.0], "tool"), match="position")
    assert "0.300000" in str(proof._repr_html_())


def test_a_position_beyond_all_measure_is_refused():
    X = np.eye(4)
    X[0, 3] = 1e300
    with pytest.raises(qddot.QddotError, match="away"):
        qddot.prove_inverse_kinematics(UR5, X)


def test_three_slides_that_carry_two_turns():
    row = {"alpha": "pi/2", "mass": 1, "inertia": [0.02, 0, 0, 0.02, 0, 0.01]}
    slides = [row | {"type": "prismatic", "theta": theta} for theta in (0, "pi/2", "pi/2")]
    robot = qddot.from_dh([*slides, row, row | {"alpha": 0, "a": 0.1}], "standard")
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    box = dict.fromkeys(robot.joint_names[:3], (-1, 1))
    proof = qddot.prove_inverse_kinematics(robot, robot.pose(q, "tool"), "tool", box=box)
    assert proof.status == "exact"
    assert np.allclose(proof.q, q)


def test_boxes_that_touch_are_one_also_in_a_long_row():
    order = np.random.default_rng(0).permutation(1000)
    one = touching(Boxes(np.array([0.2 * order, 0.0 * order]), np.full((2, 1000), 0.1)))
    assert len(one) == 1
    assert one.middle[0] + one.half[0] == pytest.approx(199.9)
    apart = Boxes(np.array([[0.0, 9.0, 0.5]]), np.array([[0.3, 0.3, 0.3]]))
    assert np.allclose(touching(apart).middle, [[0.25, 9.0]])


def test_what_is_not_decided_in_time_is_said_and_no_proof_is_tried_after_that(monkeypatch):
    tried = []
    monkeypatch.setattr(PoseProblem, "proved", lambda *given: tried.append(1))
    proof = qddot.prove_inverse_kinematics(PUMA, PUMA.pose([0.3] * 6, "tool"), seconds=1e-9)
    assert proof.status == "undecided"
    assert proof.why.startswith("out of time")
    assert (tried, len(proof.q), proof.left) == ([], 0, 1)


def test_a_joint_that_changes_nothing_that_is_asked_for_leaves_all_positions():
    arm = from_table([{"a": 0, "d": 0.3, "alpha": 0}])
    proof = qddot.prove_inverse_kinematics(arm, arm.pose([0.4], "tool"), match="position")
    assert not proof.proved
    assert len(proof.q) == 0
