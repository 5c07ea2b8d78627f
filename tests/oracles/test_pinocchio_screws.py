"""Screws against Pinocchio's helical joints, on random trees that also turn and slide."""

from __future__ import annotations

import numpy as np
import pytest
from nearness import assert_near
from strategies import inertial, random_joint

from qddot.dynamics.coriolis import coriolis_matrix
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.rnea import rigid_body_torque
from qddot.model import Link, build
from qddot.model.folding import fold

pin = pytest.importorskip("pinocchio", reason="Pinocchio (pin) is not installed")

KINDS = ("screw", "revolute", "screw", "prismatic", "screw")


def tree_of(seed: int):
    """Return a chain of joints at random, three of them screws."""
    rng = np.random.default_rng(seed)
    links = [Link("l0")] + [Link(f"l{k}", inertial(rng)) for k in range(1, len(KINDS) + 1)]
    joints = [
        random_joint(rng, f"j{k}", kind, f"l{k}", f"l{k + 1}") for k, kind in enumerate(KINDS)
    ]
    return fold(build("screws", links, joints)), [joint.pitch for joint in joints]


def in_pinocchio(tree, pitches):
    model = pin.Model()
    kinds = {
        "revolute": pin.JointModelRevoluteUnaligned,
        "prismatic": pin.JointModelPrismaticUnaligned,
    }
    for body, kind, pitch in zip(tree.bodies, KINDS, pitches, strict=True):
        axis = np.array(body.axis, float)
        joint = (
            pin.JointModelHelicalUnaligned(axis, pitch) if kind == "screw" else kinds[kind](axis)
        )
        place = pin.SE3(*(np.array(part, float) for part in (body.X_PJ.R, body.X_PJ.p)))
        at = model.addJoint(body.parent + 1, joint, place, body.name)
        m, com, I = body.inertia.com_form()
        inertia = pin.Inertia(float(m), np.array(com, float), np.array(I, float))
        model.appendBodyToJoint(at, inertia, pin.SE3.Identity())
    model.gravity = pin.Motion(np.array(tree.gravity, float), np.zeros(3))
    return model


@pytest.mark.parametrize("seed", range(6))
def test_screws_are_the_helical_joints_of_pinocchio(seed):
    tree, pitches = tree_of(seed)
    model = in_pinocchio(tree, pitches)
    data = model.createData()
    q, qd, qdd = np.random.default_rng(seed).uniform(-2, 2, (3, tree.n))
    assert_near(rigid_body_torque(tree, q, qd, qdd), pin.rnea(model, data, q, qd, qdd))
    M = np.triu(pin.crba(model, data, q))
    assert_near(mass_matrix(tree, q), M + np.triu(M, 1).T)
    C = pin.computeCoriolisMatrix(model, data, q, qd)
    assert_near(coriolis_matrix(tree, q, qd), C)
