"""Folding: the tree of moving bodies behaves like the robot of all its links and joints.

The unfolded robot is computed here, link by link and joint by joint, from nothing but the model.
"""

from dataclasses import replace

import numpy as np
import pytest
from complex_step import STEP
from hypothesis import given
from hypothesis import strategies as st
from long import examples
from nearness import CANCELLED, assert_close
from numpy.testing import assert_allclose
from strategies import inertial, models, random_rpy, seeds, triple

from qddot.errors import BadArgument, NotNumeric, UnknownName
from qddot.model import (
    Coupling,
    Frame,
    Friction,
    Inertial,
    Joint,
    Link,
    Mimic,
    Motor,
    Payload,
    Placement,
    Spring,
    build,
)
from qddot.model.folding import coordinates, exact, fold, unit
from qddot.model.joints import Prismatic, Revolute
from qddot.model.shapes import point
from qddot.model.tree import BASE
from qddot.model.validation import checked
from qddot.readers import read
from qddot.scalars.expressions import Expression, expression, symbol
from qddot.spatial.pose import STILL
from qddot.spatial.vector import join

# the unfolded robot


def position(model, joint, q):
    """Return where a joint stands: held, following, or by itself."""
    if joint.locked is not None:
        return joint.locked
    if joint.mimic is not None:
        leader = position(model, model.joint(joint.mimic.joint), q)
        return joint.mimic.multiplier * leader + joint.mimic.offset
    return q[model.joint_names.index(joint.name)]


def poses(model, q):
    """Return the pose of every link and frame in the base, joint by joint."""
    X = {model.links[0].name: STILL}
    for joint in model.joints:
        moved = STILL
        if joint.kind != "fixed":
            axis = np.array(joint.axis, dtype=float) / np.linalg.norm(joint.axis)
            kind = Prismatic if joint.kind == "prismatic" else Revolute
            moved = kind(tuple(axis)).pose([position(model, joint, q)])
        X[joint.child] = X[joint.parent] @ joint.origin.pose() @ moved
    for frame in model.frames:
        X[frame.name] = X[frame.link] @ frame.placement.pose()
    return X


def masses(model):
    """Return everything that has mass: where it is, and its inertia there."""
    links = [(link.name, link.inertial.about_origin()) for link in model.links]
    return links + [(load.frame, load.inertial.about_origin()) for load in model.payloads]


def body_pose(tree, i, q):
    X = STILL
    while i != BASE:
        X, i = tree.poses(q)[i] @ X, tree.bodies[i].parent
    return X


def velocity(pose, q, qd):
    """Return the velocity of a frame in its own axes, by complex step: X⁻¹ Ẋ."""
    X, moved = pose(q), pose(q + 1j * STEP * qd)
    W = X.R.T @ (moved.R.imag / STEP)
    return join(np.array([W[2, 1], W[0, 2], W[1, 0]]), X.R.T @ (moved.p.imag / STEP))


def kinetic_energy(parts, q, qd):
    """Return Σ ½ v·I v over bodies given as (pose as a function of q, inertia)."""
    velocities = [(velocity(pose, q, qd), inertia) for pose, inertia in parts]
    return sum(v @ (inertia @ v) / 2 for v, inertia in velocities)


def friction_torque(friction, qd):
    """Return f(q̇), written out."""
    coulomb = friction.coulomb
    if friction.static is not None:
        fall = np.exp(-((qd / friction.stribeck_velocity) ** 2))
        coulomb = coulomb + (friction.static - friction.coulomb) * fall
    return friction.viscous * qd + coulomb * np.sign(qd) + friction.offset


# random robots with everything that is folded


@st.composite
def furnished(draw):
    """Return a random robot with frames, payloads, motors, springs, locks, chains of followers."""
    model = draw(models(least=2, most=6))
    rng = np.random.default_rng(draw(seeds))
    joints, leaders = [], []
    for joint in model.joints:
        if joint.kind != "fixed":
            joint = furnish(rng, joint, leaders, draw(st.sampled_from(("free", "held", "follows"))))
            leaders.append(joint.name)
        joints.append(joint)
    names = [link.name for link in model.links]
    frames = [Frame(f"f{i}", str(rng.choice(names)), placement(rng)) for i in range(2)]
    carriers = [*names, "f0", "f1"]
    payloads = [Payload(str(rng.choice(carriers)), inertial(rng)) for _ in range(2)]
    couplings = []
    if len(leaders) > 1:
        first, second = (str(name) for name in rng.choice(leaders, 2, replace=False))
        couplings.append(Coupling((first, second), *(float(x) for x in rng.uniform(0, 2, 3))))
    parts = {"frames": frames, "payloads": payloads, "couplings": couplings}
    return checked(replace(model, joints=tuple(joints), **{k: tuple(v) for k, v in parts.items()}))


def furnish(rng, joint, leaders, role):
    x = [float(value) for value in rng.uniform(0.1, 2, 6)]
    joint = replace(
        joint,
        motor=Motor(x[0], x[1]),
        spring=Spring(x[2], x[3]),
        friction=Friction(x[4], x[5], offset=x[0]),
    )
    if role == "held":
        return replace(joint, locked=float(rng.uniform(-1, 1)))
    if role == "follows" and leaders:
        ratio, offset = (float(value) for value in rng.uniform(-2, 2, 2))
        return replace(joint, mimic=Mimic(str(rng.choice(leaders)), ratio, offset))
    return joint


def placement(rng):
    return Placement(triple(rng.uniform(-1, 1, 3)), random_rpy(rng))


def state(model, seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(-3, 3, model.n), rng.uniform(-2, 2, model.n)


# laws


@examples(40)
@given(furnished(), seeds)
def test_every_link_and_frame_is_where_the_unfolded_robot_has_it(model, seed):
    q, _ = state(model, seed)
    tree, X = fold(model), poses(model, q)
    assert set(tree.frames) == set(X) == set(model.frame_names)
    for name, (body, X_BF) in tree.frames.items():
        found = body_pose(tree, body, q) @ X_BF
        assert_close(found.matrix(), X[name].matrix(), CANCELLED)


@examples(40)
@given(furnished(), seeds)
def test_folding_loses_no_mass(model, seed):
    """All ten numbers of the whole robot, seen from the base."""
    q, _ = state(model, seed)
    tree, X = fold(model), poses(model, q)
    whole = sum(I.seen_from(X[name]).parameters for name, I in masses(model))
    folded = tree.base.parameters + sum(
        body.inertia.seen_from(body_pose(tree, i, q)).parameters
        for i, body in enumerate(tree.bodies)
    )
    assert_close(folded, whole, CANCELLED)


@examples(40)
@given(furnished(), seeds)
def test_folding_keeps_the_kinetic_energy(model, seed):
    q, qd = state(model, seed)
    tree = fold(model)
    links = [(lambda q, name=name: poses(model, q)[name], I) for name, I in masses(model)]
    bodies = [
        (lambda q, i=i: body_pose(tree, i, q), body.inertia) for i, body in enumerate(tree.bodies)
    ]
    assert_close(kinetic_energy(bodies, q, qd), kinetic_energy(links, q, qd), CANCELLED)


@examples(40)
@given(furnished(), seeds)
def test_a_body_moves_as_its_entry_of_q_says(model, seed):
    q, qd = state(model, seed)
    tree = fold(model)
    joints = [model.joint(body.name) for body in tree.bodies]
    where = [position(model, joint, q) for joint in joints]
    assert_close(np.array(tree.coordinates.joints(q), float), where, CANCELLED)
    rates = [position(model, joint, q + 1j * STEP * qd).imag / STEP for joint in joints]
    assert_close(np.array(tree.coordinates.velocities(q, qd), float), rates, CANCELLED)


@examples(40)
@given(furnished(), seeds)
def test_rotors_keep_their_kinetic_energy(model, seed):
    q, qd = state(model, seed)
    rates = joint_rates(model, q, qd)
    energy = sum(model.joint(name).motor.reflected * rate**2 for name, rate in rates.items())
    assert_close(np.array(fold(model).rotor_inertia) @ qd**2, energy, CANCELLED)


@examples(40)
@given(furnished(), seeds)
def test_friction_takes_the_same_power(model, seed):
    """Virtual work: Σ f(q̇ⱼ) q̇ⱼ over all joints that move is Σ f(q̇ᵢ) q̇ᵢ over coordinates."""
    q, qd = state(model, seed)
    rates = joint_rates(model, q, qd)
    power = sum(friction_torque(model.joint(name).friction, x) * x for name, x in rates.items())
    folded = fold(model).friction
    assert_close(
        sum(friction_torque(f, x) * x for f, x in zip(folded, qd, strict=True)), power, CANCELLED
    )


@examples(40)
@given(furnished(), seeds)
def test_springs_and_couplings_keep_their_energy_and_their_torque(model, seed):
    q, qd = state(model, seed)

    def energy(q):
        at = {j.name: position(model, j, q) for j in model.joints if j.kind != "fixed"}
        total = sum(
            model.joint(name).spring.stiffness * (x - model.joint(name).spring.rest) ** 2 / 2
            for name, x in at.items()
        )
        for c in model.couplings:
            total = total + c.stiffness * (combined(c, at) - c.rest) ** 2 / 2
        return total

    elastics = fold(model).elastics
    assert_close(sum(e.energy(q) for e in elastics), energy(q), CANCELLED)
    still = np.zeros(model.n)
    for i, along in enumerate(np.eye(model.n)):
        gradient = np.imag(energy(q + 1j * STEP * along)) / STEP
        assert_close(sum(e.torque(q, still)[i] for e in elastics), gradient, CANCELLED)
    # dampers between joints take power from their difference in speed
    rates = {j.name: 0.0 for j in model.joints} | joint_rates(model, q, qd)
    lost = sum(c.damping * combined(c, rates) ** 2 for c in model.couplings)
    damping = sum((e.torque(q, qd) - e.torque(q, still)) @ qd for e in elastics)
    assert_close(damping, lost, CANCELLED)


def combined(coupling, values):
    """Return the combination of joints that a coupling acts on."""
    pairs = zip(coupling.joints, coupling.ratios, strict=True)
    return sum(ratio * values[name] for name, ratio in pairs)


def joint_rates(model, q, qd):
    """Return how fast every joint moves that does."""
    moving = [j for j in model.joints if j.kind != "fixed"]
    rates = {j.name: np.imag(position(model, j, q + 1j * STEP * qd)) / STEP for j in moving}
    held = {j.name for j in moving if j.locked is not None}
    return {name: rate for name, rate in rates.items() if name not in held}


@examples(25)
@given(models(least=1, most=2))
def test_folding_exactly_and_folding_numbers_agree(model):
    """Over exact expressions every decimal is itself, over floats it is rounded."""
    assert_trees_agree(fold(model, exact), {}, fold(model))


def assert_trees_agree(symbolic, values, numbers):
    """Compare a tree of expressions, evaluated at these values, with a tree of numbers."""

    def value(x):
        return float(x.evaluate(values)) if isinstance(x, Expression) else float(x)

    def array(x):
        return np.vectorize(value, otypes=[float])(x)

    assert symbolic.joint_names == numbers.joint_names
    assert_close(array(symbolic.gravity), array(numbers.gravity), CANCELLED)
    assert_close(array(symbolic.base.parameters), array(numbers.base.parameters), CANCELLED)
    assert_close(array(symbolic.rotor_inertia), array(numbers.rotor_inertia), CANCELLED)
    for a, b in zip(symbolic.bodies, numbers.bodies, strict=True):
        assert (a.name, a.parent, a.q, a.v) == (b.name, b.parent, b.q, b.v)
        assert_close(array(a.inertia.parameters), array(b.inertia.parameters), CANCELLED)
        assert_close(array(a.X_PJ.matrix()), array(b.X_PJ.matrix()), CANCELLED)
        assert_close(array(a.joint.S), array(b.joint.S), CANCELLED)
    for a, b in zip(symbolic.drives, numbers.drives, strict=True):
        assert (a.q, a.v, a.own) == (b.q, b.v, b.own)
        assert_close(array([a.ratio, a.offset]), array([b.ratio, b.offset]), CANCELLED)
    for name, (body, X) in symbolic.frames.items():
        assert numbers.frames[name][0] == body
        assert_close(array(X.matrix()), array(numbers.frames[name][1].matrix()), CANCELLED)
    for a, b in zip(symbolic.friction, numbers.friction, strict=True):
        for key in ("viscous", "coulomb", "static", "stribeck_velocity", "offset"):
            x, y = getattr(a, key), getattr(b, key)
            assert (x is None) == (y is None)
            assert x is None or value(x) == pytest.approx(value(y), rel=1e-12)
    for a, b in zip(symbolic.elastics, numbers.elastics, strict=True):
        assert_close(array(a.direction), array(b.direction), CANCELLED)
        ours, theirs = ([e.stiffness, e.damping, e.rest] for e in (a, b))
        assert_close(array(ours), array(theirs), CANCELLED)


# symbols


def s(name):
    return symbol(name)


def symbolic_arm():
    """Return an arm in which everything that can be a symbol is one."""
    tube = Inertial(s("m"), (s("c"), 0, s("h")), (s("ix"), s("ixy"), 0, s("iy"), 0, s("iz")))
    turned = replace(tube, rpy=(0, s("beta"), 0))
    rough = Friction(s("fv"), s("fs"), s("fst"), s("vs"), s("f0"))
    origin = Placement((s("L"), 0, s("h")), (s("alpha"), 0, 0))
    return build(
        "symbols",
        [
            Link("base", tube),
            Link("a", turned),
            Link("b", point(s("m"))),
            Link("c", tube),
            Link("d"),
            Link("e", tube),
        ],
        [
            Joint("j1", "revolute", "base", "a", origin, (0, 0, 1), friction=rough),
            Joint("j2", "prismatic", "a", "b", origin, (0, 1, 1), motor=Motor(s("J"), s("N"))),
            Joint("hand", "fixed", "b", "c", origin),
            Joint(
                *("j3", "revolute", "c", "d", origin, (1, 0, 0)),
                friction=rough,
                spring=Spring(s("k"), s("rest")),
                motor=Motor(s("J")),
                mimic=Mimic("j1", s("r"), s("o")),
            ),
            Joint("j4", "revolute", "d", "e", locked=s("alpha")),
        ],
        frames=(Frame("tip", "d", Placement((s("L"), 0, 0))),),
        payloads=(Payload("tip", Inertial(s("m"), (0, s("c"), 0))),),
        couplings=(Coupling(("j1", "j2"), s("k"), s("fv"), s("rest")),),
        gravity=(0, 0, -s("g")),
    )


def test_folding_symbols_and_then_putting_in_numbers_commute():
    model = symbolic_arm()
    rng = np.random.default_rng(1)
    values = {name: float(rng.uniform(0.5, 1.5)) for name in model.symbols}
    values |= {"ix": 1.0, "iy": 1.1, "iz": 1.2, "ixy": 0.1, "r": -0.7, "fst": 2.0}
    assert_trees_agree(fold(model, exact), values, fold(model.with_values(values)))


@pytest.mark.parametrize("name", ["two_link", "mass_spring_damper", "rp", "double_pendulum"])
def test_textbook_robots_fold_alike_with_symbols_and_with_values(name):
    symbolic, numbers = read(f"{name}_symbolic"), read(name)
    rng = np.random.default_rng(2)
    values = {key: float(rng.uniform(0.5, 1.5)) for key in symbolic.symbols}
    assert_trees_agree(fold(symbolic, exact), values, fold(symbolic.with_values(values)))
    assert fold(numbers).joint_names == fold(symbolic, exact).joint_names


def test_folding_is_exact_over_symbols():
    """A rod fixed across another: Steiner and a quarter turn, without a rounding."""
    m, l = s("m"), s("l")
    rod = Inertial(m, (l / 2, 0, 0), (0, 0, 0, m * l**2 / 12, 0, m * l**2 / 12))
    model = build(
        "tee",
        [Link("base"), Link("one", rod), Link("two", rod)],
        [
            Joint("j", "revolute", "base", "one", axis=(0, 0, 1)),
            Joint("weld", "fixed", "one", "two", Placement((l, 0, 0), (0, 0, np.pi / 2))),
        ],
    )
    (body,) = fold(model, exact).bodies
    assert body.inertia.m == 2 * m
    assert body.inertia.h.tolist() == [m * l * 3 / 2, m * l / 2, 0]
    # m l²/3 for the first; m l²/12 + m (l² + l²/4) for the second
    assert body.inertia.I[2, 2] == m * l**2 * 5 / 3
    assert body.inertia.I[0, 1] == -m * l * l / 2


def test_what_is_no_number_is_not_folded_exactly():
    with pytest.raises(BadArgument, match="1j is not a number that an exact expression can hold"):
        exact(1j)


def test_a_model_with_symbols_has_no_numeric_tree():
    with pytest.raises(NotNumeric) as error:
        fold(read("pendulum_symbolic"))
    assert str(error.value).startswith("Robot 'pendulum_symbolic' has no numeric value: it depends")
    assert "robot.with_values(" in str(error.value)


# single cases


def chain(*joints, links=4, **more):
    names = ["base", *(f"l{i}" for i in range(1, links))]
    return build("chain", [Link(name, point(1, (0.1, 0, 0))) for name in names], joints, **more)


def test_followers_of_followers_end_at_one_coordinate():
    model = chain(
        Joint("a", "revolute", "base", "l1"),
        Joint("b", "revolute", "l1", "l2", mimic=Mimic("a", 2, 1)),
        Joint("c", "revolute", "l2", "l3", mimic=Mimic("b", -3, 0.5)),
    )
    assert model.joint_names == ("a",)
    assert coordinates(model) == {"a": (0, 1, 0), "b": (0, 2, 1), "c": (0, -6, -2.5)}
    assert [drive.index for drive in fold(model).drives] == [0, 0, 0]


def test_what_follows_a_locked_joint_is_locked():
    model = chain(
        Joint("a", "revolute", "base", "l1", locked=0.5),
        Joint("b", "revolute", "l1", "l2", mimic=Mimic("a", 2, 1)),
        Joint("c", "revolute", "l2", "l3"),
    )
    assert coordinates(model) == {"a": (None, 0, 0.5), "b": (None, 0, 2), "c": (0, 1, 0)}
    tree = fold(model)
    assert [body.name for body in tree.bodies] == ["c"]
    assert tree.base.m == 3


def test_a_follower_that_stands_still_adds_no_friction_and_no_rotor():
    model = chain(
        Joint("a", "revolute", "base", "l1"),
        Joint(
            *("b", "revolute", "l1", "l2"),
            mimic=Mimic("a", 0, 1),
            friction=Friction(1, 2, 3, 0.1, 4),
            motor=Motor(5),
        ),
        links=3,
    )
    tree = fold(model)
    assert tree.rotor_inertia == (0,)
    assert tree.friction == (Friction(0, 0, None, None, 0),)


def test_a_robot_that_cannot_move_folds_into_its_base():
    model = chain(
        Joint("a", "revolute", "base", "l1", locked=0.3),
        Joint("b", "fixed", "l1", "l2"),
        Joint("c", "prismatic", "l2", "l3", locked=0.1, spring=Spring(2, 0.4)),
    )
    tree = fold(model)
    assert (tree.n, tree.bodies) == (0, ())
    assert tree.base.m == 4
    assert tree.elastics[0].energy(np.zeros(0)) == pytest.approx(2 * 0.3**2 / 2)


def test_the_friction_of_a_joint_alone_is_its_own():
    rough = Friction(0.1, 0.2, 0.3, 0.01, 0.4)
    model = chain(Joint("a", "revolute", "base", "l1", friction=rough), links=2)
    assert fold(model).friction == (rough,)


@pytest.mark.parametrize("ratio", [2.0, -0.5])
def test_sticking_of_a_follower_is_felt_by_its_leader(ratio):
    sticky = Friction(0.1, 0.2, 0.5, 0.01)
    model = chain(
        Joint("a", "revolute", "base", "l1", friction=Friction(0.3, 0.1)),
        Joint("b", "revolute", "l1", "l2", friction=sticky, mimic=Mimic("a", ratio)),
        links=3,
    )
    (folded,) = fold(model).friction
    for qd in (-0.02, 0.001, 0.01, 1.0):
        power = friction_torque(Friction(0.3, 0.1), qd) * qd
        power += friction_torque(sticky, ratio * qd) * ratio * qd
        assert friction_torque(folded, qd) * qd == pytest.approx(power, rel=1e-12)


def test_two_masses_joined_by_a_spring_and_a_damper():
    """K = [k, −k; −k, k] and C = [c, −c; −c, c], as symbols."""
    tree = fold(read("mass_spring_damper_symbolic"), exact)
    K = sum(np.outer(e.direction, e.direction) * e.stiffness for e in tree.elastics)
    C = sum(np.outer(e.direction, e.direction) * e.damping for e in tree.elastics)
    k, c = s("k"), s("c")
    assert K.tolist() == [[k, -k], [-k, k]]
    assert C.tolist() == [[c, -c], [-c, c]]


def test_a_coupling_pulls_towards_its_rest():
    model = chain(
        Joint("a", "prismatic", "base", "l1"),
        Joint("b", "prismatic", "base", "l2"),
        links=3,
        couplings=(Coupling(("a", "b"), 10, 3, 0.5),),
    )
    (elastic,) = fold(model).elastics
    assert elastic.torque(np.array([0.5, 0]), np.zeros(2)).tolist() == [0, 0]
    assert elastic.torque(np.array([0.7, 0]), np.zeros(2)) == pytest.approx([2, -2])
    assert elastic.torque(np.array([0.5, 0]), np.array([1, 0])).tolist() == [3, -3]


def test_an_unknown_frame_is_named_with_those_that_there_are():
    tree = fold(chain(Joint("a", "revolute", "base", "l1"), links=2))
    assert tree.frame("base") == (BASE, STILL)
    with pytest.raises(UnknownName) as error:
        tree.frame("l2")
    assert str(error.value) == (
        "Robot 'chain' has no frame named 'l2'. Did you mean 'l1'?\n  It has: base, l1."
    )


# axes


@pytest.mark.parametrize(
    ("axis", "expected"),
    [((0, 0, 2), (0, 0, 1)), ((0, -0.5, 0), (0, -1, 0)), ((1e-3, 0, 0), (1, 0, 0))],
)
def test_an_axis_along_x_y_or_z_is_made_of_whole_numbers(axis, expected):
    assert unit(axis) == expected
    assert all(type(x) is int for x in unit(axis))


def test_an_axis_may_be_as_short_as_floats_go():
    assert_allclose(unit((3e-200, 4e-200, 0.0)), (0.6, 0.8, 0), rtol=1e-14)


@given(st.tuples(*[st.fractions(-3, 3, max_denominator=9)] * 3).filter(any))
def test_every_axis_is_brought_to_length_one(axis):
    assert_allclose(np.linalg.norm(unit(tuple(float(x) for x in axis))), 1, rtol=1e-14)
    x, y, z = unit(tuple(expression(x) for x in axis))
    assert x * x + y * y + z * z == 1


def test_a_joint_of_an_unknown_kind_is_refused_where_it_is_folded():
    model = chain(Joint("lift", "revolute", "base", "l1"), links=2)
    unchecked = model.with_joints(lambda joint: replace(joint, kind="ball"))
    with pytest.raises(BadArgument, match="'lift' is of kind 'ball'"):
        fold(unchecked)
