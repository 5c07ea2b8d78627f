"""Workspaces: areas and volumes that are known, cells that q shows, seen directions, bad input."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import qddot
from qddot.errors import BadArgument, QddotError
from qddot.workspace import reachable
from qddot.workspace.cells import part_of_directions
from qddot.workspace.reachable_set import spread_out

ARM = qddot.load("two_link_point")  # two links of 1 m
PANDA = qddot.load("panda")


@pytest.fixture(scope="module")
def disc():
    return reachable(ARM, "tool", cell=0.04, samples=100_000)


@pytest.fixture(scope="module")
def panda():
    return reachable(PANDA, "tool", cell=0.1, samples=50_000)


def test_two_equal_links_reach_a_disc(disc):
    inner, outer = disc.volume_range
    assert inner < 4 * np.pi < outer
    assert_allclose(disc.volume, 4 * np.pi, rtol=0.01)
    assert (disc.dimension, disc.axes.shape) == (2, (2, 3))
    distance = np.linalg.norm(disc.positions, axis=1)
    assert distance.max() < 2 + disc.cell
    assert disc.settled
    hasty = reachable(ARM, "tool", cell=0.04, samples=1000)
    assert not hasty.settled
    assert "more samples find more" in str(hasty)


def test_limits_make_a_ring(disc):
    ring = reachable(ARM, "tool", {"j2": (0.5, 2.5)}, cell=0.04, samples=100_000)
    near, far = (2 + 2 * np.cos(q2) for q2 in (2.5, 0.5))  # squared distances
    assert ring.volume_range[0] < np.pi * (far - near) < ring.volume_range[1]
    assert_allclose(ring.volume, np.pi * (far - near), rtol=0.02)
    assert not ring.contains([0, 0, 0])
    assert disc.contains([0, 0, 0])
    assert not disc.contains([0, 0, 1])
    places = [[1.2, 0, 0], [0, 1.2, 0], [5, 0, 0], [1e300, 0, 0]]
    assert_array_equal(ring.contains(places), [True, True, False, False])


def test_an_arm_in_space_reaches_a_shell():
    """Two links of 0.5 m and 0.25 m on a ball joint: 4π/3 (0.75³ − 0.25³)."""
    arm = qddot.from_dh([{"alpha": np.pi / 2}, {"a": 0.5}, {"a": 0.25}], "standard")  # no masses
    shell = reachable(arm, arm.tip, cell=0.05, samples=100_000)
    expected = 4 / 3 * np.pi * (0.75**3 - 0.25**3)
    assert shell.volume_range[0] < expected < shell.volume_range[1]
    assert_allclose(shell.volume, expected, rtol=0.04)


def test_each_cell_has_a_position_within_limits_that_shows_it(panda):
    q = panda.q
    assert ((q >= PANDA.limits.lower) & (q <= PANDA.limits.upper)).all()
    p = PANDA.pose(q, "tool")[:, :3, 3]
    assert np.abs(p - panda.positions).max() <= panda.cell / 2 + 1e-12
    assert_allclose(panda.manipulability, PANDA.manipulability(q, "tool"), rtol=1e-9)
    assert panda.contains(p).all()


def test_the_search_at_the_rim_finds_what_even_samples_miss(panda):
    even = PANDA.limits.lower + (PANDA.limits.upper - PANDA.limits.lower) * spread_out(
        0, 100_000, np.zeros(7)
    )
    p = PANDA.pose(even, "tool")[:, :3, 3]
    cells = np.unique(np.floor(p / panda.cell), axis=0)
    assert len(panda.cells) > 1.02 * len(cells)
    assert panda.contains(p).mean() > 0.999


def test_slices_are_layers_of_the_grid(panda):
    grid, corner = panda.grid
    values, (left, right, bottom, top) = panda.slice("z", 0.42, "dexterity")
    k = int(np.floor(0.42 / panda.cell) - round(corner[2] / panda.cell))
    assert_array_equal(~np.isnan(values), grid[:, :, k].T)
    assert values.shape == (round((top - bottom) / panda.cell), round((right - left) / panda.cell))
    assert 0 < np.nanmax(values) <= 1


def test_an_arm_in_a_plane_takes_a_place_in_two_directions(disc):
    """Elbow up and elbow down: two of 64 parts of a turn at a point, a few more in a cell."""
    count = 64 * disc.dexterity
    usual = np.abs(np.linalg.norm(disc.positions, axis=1) - 1.2) < 0.2
    assert 2 <= np.median(count[usual]) <= 6
    assert 0 < disc.turned < 0.2


def test_more_samples_find_more_directions():
    few, many = (reachable(PANDA, "tool", cell=0.3, samples=n) for n in (2000, 60_000))
    assert few.dexterity.mean() < 0.7 * many.dexterity.mean()
    assert few.turned > 2 * many.turned > 0


def test_parts_of_the_sphere_have_equal_areas():
    x = np.random.default_rng(0).normal(size=(64_000, 3))
    bits = part_of_directions(x / np.linalg.norm(x, axis=1, keepdims=True))
    parts, counts = np.unique(bits, return_counts=True)
    assert len(parts) == 64
    assert counts.min() > 850
    assert counts.max() < 1150
    poles = part_of_directions(np.array([[0, 0, 1.0], [0, 0, -1.0], [-1.0, 0, 0], [-1.0, -0.0, 0]]))
    assert (poles > 0).all()


def test_curves_and_surfaces_have_no_volume():
    arm = qddot.load("pendulum")
    curve = reachable(arm, "tool", samples=2000)
    assert (curve.dimension, curve.volume) == (1, 0.0)
    assert "none: it is a curve" in str(curve)
    slides = qddot.load("mass_spring_damper")
    line = reachable(slides, "tool", {"x0": (0, 1), "x1": (-1, 1)}, samples=20_000)
    assert_allclose(line.volume, 2, rtol=0.01)


def test_the_same_seed_gives_the_same_set(disc):
    again = reachable(ARM, "tool", cell=0.04, samples=100_000)
    assert_array_equal(again.q, disc.q)
    assert_array_equal(qddot.workspace("two_link_point", cell=0.04, samples=100_000).q, disc.q)
    assert "Sampled, not certified." in str(disc)


def test_wrong_slices_are_refused(disc, panda):
    with pytest.raises(BadArgument, match="layer"):
        disc.slice("z", 0.1)
    with pytest.raises(BadArgument, match="slice"):
        panda.layer()
    with pytest.raises(QddotError, match="quantity"):
        panda.slice("z", 0.1, "speed")
    with pytest.raises(BadArgument, match="shape"):
        panda.contains([1.0, 2.0])
