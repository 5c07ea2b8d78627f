"""The border of a robot: what it says to wrong arguments, and robots at the edge."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from nearness import ROUND_OFF, SINGLE
from numpy.testing import assert_allclose
from robot.leg import HIP, KNEE, LEG, QD, QDD, QUANTITIES, STATE, SYMBOLIC, TIP, Q

import qddot
from qddot import Robot, from_dh
from qddot.errors import BadArgument, NotNumeric, UnknownName, WrongShape

SLACK = 1_000_000  # bytes that a large batch may take beside its arrays


def states(quantity: str, **replaced: Any) -> list[Any]:
    return [(STATE | replaced)[name] for name in QUANTITIES[quantity]]


# wrong shapes


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_an_array_of_the_wrong_length_is_refused_with_the_joints(quantity: str):
    for name in QUANTITIES[quantity]:
        for wrong in (np.zeros(3), [0.0], np.zeros((4, 1)), 0.5):
            with pytest.raises(WrongShape) as caught:
                getattr(LEG, quantity)(*states(quantity, **{name: wrong}))
            assert str(caught.value) == (
                f"{name} has shape {np.shape(wrong)}, but robot 'leg' has 2 joints, "
                f"so {name} must have shape (2,).\n"
                f"  Its entries are, in order: {HIP}, {KNEE}."
            )


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_what_is_no_number_is_refused(quantity: str):
    first = QUANTITIES[quantity][0]
    for wrong in ("fast", None, [1j, 0], [[1], [2, 3]], {"hip": 1}):
        with pytest.raises(BadArgument, match=f"^{first} is not an array of real numbers\\.$"):
            getattr(LEG, quantity)(*states(quantity, **{first: wrong}))


def test_a_missing_argument_is_named():
    with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'qdd'"):
        LEG.inverse_dynamics(Q, QD)


# unknown names


@pytest.mark.parametrize(
    "ask",
    [
        lambda frame: LEG.pose(Q, frame),
        lambda frame: LEG.jacobian(Q, frame),
        lambda frame: LEG.jacobian_rate(Q, QD, frame),
        lambda frame: LEG.effective_mass(Q, frame),
        lambda frame: LEG.inverse_dynamics(Q, QD, QDD, wrenches={frame: np.zeros(6)}),
        lambda frame: LEG.forward_dynamics(Q, QD, QDD, wrenches={frame: np.zeros(6)}),
        lambda frame: LEG.bias_torque(Q, QD, wrenches={frame: np.zeros(6)}),
        lambda frame: LEG.with_payload(frame, 1.0),
    ],
)
def test_an_unknown_frame_is_refused_with_the_nearest(ask: Callable):
    with pytest.raises(UnknownName) as caught:
        ask(TIP + "s")
    assert str(caught.value) == (
        f"Robot 'leg' has no frame named '{TIP}s'. Did you mean {TIP!r}?\n"
        f"  It has: {', '.join(LEG.frame_names)}."
    )


# symbols


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_a_symbolic_robot_has_no_numbers(quantity: str):
    call = getattr(SYMBOLIC, quantity)
    count = len(QUANTITIES[quantity])
    for arrays in ([np.zeros(1)] * count, [[0.0]] * count, [np.zeros((3, 1))] * count):
        with pytest.raises(NotNumeric) as caught:
            call(*arrays)
        assert "it depends on L1, m1." in str(caught.value)
        assert "robot.with_values(L1=1.0, m1=1.0)" in str(caught.value)


def test_frames_and_parameters_of_a_symbolic_robot_have_no_numbers_either():
    frame = SYMBOLIC.frame_names[-1]
    for ask in (
        lambda: SYMBOLIC.parameters,
        lambda: SYMBOLIC.with_values(L1=1.0).mass_matrix([0.0]),
    ):
        with pytest.raises(NotNumeric, match="m1"):
            ask()
    for ask in (lambda: SYMBOLIC.pose([0.0], frame), lambda: SYMBOLIC.jacobian([0.0], frame)):
        with pytest.raises(NotNumeric) as caught:
            ask()
        assert "m1" not in str(caught.value)


def test_what_depends_on_lengths_alone_asks_for_no_masses():
    symbolic, arm = qddot.load("two_link_symbolic"), qddot.load("two_link")
    lengths = {name: arm.values[name] for name in ("a1", "a2")}
    shape, q = symbolic.with_values(lengths), np.array([0.3, 0.7])
    assert "m1" in shape.symbols
    assert shape.home.tolist() == arm.home.tolist()
    X = arm.pose(q, "tool")
    assert np.array_equal(shape.pose(q, "tool"), X)
    assert np.array_equal(shape.jacobian(q, "tool"), arm.jacobian(q, "tool"))
    found = shape.inverse_kinematics_all(X, "tool")
    assert np.array_equal(found.q, arm.inverse_kinematics_all(X, "tool").q, equal_nan=True)
    assert shape.inverse_kinematics(X, "tool", near=q).found
    steps = shape.inverse_kinematics_steps("tool").steps
    assert steps == arm.inverse_kinematics_steps("tool").steps
    assert shape.draw() is not None
    with pytest.raises(BadArgument, match="without a value: a1, a2"):
        symbolic.inverse_kinematics_all(X, "tool")


def test_values_make_a_symbolic_robot_numeric():
    pendulum = SYMBOLIC.with_values(m1=2.0, L1=0.8)
    assert pendulum.symbols == ()
    assert_allclose(pendulum.mass_matrix([0.0]), [[2.0 * 0.3**2]], rtol=ROUND_OFF)
    assert SYMBOLIC.symbols == ("L1", "m1")
    assert SYMBOLIC.with_values(L1=1.0).symbols == ("m1",)


def test_a_robot_with_numbers_for_symbols_takes_other_numbers():
    """A textbook robot, one of one's own, and what was changed about either since."""
    arm, symbolic = qddot.load("two_link"), qddot.load("two_link_symbolic")
    other = {**arm.values, "a1": 2.0, "m2": 7.0}
    expected = replace(symbolic.with_values(**other).model, name="two_link")
    assert arm.with_values(a1=2.0, m2=7.0).model == expected
    assert arm.with_values(a1=2.0).with_values(m2=7.0).values == other
    load, push = (TIP, 3.0), dict(viscous=[30, 40], coulomb=2.0)
    pendulum = SYMBOLIC.with_values(m1=2.0, L1=0.8)
    assert pendulum.with_values(m1=1.0) == SYMBOLIC.with_values(m1=1.0, L1=0.8)
    assert pendulum.with_payload(SYMBOLIC.frame_names[-1], 3.0).with_values(m1=1.0) == (
        SYMBOLIC.with_values(m1=1.0, L1=0.8).with_payload(SYMBOLIC.frame_names[-1], 3.0)
    )
    for change in (
        lambda robot: robot.with_payload("tool", load[1]),
        lambda robot: robot.with_friction(**push),
        lambda robot: robot.without("friction", "gravity"),
        lambda robot: robot.locked({"j2": 0.3}),
        lambda robot: robot.with_gravity((0, -1.62, 0)),
    ):
        assert change(arm).with_values(a1=2.0) == change(arm.with_values(a1=2.0))
    assert "g" not in arm.with_gravity((0, -1.62, 0)).values  # it is no symbol any more


def test_a_robot_whose_numbers_were_changed_since_has_no_symbols_to_set():
    model = qddot.load("two_link").model
    links = tuple(replace(link, inertial=replace(link.inertial, mass=3.0)) for link in model.links)
    heavier = Robot(replace(model, links=links))
    assert not heavier.values
    with pytest.raises(UnknownName, match="It has: no symbols"):
        heavier.with_values(a1=2.0)
    with pytest.raises(UnknownName, match=r"no symbol named 'L1'. .*"):
        qddot.load("two_link").with_values(L1=2.0)


# variants


def test_a_variant_differs_as_it_should_and_the_robot_stays():
    """Each variant against a formula of the robot it came from."""
    before = repr(LEG.model)
    tau = LEG.inverse_dynamics(Q, QD, QDD)
    g, J = LEG.gravity_torque(Q), LEG.jacobian(Q, TIP)
    friction = np.array([0.5, 0.3]) * QD + 0.1 * np.sign(QD)
    load = 3.0 * np.array([0, 9.81, 0])
    variants: dict[Robot, tuple[str, list, Any]] = {
        LEG.with_gravity((0, 0, 0)): ("gravity_torque", [Q], 0 * g),
        LEG.with_gravity((0, -1.62, 0)): ("gravity_torque", [Q], g * 1.62 / 9.81),
        LEG.without("gravity"): ("inverse_dynamics", [Q, QD, QDD], tau - g),
        LEG.without("friction"): ("inverse_dynamics", [Q, QD, QDD], tau - friction),
        LEG.without("friction", "gravity"): ("inverse_dynamics", [Q, QD, QDD], tau - friction - g),
        LEG.with_friction(viscous=2.0): ("friction_torque", [QD], 2.0 * QD + 0.1 * np.sign(QD)),
        LEG.with_friction(coulomb=[0, 1]): ("friction_torque", [QD], [0.5, 1.0 + 0.15]),
        LEG.with_payload(TIP, 3.0): ("gravity_torque", [Q], g + J[3:].T @ load),
        LEG.locked({KNEE: Q[1]}): ("mass_matrix", [Q[:1]], LEG.mass_matrix(Q)[:1, :1]),
    }
    for variant, (quantity, arrays, expected) in variants.items():
        found = getattr(variant, quantity)(*arrays)
        assert_allclose(found, expected, rtol=ROUND_OFF, atol=ROUND_OFF)
    assert LEG.with_payload(TIP, 3.0).without("payloads") == LEG
    assert repr(LEG.model) == before
    assert np.array_equal(LEG.inverse_dynamics(Q, QD, QDD), tau)


def test_a_locked_joint_leaves_the_state():
    stiff = LEG.locked({HIP: 0.3})
    assert (stiff.n, stiff.joint_names) == (1, (KNEE,))
    assert_allclose(stiff.pose(Q[1:], TIP), LEG.pose(Q, TIP), rtol=0, atol=ROUND_OFF)
    assert LEG.n == 2


def test_a_payload_may_be_given_by_moments_entries_or_a_matrix():
    ways = [(0.1, 0.2, 0.25), (0.1, 0, 0, 0.2, 0, 0.25), np.diag([0.1, 0.2, 0.25])]
    found = [LEG.with_payload(TIP, 2.0, (0.1, 0, 0), way).mass_matrix(Q) for way in ways]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
    assert found[0][1, 1] > LEG.mass_matrix(Q)[1, 1] + 0.25


def test_options_change_kernels_and_nothing_else():
    single = LEG.with_options(threads=3, dtype="float32")
    assert (single.threads, single.dtype) == (3, "float32")
    assert (LEG.threads, LEG.dtype) == (0, "float64")
    assert single.model is LEG.model
    assert single.with_options() == single
    assert single.with_options(dtype="float64", threads=0) == LEG
    for found in (
        single.inverse_dynamics(Q.astype("float32"), QD.astype("float32"), QDD.astype("float32")),
        single.inverse_dynamics(Q, QD, QDD),
        single.inverse_dynamics([Q, Q], QD, QDD)[1],
    ):
        assert found.dtype == np.float32
        assert_allclose(found, LEG.inverse_dynamics(Q, QD, QDD), rtol=SINGLE, atol=SINGLE)
    assert LEG.with_options(dtype=np.float32).dtype == "float32"  # type: ignore[arg-type]


# robots at the edge

SHAPES = {  # of each quantity for n joints
    "inverse_dynamics": "n",
    "forward_dynamics": "n",
    "bias_torque": "n",
    "mass_matrix": "nn",
    "coriolis_matrix": "nn",
    "velocity_torque": "n",
    "gravity_torque": "n",
    "friction_torque": "n",
    "christoffel": "nnn",
    "centrifugal_matrix": "nn",
    "coriolis_pairs": "np",
    "mass_matrix_rate": "nn",
    "kinetic_energy": "",
    "potential_energy": "",
    "center_of_mass": "3",
}


@pytest.mark.parametrize("quantity", SHAPES)
@pytest.mark.parametrize("robot", [LEG, LEG.locked({HIP: 0.1})], ids=["two joints", "one joint"])
@pytest.mark.parametrize("batch", [(), (1,), (3,), (2, 0), (2, 3)])
def test_results_have_the_shape_of_the_batch_and_the_quantity(
    robot: Robot, quantity: str, batch: tuple[int, ...]
):
    arrays = [np.full((*batch, robot.n), 0.3) for _ in QUANTITIES[quantity]]
    found = getattr(robot, quantity)(*arrays)
    sizes = {"n": robot.n, "3": 3, "p": robot.n * (robot.n - 1) // 2}
    assert np.shape(found) == (*batch, *(sizes[k] for k in SHAPES[quantity]))
    assert np.all(np.isfinite(found))


@pytest.mark.parametrize(
    "quantity", ["inverse_dynamics", "bias_torque", "gravity_torque", "friction_torque"]
)
@pytest.mark.parametrize("batch", [(), (3,), (0,)])
def test_a_robot_without_joints_has_no_torques(quantity: str, batch: tuple[int, ...]):
    post = LEG.locked({HIP: 0.1, KNEE: 0.2})
    assert post.n == 0
    nothing = np.zeros((*batch, 0))
    assert getattr(post, quantity)(*[nothing] * len(QUANTITIES[quantity])).shape == nothing.shape


def test_a_robot_without_joints_has_poses_and_energies():
    post = LEG.locked({HIP: 0.1, KNEE: 0.2})
    expected = LEG.pose([0.1, 0.2], TIP)
    assert_allclose(post.pose(np.zeros(0), TIP), expected, rtol=0, atol=ROUND_OFF)
    assert_allclose(post.pose(np.zeros((3, 0)), TIP), [expected] * 3, rtol=0, atol=ROUND_OFF)
    assert post.jacobian([], TIP).shape == (6, 0)
    assert post.kinetic_energy([], []) == 0
    with pytest.raises(WrongShape, match="has 0 joints, so q must have shape"):
        post.pose([0.1], TIP)


@pytest.mark.filterwarnings("ignore::qddot.RobotWarning")
@pytest.mark.parametrize("links", [1, 2])
def test_a_singular_mass_matrix_gives_numbers_that_are_none(links: int):
    """A massless tip: whatever torque there is, nothing resists it."""
    rows = [{"a": 1, "mass": 2, "com": [-0.5, 0, 0]}, {"a": 1, "mass": 0}]
    arm = from_dh(rows[2 - links :], "standard")
    zero, torque = np.zeros(links), np.ones(links)
    assert np.linalg.det(arm.mass_matrix(zero)) == 0
    for found in (
        arm.forward_dynamics(zero, zero, torque),
        arm.forward_dynamics([zero] * 3, zero, torque)[2],
        arm.forward_dynamics_derivatives(zero, zero, torque)[2],
    ):
        assert not np.all(np.isfinite(found))
    assert np.all(np.isfinite(arm.inverse_dynamics(zero, zero, torque)))


# memory


@pytest.mark.parametrize("given", [False, True], ids=["new array", "out="])
def test_a_million_states_take_no_more_than_their_own_arrays(given: bool):
    robot = qddot.load("panda")
    q = np.linspace(-1, 1, 7_000_000).reshape(-1, 7)
    qd = np.broadcast_to(np.ones(7), q.shape)  # no memory of its own
    out = np.zeros_like(q) if given else None
    robot.inverse_dynamics(q[:100], qd[:100], qd[:100])
    tracemalloc.start()
    try:
        tau = robot.inverse_dynamics(q, qd, qd, out=out)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < (0 if given else tau.nbytes) + SLACK
    assert_allclose(tau[-1], robot.inverse_dynamics(q[-1], np.ones(7), np.ones(7)), rtol=ROUND_OFF)
