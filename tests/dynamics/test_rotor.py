"""Rotors of motors, which spin on the links that carry them (Siciliano et al., 2009, 7.1.1)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from blackboard import each_formulation
from nearness import CENTRAL_DIFFERENCE, assert_near
from strategies import inertial, random_joint, triple

import qddot
from qddot.dynamics.coriolis import coriolis_matrix, mass_matrix_rate
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.energy import kinetic_energy, potential_energy
from qddot.dynamics.regressor import parameters, regressor
from qddot.dynamics.rnea import gravity_torque, rigid_body_torque
from qddot.errors import BadRobot
from qddot.model import Inertial, Joint, Link, Mimic, Model, build
from qddot.model.folding import fold
from qddot.robot import Robot

ROWS = [
    {
        "a": "a1",
        "mass": "ml1",
        "com": ["l1 - a1", 0, 0],
        "inertia": [0, "Il1", "Il1"],
        "motor": {"rotor_inertia": "Im1", "gear": "kr1", "on": "base", "mass": "mm1"},
    },
    {
        "a": "a2",
        "mass": "ml2",
        "com": ["l2 - a2", 0, 0],
        "inertia": [0, "Il2", "Il2"],
        "motor": {"rotor_inertia": "Im2", "gear": "kr2", "on": "link1", "mass": "mm2"},
    },
]


def two_link() -> Robot:
    return qddot.from_dh(ROWS, "standard", gravity=(0, "-g", 0))


def test_the_two_link_arm_of_siciliano_with_its_motors():
    """B, C q̇ and g of section 7.3.2, (7.82), in symbols, the ratio of the gears among them."""
    eqs = qddot.derive(two_link())
    names = "a1 l1 l2 ml1 ml2 mm2 Il1 Il2 Im1 Im2 kr1 kr2 g q1 q2 qd1 qd2"
    a1, l1, l2, ml1, ml2, mm2, Il1, Il2, Im1, Im2, kr1, kr2, g, q1, q2, v1, v2 = sp.symbols(names)
    c2 = sp.cos(q2)
    b11 = Il1 + ml1 * l1**2 + kr1**2 * Im1 + Il2 + ml2 * (a1**2 + l2**2 + 2 * a1 * l2 * c2)
    b11 += Im2 + mm2 * a1**2
    b12 = Il2 + ml2 * (l2**2 + a1 * l2 * c2) + kr2 * Im2
    b22 = Il2 + ml2 * l2**2 + kr2**2 * Im2
    h = -ml2 * a1 * l2 * sp.sin(q2)
    g1 = (ml1 * l1 + mm2 * a1 + ml2 * a1) * g * sp.cos(q1) + ml2 * l2 * g * sp.cos(q1 + q2)

    def ours(what):
        found = sp.Matrix(eqs.sympy(what))
        return found.xreplace({s: sp.Symbol(str(s)) for s in found.free_symbols})

    assert sp.expand(ours("M") - sp.Matrix([[b11, b12], [b12, b22]])) == sp.zeros(2)
    assert sp.expand(ours("c") - sp.Matrix([h * (2 * v1 * v2 + v2**2), -h * v1**2])) == sp.zeros(
        2, 1
    )
    theirs = sp.Matrix([g1, ml2 * l2 * g * sp.cos(q1 + q2)])
    assert sp.expand(sp.expand_trig(ours("g") - theirs)) == sp.zeros(2, 1)


def test_the_built_in_arm_is_the_same_from_its_dh_table():
    """Its frames are at the joints, those of the table at the far ends."""
    built_in = qddot.derive(qddot.load("two_link_motors_symbolic"))
    for what in ("M", "c", "g"):
        assert getattr(built_in, what).tolist() == getattr(qddot.derive(two_link()), what).tolist()


def test_everything_is_proved_of_an_arm_with_motors():
    proof = qddot.prove(two_link())
    assert proof.holds
    assert proof.table[-1]["equal"].endswith("digits")  # a multiple of an angle is no polynomial
    false = [claim.statement for claim in proof.claims if claim.holds is False]
    assert all(words.startswith("Ṁ − 2C is skew") for words in false)
    assert len(false) == 3  # of the matrices that are not


# a chain in space, its rotors anywhere


def model_of(seed: int, kind: str) -> Model:
    """Return four joints, and three rotors on links and axes at random, as joints of a kind."""
    rng = np.random.default_rng(seed)
    kinds = ("revolute", "prismatic", "revolute", "revolute")
    links = [Link("l0"), *(Link(f"l{k}", inertial(rng)) for k in range(1, 5))]
    joints = [
        random_joint(rng, f"j{k}", kind_of, f"l{k - 1}", f"l{k}")
        for k, kind_of in enumerate(kinds, 1)
    ]
    joints = [replace(joint, friction=qddot.model.Friction()) for joint in joints]
    for k, (carrier, driven) in enumerate(((2, 3), (1, 4), (4, 1))):
        like = random_joint(rng, f"r{k}", "continuous", f"l{carrier}", f"r{k}")
        axis = np.array(like.axis, float) / np.linalg.norm(like.axis)
        along, across, far = rng.uniform(0.5, 1, 3)
        I = 0.02 * (across * np.eye(3) + (along - across) * np.outer(axis, axis))
        weight = Inertial(0.7, triple(far * axis), tuple(float(x) for x in I[np.triu_indices(3)]))
        links.append(Link(f"r{k}", weight))
        follow = Mimic(f"j{driven}", float(rng.uniform(-30, 30)), 0.3)
        joints.append(Joint(f"r{k}", kind, f"l{carrier}", f"r{k}", like.origin, like.axis))
        joints[-1] = replace(joints[-1], mimic=follow)
    return build("arm", links, joints)


@pytest.fixture(scope="module", params=[0, 1, 2])
def case(request):
    """A tree with rotors, the same with joints that really turn, and a state."""
    trees = [fold(model_of(request.param, kind)) for kind in ("rotor", "continuous")]
    return *trees, np.random.default_rng(request.param).uniform(-1, 1, (3, 4))


def number(x):
    return np.asarray(x, dtype=float)


def test_a_rotor_moves_as_a_body_that_really_turns(case):
    tree, turning, (q, qd, qdd) = case
    for define in (mass_matrix, gravity_torque):
        assert_near(number(define(tree, q)), number(define(turning, q)))
    for define in (coriolis_matrix, mass_matrix_rate, kinetic_energy):
        assert_near(number(define(tree, q, qd)), number(define(turning, q, qd)))
    assert_near(number(potential_energy(tree, q)), number(potential_energy(turning, q)))
    assert_near(rigid_body_torque(tree, q, qd, qdd), rigid_body_torque(turning, q, qd, qdd))


@each_formulation
def test_every_formulation_knows_rotors(case, derive):
    tree, turning, (q, qd, _) = case
    found, still = derive(tree, q, qd), 0 * qd
    assert_near(number(found.M), number(mass_matrix(turning, q)))
    coasting = number(rigid_body_torque(turning, q, qd, still))
    assert_near(number(found.c) + number(found.g), coasting)


def test_pinocchio_with_rotors_that_spin_behind_gears(case):
    """Its seven joints move by G v; the torques are Gᵀ τ, and M is Gᵀ M G."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pin) is not installed")
    tree, turning, (q, qd, qdd) = case
    model = pin.Model()
    kinds = {True: pin.JointModelRevoluteUnaligned, False: pin.JointModelPrismaticUnaligned}
    G, offset = np.zeros((7, 4)), np.zeros(7)
    for i, (body, drive) in enumerate(zip(turning.bodies, turning.drives, strict=True)):
        place = pin.SE3(*(number(part) for part in (body.X_PJ.R, body.X_PJ.p)))
        joint = kinds[body.turns](number(body.axis))
        at = model.addJoint(body.parent + 1, joint, place, body.name)
        m, com, I = body.inertia.com_form()
        weight = pin.Inertia(float(m), number(com), number(I))
        model.appendBodyToJoint(at, weight, pin.SE3.Identity())
        G[i, drive.index], offset[i] = drive.ratio, drive.offset
    data = model.createData()
    angles = G @ q + offset
    tau = pin.rnea(model, data, angles, G @ qd, G @ qdd)
    assert_near(rigid_body_torque(tree, q, qd, qdd), G.T @ tau)
    M = np.triu(pin.crba(model, data, angles))
    assert_near(number(mass_matrix(tree, q)), G.T @ (M + np.triu(M, 1).T) @ G)


def test_the_kernels_and_derivatives_are_those_of_a_body_that_turns():
    arm, turning = (Robot(model_of(3, kind)) for kind in ("rotor", "continuous"))
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, 4))
    assert_near(arm.inverse_dynamics(q, qd, qdd), turning.inverse_dynamics(q, qd, qdd))
    assert_near(arm.forward_dynamics(q, qd, qdd), turning.forward_dynamics(q, qd, qdd))
    for one, other in zip(
        arm.inverse_dynamics_derivatives(q, qd, qdd),
        turning.inverse_dynamics_derivatives(q, qd, qdd),
        strict=True,
    ):
        assert_near(one, other)
    assert_near(arm.regressor(q, qd, qdd) @ arm.parameters, arm.inverse_dynamics(q, qd, qdd))


def test_a_parameter_that_no_rotor_has_has_no_column(case):
    tree, _, state = case
    Y = dict(zip(parameters(tree), number(regressor(tree, *state)).T, strict=True))
    aligned = replace(tree.bodies[-1].joint, axis=(0, 0, 1))
    upright = replace(tree, bodies=(*tree.bodies[:-1], replace(tree.bodies[-1], joint=aligned)))
    Y = dict(zip(parameters(upright), number(regressor(upright, *state)).T, strict=True))
    name = tree.bodies[-1].name
    assert not any(Y[f"{name}.{p}"].any() for p in ("mx", "my", "Ixy", "Ixz", "Iyz"))
    assert_near(Y[f"{name}.Ixx"], Y[f"{name}.Iyy"])
    assert Y[f"{name}.Izz"].any()


def test_it_runs_and_keeps_its_energy():
    arm = qddot.load("two_link_motors")
    b11 = 10 + 12.5 + 100 + 10 + 50 * 2.25 + 0.01 + 5
    assert_near(arm.mass_matrix([0, 0]), [[b11, 47.5 + 1], [47.5 + 1, 22.5 + 100]])
    run = qddot.simulate(arm, [0.3, 0.2], duration=0.2)
    energy = arm.kinetic_energy(run.q, run.qd) + arm.potential_energy(run.q)
    assert_near(energy, np.full(len(energy), energy[0]), tolerance=CENTRAL_DIFFERENCE)


def test_the_bounds_of_its_mass_matrix_are_certified():
    arm = qddot.load("two_link_motors")
    found = qddot.certify(arm, quantities=["M.norm2.max"])["M.norm2.max"]
    q = np.stack([np.zeros(721), np.linspace(-np.pi, np.pi, 721)], axis=1)
    largest = np.linalg.norm(arm.mass_matrix(q), 2, axis=(1, 2)).max()
    assert largest * (1 - 1e-12) <= found.upper <= largest * 1.001


# files and mistakes


def test_a_file_comes_back_the_same_and_a_urdf_moves_the_same(tmp_path):
    arm = qddot.load("two_link_motors")
    arm.save(tmp_path / "arm.toml")
    assert qddot.load(tmp_path / "arm.toml").model.joints == arm.model.joints
    with pytest.warns(qddot.RobotWarning):
        arm.save(tmp_path / "arm.urdf")
    again = qddot.load(tmp_path / "arm.urdf").with_gravity((0, -9.81, 0))
    q, qd, qdd = np.random.default_rng(5).uniform(-1, 1, (3, 2))
    assert_near(again.inverse_dynamics(q, qd, qdd), arm.inverse_dynamics(q, qd, qdd))


def test_a_rotor_that_is_part_of_its_link_adds_only_its_spin():
    """Without a mass: T = ½ I_m (z·ω + k_r q̇)², so I_m is at the link's joint too."""
    bare = [{key: x for key, x in row.items() if key != "motor"} for row in ROWS]
    rows = [bare[0], bare[1] | {"motor": {"rotor_inertia": "I", "gear": "k", "on": "link1"}}]
    arm, bare = (qddot.from_dh(each, "modified") for each in (rows, bare))
    difference = sp.Matrix(qddot.derive(arm).sympy("M")) - sp.Matrix(qddot.derive(bare).sympy("M"))
    text = str(difference.applyfunc(sp.expand).tolist()).replace(" ", "")
    assert text == "[[I,I*k],[I*k,I*k**2]]"


def test_an_axis_of_its_own_is_one_of_the_link():
    motor = {"rotor_inertia": 0.1, "gear": 10, "on": "link1", "axis": [1, 0, 0], "xyz": [2, 0, 0]}
    rows = [{"a": 1, "mass": 2}, {"alpha": "90deg", "mass": 1, "com": [1, 0, 0], "motor": motor}]
    joint = qddot.from_dh(rows, "standard").model.joints[-1]
    assert (joint.kind, joint.parent, joint.axis) == ("rotor", "link1", (1, 0, 0))
    assert joint.origin.xyz == (2, 0, 0)
    assert joint.origin.rpy == (0, 0, 0)


def test_a_motor_stands_on_a_link_that_screws_move():
    """The link's own frame is a fixed step from the joint's; the rotor is where the joint is."""
    motor = {"rotor_inertia": "I", "gear": "k", "on": "link1"}
    home = [np.eye(4), np.eye(4)]
    home[0][0, 3], home[1][0, 3] = 0.5, 1.5
    masses = [{"mass": 1}, {"mass": 1, "motor": motor}]
    arm = qddot.from_screws([[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -1, 0]], home, masses)
    M = sp.Matrix(qddot.derive(arm).sympy("M"))
    assert str(sp.diff(M, sp.Symbol("I")).tolist()).replace(" ", "") == "[[1,k],[k,k**2]]"


@pytest.mark.parametrize(
    ("motor", "words"),
    [
        ({"rotor_inertia": 1, "on": "link7"}, "its parent link 'link7' does not exist"),
        ({"gear": 1, "on": "link1"}, "its rotor has no inertia"),
        ({"rotor_inertia": 1, "on": "base"}, "its rotor is not on 'link1', before its joint"),
        ({"rotor_inertia": 1, "on": "link1", "xyz": [0, 0, 0]}, "not say which way its rotor lies"),
        ({"rotor_inertia": 1, "on": "link1", "size": 3}, "size: this key means nothing here"),
        ({"rotor_inertia": 1, "on": "link1", "mass": 1, "across": 0.1}, "no body has this inertia"),
        ({"rotor_inertia": 1, "on": "link1", "axis": [0, 0, 0]}, "its axis is zero"),
    ],
)
def test_motors_that_cannot_be_are_refused(motor, words):
    with pytest.raises(BadRobot, match=words):
        qddot.from_dh([{"a": 1, "mass": 1}, {"a": 1, "mass": 1, "motor": motor}], "standard")


def test_a_rotor_that_is_no_rotor_is_refused():
    def arm(weight, *more):
        links = [Link("base"), Link("l1", Inertial(1, (0, 0, 0), (1, 0, 0, 1, 0, 1)))]
        joints = [Joint("j1", "revolute", "base", "l1")]
        spin = Joint("r", "rotor", "l1", "r", axis=(0, 0, 1), mimic=Mimic("j1", 5))
        return build("arm", [*links, Link("r", weight), *more], [*joints, spin])

    round_body = Inertial(1, (0, 0, 2), (1, 0, 0, 1, 0, 1.5))
    assert arm(round_body).n == 1
    for bad in (
        Inertial(1, (0.1, 0, 0), (1, 0, 0, 1, 0, 1.5)),
        Inertial(1, (0, 0, 0), (1, 0, 0, 1.2, 0, 1.5)),
        Inertial(1, (0, 0, 0), (1, 0.1, 0, 1, 0, 1.5)),
    ):
        with pytest.raises(BadRobot, match="'r': it is a rotor, and its link is not the same all"):
            arm(bad)


def test_a_wheel_with_a_coordinate_of_its_own_is_a_gyrostat():
    """A reaction wheel: only its speed counts, and what it takes is I (q̈ + z·α)."""
    links = [Link("base"), Link("l1", Inertial(2, (0.5, 0, 0), (0.1, 0, 0, 0.1, 0, 0.1)))]
    wheel = Inertial(1, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.02))
    joints = [
        Joint("j1", "continuous", "base", "l1", axis=(0, 0, 1)),
        Joint("w", "rotor", "l1", "w", axis=(0, 0, 1)),
    ]
    arm = Robot(build("arm", [*links, Link("w", wheel)], joints))
    M = [[0.1 + 2 * 0.25 + 0.02, 0.02], [0.02, 0.02]]
    assert_near(arm.mass_matrix([0.3, 100.0]), M)
    assert_near(arm.forward_dynamics([0.3, 7.0], [1, 50], [0, 1]), np.linalg.solve(M, [0, 1]))


def test_what_is_identifiable_is_the_same_by_numbers_and_exactly():
    """k_r I_m of the second motor shows by itself; the first one's only with the link's."""
    numbers = qddot.identifiable(qddot.load("two_link_motors"))
    exact = qddot.identifiable(two_link())
    assert "j2_rotor.Izz" in str(numbers).partition("Only together")[0]
    assert "j2_rotor.Izz" in str(exact).partition("Only together")[0]
    assert "j1.Izz + a1²·j2.m + a1²·j2_rotor.m + kr1²·j1_rotor.Izz" in str(exact)
