"""The dynamics against MuJoCo: bodies from our own URDF, what acts on them from the model or MJCF.

MuJoCo drops the mass of the base and calls Coulomb friction a soft constraint, which at a speed
well away from zero holds exactly its limit. A joint that follows another has a coordinate of its
own there, so with q_mujoco = G q + o:

    M = Gᵀ M_mujoco G        τ = Gᵀ τ_mujoco
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from long import long, one_in
from made import states
from nearness import ACCURATE, LAST_DIGIT, ROUND_OFF, error, of_solution
from random_trees import deep_tree

from qddot.dynamics import aba, energy, forward, rnea
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.kinematics import jacobian_and_rate, pose
from qddot.model import Friction, Joint, Model
from qddot.model.folding import fold
from qddot.model.tree import Tree
from qddot.readers import read
from qddot.robot import Robot
from qddot.writers.urdf import to_urdf

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install mujoco")


REAL = (
    *("panda", "panda_hand", "ur3", "ur5", "ur10", "iiwa14", "puma560", "stanford"),
    *("kinova_jaco", "xarm7", "z1", "so101", "scara", "baxter"),
)
TREES = [(21, 5), (22, 12), *long((23, 30))]

AS_WRITTEN = """
  <mujoco>
    <compiler fusestatic="false" balanceinertia="false" boundmass="0" boundinertia="0"
              discardvisual="true"/>
  </mujoco>
</robot>"""

ACTED_ON = """
<mujoco>
  <compiler angle="radian"/>
  <option gravity="1 -2 -9"/>
  <worldbody>
    <body pos="0.1 0.2 0.3" euler="0.3 0.1 -0.4">
      <joint name="a" axis="1 2 3" armature="0.7" damping="0.4" frictionloss="0.3"
             stiffness="5" springref="0.2"/>
      <inertial mass="2" pos="0.1 -0.2 0.3" diaginertia="0.3 0.4 0.5"/>
      <body pos="0.5 0 0.2">
        <joint name="b" type="slide" axis="0 1 1" armature="3" damping="2" frictionloss="1.5"/>
        <inertial mass="1" pos="0 0.2 0" fullinertia="0.3 0.4 0.5 0.01 -0.02 0.03"/>
        <body name="tip" pos="0 0.3 0"><joint name="c" axis="0 1 0" stiffness="2" damping="0.1"/>
          <inertial mass="0.5" pos="0.1 0 0" diaginertia="0.02 0.03 0.04"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>"""


class Reference:
    """The same robot in MuJoCo, asked about our coordinates."""

    def __init__(self, model: mujoco.MjModel, tree: Tree):
        self.m, self.tree = model, tree
        self.d = mujoco.MjData(model)
        model.opt.gravity = np.array(tree.gravity, dtype=float)
        off = mujoco.mjtDisableBit
        model.opt.disableflags |= off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_EQUALITY
        model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        self.at = [model.jnt_dofadr[model.joint(body.name).id] for body in tree.bodies]
        assert model.nv == len(tree.bodies)
        model.dof_solimp[:, :2] = 0.9999  # friction as hard as it can be made
        self.G = np.zeros((model.nv, tree.n))
        for i, drive in zip(self.at, tree.drives, strict=True):
            self.G[i, drive.index] = float(drive.ratio)

    def act(self, model: Model) -> None:
        """Give the joints what a URDF cannot: armature, springs; and friction, that it may."""
        assert self.m.nv == self.tree.n
        positions = {body.name: i for body, i in zip(self.tree.bodies, self.at, strict=True)}
        for joint in model.free_joints:
            i = positions[joint.name]
            self.m.dof_armature[i] = joint.motor.reflected
            self.m.dof_damping[i] = joint.friction.viscous
            self.m.dof_frictionloss[i] = joint.friction.coulomb
            self.m.jnt_stiffness[self.m.dof_jntid[i]] = joint.spring.stiffness
            self.m.qpos_spring[self.m.jnt_qposadr[self.m.dof_jntid[i]]] = joint.spring.rest

    def put(self, q, qd, qdd):
        for i, value in zip(self.at, self.tree.coordinates.joints(q), strict=True):
            self.d.qpos[self.m.jnt_qposadr[self.m.dof_jntid[i]]] = float(value)
        self.d.qvel[:], self.d.qacc[:] = self.G @ qd, self.G @ qdd

    def inverse_dynamics(self, q, qd, qdd):
        self.put(q, qd, qdd)
        mujoco.mj_inverse(self.m, self.d)
        return self.G.T @ self.d.qfrc_inverse

    def forward_dynamics(self, q, qd, tau):
        self.put(q, qd, 0 * qd)
        self.d.qfrc_applied[:] = self.G @ tau
        mujoco.mj_forward(self.m, self.d)
        return self.G.T @ self.d.qacc

    def mass_matrix(self, q):
        self.put(q, 0 * q, 0 * q)
        mujoco.mj_forward(self.m, self.d)
        M = np.zeros((self.m.nv, self.m.nv))
        mujoco.mj_fullM(self.m, self.d, M)
        return self.G.T @ M @ self.G

    def bias_torque(self, q, qd):
        self.put(q, qd, 0 * qd)
        mujoco.mj_forward(self.m, self.d)
        return self.G.T @ self.d.qfrc_bias

    def energies(self, q, qd):
        """Return potential and kinetic energy."""
        self.put(q, qd, 0 * qd)
        mujoco.mj_forward(self.m, self.d)
        return self.d.energy.copy()

    def frame(self, q, qd, name):
        """Return pose, Jacobian and its rate of a body's frame, world axes, angular part first."""
        self.put(q, qd, 0 * qd)
        mujoco.mj_forward(self.m, self.d)
        i = self.m.body(name).id
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = self.d.xmat[i].reshape(3, 3), self.d.xpos[i]
        linear, angular, rate, turning = np.zeros((4, 3, self.m.nv))
        mujoco.mj_jac(self.m, self.d, linear, angular, self.d.xpos[i], i)
        mujoco.mj_jacDot(self.m, self.d, rate, turning, self.d.xpos[i], i)
        return X, np.vstack([angular, linear]) @ self.G, np.vstack([turning, rate]) @ self.G


def in_mujoco(model: Model) -> Reference:
    """Return MuJoCo's reading of our URDF, with the inertias as they are written."""
    text = to_urdf(model).replace("</robot>", AS_WRITTEN)
    return Reference(mujoco.MjModel.from_xml_string(text), fold(model))


def check_bodies(model: Model, agree: float) -> None:
    model = Robot(model).without("friction", "springs", "rotor_inertia").model
    reference = in_mujoco(model)
    tree = reference.tree
    frame = model.links[-1].name
    gained = []
    for q, qd, qdd in zip(*states(tree.n), strict=True):
        M = reference.mass_matrix(q)
        found = {
            "mass matrix": error(mass_matrix(tree, q), M),
            "bias": error(rnea.bias_torque(tree, q, qd), reference.bias_torque(q, qd)),
            "torque": error(
                rnea.inverse_dynamics(tree, q, qd, qdd), reference.inverse_dynamics(q, qd, qdd)
            ),
        }
        potential, kinetic = reference.energies(q, qd)
        found["kinetic energy"] = error(energy.kinetic_energy(tree, q, qd), kinetic)
        gained.append((energy.potential_energy(tree, q), potential))
        X, J, Jdot = reference.frame(q, qd, frame)
        mine = jacobian_and_rate(tree, q, qd, frame)
        found["pose"] = error(pose(tree, q, frame).matrix(), X)
        found["jacobian"] = error(mine[0], J)
        found["jacobian rate"] = error(mine[1], Jdot, np.abs(J).max() * np.abs(qd).max())
        assert max(found.values()) < agree, found
        if tree.n == reference.m.nv:
            tau = rnea.inverse_dynamics(tree, q, qd, qdd)
            theirs = reference.forward_dynamics(q, qd, tau)
            for way in (forward.forward_dynamics, aba.forward_dynamics):
                mine = way(tree, q, qd, tau)
                assert error(mine, theirs) < of_solution(M, LAST_DIGIT)
    # MuJoCo counts what stands still too, so only differences mean the same
    ours, theirs = (np.diff(column) for column in zip(*gained, strict=True))
    assert error(ours, theirs, *gained) < agree


@pytest.mark.parametrize("name", one_in(3, REAL))
def test_mujoco_agrees_on_the_bodies_of_a_built_in_robot(name):
    check_bodies(read(name), ACCURATE)


@pytest.mark.parametrize(("seed", "n"), TREES)
def test_mujoco_agrees_on_the_bodies_of_a_random_tree(seed, n):
    check_bodies(deep_tree(seed, n), ROUND_OFF)


def as_mujoco_knows_it(model: Model) -> Model:
    """Return the model with what MuJoCo has too: no couplings, offsets or Stribeck effect."""

    def plain(joint: Joint) -> Joint:
        friction = Friction(joint.friction.viscous, joint.friction.coulomb)
        return replace(joint, friction=friction)

    return replace(model.with_joints(plain), couplings=())


def well_away_from_zero(rate: np.ndarray) -> np.ndarray:
    return rate + 0.5 * np.sign(rate)


@pytest.mark.parametrize(("seed", "n"), TREES)
def test_mujoco_agrees_on_rotors_friction_and_springs(seed, n):
    model = as_mujoco_knows_it(deep_tree(seed, n))
    assert any(joint.friction.coulomb for joint in model.joints)
    reference = in_mujoco(model)
    reference.act(model)
    check_acting(reference, ROUND_OFF)


@pytest.mark.parametrize("name", ["puma560", "stanford"])
def test_mujoco_agrees_on_the_rotors_and_friction_of_a_built_in_robot(name):
    model = as_mujoco_knows_it(read(name))
    reference = in_mujoco(model)
    reference.act(model)
    check_acting(reference, ACCURATE)


def test_mujoco_agrees_on_what_acts_in_its_own_format(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(ACTED_ON)
    reference = Reference(mujoco.MjModel.from_xml_string(ACTED_ON), fold(read(path)))
    assert reference.tree.elastics
    check_acting(reference, ACCURATE)


def check_acting(reference: Reference, agree: float) -> None:
    tree = reference.tree
    for q, rate, qdd in zip(*states(tree.n), strict=True):
        qd = well_away_from_zero(rate)
        M = reference.mass_matrix(q)
        assert error(mass_matrix(tree, q), M) < agree
        mine = rnea.inverse_dynamics(tree, q, qd, qdd)
        assert error(mine, reference.inverse_dynamics(q, qd, qdd)) < agree
    # MuJoCo solves for the force of dry friction, to its own tolerance: compared without
    dry, reference.m.dof_frictionloss[:] = reference.m.dof_frictionloss.copy(), 0
    slick = replace(tree, friction=tuple(replace(f, coulomb=0) for f in tree.friction))
    for q, rate, qdd in zip(*states(tree.n), strict=True):
        tau = rnea.inverse_dynamics(slick, q, rate, qdd)
        theirs = reference.forward_dynamics(q, rate, tau)
        for way in (forward.forward_dynamics, aba.forward_dynamics):
            mine = way(slick, q, rate, tau)
            assert error(mine, theirs) < of_solution(mass_matrix(tree, q), LAST_DIGIT)
    reference.m.dof_frictionloss[:] = dry


def test_mujoco_agrees_on_a_wrench_at_the_hand():
    """Its force acts at the body's centre of mass: [moment; force] is moved there."""
    model = Robot(read("panda")).without("friction", "springs", "rotor_inertia").model
    reference = in_mujoco(model)
    tree, body = reference.tree, "panda_link7"
    wrench = np.array([1.0, -2.0, 0.5, 10.0, -20.0, 5.0])
    for q, qd, qdd in zip(*states(tree.n), strict=True):
        tau = rnea.inverse_dynamics(tree, q, qd, qdd, wrenches={body: wrench})
        reference.put(q, qd, qdd)
        mujoco.mj_forward(reference.m, reference.d)
        i = reference.m.body(body).id
        arm = reference.d.xipos[i] - reference.d.xpos[i]
        moment = wrench[:3] - np.cross(arm, wrench[3:])
        reference.d.xfrc_applied[i] = [*wrench[3:], *moment]
        theirs = reference.forward_dynamics(q, qd, tau)
        reference.d.xfrc_applied[i] = 0
        mine = forward.forward_dynamics(tree, q, qd, tau, wrenches={body: wrench})
        tolerance = of_solution(mass_matrix(tree, q), LAST_DIGIT)
        assert error(mine, theirs) < tolerance
        assert error(qdd, theirs) < 10 * tolerance
