"""The effective mass of a robot: no finite mass is lost, in batches and in single precision."""

import gc
import tracemalloc

import numpy as np
import pytest
from long import long
from made import POINT
from nearness import ACCURATE, DIVIDED, SOLVED
from numpy.testing import assert_allclose, assert_array_equal
from watching import python_calls

import qddot
from qddot.certificate.ellipsoid import mass_ellipsoid
from qddot.robot.frames import matrix_of, principal_masses

FEW_OF_FLOAT32 = 1e-6  # a few roundings of a float32
both = pytest.mark.parametrize("axes", ["linear", "all"])


@pytest.mark.parametrize("bend", [1e-2, 3e-6, 1e-8, 1e-10])
def test_a_large_mass_is_not_lost(bend):
    """Along the arm it is 1/sin² of the bend, and a little that does not grow."""
    heaviest = np.linalg.eigvalsh(POINT.effective_mass([0, bend], "tool", "linear"))[-1]
    assert heaviest == pytest.approx(1 / np.sin(bend) ** 2, rel=max(5 * bend, 1e-5))


@both
def test_directions_that_cannot_move_are_infinite_and_zero_in_the_matrix(axes):
    masses, directions = POINT.principal_masses([0.3, 0.0], "tool", axes)
    blocked = directions[:, np.isinf(masses)]
    # stretched out it moves across itself, and turns with that
    assert blocked.shape[1] == len(masses) - (1 if axes == "linear" else 2)
    matrix = POINT.effective_mass([0.3, 0.0], "tool", axes)
    assert_allclose(matrix @ blocked, 0, rtol=0, atol=1e-12 * np.abs(matrix).max())
    J = POINT.jacobian([0.3, 0.0], "tool")[3 if axes == "linear" else 0 :]
    assert_allclose(blocked.T @ J, 0, rtol=0, atol=1e-15)


@both
@pytest.mark.parametrize("name", ["panda", *long("xarm7", "ur5", "iiwa14")])
def test_single_precision_loses_no_mass(name, axes):
    arm = qddot.load(name)
    q = np.random.default_rng(4).uniform(-2, 2, (200, arm.n)).astype(np.float32)
    frame = arm.frame_names[-1]
    single = arm.with_options(dtype="float32").effective_mass(q, frame, axes)
    double = arm.effective_mass(q.astype(float), frame, axes)
    assert single.dtype == np.float32
    largest = np.abs(double).max(axis=(1, 2), keepdims=True)
    assert_allclose(single / largest, double / largest, rtol=0, atol=FEW_OF_FLOAT32)


@both
def test_a_batch_is_its_states_one_by_one(axes):
    """Singular ones, and ones whose mass matrix is, leave the others alone."""
    q = np.array([[[0.3, 0.0], [0.1, 1.0]], [[np.nan, 0.2], [0.5, 1e-7]]])
    masses, directions = POINT.principal_masses(q, "tool", axes)
    matrix = POINT.effective_mass(q, "tool", axes)
    for k in np.ndindex(2, 2):
        one = POINT.principal_masses(q[k], "tool", axes)
        assert_array_equal(masses[k], one[0])
        assert_array_equal(directions[k], one[1])
        assert_array_equal(matrix[k], POINT.effective_mass(q[k], "tool", axes))
    assert np.isnan(matrix[1, 0]).all()
    assert np.isfinite(matrix[0]).all()


def test_a_singular_mass_matrix_gives_nan():
    light = qddot.from_dh([{"a": 1, "mass": 1, "com": [0, 0, 0]}, {"a": 1}], "standard")
    assert np.isnan(light.effective_mass([[0, 1.0], [0, 2.0]], "tool")).all()


def test_without_joints_every_direction_is_infinite():
    statue = POINT.locked({"j1": 0, "j2": 1})
    assert np.isinf(statue.principal_masses(np.zeros((2, 0)), "tool")[0]).all()
    assert not statue.effective_mass(np.zeros(0), "tool").any()


@both
def test_the_report_on_one_position_has_the_same_masses(axes):
    for name in ("panda", "scara", "so101", "two_link_point"):
        arm = qddot.load(name)
        q = np.random.default_rng(5).uniform(-1, 1, arm.n)
        found = mass_ellipsoid(arm, q, arm.frame_names[-1], axes)
        masses, _ = arm.principal_masses(q, arm.frame_names[-1], axes)
        assert_allclose(found.masses, masses, rtol=SOLVED)
        matrix = arm.effective_mass(q, arm.frame_names[-1], axes)
        assert_allclose(found.matrix, matrix, rtol=0, atol=SOLVED * np.abs(matrix).max())


def test_a_right_angle_typed_with_five_digits_moves_the_tip_out_of_its_plane_a_little():
    """The model says so; that the mass is huge and not infinite is true of it."""
    turned = {"a": 1.0, "alpha": 1.5708, "mass": 1.0, "com": [0, 0, 0]}
    back = {"a": 1.0, "alpha": -1.5707963267948966, "mass": 1.0, "com": [0, 0, 0]}
    last = {"a": 1.0, "mass": 1.0, "com": [0, 0, 0]}
    arm = qddot.from_dh([turned, back, last, last], "standard").locked({"j2": 0})
    masses, _ = arm.principal_masses([0.2, 0.4, 0.7], "tool", "linear")
    assert 1e9 < masses[-1] < 1e12
    assert_allclose(mass_ellipsoid(arm, [0.2, 0.4, 0.7], "tool").masses, masses, rtol=1e-4)


@both
@pytest.mark.parametrize("name", ["two_link", "scara", "so101", "ur5", *long("panda_hand")])
def test_what_is_compiled_is_what_singular_values_give(name, axes):
    """More rows than joints, as many, fewer; a joint that does not move the frame (so101)."""
    arm = qddot.load(name)
    q = arm.random_positions(50, seed=1)
    J = arm.jacobian(q, arm.tip)[:, 3 if axes == "linear" else 0 :]
    masses, directions = principal_masses(J, arm.mass_matrix(q))
    matrix = matrix_of(masses, directions)
    found, (own, axes_found) = (
        arm.effective_mass(q, arm.tip, axes),
        arm.principal_masses(q, arm.tip, axes),
    )
    size = np.abs(matrix).max(axis=(1, 2), keepdims=True)
    assert_allclose(found / size, matrix / size, rtol=0, atol=DIVIDED)
    assert_allclose(matrix_of(own, axes_found) / size, matrix / size, rtol=0, atol=DIVIDED)
    assert_allclose(1 / own, 1 / masses, rtol=SOLVED)
    square = np.swapaxes(axes_found, 1, 2) @ axes_found
    assert_allclose(
        square, np.broadcast_to(np.eye(len(square[0])), square.shape), rtol=0, atol=ACCURATE
    )
    arm.effective_mass(q[0], arm.tip, axes)
    with python_calls() as calls:
        one = arm.effective_mass(q[7], arm.tip, axes)
    assert calls == []
    assert_array_equal(one, found[7])


def test_masses_of_a_frame_on_the_base_are_infinite():
    for axes, count in (("all", 6), ("linear", 3)):
        masses, directions = POINT.principal_masses([0.1, 0.2], "base", axes)
        assert_array_equal(masses, [np.inf] * count)
        assert_array_equal(directions, np.eye(count))
        assert not POINT.effective_mass([0.1, 0.2], "base", axes).any()
    light = qddot.from_dh([{"a": 1, "mass": 1, "com": [0, 0, 0]}, {"a": 1}], "standard")
    assert np.isnan(light.effective_mass([0, 1.0], "base")).all()


def test_principal_masses_of_one_state_enter_no_python():
    for arm, axes in ((POINT, "linear"), (qddot.load("ur5"), "all")):
        q = np.full(arm.n, 0.7)
        first = arm.principal_masses(q, arm.tip, axes)
        with python_calls() as calls:
            again = arm.principal_masses(q, arm.tip, axes)
        assert calls == []
        assert_array_equal(first[0], again[0])
        assert (np.diff(again[0]) >= 0).all()


def test_singular_values_are_asked_where_the_frame_can_hardly_move():
    arm = POINT.with_options(threads=1)
    arm.effective_mass(np.array([0.3, 1.0]), "tool", "linear")
    for bend, asked in ((1.0, False), (1e-3, False), (1e-15, True), (0.0, True), (np.nan, True)):
        q = np.array([0.3, bend])
        with python_calls() as calls:
            found = arm.effective_mass(q, "tool", "linear")
        assert ("FrameQuantities._mass_of_axes" in calls) is asked
        assert bool(calls) is asked
        assert_array_equal(found, arm.effective_mass(q[None], "tool", "linear")[0])


def test_a_result_that_is_not_right_is_let_go():
    q = np.array([0.3, 0.0])
    POINT.effective_mass(np.array([0.3, 1.0]), "tool", "linear")
    POINT.effective_mass(q, "tool", "linear")
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(500):
            POINT.effective_mass(q, "tool", "linear")
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < 20_000  # 500 matrices have more
    finally:
        tracemalloc.stop()
