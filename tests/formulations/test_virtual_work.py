"""Virtual work of point masses, read from the model alone, gives the equation of the tree."""

from dataclasses import dataclass, replace
from math import inf, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import examples, long
from nearness import CANCELLED, assert_near
from random_trees import robots, weight
from strategies import inertial, states

import qddot
from qddot.dynamics import rnea
from qddot.dynamics.coriolis import velocity_torque
from qddot.dynamics.crba import mass_matrix
from qddot.equations import proofs
from qddot.equations.agreement import agreeing_digits
from qddot.equations.deriving import derived, exact_of
from qddot.equations.exact_tree import with_angles_meant
from qddot.errors import BadArgument
from qddot.formulations.virtual_work import derive, point_masses, read
from qddot.model.folding import fold
from qddot.model.joints import MOTIONS, Screw
from qddot.model.model import mapped
from qddot.readers.read import built_in_names
from qddot.readers.read import read as built_in
from qddot.scalars.expressions import expression
from qddot.scalars.reader import read_formula

SHORT = ("two_link", "rp", "pendulum", "mass_spring_damper", "double_pendulum")
EXACT = [*(f"{name}_symbolic" for name in SHORT), "two_link", "scara", "stanford"]
MOTOR = {"motor": {"rotor_inertia": 0.01, "gear": 50}}
CASES = {
    "a motor": ([{"a": 1, "mass": 2, **MOTOR}], {}),
    "a follower": ([{"a": 1, "mass": 1}, {"a": 1, "mass": 2, "mimic": {"joint": "j1"}}], {}),
    "a follower of a follower, in symbols": (
        [
            {"a": "L", "mass": 1},
            {"a": "L", "mass": "m", "mimic": {"joint": "j1", "multiplier": -2, "offset": "pi/6"}},
            {"type": "prismatic", "mass": 1, "mimic": {"joint": "j2", "multiplier": "r"}},
        ],
        {},
    ),
    "a motor that joints share": (
        [{"a": 1, "mass": 2}, {"a": 1, "mass": 1}],
        {"coupling": [{"joints": ["j1", "j2"], "ratios": [2, -3], **MOTOR}]},
    ),
    "a payload at a frame": (
        [{"a": 1, "mass": 2}],
        {
            "frame": [{"name": "tool", "link": "link1", "xyz": [0, 0.2, 0], "rpy": [0, "b", 1]}],
            "payload": [{"frame": "tool", "mass": "m", "com": [0.1, 0, 0], "inertia": [1, 2, 2]}],
        },
    ),
    "an angle that no inertia shows": (  # the ring of the tree lacks its sine
        [{"a": 1, "mass": 2, "alpha": "u"}],
        {
            "frame": [{"name": "tool", "link": "link1", "rpy": [0.3, 0, 0]}],
            "payload": [{"frame": "tool", "mass": 1, "inertia": [2, 2, 2]}],
        },
    ),
}


def agrees(name):
    """Return the verdict on virtual work of a robot, which must not be found wrong."""
    proof = qddot.prove(name)
    assert proof.holds, str(proof)
    return proof.table[-1]["equal"]


@examples(25)
@given(model=robots(), data=st.data())
def test_on_random_robots_it_gives_the_terms_of_the_recursions(model, data):
    """Trees, slides, screws, followers, fixed joints, payloads, rotors, motors that are shared."""
    tree = fold(model)
    q, qd = data.draw(states(tree.n, 2))
    found, M = derive(model, q, qd), mass_matrix(tree, q)
    spin = np.abs(M).max() * np.abs(qd).max() ** 2
    assert_near(found.M, M, tolerance=CANCELLED)
    assert_near(found.c, velocity_torque(tree, q, qd), spin, tolerance=CANCELLED)
    assert_near(found.g, rnea.gravity_torque(tree, q), weight(tree), tolerance=CANCELLED)


@pytest.mark.parametrize("name", [*EXACT, *long("ur5", "puma560", "iiwa14")])
def test_its_difference_from_lagrange_is_the_zero_polynomial(name):
    assert agrees(name) == "proved"


@pytest.mark.parametrize("name", ["two_link_motors_symbolic", *long(*built_in_names())])
def test_more_than_fifty_digits_agree(name):
    robot = exact_of(name)
    eqs = derived(robot, "lagrange")
    digits, _ = agreeing_digits(eqs, read(with_angles_meant(robot.model)[0]))
    assert digits > 70


@pytest.mark.parametrize("case", CASES)
def test_what_a_model_may_have_is_proved(case):
    rows, more = CASES[case]
    assert agrees(qddot.from_dh(rows, "standard", gravity=(1, -9, 2), **more)) == "proved"


@pytest.mark.parametrize("way", ["locked", "fixed"])
def test_locked_joints_stand_where_they_are_locked(way):
    scara = qddot.load("scara").locked({"j1": 0.5, "j3": 0.1})
    if way == "fixed":
        base = qddot.load("ur5").locked({"wrist_2_joint": 0.3, "elbow_joint": 1})
        scara = base.locked(dict.fromkeys(base.joint_names[2:], 0))
    assert agrees(scara) == "proved"


@pytest.mark.parametrize("name", ["scara", "two_link_symbolic", *long("so101")])
def test_what_agrees_in_numbers_is_not_called_proved(name):
    robot = exact_of(name)
    claim = proofs.virtual_work(robot, lambda: derived(robot, "lagrange"), terms=inf)
    assert claim.holds is None
    assert claim.digits > 70
    proof = proofs.Proof(name, (claim,))
    assert proof.holds
    assert proof.ok
    assert proofs.summary(proof) == "0 of 1 claims proved, 1 compared in numbers"
    for words in (claim, proof.table[-1], proof._repr_html_().partition("<table")[2]):
        assert "proved" not in str(words)
        assert f"{claim.digits} digits" in str(words)


@pytest.mark.parametrize(
    ("length", "known"), [("a1^2 - 9", "digits"), ("1 - 30*a1", "digits"), ("-1 - a1", "open")]
)
def test_a_root_that_most_values_do_not_have_is_not_called_wrong(length, known):
    model = built_in("two_link_motors_symbolic")
    first, second, *rotors = model.joints  # of motors, so that it is compared in numbers
    there = replace(
        second, origin=replace(second.origin, xyz=(read_formula(f"sqrt({length})"), 0, 0))
    )
    proof = qddot.prove(replace(model, joints=(first, there, *rotors)))
    assert proof.table[-1]["equal"].endswith(known)


def test_a_kind_that_it_does_not_know_moves_as_its_class_says(monkeypatch):
    @dataclass(frozen=True)
    class Helical(Screw):
        @classmethod
        def of(cls, joint, axis):
            return Helical(axis, joint.pitch / (2 * pi))

    monkeypatch.setitem(MOTIONS, "helical", Helical)
    arm = qddot.from_dh([{"a": 1, "mass": 1}, {"a": 0.5, "mass": 2}], "standard", gravity=(1, 2, 3))
    joint = replace(arm.model.joints[0], kind="helical", pitch=0.02)
    model = replace(arm.model, joints=(joint, *arm.model.joints[1:]))
    proof = qddot.prove(model)
    assert proof.holds
    assert proof.table[-1]["shared"].endswith("helical joints move as their class says")
    q, qd = np.random.default_rng(0).uniform(-1, 1, (2, 2))
    assert_near(np.array(derive(model, q, qd).c, float), velocity_torque(fold(model), q, qd))


@examples(5)
@given(st.integers(0, 2**32 - 1))
def test_point_masses_have_the_moments_of_the_body(seed):
    body = inertial(np.random.default_rng(seed))
    masses = point_masses(mapped(body, expression))
    assert len(masses) <= 13
    mu = np.array([float(mass) for mass, _ in masses])
    r = np.array([[float(x) for x in place] for _, place in masses])
    whole = body.about_origin()
    assert_near(mu.sum(), whole.m)
    assert_near(mu @ r, whole.h)
    I = np.einsum("k,kl,kl->", mu, r, r) * np.eye(3) - np.einsum("k,ki,kj->ij", mu, r, r)
    assert_near(I, np.array(whole.I, float), 1)


def test_its_steps_are_points_and_what_happens_to_them():
    eqs = qddot.derive("two_link_symbolic", "virtual_work", notation="craig")
    titles = [part.title for part in eqs.parts]
    assert titles == [*(f"The point masses of moving link {k}" for k in (1, 2)), "Virtual work"]
    values = {step.symbol: np.asarray(step.value) for step in eqs.steps}
    T = values["p_{1}"]
    velocity = [sum(eqs.robot.qd[k] * x.partial("q", k) for k in (0, 1)) for x in T[:2].flat]
    faster = [sum(eqs.robot.qd[k] * x.partial("q", k) for k in (0, 1)) for x in velocity]
    assert all(a == b for a, b in zip(faster, values[r"\ddot p_{1}"][:2].flat, strict=True))
    assert qddot.derive("two_link_symbolic", "virtual_work").with_values(g=9).M.shape == (2, 2)


def test_it_takes_no_frames():
    with pytest.raises(BadArgument, match="base axes: leave frames out"):
        qddot.derive("two_link", "virtual_work", frames=["link1", "link2"])
