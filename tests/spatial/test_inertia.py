"""Laws of inertia, against clouds of point masses: there every integral is a sum.

SPEC A2, A3, A10 to A12: Euler matrix, pseudo-inertia, Steiner, rotation, König.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nearness import DIVIDED, HANDFUL, ROUND_OFF, assert_close
from numpy.testing import assert_allclose

from qddot.scalars.expressions import symbol
from qddot.spatial.inertia import (
    NAMES,
    Inertia,
    euler,
    from_euler,
    symmetric,
    upper,
    why_impossible,
)
from qddot.spatial.pose import STILL, Pose
from qddot.spatial.rotation import about_axis, from_rpy
from qddot.spatial.vector import cross, skew, split

seeds = st.integers(0, 2**32 - 1)
clouds = seeds.map(lambda seed: Cloud(np.random.default_rng(seed)))
vec6 = seeds.map(lambda seed: np.random.default_rng(seed).normal(size=6))
poses = seeds.map(lambda seed: random_pose(np.random.default_rng(seed)))


class Cloud:
    """Point masses, and their integrals written as sums."""

    def __init__(self, rng, count=6):
        self.m = rng.uniform(0.1, 1, count)
        self.r = rng.uniform(-1, 1, (count, 3)) + rng.normal(size=3)

    def inertia(self):
        I = sum(
            m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(self.m, self.r, strict=True)
        )
        return Inertia(self.m.sum(), self.m @ self.r, I)

    def velocities(self, v):
        w, u = split(v)
        return np.array([u + np.cross(w, r) for r in self.r])

    def seen_from(self, X):
        other = Cloud.__new__(Cloud)
        other.m, other.r = self.m, np.array([X.point(r) for r in self.r])
        return other


def random_pose(rng):
    return Pose(from_rpy(rng.uniform(-math.pi, math.pi, 3)), rng.normal(size=3))


def assert_same(a, b, tolerance=ROUND_OFF):
    assert_close(a.parameters, b.parameters, tolerance)


# what the ten numbers mean


@given(clouds, vec6)
def test_momentum_is_the_sum_of_the_points_momenta(cloud, v):
    momenta = cloud.m[:, None] * cloud.velocities(v)
    n, l = split(cloud.inertia() @ v)
    assert_close(l, momenta.sum(axis=0))
    assert_close(n, np.cross(cloud.r, momenta).sum(axis=0))


@given(clouds, vec6)
def test_kinetic_energy_is_that_of_the_points_in_every_form(cloud, v):
    """½ v·I v = ½ ∫ṙ² dm = ½ m v_C² + ½ ωᵀ I_C ω (König) = ½ tr(Ṫ J Ṫᵀ)."""
    I = cloud.inertia()
    energy = cloud.m @ (cloud.velocities(v) ** 2).sum(axis=1) / 2
    assert_close(v @ (I @ v) / 2, energy)
    w, u = split(v)
    mass, com, I_com = I.com_form()
    v_com = u + cross(w, com)
    assert_close(mass * v_com @ v_com / 2 + w @ I_com @ w / 2, energy)
    T_rate = np.vstack([np.column_stack([skew(w), u]), np.zeros(4)])
    assert_close(np.trace(T_rate @ I.pseudo() @ T_rate.T) / 2, energy)


@given(clouds, vec6)
def test_energy_is_the_same_from_the_euler_matrix(cloud, v):
    """½ tr(S J Sᵀ) = ½ ωᵀ I ω, with S = [ω]× and J = ∫r rᵀ dm."""
    w, _ = split(v)
    I, S = cloud.inertia().I, skew(w)
    J = np.einsum("k,ki,kj->ij", cloud.m, cloud.r, cloud.r)
    assert_close(euler(I), J)
    assert_close(I, np.trace(J) * np.eye(3) - J)
    assert_close(np.trace(S @ euler(I) @ S.T) / 2, w @ I @ w / 2)


@given(clouds)
def test_the_pseudo_inertia_is_the_second_moment_of_homogeneous_points(cloud):
    points = np.column_stack([cloud.r, np.ones(len(cloud.m))])
    J = np.einsum("k,ki,kj->ij", cloud.m, points, points)
    assert_close(cloud.inertia().pseudo(), J)


@given(clouds, clouds)
def test_bodies_joined_rigidly_are_the_union_of_their_points(a, b):
    union = Cloud.__new__(Cloud)
    union.m, union.r = np.concatenate([a.m, b.m]), np.concatenate([a.r, b.r])
    assert_same(a.inertia() + b.inertia(), union.inertia())


# frames


@given(clouds, poses)
def test_a_body_seen_from_another_frame_is_its_points_seen_from_there(cloud, X):
    assert_same(cloud.inertia().seen_from(X), cloud.seen_from(X).inertia())


@given(clouds, poses, poses)
def test_seeing_from_frame_to_frame_is_a_group_action(cloud, X, Y):
    I = cloud.inertia()
    assert_same(I.seen_from(Y).seen_from(X), I.seen_from(X @ Y), DIVIDED)
    assert_same(I.seen_from(X).seen_from(X.inverse()), I, DIVIDED)
    assert_same(I.seen_from(STILL), I)


@given(clouds, poses, vec6)
def test_momentum_and_energy_do_not_depend_on_the_frame(cloud, X, v):
    I = cloud.inertia()
    there = I.seen_from(X)
    assert_allclose(there @ X.motion(v), X.force(I @ v), DIVIDED)
    assert_allclose(X.motion(v) @ (there @ X.motion(v)), v @ (I @ v), DIVIDED)


@given(clouds, poses, vec6)
def test_turning_the_axes_turns_the_matrix(cloud, X, v):
    """I' = R I Rᵀ, and ωᵀ I ω is what it was."""
    I, R, (w, _) = cloud.inertia(), X.R, split(v)
    turned = I.seen_from(Pose(R, np.zeros(3)))
    assert_close(turned.I, R @ I.I @ R.T, HANDFUL)
    assert_allclose((R @ w) @ turned.I @ (R @ w), w @ I.I @ w, rtol=1e-13, atol=1e-13)


@given(clouds, seeds)
def test_the_parallel_axis_theorem(cloud, seed):
    """I = I_c + m (pᵀp E − p pᵀ), from the centre of mass to any point."""
    p = np.random.default_rng(seed).normal(size=3)
    mass, com, I_com = cloud.inertia().com_form()
    shifted = cloud.inertia().seen_from(Pose(np.eye(3), p - com))
    expected = I_com + mass * (p @ p * np.eye(3) - np.outer(p, p))
    assert_close(shifted.I, expected)
    assert_close(shifted.h, mass * p)
    assert_same(Inertia.about_com(mass, p, I_com), shifted)


# ways to write it down


@given(clouds)
def test_every_way_of_writing_reads_back(cloud):
    I = cloud.inertia()
    assert_same(Inertia.about_com(*I.com_form()), I, HANDFUL)
    assert_same(Inertia.from_parameters(I.parameters), I, 0)
    assert_same(Inertia.from_pseudo(I.pseudo()), I, HANDFUL)
    assert_allclose(symmetric(upper(I.I)), I.I, 0)
    assert_close(from_euler(euler(I.I)), I.I, HANDFUL)


@given(clouds)
def test_the_ten_numbers_are_named_in_their_order(cloud):
    I = cloud.inertia()
    ten = dict(zip(NAMES, I.parameters, strict=True))
    x, y, z = cloud.r.T
    assert ten["m"] == I.m
    assert_close([ten["mx"], ten["my"], ten["mz"]], cloud.m @ cloud.r)
    assert_close(ten["Ixx"], cloud.m @ (y * y + z * z))
    assert_close(ten["Ixy"], -(cloud.m @ (x * y)))
    assert_close(ten["Ixz"], -(cloud.m @ (x * z)))
    assert_close(ten["Iyy"], cloud.m @ (x * x + z * z))
    assert_close(ten["Iyz"], -(cloud.m @ (y * z)))
    assert_close(ten["Izz"], cloud.m @ (x * x + y * y))


@given(clouds)
def test_pinocchio_orders_its_ten_numbers_as_we_say(cloud):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) is the oracle here")
    mass, com, I_com = cloud.inertia().com_form()
    theirs = pin.Inertia(mass, com, I_com).toDynamicParameters()
    assert_close(cloud.inertia().pinocchio_parameters(), theirs)


def test_everything_is_exact_over_symbols():
    m, t, x, y, z, a, b = (symbol(name) for name in "mtxyzab")
    six = [symbol(name) for name in ("xx", "xy", "xz", "yy", "yz", "zz")]
    I = Inertia.about_com(m, (x, y, z), symmetric(six))
    mass, com, I_com = I.com_form()
    assert (mass, *com, *upper(I_com)) == (m, x, y, z, *six)
    assert Inertia.from_pseudo(I.pseudo()).parameters.tolist() == I.parameters.tolist()
    assert I.pseudo().tolist() == I.pseudo().T.tolist()
    # Steiner, entry by entry
    assert I.parameters.tolist() == [
        *(m, m * x, m * y, m * z),
        *(six[0] + m * (y * y + z * z), six[1] - m * x * y, six[2] - m * x * z),
        *(six[3] + m * (x * x + z * z), six[4] - m * y * z, six[5] + m * (x * x + y * y)),
    ]
    # energy and momentum in another frame
    X = Pose(about_axis((0, 0, 1), t), np.array([a, b, 0]))
    v = np.array([symbol(f"v{i}") for i in range(6)])
    there = I.seen_from(X)
    assert (there @ X.motion(v)).tolist() == X.force(I @ v).tolist()
    assert there.seen_from(X.inverse()).parameters.tolist() == I.parameters.tolist()


def test_the_centre_of_mass_of_whole_numbers_stays_exact_beside_symbols():
    a = symbol("a")
    _, com, I_com = Inertia(3, np.array([a, 0, 0]), symmetric([0, 0, 0, a, 0, a])).com_form()
    assert com[0] == a / 3
    assert I_com[1, 1] == a - a * a / 3


# which bodies exist


def possible(inertia):
    mass, _, I_com = inertia.com_form()
    return why_impossible(mass, I_com) is None


@given(clouds, poses)
def test_every_cloud_of_points_is_a_possible_body(cloud, X):
    assert possible(cloud.inertia())
    assert possible(cloud.inertia().seen_from(X))
    assert np.linalg.eigvalsh(cloud.inertia().pseudo())[0] > -1e-12


@given(seeds)
def test_a_body_exists_exactly_where_its_pseudo_inertia_is_positive(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    I_com = A @ A.T - rng.uniform(0, 1) * np.eye(3)
    inertia = Inertia.about_com(rng.uniform(-0.2, 1), rng.normal(size=3), I_com)
    # in axes at the centre of mass, so that the eigenvalues are those of the body alone
    smallest = np.linalg.eigvalsh(
        np.block([[euler(I_com), np.zeros((3, 1))], [np.zeros(3), inertia.m]])
    )[0]
    if abs(smallest) > 1e-6:  # too near to call otherwise
        assert (why_impossible(inertia.m, I_com) is None) is bool(smallest > 0)
        # the pseudo-inertia about another point has eigenvalues of the same signs
        assert (np.linalg.eigvalsh(inertia.pseudo())[0] > 0) is np.bool_(smallest > 0)


@pytest.mark.parametrize(
    ("mass", "six", "words"),
    [
        (-1, (1, 0, 0, 1, 0, 1), "the mass is negative (-1 kg)"),
        (1, (-0.1, 0, 0, 1, 0, 1), "a principal moment of inertia is negative (-0.1 kg·m²)"),
        (1, (0.1, 0.5, 0, 0.1, 0, 0.1), "a principal moment of inertia is negative (-0.4 kg·m²)"),
        (
            1,
            (0.1, 0, 0, 0.1, 0, 0.9),
            "no body has this inertia: Izz = 0.9 > Ixx + Iyy = 0.1 + 0.1",
        ),
        (
            1,
            (0.9, 0, 0, 0.1, 0, 0.2),
            "no body has this inertia: Ixx = 0.9 > Iyy + Izz = 0.1 + 0.2",
        ),
        (
            1,
            (0.5, 0.45, 0, 0.5, 0, 0.5),
            "no body has this inertia: of its principal moments, 0.95 > 0.05 + 0.5 kg·m²",
        ),
        (0, (1, 0, 0, 1, 0, 1), "a body without mass has a moment of inertia (1 kg·m²)"),
    ],
)
def test_the_reason_names_what_is_wrong(mass, six, words):
    assert why_impossible(mass, symmetric(six)) == words


@pytest.mark.parametrize(
    ("mass", "six"),
    [
        (1, (0, 0, 0, 0, 0, 0)),  # a point
        (0, (0, 0, 0, 0, 0, 0)),  # nothing
        (1, (0, 0, 0, 1 / 3, 0, 1 / 3)),  # a rod
        (1, (0.1, 0, 0, 0.2, 0, 0.1 + 0.2)),  # a disc, rounded to the wrong side
    ],
)
def test_points_rods_and_discs_are_possible(mass, six):
    assert why_impossible(mass, symmetric(six)) is None
