"""Every URDF of example-robot-data, read by us and by Pinocchio: the same robot.

Pinocchio reads with urdfdom, sorts the children of a link by the name of their joint, keeps a
continuous joint's cosine and sine, and (as called here) gives a mimic joint a coordinate of its
own. So everything is compared by name, and what follows another joint is projected on it:

    q_pin = G q + o        M = Gᵀ M_pin G        g = Gᵀ g_pin
"""

from __future__ import annotations

import sysconfig
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from long import one_in
from nearness import ROUND_OFF
from strategies import models

from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.kinematics import body_poses
from qddot.dynamics.rnea import gravity_torque, rigid_body_torque
from qddot.errors import BadRobot
from qddot.model import Model
from qddot.model.folding import fold
from qddot.model.tree import Tree
from qddot.readers import read
from qddot.readers.urdf import read_urdf_text
from qddot.spatial.inertia import Inertia
from qddot.writers.urdf import to_urdf

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (pip install pin)")


# what we refuse, with a word of our reason, and whether Pinocchio reads it
REFUSED = {
    "falcon.urdf": ("its child link 'Z_propeller' does not exist", False),
    "ur3.urdf": ("it has no links", False),  # an empty <robot>
    # hands copied from a file without the prefix: the joint to follow is in no tree
    "alex_psyonic_hands.urdf": ("it mimics 'index_q1', which does not exist", True),
    # moving bodies that no body can be; the left arm's numbers show the slip in the right one's
    "romeo_small.urdf": ("no body has this inertia: Iyy = 0.0065 > Ixx + Izz", True),
    "romeo_laas_small.urdf": ("a principal moment of inertia is negative (-0.00272", True),
}


def robot_files() -> list[Path]:
    """Return the URDF files that the wheel of example-robot-data puts next to Pinocchio's."""
    prefix = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix"
    return sorted((prefix / "share" / "example-robot-data" / "robots").glob("**/*.urdf"))


FILES = robot_files()
GOOD = [path for path in FILES if path.name not in REFUSED]
needs_robots = pytest.mark.skipif(
    not FILES, reason="example-robot-data is not installed (pip install example-robot-data)"
)
each_robot = pytest.mark.parametrize("path", one_in(6, GOOD), ids=lambda path: path.stem)


@cache
def ours(path: Path) -> tuple[Model, Tree]:
    model = read(path)
    return model, fold(model)


@cache
def theirs(path: Path) -> pin.Model:
    return pin.buildModelFromUrdf(str(path))


@needs_robots
def test_there_are_as_many_robots_as_expected():
    assert len(GOOD) >= 70
    assert set(REFUSED) <= {path.name for path in FILES}


@needs_robots
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_refused_for_the_reason_in_the_table(name):
    (path,) = (path for path in FILES if path.name == name)
    words, pinocchio_reads_it = REFUSED[name]
    with pytest.raises(BadRobot) as error:
        read(path)
    assert words in str(error.value)
    assert str(path) in str(error.value)
    if pinocchio_reads_it:
        assert theirs(path).njoints > 1
    else:
        with pytest.raises(ValueError, match="valid URDF"):
            theirs(path)


@needs_robots
@each_robot
def test_joints_have_the_same_names_in_a_depth_first_order(path):
    """Ours in the order of the file, Pinocchio's in that of the alphabet."""
    model, tree = ours(path)
    moving = [joint.name for joint in model.joints if joint.moves]
    assert moving == walk(path, key=lambda place_and_name: place_and_name[0])
    assert list(theirs(path).names)[1:] == walk(path, key=lambda pair: pair[1])
    assert moving == [body.name for body in tree.bodies]


@needs_robots
@each_robot
def test_bodies_have_the_same_mass_centre_and_inertia(path):
    _, tree = ours(path)
    other = theirs(path)
    assert_same_inertia(tree.base, other.inertias[0])
    for body in tree.bodies:
        assert_same_inertia(body.inertia, other.inertias[other.getJointId(body.name)])
    total = tree.base.m + sum(body.inertia.m for body in tree.bodies)
    assert_close(total, sum(inertia.mass for inertia in other.inertias))


@needs_robots
@each_robot
def test_joints_have_the_same_limits_and_friction(path):
    model, _ = ours(path)
    other = theirs(path)
    for joint in (joint for joint in model.joints if joint.moves):
        there = other.joints[other.getJointId(joint.name)]
        q, v = there.idx_q, there.idx_v
        limits = joint.limits
        if limits.lower is not None:
            assert limits.lower == other.lowerPositionLimit[q]
            assert limits.upper == other.upperPositionLimit[q]
        if limits.velocity is not None:
            assert limits.velocity == other.upperVelocityLimit[v]
            assert limits.effort == other.upperEffortLimit[v]
        assert joint.friction.viscous == other.damping[v]
        assert joint.friction.coulomb == other.upperDryFrictionLimit[v]


@needs_robots
@each_robot
def test_links_stand_in_the_same_place(path):
    model, tree = ours(path)
    other, data = theirs(path), theirs(path).createData()
    for q in configurations(tree):
        pin.framesForwardKinematics(other, data, their_position(tree, other, q))
        X_W = body_poses(tree, q)
        for link in model.links:
            body, X_BL = tree.frame(link.name)
            X_WL = X_W[body] @ X_BL
            there = data.oMf[other.getFrameId(link.name, pin.BODY)]
            assert_close(np.asarray(X_WL.R, dtype=float), there.rotation)
            assert_close(np.asarray(X_WL.p, dtype=float), there.translation, least=1)


@needs_robots
@each_robot
def test_mass_matrix_gravity_and_velocity_torques_are_the_same(path):
    _, tree = ours(path)
    other = theirs(path)
    data = other.createData()
    G = projection(tree, other)
    rng = np.random.default_rng(1)
    for q in configurations(tree):
        there, qd, qdd = their_position(tree, other, q), *rng.uniform(-1, 1, (2, tree.n))
        M = pin.crba(other, data, there)
        M = np.triu(M) + np.triu(M, 1).T
        assert_close(mass_matrix(tree, q), G.T @ M @ G)
        assert_close(
            gravity_torque(tree, q), G.T @ pin.computeGeneralizedGravity(other, data, there)
        )
        tau = G.T @ pin.rnea(other, data, there, G @ qd, G @ qdd)
        assert_close(rigid_body_torque(tree, q, qd, qdd), tau)


@needs_robots
@each_robot
def test_a_published_robot_written_and_read_is_the_same_robot(path):
    model, _ = ours(path)
    assert read_urdf_text(to_urdf(model), model.name) == model


@given(model=models(mimic=True))
def test_pinocchio_reads_what_we_write(model):
    """Any tree, oblique axes, inertias in turned axes, mimic joints: the same mass matrix."""
    tree = fold(model)
    other = pin.buildModelFromXML(to_urdf(model))
    data = other.createData()
    G = projection(tree, other)
    for q in configurations(tree):
        there = their_position(tree, other, q)
        M = pin.crba(other, data, there)
        assert_close(mass_matrix(tree, q), G.T @ (np.triu(M) + np.triu(M, 1).T) @ G)
        assert_close(
            gravity_torque(tree, q), G.T @ pin.computeGeneralizedGravity(other, data, there), 1
        )


def configurations(tree: Tree) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [np.zeros(tree.n), *rng.uniform(-3, 3, (2, tree.n))]


def their_position(tree: Tree, other: pin.Model, q: np.ndarray) -> np.ndarray:
    there = pin.neutral(other)
    for body, angle in zip(tree.bodies, tree.coordinates.joints(q), strict=True):
        joint = other.joints[other.getJointId(body.name)]
        turned = [np.cos(angle), np.sin(angle)]
        there[joint.idx_q : joint.idx_q + joint.nq] = turned if joint.nq == 2 else angle
    return there


def projection(tree: Tree, other: pin.Model) -> np.ndarray:
    """Return G: how fast each of Pinocchio's joints moves when one of ours does."""
    G = np.zeros((other.nv, tree.n))
    for body, drive in zip(tree.bodies, tree.drives, strict=True):
        G[other.joints[other.getJointId(body.name)].idx_v, drive.index] = drive.ratio
    return G


def walk(path: Path, key) -> list[str]:
    """Return the moving joints depth-first, the children of a link sorted by (place, name)."""
    children: dict[str, list[tuple[tuple[int, str], str, str]]] = {}
    carried = set()
    for i, joint in enumerate(ElementTree.parse(path).getroot().findall("joint")):
        parent, child = joint.find("parent").get("link"), joint.find("child").get("link")
        item = ((i, joint.get("name")), joint.get("type"), child)
        children.setdefault(parent, []).append(item)
        carried.add(child)
    roots = [name for name in children if name not in carried]
    order, waiting = [], [child for root in roots for child in ordered(children, root, key)]
    while waiting:
        (_, name), kind, child = waiting.pop()
        if kind != "fixed":
            order.append(name)
        waiting += ordered(children, child, key)
    return order


def ordered(children: dict, parent: str, key) -> list:
    """Return what a link carries, the first one last, as a stack wants it."""
    return sorted(children.get(parent, []), key=lambda item: key(item[0]), reverse=True)


def assert_same_inertia(inertia: Inertia, other: pin.Inertia) -> None:
    assert_close(inertia.m, other.mass)
    assert_close(inertia.h, other.mass * other.lever)
    second = other.inertia - other.mass * pin.skew(other.lever) @ pin.skew(other.lever)
    assert_close(inertia.I, second)


def assert_close(a, b, least: float = 0) -> None:
    """Assert that two arrays agree to rounding, relative to the largest entry."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    scale = max(np.abs(b).max(initial=0), least)
    assert np.abs(a - b).max(initial=0) <= ROUND_OFF * scale, (a, b)
