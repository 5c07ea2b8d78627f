"""The built-in robots against Pinocchio: as our own URDF says them, and as their source does.

Pinocchio gives a joint that turns without end two coordinates, cos q and sin q, and a joint that
follows another a coordinate of its own; both are mapped here, in `Oracle`.
"""

import importlib.metadata
import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from long import one_in
from nearness import ROUND_OFF

from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.kinematics import pose
from qddot.dynamics.rnea import gravity_torque
from qddot.model import Joint, Model
from qddot.model.folding import fold
from qddot.model.tree import BASE, Tree
from qddot.readers import read
from qddot.robot import Robot
from qddot.writers.urdf import to_urdf

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: pip install pin")


REAL = (
    *("panda", "panda_hand", "ur3", "ur5", "ur10", "iiwa14", "puma560", "stanford"),
    *("kinova_jaco", "xarm7", "z1", "so101", "scara", "baxter"),
)

TORSO = ("left_torso_itb", "right_torso_itb", "sonar_ring", "collision_head_link_1")
DUMMIES = (*TORSO, "collision_head_link_2", "dummyhead1", "display")
SIDES = tuple(
    f"{side}_{name}"
    for side in ("left", "right")
    for name in (
        *("gripper_base_link", "upper_elbow_visual", "upper_forearm_visual", "arm_itb"),
        *("hand_camera_axis_link", "hand_range_link", "hand_accelerometer_link"),
    )
)


@dataclass(frozen=True)
class Source:
    """Where a robot's figures are from, what of it is left out, and how near we stay to it."""

    package: str
    file: str
    near: float  # relative to the largest entry
    without: tuple[str, ...] = ()  # links, with all that hangs on them
    weightless: tuple[str, ...] = ()  # links of 0.1 g that are frames for us

    def text(self) -> str:
        """The source's URDF, less what the built-in robot leaves out."""
        root = ET.parse(locate(self.package, self.file)).getroot()
        gone, joints = set(self.without), root.findall("joint")
        for _ in joints:
            gone |= {end(j, "child") for j in joints if end(j, "parent") in gone}
        for joint in joints:
            if end(joint, "child") in gone:
                root.remove(joint)
        for link in root.findall("link"):
            if link.get("name") in gone:
                root.remove(link)
            elif link.get("name") in self.weightless:
                link.remove(link.find("inertial"))
        return ET.tostring(root, encoding="unicode")


EXACT = ROUND_OFF
ELEVEN_DIGITS = 2e-11  # right angles written as 1.57079632679
NINE_DIGITS = 1e-9  # as 1.570796327
FOUR_DIGITS = 2e-5  # as 1.5708, 3.14159 or 0.7854, several of which add up along an arm

ERD = "example-robot-data"
SOURCES = {
    "panda": Source(ERD, "panda_description/urdf/panda.urdf", EXACT, ("panda_hand",)),
    "panda_hand": Source(ERD, "panda_description/urdf/panda.urdf", EXACT),
    "ur3": Source(ERD, "ur_description/urdf/ur3_robot.urdf", ELEVEN_DIGITS),
    "ur5": Source(ERD, "ur_description/urdf/ur5_robot.urdf", ELEVEN_DIGITS),
    "ur10": Source(ERD, "ur_description/urdf/ur10_robot.urdf", ELEVEN_DIGITS),
    "iiwa14": Source("frax", "assets/iiwa/iiwa14.urdf", EXACT),
    "kinova_jaco": Source(ERD, "kinova_description/robots/kinova.urdf", NINE_DIGITS),
    "xarm7": Source(ERD, "xarm_description/urdf/xarm7.urdf", FOUR_DIGITS),
    "z1": Source(ERD, "z1_description/urdf/z1.urdf", EXACT),
    "so101": Source(ERD, "so_arm_description/urdf/so101.urdf", FOUR_DIGITS),
    "baxter": Source(
        *(ERD, "baxter_description/urdf/baxter.urdf", FOUR_DIGITS),
        without=(*DUMMIES, *SIDES),
        weightless=(
            *("left_arm_mount", "right_arm_mount", "head_camera_link"),
            *("left_hand_camera_link", "right_hand_camera_link"),
        ),
    ),
}


def end(joint: ET.Element, which: str) -> str:
    return joint.find(which).get("link")


def locate(package: str, file: str) -> Path:
    """Return an installed package's file, or skip the test; the package is not imported."""
    try:
        files = importlib.metadata.files(package) or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{package} is not installed: pip install {package}")
    found = [f for f in files if str(f).endswith(file)]
    if not found:
        pytest.skip(f"this version of {package} has no {file}")
    return Path(found[0].locate())


@cache
def ours(name: str) -> tuple[Model, Tree]:
    """The built-in robot without its rotors, of which URDF knows nothing."""
    model = Robot(read(name)).without("rotor_inertia").model
    return model, fold(model)


def urdf(model: Model) -> str:
    """Return our URDF of a model. Pinocchio's reader insists on limits of velocity and effort."""

    def limited(joint: Joint) -> Joint:
        limits = joint.limits
        given = {key: 1e3 for key in ("velocity", "effort") if getattr(limits, key) is None}
        return replace(joint, limits=replace(limits, **given))

    return to_urdf(model.with_joints(limited))


class Oracle:
    """The same robot in Pinocchio, asked about our coordinates."""

    def __init__(self, text: str, tree: Tree):
        self.model = pin.buildModelFromXML(text)
        self.data = self.model.createData()
        self.tree = tree
        self.ids = [self.model.getJointId(body.name) for body in tree.bodies]
        assert self.model.njoints == len(tree.bodies) + 1
        # our n rates to its nv: dq_pin = G qd
        self.G = np.zeros((self.model.nv, tree.n))
        for i, drive in zip(self.ids, tree.drives, strict=True):
            self.G[self.model.idx_vs[i], drive.index] = float(drive.ratio)

    def q(self, q: np.ndarray) -> np.ndarray:
        full = pin.neutral(self.model)
        for i, value in zip(self.ids, self.tree.coordinates.joints(q), strict=True):
            at = self.model.idx_qs[i]
            if self.model.nqs[i] == 2:
                full[at : at + 2] = np.cos(value), np.sin(value)
            else:
                full[at] = value
        return full

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        M = np.triu(pin.crba(self.model, self.data, self.q(q)))
        return self.G.T @ (M + np.triu(M, 1).T) @ self.G

    def gravity_torque(self, q: np.ndarray) -> np.ndarray:
        return self.G.T @ pin.computeGeneralizedGravity(self.model, self.data, self.q(q))

    def pose(self, q: np.ndarray, frame: str) -> np.ndarray:
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        return self.data.oMf[self.model.getFrameId(frame, pin.FrameType.BODY)].homogeneous


def differences(name: str, oracle: Oracle) -> dict[str, float]:
    """Return by how much each quantity differs, relative to its largest entry."""
    model, tree = ours(name)
    worst: dict[str, float] = {}

    def compare(what: str, mine: np.ndarray, other: np.ndarray) -> None:
        scale = max(np.abs(other).max(), 1e-300)
        error = np.abs(np.asarray(mine, dtype=float) - other).max() / scale
        worst[what] = max(worst.get(what, 0.0), float(error))

    for i, body in zip(oracle.ids, tree.bodies, strict=True):
        parent = 0 if body.parent == BASE else oracle.ids[body.parent]
        assert oracle.model.parents[i] == parent, body.name
        theirs = oracle.model.inertias[i].toDynamicParameters()
        mine = body.inertia.pinocchio_parameters()
        compare("mass", mine[:1], theirs[:1])
        compare("centre of mass", mine[:4], theirs[:4])
        compare("inertia", mine[4:], theirs[4:])
        place = oracle.model.jointPlacements[i]
        compare("rotation", body.X_PJ.R, place.rotation)
        compare("translation", np.append(body.X_PJ.p, 1), np.append(place.translation, 1))

    rng = np.random.default_rng(5)
    low = [-3.0 if j.limits.lower is None else float(j.limits.lower) for j in model.free_joints]
    high = [3.0 if j.limits.upper is None else float(j.limits.upper) for j in model.free_joints]
    for _ in range(5):
        q = rng.uniform(low, high)
        compare("mass matrix", mass_matrix(tree, q), oracle.mass_matrix(q))
        compare("gravity torque", gravity_torque(tree, q), oracle.gravity_torque(q))
        for frame in model.frame_names:
            if oracle.model.existFrame(frame, pin.FrameType.BODY):
                X = pose(tree, q, frame)
                mine = np.block([[np.array(X.R, float), np.c_[X.p].astype(float)], [0, 0, 0, 1]])
                compare(f"pose of {frame}", mine, oracle.pose(q, frame))
    return worst


@pytest.mark.parametrize("name", one_in(3, REAL))
def test_pinocchio_agrees_on_our_own_urdf_of_a_built_in_robot(name):
    model, tree = ours(name)
    worst = differences(name, Oracle(urdf(model), tree))
    assert "pose of tool" in worst
    assert max(worst.values()) < ROUND_OFF, worst


@pytest.mark.parametrize("name", SOURCES)
def test_a_built_in_robot_stays_as_near_to_its_source_as_that_writes_right_angles(name):
    source = SOURCES[name]
    _, tree = ours(name)
    worst = differences(name, Oracle(source.text(), tree))
    assert max(worst.values()) < source.near, worst


@pytest.mark.parametrize("name", SOURCES)
def test_the_limits_of_a_built_in_robot_are_those_of_its_source(name):
    """To the eleven digits that some sources write; a placeholder is left out, not changed."""
    model, _ = ours(name)
    root = ET.fromstring(SOURCES[name].text())
    given = {j.get("name"): j.find("limit") for j in root.findall("joint")}
    for joint in model.joints:
        for key in ("lower", "upper", "velocity", "effort"):
            value = getattr(joint.limits, key)
            if value is not None:
                assert float(value) == pytest.approx(float(given[joint.name].get(key)), abs=1e-11)


def test_pinocchio_folds_the_second_finger_as_we_do():
    """Its own treatment of mimic joints, not the projection that the other tests use."""
    model, tree = ours("panda_hand")
    folded = pin.buildModelFromXML(urdf(model), mimic=True)
    assert folded.nv == tree.n == 8
    q = np.array([0.1, -0.3, 0.2, -2.0, 0.4, 1.5, -0.6, 0.02])
    M = np.triu(pin.crba(folded, folded.createData(), q))
    M = M + np.triu(M, 1).T
    mine = np.array(mass_matrix(tree, q), dtype=float)
    np.testing.assert_allclose(mine, M, rtol=0, atol=ROUND_OFF * np.abs(M).max())
