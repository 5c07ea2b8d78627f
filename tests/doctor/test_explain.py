"""A peer that reads the robot in one wrong way is found out: the wrong way is named."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from qddot.doctor.compare import at, configurations
from qddot.doctor.evidence import TOLERANCE, Evidence, matrix
from qddot.doctor.explain import other_differences, reasons
from qddot.doctor.peers import Answer
from qddot.dynamics.kinematics import body_poses
from qddot.model import Coupling, Inertial, Joint, Link, Model, Motor, Payload, Placement
from qddot.model.folding import fold
from qddot.readers import read

THIN = (0.001, 0, 0, 0.001, 0, 0.0021)  # just impossible


def diagonal(x: float) -> tuple[float, ...]:
    return (x, 0, 0, x, 0, x)


def answer_of(model: Model, q: np.ndarray, **facts) -> Answer:
    """Return what a peer would say that has this model."""
    M, g = at(model, q)
    tree = fold(model)
    X_W = body_poses(tree, q[0])
    axes = [(X_W[i].R @ np.array(body.joint.axis)).tolist() for i, body in enumerate(tree.bodies)]
    said = Answer(
        joints=list(model.joint_names),
        M=M.tolist(),
        g=g.tolist(),
        gravity=[float(x) for x in model.gravity],
        rotor_inertia=[float(x) for x in tree.rotor_inertia],
        zero=[0.0] * model.n,
        axes=axes,
        mass=float(tree.base.m + sum(body.inertia.m for body in tree.bodies)),
        damping=[float(joint.friction.viscous) for joint in model.free_joints],
    )
    return replace(said, **facts)


def why(model: Model, theirs: Model, **facts) -> tuple[str, ...]:
    """Return why a peer that has `theirs` differs from us, who have `model`."""
    q = configurations(model)
    evidence = Evidence.of(model, q, *at(model, q), answer_of(theirs, q, **facts))
    assert max(evidence.differences()) > TOLERANCE
    return reasons(evidence, "Peer")


def with_link(model: Model, name: str, **changes) -> Model:
    def changed(link: Link) -> Link:
        inertial = replace(link.inertial, **changes)
        return replace(link, inertial=inertial) if link.name == name else link

    return replace(model, links=tuple(changed(link) for link in model.links))


def with_joint(model: Model, name: str, **changes) -> Model:
    return model.with_joints(lambda j: replace(j, **changes) if j.name == name else j)


@pytest.fixture
def model(arm) -> Model:
    return read(arm())


def test_rotors_that_a_peer_does_not_read(model):
    ours = with_joint(model, "elbow", motor=Motor(1e-4, 50))
    assert why(ours, model) == (
        "M differs by the rotor inertia, which Peer does not read: 0.25 at 'elbow'",
    )
    assert why(model, ours) == (
        "M differs by rotor inertia (armature) that only Peer has: 0.25 at 'elbow'",
    )
    other = with_joint(model, "elbow", motor=Motor(1e-4, 100))
    assert why(ours, other) == (
        "M differs by the rotor inertia (armature): 1 there, 0.25 here at 'elbow'",
    )


def test_another_gravity(model):
    moon = replace(model, gravity=(0, 0, -1.62))
    assert why(model, moon) == ("gravity is (0, 0, -1.62) m/s² in Peer and (0, 0, -9.81) here",)


def test_a_base_that_is_turned(model):
    """The peer says that gravity is the same, but its axes point elsewhere."""
    placed = with_joint(model, "shoulder", origin=Placement((0, 0, 0.1), (0, 0, 0)))
    theirs = with_link(placed, "hand", mass=0, inertia=(0,) * 6)
    assert why(model, placed) == (
        "Peer turns the base by 90°, so gravity pulls in another direction",
    )
    assert why(model, theirs) == (
        "Peer turns the base by 90°, so gravity pulls in another direction",
        "Peer leaves out the mass and inertia of link 'hand' (0.8 kg)",
    )


def test_a_base_that_is_turned_unseen_by_parallel_axes(arm):
    """Where all axes are parallel, the torques alone tell."""
    model = read(
        arm(('<axis xyz="1 0 0"/>', '<axis xyz="0 1 0"/>'), ('type="continuous"', 'type="fixed"'))
    )
    turned = replace(model, gravity=(9.81, 0, 0))
    (reason,) = why(model, turned, gravity=[0, 0, -9.81])
    assert reason.startswith("g is that of gravity (9.81, 0, ")
    assert reason.endswith("in the axes of the base, which Peer turns")


def test_a_motor_that_joints_share_is_known_here_alone(model):
    joints = model.joint_names[:2]
    motor = Coupling(joints, ratios=(1, 1), motor=Motor(0.25))
    said = "M differs by motors that joints share, which Peer has not: 0.25 along "
    assert why(replace(model, couplings=(motor,)), model) == (said + repr("+".join(joints)),)


def test_rotors_and_gravity_and_a_lost_link_together(model):
    ours = with_joint(model, "wrist", motor=Motor(0.01))
    theirs = with_link(replace(model, gravity=(0, 0, -9.8)), "hand", mass=0, inertia=(0,) * 6)
    assert why(ours, theirs) == (
        "M differs by the rotor inertia, which Peer does not read: 0.01 at 'wrist'",
        "gravity is (0, 0, -9.8) m/s² in Peer and (0, 0, -9.81) here",
        "Peer leaves out the mass and inertia of link 'hand' (0.8 kg)",
    )


def test_zero_positions_that_differ(model):
    q = configurations(model)
    zero = np.array([0.0, 0.4, 0.0])
    M, g = at(model, q - zero)
    said = answer_of(model, q, M=M.tolist(), g=g.tolist(), zero=zero.tolist())
    evidence = Evidence.of(model, q, *at(model, q), said)
    assert reasons(evidence, "Peer") == (
        "in Peer the joints do not start at 0 in the drawn configuration: 0.4 at 'elbow'",
    )


NO_MASS = {"mass": 0, "com": (0, 0, 0), "inertia": (0,) * 6}
EVERY = "link 'upper' (4 kg), link 'fore' (2.5 kg), link 'hand' (0.8 kg)"
WATER = 0.4 * 0.8 * (3 * 0.8 / (4 * np.pi * 1000)) ** (2 / 3)
# what is said: which links, and what the peer has of them; where it is otherwise, what we have
MISREAD = {
    "leaves out the mass and inertia of link 'fore' (2.5 kg)": ("fore", NO_MASS),
    "leaves out the mass and inertia of link 'upper' (4 kg), link 'hand' (0.8 kg)": (
        *("upper hand", NO_MASS),
    ),
    f"leaves out the mass and inertia of {EVERY}": ("upper fore hand", NO_MASS),
    "reads the inertia of link 'upper' (4 kg) without its rpy": ("upper", {"rpy": (0, 0, 0)}),
    "takes the inertia of link 'hand' (0.8 kg) about the link's origin instead of its centre of "
    "mass": ("hand", {"inertia": (-0.0009, 0, 0, -0.0008, 0, 0.0008)}),
    "gives link 'hand' (0.8 kg), whose inertia no body has, three equal moments": (
        *("hand", {"inertia": diagonal(0.0041 / 3)}, {"inertia": THIN}),
    ),
    "takes link 'hand' (0.8 kg), whose inertia no body has, as a ball of water": (
        *("hand", {"inertia": diagonal(WATER)}, {"inertia": THIN}),
    ),
    "takes link 'hand' (0 kg) as a body of 1 kg and 1 kg·m²": (
        *("hand", {"mass": 1, "com": (0, 0, 0), "inertia": diagonal(1)}, NO_MASS),
    ),
}


@pytest.mark.parametrize("words", MISREAD)
def test_links_that_are_misread_in_one_way(model, words):
    links, there, *here = MISREAD[words]
    ours = theirs = model
    for name in links.split():
        ours = with_link(ours, name, **(here[0] if here else {}))
        theirs = with_link(theirs, name, **there)
    assert why(ours, theirs) == (f"Peer {words}",)


def test_a_payload_that_is_lost(model):
    ours = replace(model, payloads=(Payload("hand", Inertial(1.5, (0, 0, 0.1))),))
    assert why(ours, model) == (
        "Peer leaves out the mass and inertia of the payload at 'hand' (1.5 kg)",
    )


def test_an_inertia_that_is_just_different(model):
    theirs = with_link(model, "fore", mass=2.6, com=(0.01, 0.02, 0.1))
    assert why(model, theirs) == (
        "M and g differ as if what joint 'elbow' moves ('fore') had another inertia in Peer",
    )


def test_a_joint_that_is_elsewhere_is_no_claim_about_an_inertia(model):
    moved = with_joint(model, "wrist", origin=Placement((0.05, 0, 0.3)))
    (reason,) = why(model, moved)
    assert reason.startswith("M and g differ as if what joint 'elbow' moves ('fore') had another")
    turned = with_joint(model, "elbow", axis=(1, 1, 0))
    (reason,) = why(model, turned)
    assert reason.startswith("nothing that is known of Peer explains it")


def in_two_ways(model):
    lost = with_link(model, "hand", **NO_MASS)
    return with_link(model, "fore", rpy=(0.4, 0, 0)), lost


def two_changed(model):
    theirs = with_link(model, "fore", mass=2.6)
    return model, with_link(theirs, "hand", com=(0.01, 0.02, 0.1))


def heavier(model):
    theirs = model
    for link in model.links:
        part = link.inertial
        more = {"mass": 2 * part.mass, "inertia": tuple(2 * x for x in part.inertia)}
        theirs = with_link(theirs, link.name, **more)
    return model, theirs


@pytest.mark.parametrize("both", [in_two_ways, two_changed, heavier])
def test_what_nothing_explains_is_shown_where_it_is_largest(model, both):
    (reason,) = why(*both(model))
    assert reason.startswith("nothing that is known of Peer explains it; the largest differences:")
    assert re.search(r"at '(shoulder|elbow|wrist)' [Mg]\b", reason)
    assert " there, " in reason


def test_friction_that_differs_is_an_aside(arm):
    model = read(
        arm(('effort="80" velocity="3"/>', 'effort="80" velocity="3"/><dynamics damping="2"/>'))
    )
    q = configurations(model)
    said = answer_of(model, q, damping=[0.0, 0.0, 0.0])
    evidence = Evidence.of(model, q, *at(model, q), said)
    assert max(evidence.differences()) == 0
    assert list(other_differences(evidence, "MuJoCo")) == [
        "viscous friction is 0 there, 2 here at 'shoulder'"
    ]
    assert list(other_differences(evidence, "Pinocchio")) == [
        "Pinocchio's rnea and aba leave out friction, which 1 joint has"
    ]


def test_a_peers_joints_may_come_in_any_order(model):
    q = configurations(model)
    said = answer_of(model, q)
    order = [2, 0, 1]
    shuffled = replace(
        said,
        joints=[said.joints[i] for i in order],
        M=np.array(said.M)[:, order][:, :, order].tolist(),
        g=np.array(said.g)[:, order].tolist(),
        axes=[said.axes[i] for i in order],
    )
    evidence = Evidence.of(model, q, *at(model, q), shuffled)
    assert max(evidence.differences()) == 0


def test_the_effect_of_a_change_is_what_the_dynamics_says(model):
    """ΔM and Δg of one body's inertia, by Jacobians, are those of the changed robot."""
    q = configurations(model)
    theirs = with_link(model, "fore", mass=3, com=(0.1, 0.2, 0.3))
    evidence = Evidence.of(model, q, *at(model, q), answer_of(theirs, q))
    change = matrix(fold(theirs).bodies[1].inertia) - matrix(fold(model).bodies[1].inertia)
    np.testing.assert_allclose(
        evidence.effect(1, change), evidence.residual(), rtol=0, atol=TOLERANCE * 1e-3
    )


def test_a_follower_counts_once_with_its_leader(model):
    """M of independent joints, reduced to the coordinates that move them, is M of the robot."""
    tip = Link("tip", Inertial(0.3, (0.05, 0, 0), (1e-4,) + (0,) * 2 + (2e-4, 0, 2e-4)))
    free = Joint("tip_joint", "revolute", "hand", "tip", Placement((0, 0, 0.1)), (1, 0, 0))
    from qddot.model import Mimic, build

    follower = replace(free, mimic=Mimic("elbow", -0.5, 0.2))
    ours = build("arm", (*model.links, tip), (*model.joints, follower))
    theirs = build("arm", (*model.links, tip), (*model.joints, free))
    q = configurations(ours)
    full = np.column_stack([q, -0.5 * q[:, 1] + 0.2])
    evidence = Evidence.of(ours, q, *at(ours, q), answer_of(theirs, full))
    assert max(evidence.differences()) < TOLERANCE * 1e-3
