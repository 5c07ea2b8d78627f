"""All solutions in closed form: complete, closed to rounding, at singular poses too."""

from __future__ import annotations

import math
from functools import cache

import mpmath
import numpy as np
import pytest
from long import long
from made import UR5

import qddot
from qddot.backends.kernel import Kernel
from qddot.dynamics.kinematics import jacobian, pose
from qddot.errors import BadArgument
from qddot.kinematics.branches import Within, closed_form
from qddot.kinematics.chain import chain_of
from qddot.kinematics.plan import plan_for
from qddot.kinematics.solutions import CLOSED
from qddot.model import Joint, Link, Model, Placement, build
from qddot.model.folding import exact, fold
from qddot.scalars import sincos

sincos.register(mpmath.mpf, lambda x: (mpmath.sin(x), mpmath.cos(x)))

# of each robot: most solutions, joints that stay in a family of solutions at a singular pose, and
# positions of joints at which it is singular
ROBOTS = {
    "ur5": (8, (0, 4), {4: (0, math.pi), 2: (0, math.pi)}),
    "puma560": (8, (0, 1, 2, 4), {4: (0, math.pi)}),
    "stanford": (8, (2,), {4: (0, math.pi), 1: (0, math.pi)}),
    "scara": (2, (2,), {1: (0, math.pi)}),
}


@cache
def robot(name: str) -> qddot.Robot:
    return qddot.load(name).with_options(threads=1)


def turns_of(name: str) -> np.ndarray:
    return np.array([joint.turns for joint in robot(name).model.free_joints])


def apart(q: np.ndarray, other: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Return how far positions are apart, angles by the shorter way."""
    d = q - other
    return np.abs(np.where(turns, (d + np.pi) % (2 * np.pi) - np.pi, d))


def positions(name: str, count: int, singular: float, seed: int = 0) -> np.ndarray:
    """Return random positions, a share of them singular or within 1e-6 of it."""
    rng, turns = np.random.default_rng(seed), turns_of(name)
    q = rng.uniform(-1, 1, (count, len(turns))) * np.where(turns, np.pi, 1.0)
    for joint, places in ROBOTS[name][2].items():
        some = rng.random(count) < singular
        off = 10.0 ** rng.uniform(-15, -6, count) * rng.choice([-1, 0, 1], count)
        q[some, joint] = (rng.choice(places, count) + off)[some]
    return q


def misses(name: str, q: np.ndarray) -> tuple[int, float]:
    """Return how many positions are not among the solutions of their pose, and the worst closure.

    Where the solution stands for a family of solutions, the joints that stay in it must agree.
    """
    arm, (_, stay, _), turns = robot(name), ROBOTS[name], turns_of(name)
    X = arm.pose(q, arm.tip)
    s = arm.inverse_kinematics_all(X, arm.tip)
    off = np.where(s.found[..., None], apart(s.q, q[:, None], turns), np.inf)
    same = (off.max(axis=-1) < 1e-5).any(axis=-1)
    family = (s.singular & (off[..., stay].max(axis=-1) < 1e-5)).any(axis=-1)
    back = arm.pose(np.where(s.found[..., None], s.q, 0), arm.tip) - X[:, None]
    return int((~same & ~family).sum()), float(np.abs(back[s.found]).max())


@pytest.mark.parametrize("name", ROBOTS)
def test_no_solution_is_missed(name):
    missed, worst = misses(name, positions(name, 3000, singular=0.1))
    assert missed == 0
    assert worst < 1e-12


@pytest.mark.long
@pytest.mark.parametrize("name", ROBOTS)
def test_no_solution_is_missed_in_a_million_poses(name):
    for seed in range(50):
        missed, worst = misses(name, positions(name, 20_000, singular=0.05, seed=seed))
        assert missed == 0, seed
        assert worst < 1e-12, seed


@pytest.mark.parametrize(
    ("name", "q", "count"),
    [
        ("ur5", [0.3, -1.1, 1.4, 0.5, 0.9, -0.7], 8),
        ("puma560", [1.83, 1.14, -1.34, -1.79, 0.88, 0.35], 8),
        ("stanford", [0.07, 2.67, 0.44, 2.66, -0.59, -0.45], 8),
        ("panda", [0.4, 0.3, 0.2, -1.5, 0.5, 1.8, 0.7], 4),
    ],
)
def test_every_root_that_newton_finds_is_there(name, q, count):
    """From 400 starts, Newton's method on pose and Jacobian ends at the solutions only."""
    arm, q, rng = robot(name), np.array(q), np.random.default_rng(0)
    free = np.arange(6)  # of a seventh joint the position is given
    turns, X = turns_of(name)[free], arm.pose(q, "tool")
    given = {arm.joint_names[6]: q[6]} if len(q) == 7 else {}
    s = arm.inverse_kinematics_all(X, "tool", free=given)
    at = np.tile(q, (400, 1))
    at[:, free] = rng.uniform(-1, 1, (400, 6)) * np.where(turns, np.pi, 1.0)
    for _ in range(60):
        Y, J = arm.pose(at, "tool"), arm.jacobian(at, "tool")[..., free]
        turn = X[:3, :3] @ Y[:, :3, :3].swapaxes(-1, -2)
        axis = np.stack(
            [(turn - turn.swapaxes(-1, -2))[:, i, j] / 2 for i, j in ((2, 1), (0, 2), (1, 0))], -1
        )
        error = np.concatenate([axis, X[:3, 3] - Y[:, :3, 3]], -1)
        damped = J.swapaxes(-1, -2) @ J + 0.01 * (error**2).sum(-1)[:, None, None] * np.eye(6)
        at[:, free] += np.linalg.solve(damped, J.swapaxes(-1, -2) @ error[..., None])[..., 0]
    closes = np.abs(arm.pose(at, "tool") - X).max(axis=(-2, -1)) < 1e-9
    ends = apart(at[closes][:, None, free], s.q[s.found][None, :, free], turns).max(axis=-1)
    assert s.found.sum() == count
    assert closes.sum() > 100
    assert (ends.min(axis=1) < 1e-6).all()  # every root is one of ours
    assert (ends.min(axis=0) < 1e-6).all()  # and all of ours are found


@pytest.mark.parametrize("name", ["ur5", *long("puma560")])
def test_solutions_have_their_digits(name):
    """Newton's method with 50 digits, from each solution, stays within rounding of it."""
    arm, tip = robot(name), robot(name).tip
    q = positions(name, 2, singular=0, seed=3)
    s = arm.inverse_kinematics_all(arm.pose(q, tip), tip)
    with mpmath.workdps(50):
        tree = arm.tree.map(lambda x: mpmath.mpf(x))
        for row, start in zip(s.q, q, strict=True):
            target = pose(tree, [mpmath.mpf(x) for x in start], tip)
            for found in row[~np.isnan(row[:, 0])]:
                at, e = [mpmath.mpf(x) for x in found], []
                for _ in range(3):
                    X = pose(tree, at, tip)
                    turn = target.R @ X.R.T
                    e = [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
                    e = [x / 2 for x in e] + list(target.p - X.p)
                    step = mpmath.lu_solve(
                        mpmath.matrix(jacobian(tree, at, tip).tolist()), mpmath.matrix(e)
                    )
                    at = [x + dx for x, dx in zip(at, step, strict=True)]
                assert max(abs(e[k]) for k in range(6)) < 1e-40
                assert max(abs(x - mpmath.mpf(y)) for x, y in zip(at, found, strict=True)) < 1e-12


@pytest.mark.parametrize(
    "q",
    [np.zeros(6), [0.3, -1, 1, 0.4, 0, 0.7], [0.3, -1, 0, 0.4, 0, 0.7], [1, 2, np.pi, 1, np.pi, 0]],
)
def test_singular_poses_have_a_solution_that_says_so(q):
    for arm in (UR5, robot("puma560")):
        s = arm.inverse_kinematics_all(arm.pose(np.array(q, dtype=float), arm.tip), arm.tip)
        assert s.found.any()
        assert s.singular.any()
        assert (s.closure[s.found] <= CLOSED).all()


def test_out_of_reach_has_no_solution():
    X = np.eye(4)
    X[:3, 3] = 3, 0, 0
    s = UR5.inverse_kinematics_all(X, "tool")
    assert not s.found.any()
    assert np.isnan(s.q).all()
    assert s.q.shape == (8, 6)
    assert repr(s).startswith("0 solutions")


def test_a_pose_that_too_few_joints_cannot_reach_is_not_found():
    arm, q = robot("scara"), np.array([0.3, 0.4, 0.1, 0.2])
    X = arm.pose(q, arm.tip)
    assert arm.inverse_kinematics_all(X, arm.tip).found.all()
    s, c = math.sin(1e-9), math.cos(1e-9)
    tilted = X @ np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])
    assert not arm.inverse_kinematics_all(tilted, arm.tip).found.any()


def test_batches_and_frames():
    q = positions("ur5", 6, singular=0).reshape(2, 3, 6)
    X = UR5.pose(q, "tool")
    s = UR5.inverse_kinematics_all(X, "tool")
    assert s.q.shape == (2, 3, 8, 6)
    assert s.found.shape == (2, 3, 8)
    assert s.found.dtype == bool
    np.testing.assert_array_equal(s.q, UR5.at("tool").inverse_kinematics_all(X).q)
    one = UR5.inverse_kinematics_all(X[1, 2], "tool")
    np.testing.assert_allclose(one.q, s.q[1, 2], rtol=0, atol=1e-9)
    # three joints carry the forearm; the others stand at home
    s = UR5.inverse_kinematics_all(UR5.pose(q, "forearm_link"), "forearm_link")
    assert (apart(s.q, q[:, :, None], np.ones(6, bool))[..., :3].max(axis=-1) < 1e-9).any(-1).all()
    np.testing.assert_array_equal(s.q[0, 0, np.flatnonzero(s.found[0, 0])[0], 3:], UR5.home[3:])


def test_limits():
    arm = qddot.load("kinova_jaco")  # joints 2 and 3 have limits beyond half a turn
    low, high = arm.limits.span()
    q = np.random.default_rng(0).uniform(low, high, (200, arm.n))
    s = arm.inverse_kinematics_all(arm.pose(q, arm.tip), arm.tip, limits=True)
    turns = np.ones(arm.n, dtype=bool)
    assert (apart(s.q, q[:, None], turns).max(axis=-1) < 1e-6).any(axis=-1).all()
    inside = (s.q >= arm.limits.lower - 1e-9) & (s.q <= arm.limits.upper + 1e-9)
    assert inside[s.found].all()
    every = arm.inverse_kinematics_all(arm.pose(q, arm.tip), arm.tip)
    assert s.counts.sum() < every.counts.sum()


@pytest.mark.parametrize(("name", "joint"), [("panda", 6), *long(("iiwa14", 2), ("xarm7", 6))])
def test_seven_joints_with_one_given(name, joint):
    arm = robot(name)
    q = np.random.default_rng(1).uniform(-2, 2, (50, 7))
    X, given = arm.pose(q, arm.tip), {arm.joint_names[joint]: q[:, joint]}
    s = arm.inverse_kinematics_all(X, arm.tip, free=given)
    assert (apart(s.q, q[:, None], np.ones(7, bool)).max(axis=-1) < 1e-6).any(axis=-1).all()
    curve = arm.inverse_kinematics_all(
        X[0], arm.tip, free={arm.joint_names[joint]: q[0, joint] + np.linspace(-0.1, 0.1, 11)}
    )
    assert curve.q.shape == (11, 8, 7)
    assert curve.found[5].any()


def test_programs_go_elsewhere():
    """The public program gives what the kernel does, evaluated operation by operation."""
    program = UR5.program("inverse_kinematics_all", frame="tool")
    q = np.array([0.3, -1.1, 1.4, 0.5, 0.9, -0.7])
    X = UR5.pose(q, "tool")
    found, miss, _ = program(X)
    s = UR5.inverse_kinematics_all(X, "tool")
    np.testing.assert_allclose(found, s.q, rtol=0, atol=1e-12)
    assert (miss <= CLOSED**2).all()
    assert len(program) < 1000


def test_rounded_poses_are_straightened():
    X = UR5.pose(np.array([0.3, -1.1, 1.4, 0.5, 0.9, -0.7]), "tool")
    s = UR5.inverse_kinematics_all(np.round(X, 7), "tool")
    assert s.found.all()
    assert np.abs(UR5.pose(s.q, "tool") - X).max() < 1e-6


# lines that meet or not, exactly


def arm_of(*rows: tuple, kinds: str = "") -> Model:
    """Return a chain of turns (R) and slides (P) about z, each placed by (xyz, rpy)."""
    links = [Link("base"), *(Link(f"link{i}") for i in range(len(rows)))]
    joints = [
        Joint(
            f"joint{i}",
            "prismatic" if kinds[i : i + 1] == "P" else "revolute",
            links[i].name,
            f"link{i}",
            Placement(xyz, rpy),
            axis=(0, 0, 1),
        )
        for i, (xyz, rpy) in enumerate(rows)
    ]
    return build("made", links, joints)


def plan_of(model: Model):
    chain = chain_of(fold(model, exact), model.links[-1].name)
    return chain, plan_for(chain)


RIGHT = math.pi / 2
WRIST = (((0.4, 0, 0), (RIGHT, 0, 0)), ((0, 0, 0), (-RIGHT, 0, 0)), ((0, 0, 0), (RIGHT, 0, 0)))
ELBOW = (((0, 0, 0.3), (0, 0, 0)), ((0, 0, 0), (RIGHT, 0, 0)), ((0.5, 0, 0), (0, 0, 0)))


@pytest.mark.parametrize("angle", [RIGHT, 1.5708, 1.57, 0.7])
def test_a_wrist_meets_whatever_its_angles(angle):
    """1.5708 in the place of π/2 changes no point in which axes meet, and stays what it is."""
    wrist = [(xyz, (math.copysign(angle, rpy[0]), 0, 0)) for xyz, rpy in WRIST]
    chain, plan = plan_of(arm_of(*ELBOW, *wrist))
    assert plan is not None
    assert plan.branches == 8
    tree, q = fold(arm_of(*ELBOW, *wrist)), np.linspace(0.3, 0.8, 6)
    X = np.array(pose(tree, q, chain.frame).matrix(), dtype=float)
    found = closed_form(plan, Within(np.zeros(6)))(X)[0]
    assert (np.abs(found - q).max(axis=-1) < 1e-9).any()


@pytest.mark.parametrize("gap", [1e-3, 1e-9, 1e-14])
def test_axes_that_nearly_meet_do_not_meet(gap):
    almost = [*WRIST[:2], ((gap, 0, 0), WRIST[2][1])]
    assert plan_of(arm_of(*ELBOW, *almost))[1] is None
    assert plan_of(arm_of(*ELBOW, *WRIST))[1] is not None


@pytest.mark.parametrize("rolls", [2, *long(1, 3)])
def test_oblique_arms_are_decided_too(rolls):
    """Angles of many kinds make exact numbers long: then seventy digits decide."""
    rng = np.random.default_rng(rolls)
    oblique = [tuple(float(x) for x in rng.uniform(-1, 1, 3)) for _ in range(3)]
    bent = [(xyz, oblique[i] if i < rolls else rpy) for i, (xyz, rpy) in enumerate(ELBOW)]
    rows = [*bent[:2], ((0.5, 0, 0), (0, 0, 0)), *WRIST]  # axes 2 and 3 are parallel
    model = arm_of(*rows)
    chain, plan = plan_of(model)
    assert plan is not None
    tree, q = fold(model), np.linspace(0.3, 0.8, 6)
    X = np.array(pose(tree, q, chain.frame).matrix(), dtype=float)
    found = closed_form(plan, Within(np.zeros(6)))(X)[0]
    assert (np.abs(found - q).max(axis=-1) < 1e-9).any()
    almost = [*rows[:5], ((1e-14, 0, 0), WRIST[2][1])]
    assert plan_of(arm_of(*almost))[1] is None


def random_arm(rng: np.random.Generator) -> Model:
    """Return an arm of up to six joints, or three joints and a wrist whose axes meet."""
    n, wrist = int(rng.integers(1, 7)), rng.random() < 0.4
    n = 3 if wrist else n
    angles = [0, 0, 0, RIGHT, -RIGHT, math.pi, 0.6]
    rows = [
        (
            tuple(float(rng.uniform(-0.5, 0.5)) if rng.random() < 0.4 else 0.0 for _ in range(3)),
            tuple(float(rng.choice(angles)) for _ in range(3)),
        )
        for _ in range(n)
    ]
    rows += WRIST if wrist else ()
    rows = rows if rng.random() < 0.5 else rows[::-1]
    return arm_of(*rows, kinds="".join(rng.choice([*"RRRRP"], n)))


def test_any_arm_that_has_a_closed_form():
    """Where there is a plan, it finds the positions that made a pose, and nothing that is none."""
    solved = [solved_rightly(seed) for seed in range(16)]
    assert sum(solved) > 5


@pytest.mark.long
def test_many_arms_that_have_a_closed_form():
    assert sum(solved_rightly(seed) for seed in range(16, 316)) > 80


def solved_rightly(seed: int) -> bool:
    """Check an arm; return whether it has a closed form, and its joints are not too many."""
    rng = np.random.default_rng(seed)
    model = random_arm(rng)
    tree, (chain, plan) = fold(model), plan_of(model)
    q = rng.uniform(-2, 2, (4, tree.n))
    J = [np.array(jacobian(tree, x, chain.frame), dtype=float) for x in q]
    if plan is None or np.linalg.matrix_rank(J, tol=1e-9).max() < tree.n:
        return False
    X = np.array([pose(tree, x, chain.frame).matrix() for x in q], dtype=float)
    elsewhere = X.copy()
    elsewhere[:, :3, 3] += 0.1 * rng.normal(size=(4, 3))  # perhaps out of reach
    poses = np.concatenate([X, elsewhere])
    with np.errstate(all="ignore"):
        found, miss, _ = closed_form(plan, Within(np.zeros(tree.n)))(poses)
    turns = np.array([axis.turns for axis in chain.axes])
    close = (apart(found[:4], q[:, None], turns).max(axis=-1) < 1e-6) & (miss[:4] <= CLOSED**2)
    assert close.any(axis=-1).all(), seed
    for at, k in zip(*np.nonzero(miss <= CLOSED**2), strict=True):
        back = np.array(pose(tree, found[at, k], chain.frame).matrix(), dtype=float)
        assert np.abs(back - poses[at]).max() < 5e-12, seed
    return True


def from_rows(*rows: tuple, convention: str = "standard") -> qddot.Robot:
    """Return an arm of rows alpha, a, d, theta, and where it slides "prismatic"."""
    inertia = {"mass": 1, "inertia": [0.02, 0, 0, 0.02, 0, 0.01]}
    names = ("alpha", "a", "d", "theta", "type")
    dicts = [dict(zip(names, row, strict=False)) | inertia for row in rows]
    return qddot.from_dh(dicts, convention)


def test_short_levers_where_solutions_meet_lose_nothing():
    wrist = (("-pi/2", 0, 0, "pi/2"), ("pi/2", 0, 0.5, 0), ("pi", 0, 1e-9, "pi/2"))
    arm = from_rows((0, 0.3, 0, 0), ("pi/2", 0, 0.1, 0.4), *wrist)
    q = np.array([0.9940442759744572, -0.17167373902315797, 0.0001, -math.pi / 2, 0.0001])
    s = arm.inverse_kinematics_all(arm.pose(q, "tool"), "tool")
    assert np.abs(s.q[s.found] - q).max(axis=-1).min() < 1e-6


def test_a_short_arm_far_from_the_base_has_the_digits_of_its_place():
    arm = from_rows((1e-9, 0.1, 1e-12, 0), convention="modified")
    q = np.array([[1.9757], [-0.3]])
    assert np.allclose(arm.inverse_kinematics_all(arm.pose(q, "tool"), "tool").q[:, 0], q)


def test_lines_that_meet_at_a_tiny_angle():
    arm = from_rows(("pi/3", 0, "1/3", 0), (1e-9, 0, 1e-9, 0), (0.7, 1e-9, 0, 0.4))
    with pytest.raises(BadArgument, match="no closed form"):
        arm.inverse_kinematics_all(np.eye(4), "tool")


def test_a_slide_that_goes_much_farther_than_its_offsets():
    inertia = {"mass": 1, "inertia": [0.02, 0, 0, 0.02, 0, 0.01]}
    row = {"alpha": "pi/3", "a": 1e-9, "d": 1e-9, "theta": "pi/2", "type": "prismatic"}
    arm = qddot.from_dh([row | inertia], "standard")
    q = np.linspace(-1, 1, 50)[:, None]
    assert arm.inverse_kinematics_all(arm.pose(q, "tool"), "tool").found.all()


@pytest.mark.parametrize("angle", [math.pi / 2, -math.pi / 2, 0.4])
def test_a_slide_is_found_wherever_known_turns_put_another(angle):
    """What a slide leaves in place are all heights across it; not each of them says something."""
    slides = ((0, 0, 0, 1, "prismatic"), (-0.7, 0, 0.1, 0, "prismatic"))
    arm = from_rows(slides[0], (-2.5, 0, 0, 0), (0, 0.1, 0, 0), slides[1])
    q = np.array([0.1, 0.3, angle, 0.2])
    s = arm.inverse_kinematics_all(arm.pose(q, "tool"), "tool")
    assert np.abs(s.q[s.found] - q).max(axis=-1).min() < 1e-9


def test_an_arm_of_a_millimetre_with_a_slide_has_its_closed_form():
    arm = from_rows(
        *((0, 4e-4, 0, 0), (0, 3e-4, 0, 0), (0, 0, 0, 0, "prismatic"), (0, 0, 0, "pi/2"))
    )
    q = np.array([0.3, -1.1, 2e-4, 0.7])
    s = arm.inverse_kinematics_all(arm.pose(q, "tool"), "tool")
    assert s.counts == 2
    assert np.abs(s.q - q).max(axis=-1).min() < 1e-9


def test_an_arm_that_is_singular_everywhere_says_so():
    arm = from_rows(("pi/2", 0.1, 0, 0), ("pi", 0, 0.2, 0), ("-pi/2", 0.3, 0, 0))  # 2 and 3 agree
    with pytest.raises(BadArgument, match="singular at every position"):
        arm.inverse_kinematics_all(np.eye(4), "tool")


@pytest.mark.parametrize("near", [0.0, 1e-9, 1e-6])
def test_a_program_says_by_its_outputs_where_it_may_lack_a_solution(near):
    """As exported comments and the page promise; Python looks at these poses again."""
    rng = np.random.default_rng(0)
    q = rng.uniform(-3, 3, (500, 6))
    q[:, 4] = near * rng.uniform(-1, 1, 500)
    q[::3, 2] = near * rng.uniform(-1, 1, len(q[::3]))
    X = UR5.pose(q, "tool")
    _, miss, margin = Kernel(UR5.program("inverse_kinematics_all", frame="tool"))(X)
    every = UR5.inverse_kinematics_all(X, "tool")
    assert every.found.any(axis=1).all()
    solved = miss <= 2.5e-25
    lacks = every.found & ~solved
    assert lacks.any()
    told = ((miss > 2.5e-25) & (miss <= 1e-10)) | (margin <= 1e-20)
    assert told[lacks].all()
