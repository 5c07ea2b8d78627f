"""The border of a robot: what it says to wrong arguments, and what looking at it costs."""

from __future__ import annotations

import copy
import dataclasses
import gc
import inspect
import math
import pickle
import pydoc
import threading
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from nearness import ROUND_OFF, SINGLE
from numpy.testing import assert_allclose

import qddot
from qddot import Kernel, Robot, from_dh
from qddot.errors import BadArgument, BadRobot, NotNumeric, UnknownName, WrongShape
from qddot.robot.compiled import compiled

SLACK = 1_000_000  # bytes that a large batch may take beside its arrays

QUANTITIES = {name: what.inputs for name, what in vars(Robot).items() if isinstance(what, compiled)}


def two_links(**more: Any) -> Robot:
    """Return a planar arm with friction, a motor and a load to take away."""
    rows = [
        {"a": 1.0, "mass": 2.0, "com": [-0.5, 0, 0], "inertia": [0.01, 0.2, 0.2], "name": "hip"},
        {"a": 0.8, "mass": 1.5, "com": [-0.4, 0, 0], "inertia": [0.01, 0.1, 0.1], "name": "knee"},
    ]
    arm = from_dh(rows, "standard", name="leg", gravity=(0, -9.81, 0), **more)
    return arm.with_friction(viscous=[0.5, 0.3], coulomb=0.1)


LEG = two_links()
HIP, KNEE = LEG.joint_names
TIP = LEG.frame_names[-1]
SYMBOLIC = from_dh([{"a": "L1", "mass": "m1", "com": [-0.5, 0, 0]}], "standard", name="pendulum")
Q, QD, QDD = np.array([0.3, -0.7]), np.array([1.0, 0.5]), np.array([-0.2, 2.0])
STATE = {"q": Q, "qd": QD, "qdd": QDD, "tau": QDD}


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


def test_batches_that_do_not_fit_together_are_refused():
    with pytest.raises(BadArgument) as caught:
        LEG.inverse_dynamics(np.zeros((3, 2)), np.zeros((2, 2)), QDD)
    assert str(caught.value) == (
        "The batches do not fit together: q (3, 2), qd (2, 2), qdd (2,). "
        "Leading axes must be equal or 1."
    )


def test_an_out_that_cannot_hold_the_result_is_refused():
    with pytest.raises(BadArgument) as caught:
        LEG.mass_matrix(np.zeros((4, 2)), out=np.zeros((4, 2)))
    assert str(caught.value) == "out is (4, 2); it must be an array of shape (4, 2, 2)."


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


def test_an_unknown_joint_is_refused_with_the_nearest():
    with pytest.raises(UnknownName) as caught:
        LEG.locked({"kne": 0.1})
    assert "has no joint that moves by itself named 'kne'. Did you mean 'knee'?" in str(
        caught.value
    )


def test_an_unknown_part_is_refused_with_the_nearest():
    with pytest.raises(UnknownName) as caught:
        LEG.without("gravity", "fricton")
    assert "no part that can be left out named 'fricton'. Did you mean 'friction'?" in str(
        caught.value
    )
    assert "It has: friction, rotor_inertia, springs, payloads, gravity." in str(caught.value)


def test_an_unknown_symbol_is_refused_with_the_nearest():
    with pytest.raises(UnknownName, match=r"has no symbol named 'L2'. Did you mean 'L1'\?"):
        SYMBOLIC.with_values(L2=1.0)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (
            lambda: LEG.jacobian(Q, TIP, "wrld"),
            "axes is 'wrld'; it must be one of world, local, base.",
        ),
        (
            lambda: LEG.jacobian_rate(Q, QD, TIP, "b"),
            "axes is 'b'; it must be one of world, local, base.",
        ),
        (lambda: LEG.effective_mass(Q, TIP, "x"), "axes is 'x'; it must be one of all, linear."),
        (
            lambda: LEG.with_options(dtype="int32"),
            "dtype is 'int32'; it must be 'float64' or 'float32'.",
        ),
        (
            lambda: LEG.with_options(threads=-1),
            "threads is -1; give a whole number, 0 for all cores.",
        ),
        (
            lambda: LEG.with_options(threads=1.5),
            "threads is 1.5; give a whole number, 0 for all cores.",
        ),
        (
            lambda: LEG.with_gravity((0, 1)),
            "gravity has 2 entries; give 3 numbers.",
        ),
        (
            lambda: LEG.with_friction([1, 2, 3]),
            f"viscous has 3 values, but robot 'leg' has 2 joints.\n  In order: {HIP}, {KNEE}.",
        ),
        (
            lambda: LEG.with_payload(TIP, 1, inertia=(1, 2)),
            "inertia has 2 numbers; give Ixx, Iyy, Izz, or Ixx, Ixy, Ixz, Iyy, Iyz, Izz, "
            "or a 3×3 matrix.",
        ),
        (
            lambda: LEG.with_payload(TIP, 1, inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]),
            "inertia is not symmetric; an inertia matrix is.",
        ),
        (
            lambda: LEG.inverse_dynamics(Q, QD, QDD, wrenches={TIP: np.zeros(3)}),
            f"the wrench at {TIP!r} has shape (3,); it must have shape (..., 6): "
            "angular part first.",
        ),
        (
            lambda: LEG.inverse_dynamics(Q, QD, QDD, wrenches={TIP: [[1, 2], [3]]}),
            f"the wrench at {TIP!r} is not an array of real numbers.",
        ),
        (
            lambda: LEG.inverse_dynamics(Q, QD, QDD, wrenches=[1, 2]),
            "wrenches must name the frames they act at: wrenches={'tool': [0, 0, 0, 0, 0, -9.81]}.",
        ),
        (
            lambda: LEG.with_gravity((0, 0, math.nan)),
            "gravity is nan; it must be a finite number.",
        ),
        (
            lambda: LEG.locked({KNEE: math.inf}),
            f"{KNEE} is inf; it must be a finite number.",
        ),
        (
            lambda: LEG.with_payload(TIP, 1, com=(1, 2)),
            "com has 2 entries; give 3 numbers.",
        ),
        (
            lambda: LEG.with_payload(TIP, "1_000"),
            "mass: '1_000' is not a number or a formula: digit separators are not allowed; "
            "write 1000.",
        ),
        (
            lambda: LEG.inverse_dynamics(Q, QD, QDD, base_motion=(np.zeros(6),)),
            "base_motion must be two arrays of shape (..., 6): the twist of the base and its rate.",
        ),
    ],
)
def test_an_argument_that_cannot_be_right_is_refused(ask: Callable, words: str):
    with pytest.raises(BadArgument) as caught:
        ask()
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: LEG.with_payload(TIP, -1), "the mass is negative (-1 kg)"),
        (lambda: LEG.with_payload(TIP, 1, inertia=(0.9, 0.1, 0.1)), "no body has this inertia"),
        (lambda: LEG.with_friction(-1), "its viscous friction is negative (-1)"),
    ],
)
def test_an_unphysical_variant_is_refused_with_physics(ask: Callable, words: str):
    with pytest.raises(BadRobot) as caught:
        ask()
    assert words in str(caught.value)


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
        lambda: SYMBOLIC.pose([0.0], frame),
        lambda: SYMBOLIC.jacobian([0.0], frame),
        lambda: SYMBOLIC.parameters,
        lambda: SYMBOLIC.with_values(L1=1.0).mass_matrix([0.0]),
    ):
        with pytest.raises(NotNumeric, match="m1"):
            ask()


def test_values_make_a_symbolic_robot_numeric():
    pendulum = SYMBOLIC.with_values(m1=2.0, L1=0.8)
    assert pendulum.symbols == ()
    assert_allclose(pendulum.mass_matrix([0.0]), [[2.0 * 0.3**2]], rtol=ROUND_OFF)
    assert SYMBOLIC.symbols == ("L1", "m1")
    assert SYMBOLIC.with_values(L1=1.0).symbols == ("m1",)


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
    assert_allclose(stiff.pose(Q[1:], TIP), LEG.pose(Q, TIP), atol=ROUND_OFF)
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


# looking costs nothing


@pytest.fixture
def untouched(monkeypatch: pytest.MonkeyPatch) -> Robot:
    """Return a robot of which nothing may be recorded or compiled."""

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("a kernel was made")

    robot = qddot.load("panda")
    monkeypatch.setattr(Robot, "_kernel", refuse)
    return robot


@pytest.mark.parametrize(
    "look",
    [
        dir,
        repr,
        str,
        hash,
        vars,
        inspect.getmembers,
        lambda robot: robot._repr_html_(),
        lambda robot: robot == qddot.load("panda"),
        lambda robot: [hasattr(robot, name) for name in QUANTITIES],
        lambda robot: [callable(getattr(robot, name)) for name in QUANTITIES],
        lambda robot: [repr(getattr(robot, name)) for name in QUANTITIES],
        lambda robot: pickle.loads(pickle.dumps(robot)),
        copy.copy,
        copy.deepcopy,
        dataclasses.asdict,
        dataclasses.fields,
        dataclasses.replace,
        lambda robot: robot.with_options(threads=1).with_gravity((0, 0, 0)),
        lambda robot: pydoc.render_doc(robot.inverse_dynamics),
        lambda robot: pydoc.render_doc(Robot),
        lambda robot: robot.parameter_names,
    ],
)
def test_looking_at_a_robot_compiles_nothing(look: Callable, untouched: Robot):
    look(untouched)


def test_the_fixture_sees_a_kernel_being_made(untouched: Robot):
    with pytest.raises(AssertionError, match="a kernel was made"):
        untouched.mass_matrix(np.zeros(7))


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_every_quantity_has_a_signature_and_a_text_on_class_and_object(quantity: str):
    method, call = getattr(Robot, quantity), getattr(LEG, quantity)
    on_class, on_object = inspect.signature(method), inspect.signature(call)
    assert list(on_class.parameters) == ["self", *on_object.parameters]
    assert list(on_object.parameters)[: len(QUANTITIES[quantity])] == list(QUANTITIES[quantity])
    assert inspect.getdoc(call) == inspect.getdoc(method)
    assert (inspect.getdoc(call) or "").startswith("Return ")
    assert call.__name__ == method.__name__ == quantity


def test_help_shows_signature_and_text():
    for what in (Robot.inverse_dynamics, LEG.inverse_dynamics):
        text = pydoc.plain(pydoc.render_doc(what))
        assert "inverse_dynamics(" in text
        assert "qdd" in text
        assert "wrenches" in text
        assert "Return the joint torques that produce the accelerations qdd." in text
        assert "Joint torques [N·m] or forces [N], shape (..., n)." in text


# the short cut of a robot


def test_exact_calls_never_enter_python_and_all_others_do(monkeypatch: pytest.MonkeyPatch):
    seen: list[int] = []
    general = Kernel.general

    def counted(kernel: Kernel, *arrays: Any, out: Any = None) -> Any:
        seen.append(len(arrays))
        return general(kernel, *arrays, out=out)

    monkeypatch.setattr(Kernel, "general", counted)
    leg = two_links()
    expected = leg.inverse_dynamics(Q, QD, QDD)
    assert seen == []
    tip_load = {TIP: np.zeros(6)}
    for found in (
        leg.inverse_dynamics(Q, QD, qdd=QDD),
        leg.inverse_dynamics(q=Q, qd=QD, qdd=QDD),
        leg.inverse_dynamics(Q, QD, QDD, out=np.zeros(2)),
        leg.inverse_dynamics(list(Q), QD, QDD),
        leg.inverse_dynamics(Q, QD, QDD, wrenches=tip_load),
        leg.inverse_dynamics(Q, QD, QDD, base_motion=(np.zeros(6), np.zeros(6))),
        leg.inverse_dynamics(Q[None], QD, QDD)[0],
    ):
        assert_allclose(found, expected, rtol=ROUND_OFF)
    assert seen == [3, 3, 3, 3, 4, 5, 3]


def test_what_is_made_of_a_robot_is_made_once_per_choice_and_not_copied():
    robot, made = qddot.load("pendulum"), []
    for what, choice in (("a", 1), ("a", 2), ("b", 1), ("a", 1)):
        assert robot.cached(what, choice, lambda: made.append(0) or len(made)) >= 1
    assert len(made) == 3
    assert robot.cached("a", 2, list) == 2
    for other in (copy.copy(robot), pickle.loads(pickle.dumps(robot)), robot.with_options()):
        assert other.cached("a", 2, list) == []


def test_a_robot_is_pickled_and_copied_without_its_kernels():
    tau = LEG.inverse_dynamics(Q, QD, QDD)
    for other in (pickle.loads(pickle.dumps(LEG)), copy.copy(LEG), copy.deepcopy(LEG)):
        assert other == LEG
        assert hash(other) == hash(LEG)
        assert set(vars(other)) == {"model", "threads", "dtype"}
        assert np.array_equal(other.inverse_dynamics(Q, QD, QDD), tau)


def test_a_function_outlives_its_robot_and_both_are_let_go():
    leg = two_links()
    call = leg.inverse_dynamics
    expected = call(Q, QD, QDD)
    alive = weakref.ref(leg)
    del leg
    gc.collect()
    assert np.array_equal(call(Q, QD, QDD), expected)
    assert_allclose(call([Q, Q], QD, QDD)[1], expected, rtol=ROUND_OFF)
    del call
    gc.collect()
    assert alive() is None


def test_a_subclass_may_extend_a_quantity():
    class Doubled(Robot):
        def gravity_torque(self, q: Any, *, out: Any = None) -> np.ndarray:
            return 2 * super().gravity_torque(q, out=out)

    doubled = Doubled(LEG.model)
    for _ in range(2):
        assert_allclose(doubled.gravity_torque(Q), 2 * LEG.gravity_torque(Q), rtol=ROUND_OFF)


def test_the_effective_mass_in_single_precision_is_that_in_double():
    single = LEG.with_options(dtype="float32").effective_mass(Q.astype(np.float32), TIP)
    double = LEG.effective_mass(Q, TIP)
    assert_allclose(single, double, atol=1000 * SINGLE * np.abs(double).max())


def test_a_robot_without_joints_left_has_empty_jacobians():
    statue = LEG.locked({HIP: 0.1, KNEE: 0.2})
    none = np.zeros(0)
    for axes in ("world", "local", "base"):
        assert statue.jacobian(none, TIP, axes).shape == (6, 0)
        assert statue.jacobian_rate(none, none, TIP, axes).shape == (6, 0)


def test_many_threads_may_ask_a_new_robot_at_once():
    leg = two_links()
    expected = LEG.inverse_dynamics(Q, QD, QDD)
    start = threading.Barrier(6)
    found: list[np.ndarray] = []

    def work(number: int) -> None:
        start.wait()
        for _ in range(50):
            found.append(leg.inverse_dynamics(Q, QD, QDD))
            found.append(leg.inverse_dynamics([Q], QD, QDD)[0])
        leg.mass_matrix(np.zeros((number + 1, 2)))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 600
    assert_allclose(found, np.broadcast_to(expected, (600, 2)), rtol=ROUND_OFF)


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
    assert np.shape(found) == (*batch, *({"n": robot.n, "3": 3}[k] for k in SHAPES[quantity]))
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
    assert_allclose(post.pose(np.zeros(0), TIP), expected, atol=ROUND_OFF)
    assert_allclose(post.pose(np.zeros((3, 0)), TIP), [expected] * 3, atol=ROUND_OFF)
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
