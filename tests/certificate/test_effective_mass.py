"""Effective mass: the deck's numbers, its laws on any arm, and what happens at singularities."""

import numpy as np
import pytest
from made import PANDA, POINT
from nearness import ROUND_OFF, SOLVED, assert_close
from numpy.testing import assert_allclose

import qddot
from qddot.certificate.ellipsoid import mass_ellipsoid, near_singular
from qddot.certificate.mobility import principal
from qddot.errors import BadArgument

READY = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
STRAIGHT = 1e-7  # of an angle near zero


def at(degrees):
    return mass_ellipsoid(POINT, [0, np.radians(degrees)], "tool")


# the numbers of the deck


def test_at_a_right_angle_the_tip_weighs_one_and_two():
    q = [0, np.pi / 2]
    assert_close(POINT.mass_matrix(q), [[3, 1], [1, 1]])
    found = at(90)
    assert_close(found.matrix, np.diag([1, 2, 0]))
    assert_allclose(found.masses, [1, 2, np.inf], rtol=ROUND_OFF)
    assert_close(found.directions, np.eye(3))
    assert found.condition == pytest.approx(2, rel=ROUND_OFF)
    assert found.clearance == pytest.approx(np.sqrt(0.5), rel=ROUND_OFF)
    assert not found.singular


def test_folded_to_150_degrees_it_weighs_one_and_five():
    M = POINT.mass_matrix([0, np.radians(150)])
    assert_allclose(
        M, [[1.26795, 0.133975], [0.133975, 1]], rtol=0, atol=5e-6
    )  # as the deck rounds them
    found = at(150)
    assert_close(found.matrix[:2, :2], [[4, -np.sqrt(3)], [-np.sqrt(3), 2]])
    assert_allclose(found.masses, [1, 5, np.inf], rtol=ROUND_OFF)
    # f ∥ a along the axes, and nowhere else
    for k in (0, 1):
        assert found.parallel_gap(found.directions[:, k]) < STRAIGHT
    for angle in np.linspace(0.1, 1.4, 7):
        between = found.directions @ [np.cos(angle), np.sin(angle), 0]
        assert found.parallel_gap(between) > 0.1


def test_an_example_of_a_force_that_is_not_parallel():
    found = at(150)
    assert_close(found.force([1, 0, 0]), [4, -np.sqrt(3), 0])
    assert found.parallel_gap([1, 0, 0]) == pytest.approx(np.arctan2(np.sqrt(3), 4), rel=SOLVED)
    assert found.parallel_gap([-2, 0, 0]) == pytest.approx(found.parallel_gap([1, 0, 0]))


# laws


def test_kinetic_energy_is_that_of_the_tip():
    rng = np.random.default_rng(1)
    for q, qd in rng.normal(size=(20, 2, 2)):
        V = POINT.jacobian(q, "tool")[3:] @ qd
        energy = V @ mass_ellipsoid(POINT, q, "tool").matrix @ V / 2
        assert energy == pytest.approx(POINT.kinetic_energy(q, qd), rel=SOLVED)


@pytest.mark.parametrize("axes", ["linear", "all"])
def test_of_a_redundant_arm_it_is_the_least_kinetic_energy(axes):
    rng = np.random.default_rng(2)
    J, M = PANDA.jacobian(READY, "tool"), PANDA.mass_matrix(READY)
    J = J[3:] if axes == "linear" else J
    V = rng.normal(size=len(J))
    energy = V @ mass_ellipsoid(PANDA, READY, "tool", axes).matrix @ V / 2
    # the least ½ q̇ᵀ M q̇ with J q̇ = V, by its optimality conditions
    k = len(J)
    conditions = np.block([[M, -J.T], [J, np.zeros((k, k))]])
    least = np.linalg.solve(conditions, np.concatenate([np.zeros(7), V]))[:7]
    assert least @ M @ least / 2 == pytest.approx(energy, rel=SOLVED)
    idle = np.linalg.svd(J)[2][k:]  # motions that leave the tip where it is
    for qd in least + rng.normal(size=(10, len(idle))) @ idle:
        assert_allclose(J @ qd, V, rtol=0, atol=SOLVED)
        assert qd @ M @ qd / 2 > energy


@pytest.mark.parametrize("axes", ["linear", "all"])
def test_it_is_the_inverse_and_the_robots_own(axes):
    found = mass_ellipsoid(PANDA, READY, "tool", axes)
    assert_allclose(found.matrix @ found.inverse, np.eye(len(found.masses)), rtol=0, atol=SOLVED)
    scale = np.abs(found.matrix).max()
    assert_allclose(
        found.matrix, PANDA.effective_mass(READY, "tool", axes), atol=SOLVED * scale, rtol=0
    )
    assert_allclose(
        found.directions.T @ found.directions, np.eye(len(found.masses)), rtol=0, atol=SOLVED
    )
    assert np.all(np.diff(found.masses) >= 0)
    for mass, direction in zip(found.masses, found.directions.T, strict=True):
        assert_allclose(found.matrix @ direction, mass * direction, rtol=0, atol=SOLVED * scale)


def test_a_force_on_an_arm_at_rest_accelerates_it_by_the_effective_mass():
    q = np.array([0.3, np.radians(150)])
    arm = POINT.without("gravity")
    found = mass_ellipsoid(arm, q, "tool")
    f = np.array([0.7, -0.4, 0.0])
    run = qddot.simulate(arm, q, duration=0.01, wrenches={"tool": [0, 0, 0, *f]})
    a = arm.point_motion(run.q[0], run.qd[0], run.qdd[0], "tool")[2]
    assert_allclose(a, found.acceleration(f), rtol=SOLVED, atol=ROUND_OFF)
    assert_allclose(found.force(a), f, rtol=SOLVED, atol=ROUND_OFF)


def test_many_at_once_are_those_one_by_one():
    q = np.random.default_rng(3).uniform(-1, 1, size=(5, 7)) + READY
    masses, axes = principal(PANDA, q, "tool", np.eye(3))
    for k in range(5):
        one = mass_ellipsoid(PANDA, q[k], "tool")
        assert_allclose(masses[k], one.masses, rtol=SOLVED)
        assert_allclose(np.abs(np.diag(axes[k].T @ one.directions)), 1, rtol=SOLVED)


def test_single_precision_does_not_blur_it():
    single = mass_ellipsoid(PANDA.with_options(dtype="float32"), READY, "tool")
    assert_allclose(single.matrix, mass_ellipsoid(PANDA, READY, "tool").matrix, rtol=1e-13)


# singularities


@pytest.mark.parametrize("q2", [0.0, np.pi])
def test_a_stretched_or_folded_arm_names_what_it_cannot_do(q2):
    found = mass_ellipsoid(POINT, [0.3, q2], "tool")
    assert found.singular
    assert found.condition == np.inf
    assert found.clearance == 0
    along, across = found.blocked
    assert_close(along, [np.cos(0.3), np.sin(0.3), 0])
    assert_close(across, [0, 0, 1])
    text = str(found)
    assert "cannot be accelerated along (0.9553, 0.2955, 0): q is singular" in text
    assert "cannot be accelerated along (0, 0, 1), whatever q is" in text
    assert found.force([-np.sin(0.3), np.cos(0.3), 0]) == pytest.approx(
        np.array([-np.sin(0.3), np.cos(0.3), 0]), abs=SOLVED
    )
    with pytest.raises(BadArgument, match=r"'tool' cannot be accelerated along \(0.9553, 0.2955"):
        found.force([1, 0, 0])
    with pytest.raises(BadArgument, match=r"along \(0, 0, 1\), whatever q is; no force gives it"):
        found.force([0, 0, 1])


@pytest.mark.parametrize("bend", [1e-2, 1e-5, 1e-8, 1e-10])
def test_near_a_singularity_the_mass_is_large_and_finite(bend):
    found = mass_ellipsoid(POINT, [0, bend], "tool")
    assert not found.singular
    # along the arm: 1/sin² of the bend, and a little that does not grow
    assert found.masses[1] == pytest.approx(1 / np.sin(bend) ** 2, rel=max(5 * bend, 1e-5))
    assert found.clearance == pytest.approx(bend, rel=0.05)
    assert ("q is near a singular one" in str(found)) == (bend < 5e-3)


def test_directions_that_no_joint_reaches_do_not_count_as_singular():
    scara = qddot.load("scara")
    q = [0.2, 0.3, 0.1, 0.0]
    found = mass_ellipsoid(scara, q, "tool", "all")
    assert not found.singular
    assert np.isfinite(found.condition)
    assert_close(np.array(found.blocked), np.eye(6)[:2])
    assert "along (1, 0, 0; 0, 0, 0), whatever q is" in str(found)
    assert "turns and shifts, in kg·m² and kg" in str(found)
    # the quill and the flange hang on it, whatever the arm does
    assert mass_ellipsoid(scara, q, "tool").masses[0] == pytest.approx(1.5)


def test_too_few_joints_are_not_called_singular():
    found = mass_ellipsoid(POINT, [0, 1.0], "tool", "all")
    assert not found.singular
    assert len(found.blocked) == 4
    assert found.never == 3
    assert "at this q, having too few joints" in str(found)
    twist = POINT.jacobian([0, 1.0], "tool") @ [0.3, -0.2]
    assert twist @ found.force(twist) / 2 == pytest.approx(
        POINT.kinetic_energy([0, 1.0], [0.3, -0.2]), rel=SOLVED
    )


def test_a_frame_that_does_not_move_says_so():
    found = mass_ellipsoid(POINT, [0, 1.0], "base")
    assert np.isinf(found.masses).all()
    assert str(found).endswith("no joint moves it")
    with pytest.raises(BadArgument, match="No joint of 'two_link_point' moves 'base'"):
        near_singular(POINT, "base")


def test_the_worst_position_is_found_and_called_sampled():
    found = near_singular(POINT, "tool", box={"j2": (0.1, 3.0)})
    assert found.q[1] == pytest.approx(0.1) or found.q[1] == pytest.approx(3.0)
    assert found.condition == mass_ellipsoid(POINT, found.q, "tool").condition
    assert "Of 10000 joint positions" in str(found)
    assert "Sampled, not certified: others may be worse." in str(found)
    whole = near_singular(POINT, "tool", samples=2000)
    assert abs(np.sin(whole.q[1])) < 1e-5
    assert whole.condition > 1e9
    assert near_singular(PANDA, "tool", samples=3000).condition > 1e3
    assert near_singular(PANDA, "tool", samples=1).samples == 1


# how it looks, and what is refused


def test_it_reads_well():
    assert str(at(150)).splitlines() == [
        "Effective mass of 'tool' of 'two_link_point' at q = (0, 2.618):",
        "  1 kg along (0.5, 0.866, 0)",
        "  5 kg along (0.866, −0.5, 0)",
        "  cannot be accelerated along (0, 0, 1), whatever q is",
        "  condition 5, clearance from singularity 0.4472",
    ]
    page = at(150)._repr_html_()
    assert '<th scope="row">5</th><td>0.866</td><td>-0.5</td><td>0</td>' in page
    assert not at(150).matrix.flags.writeable
